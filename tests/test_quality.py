"Measures of trees: right on trees that are known, bounded on all, quick on large ones."
import time

import pytest
from hypothesis import given, strategies as st

from litesearch.core import database
from litesearch.outline import TreeNode, build_tree
from litesearch.quality import letters, search_cost, title_found, tree_faults, tree_quality
from support import HOSTILE, embed, least, library
from test_invariants import clean, examples, pages


def made(*spans):
    "A tree from (level, first page, last page of the own text)."
    tree = [TreeNode(0, 'Doc', 0, page_start=1, page_end=max(e for *_, e in spans), heading_type='root')]
    for level, a, b in spans:
        above = next(n for n in reversed(tree) if n.level < level)
        tree.append(TreeNode(len(tree), f'T{len(tree)}', level, above.seq, a, b))
        above.children.append(tree[-1].seq)
    return tree

def plain(n): return [(i, 'words') for i in range(1, n + 1)]


# --- cost

def slow_cost(tree, n):
    "The definition, node by node and page by page."
    def pages_of(nd):
        own = {p for p in range(nd.page_start, nd.page_end + 1)}
        ends = own | {p for c in nd.children for p in pages_of(tree[c])}
        return set(range(nd.page_start, max(ends) + 1)) if nd.parent is not None else set(range(1, n + 1))
    def cost(nd):
        if not nd.children: return len(pages_of(nd))
        rest = pages_of(nd) - {p for c in nd.children for p in pages_of(tree[c])}
        return 1 + max(len(rest), *(cost(tree[c]) for c in nd.children))
    return cost(tree[0])

@st.composite
def trees(draw):
    n, at, spans = draw(st.integers(1, 30)), 1, []
    for _ in range(draw(st.integers(1, 9))):
        a = draw(st.integers(at, n))
        spans.append((draw(st.integers(1, 4)), a, draw(st.integers(a, min(n, a + 6)))))
        at = a
    return made(*spans), n

@examples(200)
@given(trees())
def test_cost_as_defined(tree_n):
    tree, n = tree_n
    cost = search_cost(tree, plain(n))
    assert cost.worst == (slow_cost(tree, n) if n > 1 else search_cost(tree, plain(n)).worst)
    assert cost.pages == n and 0 <= cost.saved <= 1 and 0 < cost.average <= cost.worst

def test_cost_of_known_trees():
    twenty = plain(20)
    whole = [TreeNode(0, 'Doc', 0, page_start=1, page_end=20)]
    assert search_cost(whole, twenty) == dict(pages=20, worst=20, average=10.5, saved=0)
    four = made((1, 1, 5), (1, 6, 10), (1, 11, 15), (1, 16, 20))
    assert search_cost(four, twenty) == dict(pages=20, worst=6, average=4.0, saved=1.0)
    late = made((1, 16, 18), (1, 19, 20))             # fifteen pages belong to nothing
    assert search_cost(late, twenty).worst == 16 and search_cost(late, twenty).saved == round(5/15, 3)
    steep = made((1, 1, 1), (2, 1, 1), (3, 1, 1), (4, 1, 20))
    assert search_cost(steep, twenty).worst == 4 + 20 and search_cost(steep, twenty).saved == 0

def test_one_page_counts_characters():
    text = ''.join(f'# Part {i}\n\n{"word "*1200}\n\n' for i in range(10))
    cost = search_cost(build_tree(text, title='D'), [(0, text)])
    assert cost.pages == len(text)//3000 + 1 and 3 <= cost.worst <= 5
    assert search_cost(build_tree('short', title='D'), [(0, 'short')]) == dict(pages=1, worst=2, average=2.0, saved=1.0)

def test_pages_that_are_not_numbered_from_one():
    doc = [(10*i, f'# Part {i}\n\nx') for i in range(3, 9)]
    assert search_cost(build_tree(doc, title='D'), doc) == dict(pages=6, worst=2, average=2.0, saved=1.0)
    assert search_cost(made((1, 1, 10**12)), ()).worst == 10**12 + 1   # a careless number costs nothing to look at


# --- titles

@pytest.mark.parametrize('title,text', [
    ('Scope', '# Scope\n'), ('1. Scope', '1 SCOPE'), ('Größe', 'GRÖSSE\n'), ('Resume', 'Résumé'),
    ('Überblick', 'U\u0308berblick'), ('Swarm control', 'SWARM-\nCONTROL'), ('A & B', 'A\xad & *B*'),
    ('0.9 - May', '## [0.9](http://x.org/a_b) - May'),
    ('目次', '## 目 次\n'), ('∑', 'nothing like it'), ('', '')])
def test_titles_that_are_there(title, text): assert title_found(title, text) and title_found(title, text, len(text))

