"Property tests of the splitter and of the adapter for other chunkers"
import time, unicodedata
from dataclasses import dataclass
from pathlib import Path

import pytest
from apsw.unicode import grapheme_next_break
from hypothesis import example, given, settings, strategies as st
from litesearch.chunk import MIN_CHUNK, chunk_markdown, chunk_spans, pack_target, spans_of
from litesearch.chunk import _breaks, _chunks, _fill, _join_short, _last_end, _LINE, _raw_spans, _SENTENCE, _SPACE

corpora = Path(__file__).parents[2]/'shared'/'corpora'

tricky = ['a', 'B', '5', ' ', '  ', '\t', '.', '. ', '! ', '?', '\n', '\r', '\r\n', '\n\n', '\u00a0', '\u200b',
    '\u2028', '\x00', 'é', 'e\u0301', '\u0301', '\u200d', '\ufe0f', 'क', '्', 'ष', 'ि', '।', '日', '。', '、', '」', 'ก',
    '\u0e33', '👩', '🏽', '👩🏽‍🚀', '🇮', '🇳',
    '\u1112\u1161\u11ab', '가', '\ud83d', '\udc00', 'word', 'Sentence one. ', 'x'*50, '\u0301'*30]
texts = st.lists(st.sampled_from(tricky), max_size=150).map(''.join) | st.text(max_size=400)
sizes = st.integers(4, 80) | st.just(512)

def nbytes(s): return len(s.encode('utf-8', 'surrogatepass'))

def boundaries(text):
    "Places where a cluster of characters ends, found from the start of the text"
    res,at = {0},0
    while at < len(text): res.add(at := grapheme_next_break(text, at))
    return res

def assert_tiles(spans, text):
    assert [s for s,_ in spans] == [0] + [e for _,e in spans[:-1]]
    assert spans[-1][1] == len(text)

@settings(max_examples=400, deadline=None)
@given(texts, sizes)
def test_pieces_tile_and_keep_the_size(text, size):
    spans = chunk_spans(text, size)
    assert ''.join(t for _,_,t in spans) == text
    if spans: assert_tiles([o[:2] for o in spans], text)
    for s,e,t in spans: assert t and t == text[s:e] and nbytes(t) <= size

@settings(max_examples=400, deadline=None)
@given(texts, sizes)
def test_no_cluster_is_split(text, size):
    ends,prev = boundaries(text),0
    for s,e,t in chunk_spans(text, size):
        if e in ends:
            prev = e
            continue
        # only a cluster that is itself longer than a piece may be cut
        begin = max(o for o in ends if o < e)
        assert nbytes(text[begin:min(o for o in ends if o > e)]) > size or begin < s

@settings(max_examples=600, deadline=None)
@given(st.lists(st.sampled_from(tricky + [')', '"', '”', '…', '!?', 'a.', ' 9']), max_size=60).map(''.join), st.data())
def test_the_last_match_is_found_from_behind(text, data):
    lo = data.draw(st.integers(0, len(text)))
    hi = data.draw(st.integers(lo, len(text)))
    for pat in (_SENTENCE, _LINE, _SPACE):
        ends = [min(m.end(), hi) for m in pat.finditer(text, lo, hi+1)]
        assert _last_end(pat, text, lo, hi) == next((o for o in reversed(ends) if _breaks(text, o)), 0)

@given(texts)
def test_the_default_chunker_is_adapted_like_any_other(text):
    other = _join_short(_fill(_raw_spans(text, _chunks(text, chunk_spans)), len(text)), text, MIN_CHUNK)
    assert spans_of(text) == (other or ([(0, len(text))] if text.strip() else []))

clusters = st.sampled_from(['e\u0301', 'o\u0308\u0323', 'कि', '\r\n', 'x', '日', '. ', ' '])

@given(st.lists(clusters, min_size=20, max_size=200).map(''.join))
def test_marks_and_line_ends_stay(text):
    for s,_,t in chunk_spans(text, 20)[1:]:
        assert unicodedata.category(t[0])[0] != 'M'
        assert text[s-1:s+1] != '\r\n'

words = st.lists(st.text('abcdefghij', min_size=1, max_size=200), min_size=1, max_size=200)

