"Sentences, chunklets and the semantic partition"
import gc, time
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from litesearch import Library
from litesearch.chunk import MIN_CHUNK, spans_of
from litesearch.chunklet import boundary_probs, chunklets, split_chunklets, statements
from litesearch.sentence import sentences
from litesearch.semantic import named_chunker, packed, SemanticChunker, cut_costs, partition, remove_discourse
from support import Counting, check_library, chunks_of, embed, least, library

def cut(text, **kw): return [text[o.start:o.end] for o in sentences(text, **kw)]

def stripped(text, **kw): return [o.strip() for o in cut(text, **kw)]

def assert_tiles(spans, text):
    assert [o[0] for o in spans] == [0] + [o[1] for o in spans[:-1]]
    assert spans[-1][1] == len(text)

parts = ['a', 'B', 'Word ', '5', '3.5', '1. ', '10) ', ' ', '.', '. ', '! ', '?"', '...', '…', '\n', '\r\n', '\r',
    '\n\n', '# ', '## T\n', '===\n', '---\n', '- ', '> ', '| a | b |\n', '|--|--|\n', '```\n', '    ', '\t', '* * *\n',
    'Dr. ', 'U.S. ', 'e.g. ', '。', '」', 'と', '।', '॥ १ ॥', '؟ ', '[1]', '**', '“', '”', '<div>\n',
    '\ufeff', '\u00a0', '\x0c', '\u2028', '\ud800', '👩🏽‍🚀',
    'e\u0301', '+++\n', 'k: v\n', 'x'*30]
texts = st.lists(st.sampled_from(parts), max_size=60).map(''.join) | st.text(max_size=200)


# --- sentences

@settings(max_examples=500, deadline=None)
@given(texts)
def test_sentences_tile_the_text(text):
    found = sentences(text)
    if not text: assert not found
    else: assert_tiles([(o.start, o.end) for o in found], text)
    assert all(o.start < o.end for o in found)
    # only at the very beginning may there be a blank one, in a text that has nothing else
    assert all(text[o.start:o.end].strip() for o in found) or not text.strip()

@settings(max_examples=300, deadline=None)
@given(texts, st.integers(2, 60))
def test_a_limit_only_cuts_what_is_longer(text, size):
    found = sentences(text, max_len=size)
    assert all(0 < o.end-o.start <= size for o in found)
    if text: assert_tiles([(o.start, o.end) for o in found], text)
    assert {o.start for o in sentences(text)} <= {o.start for o in found}

