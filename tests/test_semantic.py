"Sentences, chunklets and the semantic partition"
import time
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from litesearch.chunklet import boundary_probs, chunklets, split_chunklets, statements
from litesearch.sentence import sentences

def cut(text, **kw): return [text[o.start:o.end] for o in sentences(text, **kw)]

def stripped(text, **kw): return [o.strip() for o in cut(text, **kw)]

def assert_tiles(spans, text):
    assert [o[0] for o in spans] == [0] + [o[1] for o in spans[:-1]]
    assert spans[-1][1] == len(text)

parts = ['a', 'B', 'Word ', '5', '3.5', '1. ', '10) ', ' ', '.', '. ', '! ', '?"', '...', '…', '\n', '\r\n', '\r', '\n\n', '# ',
    '## T\n', '===\n', '---\n', '- ', '> ', '| a | b |\n', '|--|--|\n', '```\n', '    ', '\t', '* * *\n', 'Dr. ', 'U.S. ', 'e.g. ',
    '。', '」', 'と', '।', '॥ १ ॥', '؟ ', '[1]', '**', '“', '”', '<div>\n', '\ufeff', '\u00a0', '\x0c', '\u2028', '\ud800', '👩🏽‍🚀',
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
    ('Am 3. Oktober kam Dr. Maier, d. h. Karl. Das war gut.', ['Am 3. Oktober kam Dr. Maier, d. h. Karl.', 'Das war gut.']),
    ('¿Quién? ¡Nadie! «Sí.» Fin.', ['¿Quién?', '¡Nadie!', '«Sí.»', 'Fin.']),
    ('— Куда? — спросил он. Он ушёл.', ['— Куда? — спросил он.', 'Он ушёл.']),
    ('他来了。“好！”他说。走吗？走。', ['他来了。', '“好！”', '他说。', '走吗？', '走。']),
    ('「本当？」と聞いた。「うん。」', ['「本当？」と聞いた。', '「うん。」']),
    ('वह गया। वह आई॥ २ ॥ फिर', ['वह गया।', 'वह आई॥ २ ॥', 'फिर']),
    ('جاء. ذهب؟ نعم۔ انتهى', ['جاء.', 'ذهب؟', 'نعم۔', 'انتهى']),
    ('Wait... what? Well . . . The end.', ['Wait... what?', 'Well . . .', 'The end.']),
    ('The line\nis wrapped here. It\r\ngoes on.', ['The line\nis wrapped here.', 'It\r\ngoes on.']),
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
    ('Text:\n```py\na. B\n\nc. D\n```\nEnd.', [('text', 'Text:'), ('code', '```py\na. B\n\nc. D\n```'), ('text', 'End.')]),
    ('Text:\n\n    a. B\n    c. D\n\nEnd.', [('text', 'Text:'), ('code', 'a. B\n    c. D'), ('text', 'End.')]),
    ('It was in\n1990. It rained.', [('text', 'It was in\n1990.'), ('text', 'It rained.')]),
    ('One.\n\n* * *\n\nTwo.', [('text', 'One.'), ('rule', '* * *'), ('text', 'Two.')]),
    ('---\nk: A. B\n---\nOne.', [('code', '---\nk: A. B\n---'), ('text', 'One.')])])
def test_blocks_are_sentences(text, want): assert [(o.kind, text[o.start:o.end].strip()) for o in sentences(text)] == want

def test_abbreviations_of_the_text_are_learned():
    text = 'De gem. ligt hier. Bij de gem. in het oosten. De gem. Breda is groot. Daar ligt zij.'
    assert 'De gem. Breda is groot.' in stripped(text)
    assert 'De gem.' in stripped('Dit is zo. De gem. Breda is groot. Daar ligt zij.')

@pytest.mark.parametrize('unit', ['. ', 'A. ', '.', 'a.) ', '- a\n', '|-', '> ', '॥1', 'A. "', '    a\n', '\n', 'Word. '])
def test_sentences_take_linear_time(unit):
    def seconds(n):
        text, begin = 'A' + unit*n, time.process_time()
        sentences(text, max_len=500)
        return time.process_time() - begin
    assert seconds(80_000) < 20*seconds(10_000) + .2


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
@given(st.lists(st.tuples(st.integers(1, 20), st.floats(0, 6), st.sampled_from([0, 0, .25, .5, .75, 1])), min_size=1, max_size=9),
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
