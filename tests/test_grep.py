"Lines of documents: every one that holds the pattern, where it is, in order, and none twice."
import pytest
from hypothesis import given, settings, strategies as st

from litesearch.core import database
from litesearch.grep import as_pattern, first_matches, grep, shown, WIDTH
from support import library

LINES = st.lists(st.text('ab*(\\.é蜂 ', max_size=8), max_size=12)

@settings(max_examples=200, deadline=None)
@given(LINES, st.text('ab*(\\.é蜂', min_size=1, max_size=2), st.booleans())
def test_lines_that_hold_a_string(lines, wanted, ignore_case):
    "The same lines as by looking at each"
    fold = str.lower if ignore_case else str
    found = [*first_matches('\n'.join(lines), as_pattern(wanted, ignore_case=ignore_case))]
    assert [n for *_, n in found] == [i for i, line in enumerate(lines, 1) if fold(wanted) in fold(line)]

@settings(max_examples=200, deadline=None)
@given(LINES, st.integers(0, 90), st.integers(0, 5), st.integers(0, 3))
def test_what_is_shown_holds_the_match(lines, at, n, context):
    text = '\n'.join(lines)
    start = min(at, len(text))
    end = min(start + n, len(text))
    a, b = shown(text, start, end, context)
    assert 0 <= a <= start <= end <= b <= len(text)
    assert text[a:b].count('\n') <= 2*context + text.count('\n', start, end)

@pytest.fixture(scope='module')
def shelf():
    db = database()
    db.add_doc('Start: knot.\n\n# A knot\n\ntie (a) knot\n\n## B\n\nno\n\nKNOT?', 'Ropes', kind='md')
    db.add_doc([(9, '# Sea\n\nwave knot\nknot knot'), (2, 'calm\n\n# Land knot\n\nroad')], 'Odd "pages"', 'o.pdf', 'pdf')
    return db

def places(found): return [(o['breadcrumb'], o['page'], o['line']) for o in found]

def test_where_lines_are(shelf):
    "A heading is in its own section; pages may be numbered in any order; each line once"
    assert places(grep(shelf, 'knot')) == [
        ('Ropes', 0, 1), ('Ropes › A knot', 0, 3), ('Ropes › A knot', 0, 5),
        ('Odd "pages" › Sea', 9, 3), ('Odd "pages" › Sea', 9, 4), ('Odd "pages" › Land knot', 2, 3)]
    assert places(grep(shelf, 'KNOT')) == [('Ropes › A knot › B', 0, 11)]
    assert len(grep(shelf, 'KNOT', ignore_case=True)) == 7

def test_every_hit_is_a_slice(shelf):
    for h in grep(shelf, 'o', context=1, limit=None):
        page, = shelf.q('select text from pages where doc_id=? and page=?', (h['doc_id'], h['page']))
        assert page['text'][h['start']:h['end']] == h['content'] and h['content'][slice(*h['match'])] == 'o'

@pytest.mark.parametrize('n', [1, 2, 3, 10])
def test_parts_join(shelf, n):
    parts = [grep(shelf, 'knot', limit=n, offset=i) for i in range(0, 10, n)]
    assert sum(parts, []) == grep(shelf, 'knot', limit=None)

@pytest.mark.parametrize('pattern,regex,n', [('(a)', False, 1), ('%', False, 0), ("'; drop table pages --", False, 0),
                                             ('^', True, 20), (r'^\w+ knot$', True, 2), ('\0', False, 0)])
def test_any_text_may_be_asked_for(shelf, pattern, regex, n): assert len(grep(shelf, pattern, regex)) == n

@pytest.mark.parametrize('kw', [dict(pattern=''), dict(pattern='(', regex=True), dict(pattern='a', limit=-1),
                                dict(pattern='a', offset=-1), dict(pattern='a', context=-1)])
def test_refused(shelf, kw):
    with pytest.raises(ValueError): grep(shelf, **kw)

def test_conditions_and_statements(shelf):
    assert {o['doc'] for o in grep(shelf, 'knot', where={'kind': 'pdf'})} == {'Odd "pages"'}
    assert places(grep(shelf, 'knot', where='page=2')) == [('Odd "pages" › Land knot', 2, 3)]
    seen = []
    shelf.conn.exec_trace = lambda cursor, sql, args: seen.append(sql) or True
    try: grep(shelf, 'knot', where={'kind': 'pdf'})
    finally: shelf.conn.exec_trace = None
    assert len(seen) <= 8

def test_long_lines_are_cut_between_words():
    line = ' '.join(f'word{i}' for i in range(300))
    db = library(line + ' honeycomb ' + line)
    hit, = grep(db, 'honeycomb')
    said = hit['content']
    assert len(said) <= WIDTH and {*said.split()} <= {*line.split(), 'honeycomb'}
    assert said[slice(*hit['match'])] == 'honeycomb'

@pytest.mark.parametrize('text', ['un café noir', 'un cafe\u0301 noir'])
@pytest.mark.parametrize('wanted', ['café', 'cafe\u0301'])
def test_accents_composed_or_apart(text, wanted):
    "No reader sees the difference; the hit is a slice of what is there"
    hit, = grep(library(text), wanted)
    assert hit['content'] == text and hit['content'][slice(*hit['match'])] in ('café', 'cafe\u0301')
    assert not grep(library(text), 'cafe noir')