@pytest.mark.parametrize('text,want', [
    ('Mr. Brown met Mrs. Green. They spoke.', ['Mr. Brown met Mrs. Green.', 'They spoke.']),
    ('It cost 3.50. The rest was 1,000.5 m. wide.', ['It cost 3.50.', 'The rest was 1,000.5 m. wide.']),
    ('By J. R. R. Tolkien. A novel.', ['By J. R. R. Tolkien.', 'A novel.']),
    ('He said “Stop.” Then he left.', ['He said “Stop.”', 'Then he left.']),
    ('"Stop!" he said. (Why? Nobody knew.) It rained.', ['"Stop!" he said.', '(Why?', 'Nobody knew.)', 'It rained.']),
    ('At 5 p.m. The door opened.', ['At 5 p.m.', 'The door opened.']),
    ('See e.g. Smith et al. 1999, p. 5, vol. IV. Go on.', ['See e.g. Smith et al. 1999, p. 5, vol. IV.', 'Go on.']),
    ('It works.[12] It ends.² Yes.', ['It works.[12]', 'It ends.²', 'Yes.']),
    ('Version 2.0.1 is out! Use example.com. Thanks.', ['Version 2.0.1 is out!', 'Use example.com.', 'Thanks.']),
    ('Plan B. It failed. As did I. The end.', ['Plan B.', 'It failed.', 'As did I.', 'The end.']),
    ('Am 3. Oktober kam Dr. Maier, d. h. Karl. Das war gut.',
     ['Am 3. Oktober kam Dr. Maier, d. h. Karl.', 'Das war gut.']),
    ('¿Quién? ¡Nadie! «Sí.» Fin.', ['¿Quién?', '¡Nadie!', '«Sí.»', 'Fin.']),
    ('— Куда? — спросил он. Он ушёл.', ['— Куда? — спросил он.', 'Он ушёл.']),
    ('他来了。“好！”他说。走吗？走。', ['他来了。', '“好！”', '他说。', '走吗？', '走。']),
    ('「本当？」と聞いた。「うん。」', ['「本当？」と聞いた。', '「うん。」']),
    ('वह गया। वह आई॥ २ ॥ फिर', ['वह गया।', 'वह आई॥ २ ॥', 'फिर']),
    ('جاء. ذهب؟ نعم۔ انتهى', ['جاء.', 'ذهب؟', 'نعم۔', 'انتهى']),
    ('Wait... what? Well . . . The end.', ['Wait... what?', 'Well . . .', 'The end.']),
    ('The line\nis wrapped here. It\r\ngoes on.', ['The line\nis wrapped here.', 'It\r\ngoes on.']),
    ('<b>It was.</b> It is. -->', ['<b>It was.</b>', 'It is. -->']),
    ('Less (Fig. 1 ). Three left a [CA](x/). Most trust the CA. Where is it? MR. BROWN knows I/O. So.',
     ['Less (Fig. 1 ).', 'Three left a [CA](x/).', 'Most trust the CA.', 'Where is it?',
      'MR. BROWN knows I/O.', 'So.']),
    ('Until 6 P.M. Mr. Smith was out, you and I. Did Albert I. Jones see N°. 5? No.',
     ['Until 6 P.M.', 'Mr. Smith was out, you and I.', 'Did Albert I. Jones see N°. 5?', 'No.']),
    ('', []), (' \n', ['']), ('no stop', ['no stop'])])
def test_prose(text, want): assert stripped(text) == want

@pytest.mark.parametrize('text,want', [
    ('# A. B. C\nText. More.', [('heading', '# A. B. C'), ('text', 'Text.'), ('text', 'More.')]),
    ('A. Title\n===\nText.', [('heading', 'A. Title\n==='), ('text', 'Text.')]),
    ('- One. Two.\n  three\n- Four.', [('item', '- One. Two.\n  three'), ('item', '- Four.')]),
    ('1) One. Two.\n2) Three.', [('item', '1) One. Two.'), ('item', '2) Three.')]),
    ('- One.\n\n  Two. Three.\n', [('item', '- One.'), ('text', 'Two.'), ('text', 'Three.')]),
    ('| A. B | c |\n|---|---|\n| 1. 2 | 3. D |\n', [('row', '| A. B | c |\n|---|---|'), ('row', '| 1. 2 | 3. D |')]),
    ('> One. Two.\n> Three.\n>\n> Four.', [('quote', '> One. Two.\n> Three.\n>'), ('quote', '> Four.')]),
    ('Text:\n```py\na. B\n\nc. D\n```\nEnd.',
     [('text', 'Text:'), ('code', '```py\na. B\n\nc. D\n```'), ('text', 'End.')]),
    ('Text:\n\n    a. B\n    c. D\n\nEnd.', [('text', 'Text:'), ('code', 'a. B\n    c. D'), ('text', 'End.')]),
    ('It was in\n1990. It rained.', [('text', 'It was in\n1990.'), ('text', 'It rained.')]),
    ('One.\n\n* * *\n\nTwo.', [('text', 'One.'), ('rule', '* * *'), ('text', 'Two.')]),
    ('---\nk: A. B\n---\nOne.', [('code', '---\nk: A. B\n---'), ('text', 'One.')])])
def test_blocks_are_sentences(text, want):
    assert [(o.kind, text[o.start:o.end].strip()) for o in sentences(text)] == want