@given(words, st.sampled_from([' ', '\n', '\t', '  ']))
def test_words_stay_whole(words, sep):
    text = sep.join(words)
    pieces = chunk_markdown(text)
    assert [w for p in pieces for w in p.split()] == words

def test_long_words_stay_whole():
    words = ['abcdefghij'*n for n in range(1, 50)] * 3
    assert [w for p in chunk_markdown(' '.join(words)) for w in p.split()] == words

def test_cut_after_sentences():
    text = ' '.join(f'Sentence number {i} says a few words about the canal.' for i in range(200))
    pieces = chunk_markdown(text)
    assert all(p.rstrip().endswith('.') for p in pieces) and min(map(len, pieces[:-1])) > 256

@pytest.mark.parametrize('short', 'Dr.|Mr.|Mrs.|Prof.|Art.|cf.|J.|et al.|Fig.'.split('|'))
def test_no_cut_after_an_abbreviation(short):
    text = f'The kiln burns all night and all day, too. Then {short} Smith came to look at it and wrote it down.'
    assert [t for _, _, t in chunk_spans(text, 60)][0] == 'The kiln burns all night and all day, too. '

def test_wrapped_prose_prefers_sentences_to_lines():
    words = ' '.join(f'Words of sentence {i} run on over the end of the line here.' for i in range(100)).split()
    text = '\n'.join(' '.join(words[i:i+11]) for i in range(0, len(words), 11))
    assert all(p.rstrip().endswith('.') for p in chunk_markdown(text))

def test_late_line_end_beats_early_sentence_end():
    text = 'An early end. ' + 'w '*150 + '\n' + 'v '*150
    assert chunk_markdown('Much. '*15 + text)[0].endswith('w \n')
    assert chunk_markdown('A title\n' + 'word '*200)[0].rstrip().endswith('word')

@pytest.mark.parametrize('text', [''.join(f'ä{i}€' for i in range(900)) + ' end', 'ม'*4000, '日本語テキスト、'*500, '👩🏽‍🚀'*500])
def test_long_runs_without_a_place_to_cut(text):
    pieces = chunk_markdown(text)
    assert ''.join(pieces) == text and all(pieces) and '\ufffd' not in ''.join(pieces)
    assert all(nbytes(p) > 256 for p in pieces[:-1])

def test_repeated_lines_stay_distinct():
    line = 'Name: ________ Date: ________ Signed: ________\n'
    spans = spans_of(line*200)
    assert_tiles(spans, line*200)
    assert all(s % len(line) == 0 for s,_ in spans)

@pytest.mark.parametrize('unit', ['x', 'word ', '\n', ' ', '. ', '?', '\r\n', 'e\u0301', '\u0301', 'ม', '日',
    '🇮', '."', '\u200d👩'])