@pytest.mark.parametrize('title,text', [('Scope', ''), ('Scope', 'Scop'), ('Part 2', 'Part 3'), ('Winter', 'x'*5000)])
def test_titles_that_are_not(title, text): assert not title_found(title, text)

def test_a_title_far_away_does_not_count():
    text = 'Winter\n' + 'word '*1000 + '\nSummer\n' + 'body '*1000
    assert title_found('Summer', text, text.index('body')) and not title_found('Winter', text, text.index('body'))
    assert letters('_a-B 1') == 'ab1'


# --- faults and measures

def test_faults():
    doc = [(1, '# A\n\na\n\n## Gone\n\n## B\n\nb\n'), (2, '# Head\n\nx\n\n# Head\n\ny\n\n# Head\n\nz')]
    tree = build_tree(doc, title='Doc')
    assert [(f['title'], f['fault']) for f in tree_faults(tree, doc)] == [('Gone', 'empty'), ('Head', 'repeated')]
    tree[1].title, tree[3].page_start = 'Unheard of', 2
    faults = [(f['seq'], f['page'], f['fault']) for f in tree_faults(tree, doc)]
    assert (1, 1, 'title not on its page') in faults and (3, 2, 'title not on its page') in faults
    tree[4].page_start = 1
    assert (4, 1, 'page out of order') in [(f['seq'], f['page'], f['fault']) for f in tree_faults(tree, doc)]

def test_windows_have_no_titles_to_be_found():
    doc = [(i, 'prose') for i in range(1, 21)]
    q = tree_quality(build_tree(doc, title='D'), doc)
    assert (q.kinds, q.titles_found, q.sections) == ({'window': 3}, None, 3)

def test_a_good_tree_and_what_spoils_it():
    doc = [(i, f'# Chapter {i}\n\n' + 'text '*50) for i in range(1, 21)]
    good = tree_quality(build_tree(doc, title='D'), doc)
    assert (good.score, good.faults, good.titles_found, good.coverage) == (1.0, [], 1.0, 1.0)
    late = [(i, t if i > 15 else t[2:]) for i, t in doc]   # the first fifteen chapters are not recognized
    assert tree_quality(build_tree(late, title='D', mode='markdown'), late).coverage < .3
    empty = [(i, f'{t}\n\n# See chapter {i}') for i, t in doc]
    assert tree_quality(build_tree(empty, title='D'), empty).empty == 20
    wrong = build_tree(doc, title='D')
    for nd in wrong[1:11]: nd.title = 'Something else ' + 'abcdefghij'[nd.seq - 1]
    assert tree_quality(wrong, doc).score == tree_quality(wrong, doc).titles_found == .5
    for bad in (late, empty): assert tree_quality(build_tree(bad, title='D', mode='markdown'), bad).score < .6

@examples(150)
@given(pages)
def test_measures_are_bounded(doc):
    doc = list(clean(doc).items())
    tree = build_tree(doc, title='Fruit')
    q = tree_quality(tree, doc)
    assert q.sections == len(tree) - 1 and q.leaves + sum(bool(n.children) for n in tree) == len(tree)
    assert q.depth <= max(n.level for n in tree) and q.mean_depth <= q.depth and q.mean_fanout <= q.fanout
    for share in (q.score, q.titles_found, q.coverage, q.saved): assert share is None or 0 <= share <= 1
    assert q.titles_found in (None, 1.0) and q.disorder == 0      # our own trees say where their headings are
    assert sum(q.kinds.values()) == q.sections and q.empty == sum(f['fault'] == 'empty' for f in q.faults)

def test_linear():
    def timed(n):
        text = ''.join(f'# Heading {i}\n\nsome words of it\n\n' for i in range(n))
        tree = build_tree(text, title='D')
        began = time.thread_time()
        tree_quality(tree, text)
        return time.thread_time() - began
    assert least(timed, 16_000, 2) < 40*max(least(timed, 1000), .004)


# --- stored documents

def test_report_of_documents():
    db = library(('Good', '# A\n\na\n\n# B\n\nb'), ('Bad', '# A\n\n# B\n\n# C\n\n# D\n\nd'))
    one = db.tree_report('good')
    assert (one['title'], one['sections'], one['score'], one['kind']) == ('Good', 2, 1.0, 'text')
    both = db.tree_report()
    assert [r['title'] for r in both] == ['Bad', 'Good'] and both[1] == one
    assert [r['title'] for r in db.tree_report(limit=1)] == ['Bad']
    ids = [f['id'] for f in both[0]['faults']]
    assert [db.read(i)['title'] for i in ids] == ['A', 'B', 'C'] and db.tree_report(one['doc_id']) == one

