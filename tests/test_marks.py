"Marks stand where keyword search matches, and snippets are slices."
import pytest
from hypothesis import given, settings, strategies as st

from litesearch.core import database
from litesearch.fts import fts_rowids
from litesearch.marks import marked_spans, one_line, snippet
from litesearch.store import insert_rows
from support import HOSTILE

def marked(text, q): return [text[a:b] for a, b in marked_spans(text, q)]

TEXTS = ['Processors shall notify the supervisory authority.', 'Processing of personal data is lawful.', 'C++ and C# 7',
         'The café serves crème brûlée.', 'The cafe\u0301 is closed.', 'pro\u00adces\u00adsor of oats', 'naïve approach',
         '東京都の人口は増えた。', '京都の寺', '데이터베이스를 만든다', 'ﾃﾞｰﾀを保存する', 'x_name = 3', 'Article 5(1)(f) of the text',
         'ภาษาไทยเขียนติดกัน', 'كتاب المدارس', 'v2.4.9 of crane::lower', "the queen's eggs", 'state-of-the-art', '', ' \n']
ASKED = ['processor', 'processing data', 'café', 'creme', '東京', '京都', '人口', '데이터', 'データ', 'x_name', 'article 5', 'ไทย',
         'مدارس', 'crane::lower', 'queen', '"personal data"', 'state of the art', 'the', 'of', 'naive', 'C++', 'v2.4.9']

@pytest.mark.parametrize('q', ASKED)
def test_marks_are_where_keyword_search_matches(q):
    db = database()
    db.get_store()
    insert_rows(db, 'store', [dict(content=t) for t in TEXTS])
    hits = {TEXTS[r - 1] for r in fts_rowids(db, 'store', q)}
    assert hits and hits <= {t for t in TEXTS if marked_spans(t, q)}
    strict = {t for t in TEXTS if any(len(m) > 1 for m in marked(t, q))}
    if len(q) > 3: assert strict == hits

@pytest.mark.parametrize('text,q,want', [
    ('Er kaufte ein Haus. Die Häuser sind alt und das ist nicht neu.', 'Häuser', ['Haus', 'Häuser']),
    ('Les chevaux sont dans la prairie et le cheval est là.', 'le cheval', ['chevaux', 'cheval']),
    ('cats and a category', 'cat', ['cats']), ('a category', 'cat', []), ('categories', 'cate', ['categories']),
    ('Data protection. Protection of data.', '"data protection"', ['Data protection']),
    ('queen queens QUEEN', 'queen', ['queen', 'queens', 'QUEEN']), ('ééé', 'e', []),
    ('the cat of the house', 'the house', ['house']), ('to be or not to be', 'to be', ['to', 'be', 'to', 'be'])])
def test_marks(text, q, want): assert marked(text, q) == want

def test_a_phrase_and_its_words_are_one_mark():
    assert marked('on data protection law', '"data protection" data') == ['data protection']

@pytest.mark.parametrize('q', HOSTILE)
def test_anything_goes(q):
    for text in HOSTILE + TEXTS:
        spans = marked_spans(text, q)
        assert all(0 <= a < b <= len(text) for a, b in spans) and all(x[1] <= y[0] for x, y in zip(spans, spans[1:]))

words = st.sampled_from(['queen', 'bees', 'of', 'pro\u00adcess', '東京', 'é', 'e\u0301', '\n\n', ' ', '. ', '# ', 'ﬁne', '\ud800', 'x'*90])

@settings(max_examples=300, deadline=None)
@given(st.lists(words, max_size=60).map(''.join), st.lists(words, max_size=4).map(' '.join), st.integers(1, 120))
def test_snippets_are_slices_of_bounded_size(text, q, width):
    s = snippet(text, q, width)
    assert text[s.start:s.end] == s.text == s.text.strip() and len(s.text) <= width
    assert set((a + s.start, b + s.start) for a, b in s.spans) <= set(marked_spans(text, q))
    assert s.before == bool(text[:s.start].strip()) and s.after == bool(text[s.end:].strip())
    line, spans = one_line(s.text, s.spans)
    assert line == ' '.join(s.text.split()) or not line.isascii()
    assert [line[a:b].split() for a, b in spans] == [s.text[a:b].split() for a, b in s.spans]

def test_a_snippet_holds_the_piece_with_most_words():
    text = 'Eggs. ' + 'Bees fly far. '*60 + 'A queen lays eggs in summer. ' + 'Bees fly far. '*60 + 'The queen.'
    s = snippet(text, 'queen eggs in summer', 60)
    assert s.text.startswith('A queen lays eggs in summer.') and s.before and s.after
    assert [s.text[a:b] for a, b in s.spans] == ['queen', 'eggs', 'summer']

def test_a_piece_at_the_end_fills_its_room():
    s = snippet('Bees fly far. '*60 + 'The queen.', 'queen', 50)
    assert s.text == 'Bees fly far. Bees fly far. The queen.' and not s.after

def test_a_long_text_takes_linear_time():
    assert len(snippet('queen '*100_000, 'queen', 200).spans) == 33
