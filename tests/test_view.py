"Tables of contents for people: safe, aligned, foldable; and lists like any other."
import copy, json, pickle

from hypothesis import given, strategies as st

from litesearch.core import clean_text
from litesearch.outline import build_tree
from litesearch.view import Toc, fit, page_range, text_width, toc_html, toc_text, tree_toc
from support import Checker, HOSTILE, library

TITLES = HOSTILE + ['<script>alert(1)</script>', '"><img src=x onerror=y>', "' onmouseover='x", '&amp; &lt;',
                    'a\x1b[31mb\r\n\tc', '目次 と索引', 'e\u0301\u200b', '\u202eabc', 'x'*300, 'word '*60]

def hostile_toc():
    db = library()
    text = '\n\n'.join(f'{"#"*(i % 3 + 1)} T{i}\n\nx' for i in range(len(TITLES)))
    did = db.add_doc(text, 'Doc', mode='markdown')['doc_id']
    for i, t in enumerate(TITLES): db.q('update nodes set title=? where title=?', [clean_text(t), f'T{i}'])
    return db.toc(did)


def test_html_is_safe_and_whole():
    found = Checker(hostile_toc()._repr_html_())
    assert set(found.tags) == {'div', 'details', 'summary', 'ul', 'li', 'span', 'b'}
    assert {k for k, _ in found.attrs} <= {'class', 'open', 'title'}
    for t in ('<script>alert(1)</script>', '目次 と索引', '&amp; &lt;', "' onmouseover='x"): assert t in found.text
    assert '\x1b' not in found.text and found.tags.count('li') == len(TITLES)

def test_html_folds():
    toc = library(('Doc', '# A\n\n## B\n\nb\n\n# C')).toc()
    html = toc._repr_html_()
    assert html.count('<details') == 2 and html.count('<details open') == 1 and html.count('<li>') == 3
    two = library(('Doc', '# A\n\na'), ('Other', '# B\n\nb')).toc()
    assert '<details open' not in two._repr_html_()
    assert Toc()._repr_html_() == '<div class="litesearch-toc"></div>' and str(Toc()) == ''

def test_html_of_a_large_library_is_bounded():
    node = lambda i, inner: dict(id=f'd#{i}', title='t', pages=(0, 0), children=inner)
    doc = lambda n: dict(title='Doc', doc_id='d', pages=1, tree=node(0, [node(i, []) for i in range(n)]))
    html = toc_html([doc(2000), doc(2000), doc(2000)])
    assert html.count('<li>') == 3000 and '3000 more sections' in html
    assert 'more sections' not in toc_html([doc(3000)])
    assert len(toc_html([doc(0)]*10_000)) < 500_000

def test_html_tells_pages_and_ids():
    db = library()
    did = db.add_doc([(3, '# A\n\na'), (4, 'more\n\n# B & C\n\nb'), (5, '# D\n\nd')], 'Doc')['doc_id']
    html = db.toc()._repr_html_()
    assert f'<span title="{did}#1">A</span> <small>3–4</small>' in html
    assert 'B &amp; C</span> <small>4</small>' in html
    assert '<small>3 pages</small>' in html

def test_terminal_lines():
    db = library()
    doc = [(1, '# A\n\na'), (2, f'## {"long title "*20}\n\nb'), (3, '# 目次の見出し\n\nc')]
    did = db.add_doc(doc, 'Doc')['doc_id']
    lines = str(db.toc()).split('\n')
    assert lines[0].split() == ['Doc', '3', 'pages'] and lines[1] == f'   read {did}#N'
    assert all(text_width(l) == 80 for l in [lines[0], *lines[2:]])
    assert lines[2].split() == ['1', 'A', '1–2'] and lines[3].split('…')[1].strip() == '2'
    assert lines[3].startswith('    2    long') and lines[4].startswith('    3  目次')
    assert {text_width(l) for l in toc_text(db.toc(), width=50).split('\n') if 'read' not in l} == {50}
    assert toc_text(db.toc(), depth=1).count('\n') == 3
    assert toc_text(library(('Doc', '# A\n\na')).toc()).split('\n')[2] == '    1  A'

def test_terminal_lines_of_hostile_titles():
    for line in str(hostile_toc()).split('\n'):
        assert text_width(line) <= 80 and not set(line) & {chr(i) for i in (*range(32), *range(127, 160))}

@given(st.text(max_size=200), st.integers(16, 80))
def test_fit(s, room):
    got = fit(s, room)
    assert text_width(got) <= room and '\n' not in got and fit(got, room) == got
    if text_width(' '.join(s.split())) > room: assert got.endswith('…')

def test_a_toc_is_a_list():
    db = library(('B', '# B\n\nb'), ('A', '# A\n\na'))
    toc = db.toc()
    assert isinstance(toc, list) and toc == list(toc) and [d['title'] for d in toc] == ['A', 'B']
    assert json.loads(json.dumps(toc))[0]['tree']['title'] == 'A'
    for same in (pickle.loads(pickle.dumps(toc)), copy.deepcopy(toc), copy.copy(toc), toc[:]):
        assert same == toc and type(same) is Toc
    assert type(toc[0]) is dict and repr(toc) == str(toc) and repr(Toc()) == 'nothing found' and toc + [] == toc and db.toc('zzz') == []
    assert sorted(toc, key=lambda d: d['title'], reverse=True)[0]['title'] == 'B'

def test_toc_of_a_tree():
    doc = [(1, '# A\n\na\n\n## B'), (2, 'b\n\n# C\n\nc')]
    tree, db = build_tree(doc, title='Doc'), library()
    did = db.add_doc(doc, 'Doc')['doc_id']
    shape = lambda nd: (nd['id'], nd['title'], nd['level'], nd['pages'], [shape(c) for c in nd['children']])
    mine, stored = tree_toc(tree, did)[0], db.toc(did)[0]
    assert shape(mine['tree']) == shape(stored['tree']) and (mine['pages'], mine['doc_id']) == (2, did)
    assert 'summary' in tree_toc(tree, summaries=True)[0]['tree'] and str(tree_toc(tree)).startswith('Doc')

def test_page_ranges(): assert [page_range(p) for p in ((0, 0), (3, 3), (3, 5), (0, 2))] == ['', '3', '3–5', '0–2']