def test_abbreviations_of_the_text_are_learned():
    text = 'De gem. ligt hier. Bij de gem. in het oosten. De gem. Breda is groot. Daar ligt zij.'
    assert 'De gem. Breda is groot.' in stripped(text)
    assert 'De gem.' in stripped('Dit is zo. De gem. Breda is groot. Daar ligt zij.')

@pytest.mark.parametrize('unit', ['. ', 'A. ', '.', 'a.) ', '- a\n', '|-', '> ', '॥1', 'A. "', '    a\n', '\n',
                                  'Word. '])
def test_sentences_take_linear_time(unit):
    def seconds(n):
        text, begin = 'A' + unit*n, time.thread_time()
        sentences(text, max_len=500)
        return time.thread_time() - begin
    gc.disable()   # which would look through all that other tests have left
    try: assert min(seconds(80_000) for _ in range(3)) < 20*seconds(10_000) + .2
    finally: gc.enable()


# --- chunklets

def chunklet_cost(p, stated, j, i):
    "The cost of a chunklet, as it is written down."
    s = sum(stated[j:i])
    return 1 - p[j] + sum(p[j+1:i]) + (s-3)**2/(2*max(s, 1e-6)**.5)

def splits(n):
    "All ways to split `n` things into runs, as the places where the runs begin."
    return [(0, *o) for k in range(n) for o in combinations(range(1, n), k)]

def runs(begins, n): return list(zip(begins, [*begins[1:], n]))

@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 20), st.floats(0, 6), st.sampled_from([0, 0, .25, .5, .75, 1])),
                min_size=1, max_size=9),
       st.integers(20, 90))
def test_no_split_into_chunklets_is_cheaper(rows, max_size):
    sizes, stated, p = zip(*rows)
    n = len(rows)
    cost = lambda o: sum(chunklet_cost(p, stated, j, i) for j, i in runs(o, n))
    fits = lambda o: all(sum(sizes[j:i]) <= max_size for j, i in runs(o, n))
    found = split_chunklets(sizes, stated, p, max_size)
    assert fits(found)
    assert cost(found) == pytest.approx(min(map(cost, filter(fits, splits(n)))))

def test_of_equal_splits_the_last_chunklet_is_the_longer():
    # three things in two chunklets: 1 + 2 costs what 2 + 1 does
    assert split_chunklets([1]*3, [2.]*3, [0]*3, 2) == [0, 1]

@pytest.mark.parametrize('words,want', [([2, 4, 6, 8], [.75*2/3.5, .75 + .5*.5/3, .75 + .5*2.5/3, .75 + .5*4.5/3]),
                                        ([7], [.75]), ([0, 0], [0, 0]), ([], [])])
def test_statements(words, want): assert list(statements(words)) == pytest.approx(want)

@pytest.mark.parametrize('text,want', [
    ('# A\n\nOne.\n\nTwo.', [1, 0, 0]), ('One. Two.\n\nThree.', [.5, 0, .5]), ('- a\n- b\n\nOne. Two.', [0, 0, .5, 0]),
    ('> Q.\n\nOne. Two.\n\n> R.', [.75, 0, 0, .75]), ('One. Two.\n- a\n- b\n', [.5, 0, .25, 0]),
    ('One. Two.\n\n## B\n\n# C\n', [.5, 0, 1, 0]), ('|a|\n|-|\n|b|\n', [0, 0])])
def test_boundary_probs(text, want): assert list(boundary_probs(sentences(text))) == want

@settings(max_examples=200, deadline=None)
@given(texts, st.integers(2, 200))
def test_chunklets_tile_the_text(text, max_size):
    found = chunklets(text, max_size)
    if text: assert_tiles(found, text)
    assert all(0 < e-s <= max_size for s, e, _ in found)
    assert {o[0] for o in found} <= {o.start for o in sentences(text, max_len=max_size)}


# --- the semantic partition