def test_time_is_linear(unit):
    def took(n):
        text,best = unit*(n//len(unit)),9
        for _ in range(3):
            t0 = time.thread_time()
            spans_of(text)
            best = min(best, time.thread_time()-t0)
        return best
    assert took(400_000) < 12*took(100_000) + .05

@pytest.mark.parametrize('size', [-1, 0, 3])
def test_size_must_hold_a_character(size):
    with pytest.raises(ValueError, match='at least 4'): chunk_spans('text', size)

# chunkers of others

@dataclass
class Chunk:
    text: str
    start_index: int
    end_index: int

class Fixed:
    "A chunker of chonkie's kind: `size` characters, `overlap` of them shared"
    def __init__(self, size, overlap=0): self.size,self.step = size,size-overlap
    def chunk(self, text):
        starts = range(0, len(text), self.step)
        return [Chunk(text[i:i+self.size], i, min(i+self.size, len(text))) for i in starts]

def as_dicts(text): return [vars(o) for o in Fixed(60).chunk(text)]
def as_tuples(text): return ((o.start_index, o.end_index) for o in Fixed(60).chunk(text))
def as_strings(text): return [o.text for o in Fixed(60).chunk(text)]
def lines(text): return text.splitlines()
def stripped(text): return [o.strip() for o in as_strings(text)]
def wrong_offsets(text): return [Chunk(o.text, o.start_index+3, o.end_index+3) for o in Fixed(60).chunk(text)]
def one_space(text): return [' '.join(o.split()) for o in text.split('\n\n')]

paragraph = 'Paragraph {0} holds some words,\nand  a second line about the   valve {0}.\n\n'
sample = ''.join(map(paragraph.format, range(40)))

@pytest.mark.parametrize('chunker', [None, Fixed(60), Fixed(60).chunk, as_dicts, as_tuples, as_strings, lines, stripped,
    wrong_offsets, one_space])
def test_adapters_tile(chunker):
    spans = spans_of(sample, chunker)
    assert_tiles(spans, sample)
    assert len(spans) > 2 and all(sample[s:e].strip() for s,e in spans)
    assert all(len(sample[s:e].strip()) >= MIN_CHUNK for s,e in spans[1:])

@settings(deadline=None)
@given(texts, st.sampled_from([None, Fixed(60), as_dicts, as_tuples, as_strings, lines, stripped]),
    st.sampled_from([0, 5, MIN_CHUNK]))
@example('\n \n', None, 40)
@example('a\n' + ' '*2000 + 'b', None, 40)
def test_any_text_any_chunker(text, chunker, min_chunk):
    spans = spans_of(text, chunker, min_chunk)
    if not text.strip(): return test_blank(text)
    if spans: assert_tiles(spans, text)
    assert spans and all(text[s:e].strip() for s,e in spans)
    assert all(len(text[s:e].strip()) >= min_chunk for s,e in spans[1:])

@pytest.mark.parametrize('text', ['', ' ', '  \n\t\n '])
def test_blank(text):
    for chunker in (None, Fixed(3), as_strings): assert spans_of(text, chunker) == []

def test_overlapping_chunks_keep_their_offsets():
    chunker = Fixed(100, 30)
    want = [(o.start_index, o.end_index) for o in chunker.chunk(sample)]
    got = spans_of(sample, chunker, 0)
    assert got == want and spans_of(sample, lambda t: [o.text for o in chunker.chunk(t)], 0) == want

def test_short_chunk_joins_the_one_before():
    a,b = (f'A {o} chunk that is long enough to stand alone.|' for o in ('first', 'third'))
    text = f'{a}tiny|{b}end'
    got = [text[s:e] for s,e in spans_of(text, lambda t: t.split('|'))]
    assert got == [a+'tiny|', b+'end']

def test_text_not_in_the_source():
    with pytest.raises(ValueError, match='not in its source'): spans_of('some words', lambda t: ['other words'])
    with pytest.raises(TypeError, match='chunk'): spans_of('some words', 512)
    # a heading put before the text, as contextual chunkers do: the offsets hold
    context = lambda t: [Chunk('Title\n' + o.text, o.start_index, o.end_index) for o in Fixed(60).chunk(t)]
    assert spans_of(sample, context) == spans_of(sample, Fixed(60))

def test_numpy_offsets_become_ints():
    np = pytest.importorskip('numpy')
    spans = spans_of(sample, lambda t: list(zip(np.array([0, 90]), np.array([90, 200]))))
    assert spans == [(0, 90), (90, len(sample))] and all(type(o) is int for s in spans for o in s)

def test_a_chunker_that_finds_nothing_loses_nothing():
    assert spans_of(sample, lambda t: []) == [(0, len(sample))] == spans_of(sample, lambda t: ['', ' '])

def test_pack_target():
    class Packs: pack_cited,target = True,700
    assert pack_target(Packs()) == 700 and pack_target(Fixed(3)) == 0 and pack_target(None) == 0

@pytest.mark.skipif(not corpora.exists(), reason='no corpora here')
def test_corpora():
    names = 'books', 'xquad', 'quran-qa-ar', 'docs-trees/docs/owasp'
    files = [p for o in names for p in sorted((corpora/o).rglob('*.*'))[:40]]
    read = [p.read_text(errors='replace') for p in files if p.suffix in ('.txt', '.md', '.html')]
    assert read
    for text in read:
        spans = spans_of(text)
        assert_tiles(spans, text)
        assert max(nbytes(text[s:e]) for s,e in spans) < 512 + 4*MIN_CHUNK + 200