def test_report_of_nothing():
    db = database()
    assert (db.tree_report(), db.tree_report('x')) == ([], {})
    db = library('text')
    for q in HOSTILE:
        if q: assert db.tree_report(q) == {} and db.doc_tree(q) == [] and db.pageindex(q) == {}
    with pytest.raises(ValueError, match='no store called'): db.tree_report(store='nowhere')

def test_a_title_that_several_have():
    db = library(('Report 1', 'a'), ('Report 2', 'b'), ('Report 3', 'c'), ('Report 4', 'd'), ('Port', 'e'))
    some = r'4 documents: Report 1 .*Report 3 \([0-9a-f]{16}\), …'
    with pytest.raises(ValueError, match=some): db.tree_report('rep')
    assert db.tree_report('PORT')['title'] == 'Port'   # the whole title comes before a piece of others

def test_report_after_an_edit():
    db = database()
    db.add_doc('# A\n\na\n\n# B\n\n', 'Doc', emb_fn=embed)
    assert db.tree_report('doc')['empty'] == 1
    db.add_doc('# A\n\na\n\n# Z\n\nnew\n\n# B\n\nb', 'Doc', emb_fn=embed)
    report = db.tree_report('doc')
    assert (report['sections'], report['empty'], report['faults']) == (3, 0, [])
    assert [n.title for n in db.doc_tree('doc')] == ['Doc', 'A', 'Z', 'B']

def test_report_of_another_store():
    db = database()
    db.add_doc('# A\n\na', 'Doc', store='notes')
    assert db.tree_report('Doc', store='notes')['sections'] == 1 and db.doc_tree('Doc', store='notes')[1].text() == 'a'
    assert db.pageindex('Doc', store='notes')['structure'][0]['title'] == 'A'


# --- pages by number

def test_pages_of_a_document_and_of_a_section():
    doc = [(1, '# A\n\none'), (2, 'two'), (3, 'three\n\n# B\n\nb'), (5, 'five')]
    db = library()
    did = db.add_doc(doc, 'Doc', mode='markdown')['doc_id']
    got = db.read(did, pages='2-3,9')
    assert (got['id'], got['pages'], got['missing']) == (f'{did}#0', (2, 3), '9')
    assert got['text'] == 'two\n\nthree\n\n# B\n\nb'
    assert got['by_page'] == [dict(page=2, text='two'), dict(page=3, text='three\n\n# B\n\nb')]
    assert db.read(f'{did}#1', pages='1-3')['text'] == 'one\n\ntwo\n\nthree'
    assert db.read(f'{did}#2', pages=[3, 5])['by_page'] == [dict(page=3, text='b'), dict(page=5, text='five')]
    with pytest.raises(ValueError, match=r"'B' has no such page; it has 3,5"): db.read(f'{did}#2', pages='1')
    short = db.read(did, pages='1-5', max_chars=12)
    assert (len(short['text']), short['truncated']) == (12, len('\n\n'.join(t for _, t in doc)))
    assert sum(len(p['text']) for p in short['by_page']) <= 12
    assert db.read('no#1', pages='1') == db.read('no', pages='1') == {}

@pytest.mark.parametrize('bad', ['', 'x', '1-', '-1', '3-1', '1;2', '1-2-3', '٣x', '1e3', 'all', '0x1', '1,,2',
                                 '1-999999'])
def test_requests_that_are_not_understood(bad):
    db = library('text')
    with pytest.raises(ValueError, match='pages='): db.read(db.toc()[0]['doc_id'], pages=bad)


# --- headings that the file does not print

def test_titles_in_the_file_itself(tmp_path):
    import pymupdf
    pdf = pymupdf.open()
    for words in ('Hive\n\nTen frames hang in a box.', 'Year\n\nSpring comes first.'):
        pdf.new_page().insert_text((72, 72), words)
    pdf.set_toc([[1, 'Hive', 1], [1, 'Ghost', 2], [1, 'Year', 2]])
    pdf.save(tmp_path/'bees.pdf')
    db = database()
    db.add_file(tmp_path/'bees.pdf')
    assert db.tree_report('bees')['titles_found'] == 1.0          # the reader put all three there
    seen = db.tree_report('bees', files=True)
    assert seen['titles_found'] == .667
    assert ('Ghost', 'title not on its page') in [(f['title'], f['fault']) for f in seen['faults']]
    assert db.tree_report(files=True) == [seen]
    (tmp_path/'bees.pdf').write_bytes(b'no pdf any more')
    assert db.tree_report('bees', files=True) == db.tree_report('bees')
    (tmp_path/'bees.pdf').unlink()
    assert db.tree_report('bees', files=True) == db.tree_report('bees')