@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 20), st.floats(0, 1) | st.sampled_from([.25, .5])), min_size=1, max_size=11),
       st.integers(20, 90))
def test_no_partition_is_cheaper(rows, max_size):
    sizes, costs = zip(*rows)
    n, costs = len(rows), costs[1:]
    cost = lambda o: sum(costs[i-1] for i in o[1:])
    fits = lambda o: all(sum(sizes[j:i]) <= max_size for j, i in runs(o, n))
    found = partition(sizes, costs, max_size)
    assert fits(found)
    assert cost(found) == pytest.approx(min(map(cost, filter(fits, splits(n)))))

@pytest.mark.parametrize('sizes,costs,want', [
    ([5]*4, [.5, .5, .5], [0, 2]), ([5]*4, [.1, .9, .1], [0, 1, 3]), ([5]*5, [.9, .1, .2, .9], [0, 2, 3]),
    ([10]*3, [1, 1], [0, 1, 2]), ([5], [], [0]), ([], [], []), ([5, 5], [0], [0])])
def test_partition(sizes, costs, want): assert partition(sizes, costs, 10) == want

@pytest.mark.parametrize('fn,message', [
    (lambda: partition([5, 11], [.5], 10), 'chunklet 1 has 11'),
    (lambda: remove_discourse([[1., 0], [0, 0]], [1, 1]), 'vector 1'),
    (lambda: remove_discourse([[1., np.nan]], [1]), 'vector 0'),
    (lambda: split_chunklets([11], [1], [0], 10), 'sentence 0'),
    (lambda: SemanticChunker(None), 'encoder'), (lambda: SemanticChunker(embed, 1), 'at least 2'),
    (lambda: SemanticChunker(lambda ts: np.ones(3), 50).chunk('Some words. ' * 9), 'shape')])
def test_what_cannot_be_is_refused(fn, message):
    with pytest.raises(ValueError, match=message): fn()

def test_discourse_is_that_of_chunklets_of_usual_length():
    rng = np.random.default_rng(0)
    x, sizes = rng.normal(size=(20, 8)) + [3]*8, np.arange(20)*10
    unit = x/np.linalg.norm(x, axis=1, keepdims=True)
    d = unit[3:17].mean(0) # 20 sizes: the percentiles 15 and 85 lie at the places 2.85 and 16.15
    d /= np.linalg.norm(d)
    want = unit - np.outer(unit@d, d)
    got = remove_discourse(x, sizes)
    assert np.allclose(got, want/np.linalg.norm(want, axis=1, keepdims=True), atol=1e-5)
    assert np.allclose(got@d, 0, atol=1e-5)

def test_vectors_stay_when_none_is_of_usual_length():
    x = np.array([[3., 4], [0, 2]])
    assert np.allclose(remove_discourse(x, [10, 90]), [[.6, .8], [0, 1]])

def test_vectors_stay_when_one_would_vanish():
    x = np.array([[1., 0, 0], [1, 1, 0], [1, -1, 0]])
    assert np.allclose(remove_discourse(x, [5]*3), x/np.linalg.norm(x, axis=1, keepdims=True))

@pytest.mark.parametrize('headings,want', [
    ([0, 0, 0, 0], [.5, .5, .5]), ([0, 1, 0, 0], [.125, 1, .5]), ([0, 1, 1, 0], [.125, 1, 1]),
    ([1, 0, 0, 1], [1, .5, .125])])
def test_a_heading_stays_with_what_follows(headings, want):
    assert list(cut_costs(np.eye(4), headings)) == pytest.approx(want)

@settings(max_examples=150, deadline=None)
@given(texts, st.integers(2, 200))
def test_chunks_tile_the_text(text, max_size):
    found = SemanticChunker(embed, max_size).chunk(text)
    if text: assert_tiles(found, text)
    assert all(0 < len(t) <= max_size and t == text[s:e] for s, e, t in found)
    if 0 < len(text) <= max_size: assert len(found) == 1
    assert spans_of(text, SemanticChunker(embed, max_size), 1) or not text.strip()

@pytest.mark.parametrize('vecs', [lambda ts: np.zeros((len(ts), 4)), lambda ts: np.full((len(ts), 4), np.nan),
                                  lambda ts: np.ones((len(ts), 4)), lambda ts: np.eye(len(ts)),
                                  lambda ts: np.ones((len(ts), 1))])
def test_poor_vectors_still_give_chunks(vecs):
    text = 'It was late and nobody came. ' * 40
    found = SemanticChunker(vecs, 200).chunk(text)
    assert_tiles(found, text)
    assert all(len(t) <= 200 for *_, t in found)

def test_a_short_text_is_not_embedded():
    enc = Counting()
    assert SemanticChunker(enc).chunk('Short. ' * 200) == [(0, 1400, 'Short. ' * 200)]
    assert not enc.calls

def test_cuts_where_the_topic_turns():
    mill = 'The wheel turns the shaft. Water drives the wheel and the oak shaft. The wheel of the mill is wide. '
    bread = 'Bread is baked from flour. Flour and salt make good bread. Bake the bread in a hot oven. '
    found = SemanticChunker(embed, 480).chunk(mill*4 + bread*4)
    assert len(mill*4) in [s for s, *_ in found]

def test_a_library_with_semantic_chunks():
    text = '# Mill\n\n' + 'The wheel turned. Nobody saw the wheel by night. ' * 60
    text += '\n\n## Bread\n\n' + 'It is baked. ' * 20
    db = library()
    db.add_doc(text, title='Mill', emb_fn=embed, chunker=SemanticChunker(embed))
    check_library(db)
    sizes = [len(c['content']) for c in chunks_of(db)]
    assert 2 < len(sizes) < 6 and max(sizes) <= 1600 + MIN_CHUNK

@pytest.mark.parametrize('unit', ['Word. ', 'It was late, and nobody came. ', '- a\n', '# T\n\nA.\n\n', '你好。', 'x'])
def test_chunks_take_linear_time(unit):
    def seconds(n):
        text, begin = unit*(n//len(unit)), time.thread_time()
        SemanticChunker(lambda ts: np.ones((len(ts), 2))).chunk(text)
        return time.thread_time() - begin
    assert least(seconds, 160_000, 2) < 20*least(seconds, 20_000) + .3


# --- chunkers by name

@pytest.mark.parametrize('spec,low,high', [
    ('plain', 3, 4), ('plain:64', 24, 48), ('semantic:300', 6, 10), ('semantic', 1, 1),
    ('sentences:300', 6, 8), ('paragraphs', 2, 2)])
def test_a_library_takes_a_chunker_by_name(spec, low, high, tmp_path):
    "Fewer and longer passages, or more; each still a slice of its page"
    text = 'The wheel turns the oak shaft. Bread is baked from good flour. ' * 24
    with Library(tmp_path/'l.db', encoder='hash') as lib:
        made = lib.add({'Mill': text}, chunker=spec)[0]['chunks']
        assert low <= made <= high
        stored = lib.db.conn.execute('select start, end, content from store')
        assert [text[a:b] == c for a, b, c in stored] == [True]*made
        assert lib.check()['ok']

@pytest.mark.parametrize('spec', ['fine', 'plain:x', 'semantic:0', 'semantic:-4', 'plain:1.5', ''])
def test_no_name_of_a_chunker(spec):
    with pytest.raises(ValueError, match='chunker='): named_chunker(spec)

@settings(max_examples=200, deadline=None)
@given(st.text('ab. \n\r蜂。#`', max_size=200), st.sampled_from(['sentences', 'paragraphs']), st.integers(2, 40))
def test_packed_chunks_are_all_of_the_text(text, unit, size):
    found = packed(text, unit, size)
    assert ''.join(t for *_, t in found) == text and all(t == text[a:b] and len(t) <= size for a, b, t in found)
