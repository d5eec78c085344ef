"Trees as nested nodes, as JSON, and in the format of PageIndex: nothing is lost on the way."
import json, time
from types import SimpleNamespace

import pytest
from hypothesis import given, strategies as st

from litesearch.core import ReadError, database, rows
from litesearch.mdtree import md_to_tree
from litesearch.nested import NestedNode, from_json, from_nested, heading_lines, nested, to_json
from litesearch.outline import TreeNode, build_tree
from litesearch.pageindex import from_pageindex, pageindex_pages, to_pageindex
from support import HOSTILE, library, text_of
from test_invariants import clean, examples, pages

def nodes_of(structure):
    "All nodes of a structure, in document order."
    for nd in structure:
        yield nd
        yield from nodes_of(nd.get('nodes', []))

def below(nd):
    "A nested node and all below it."
    yield nd
    for c in nd.children: yield from below(c)


# --- round trips

@examples(100)
@given(pages, st.sampled_from([None, 'markdown', 'chapter', 'window']))
def test_json_and_back(doc, mode):
    doc = list(clean(doc).items())
    tree = build_tree(doc, title='Fruit', mode=mode)
    assert from_nested(nested(tree)) == tree
    assert from_json(to_json(tree)) == from_json(to_json(tree, indent=1).encode()) == tree
    assert from_json(to_json(tree, content=False), doc) == tree
    assert from_json(to_json(nested(tree, pages=doc))) == tree

@examples(60)
@given(pages)
def test_the_library_gives_back_the_tree_that_was_built(doc):
    db = library()
    did = db.add_doc(doc, title='Fruit')['doc_id']
    stored, tree = db.doc_tree(did), build_tree(list(clean(doc).items()), title='Fruit', max_levels=6)
    last = list(clean(doc))[-1]
    tree[0].page_end, tree[0].end = last, len(clean(doc)[last])   # the root is all of the document, blank pages too
    assert stored == tree
    again = database()
    again.get_tree()
    did = again.add_doc(doc, title='Fruit', build=lambda pages, title: from_json(to_json(stored)))['doc_id']
    assert again.doc_tree(did) == tree

@examples(60)
@given(pages)
def test_ids_name_every_node_once(doc):
    doc = list(clean(doc).items())
    tree = build_tree(doc, title='Fruit')
    for root in (nested(tree), nested(tree, pages=doc)):
        ids = [nd.id for nd in below(root)]
        assert ids[0] == 'root' and len(set(ids)) == len(tree)

def test_numbers_in_ids_are_lines():
    text = 'Intro.\n\n# Hive\n\ntext\n\nTools\n-----\n\nx\n\n## A title that is longer than twenty letters\n'
    root = nested(build_tree(text, title='D'), pages=text)
    assert [nd.id for nd in below(root)] == ['root', 'Hive_2', 'Tools_6', 'A title that is long_11']
    two = [(3, text), (7, '\n# Hive\n')]
    assert heading_lines(build_tree(two, title='D'), two) == [0, 2, 6, 11, 14]


# --- the nested shape

def test_the_nested_node():
    tree = build_tree([(1, '# 1. Hive\n\na'), (2, 'b\n\n## IV. Wire\n\nc')], title='Doc')
    root = nested(tree)
    assert isinstance(root, NestedNode) and (root.id, root.level, root.heading_type) == ('root', 0, 'root')
    assert (root.page_start, root.page_end) == (1, 2)
    hive, = root.children
    assert (hive.title, hive.level, hive.heading_type, hive.content) == ('1. Hive', 1, 'numbered', 'a\n\nb')
    assert (hive.page_start, hive.page_end, hive.summary) == (1, 2, 'a b')
    assert hive.children[0].heading_type == 'roman'
    bare = NestedNode('root', 'Doc', 0, 1, 1, '')
    assert bare.children == [] and bare.heading_type is None and bare.summary == ''
    assert set('id title level page_start page_end content children heading_type summary'.split()) <= vars(root).keys()
    assert json.loads(to_json(tree)).keys() == vars(root).keys()

def test_any_object_with_such_attributes():
    make = lambda title, **kw: SimpleNamespace(title=title, **kw)
    parts = [make('A', content='text a', page_start=2), make('B', level=3)]
    tree = from_nested(make('Doc', page_start=1, children=parts))
    assert [(n.title, n.level, n.page_start, n.parent, n.text()) for n in tree] == [
        ('Doc', 0, 1, None, ''), ('A', 1, 2, 0, 'text a'), ('B', 3, 1, 0, '')]
    db = library()
    parts = [make('A', content='alpha'), make('B', content='beta')]
    build = lambda pages, title: from_nested(make('Doc', children=parts))
    did = db.add_doc('x alpha y beta z', title='Doc', build=build)['doc_id']
    assert [n.text() for n in db.doc_tree(did)[1:]] == ['alpha', 'beta']

@pytest.mark.parametrize('bad,why', [
    ('', 'no JSON'), ('{', 'no JSON'), ('[]', 'JSON object'), ('3', 'JSON object'), ('null', 'JSON object'),
    ('{}', 'title must be text'), ({'title': 3}, 'title must be text'), ({'children': 3}, 'children must be a list'),
    ({'children': [3]}, 'title must be text'), ({'level': 'x'}, 'level must be a whole'),
    ({'page_start': True}, 'page_start must be a whole'), ({'content': ['x']}, 'content must be text'),
    ({'spans': [[1, 2]], 'content': 'x'}, 'spans are'), ({'spans': [[1, 0, 5]], 'content': 'x'}, 'not as long'),
    ({'spans': [[1, 0, 1e999]], 'content': 'x'}, 'spans are'), ({'heading_type': 7}, 'heading_type'),
    ('{"title":"a","children":[' * 50_000, 'too deep')], ids=lambda o: str(o)[:30])
def test_what_is_no_tree_is_refused(bad, why):
    if isinstance(bad, dict): bad = json.dumps(dict(title='a') | bad)
    with pytest.raises(ReadError, match=why): from_json(bad)
    with pytest.raises(ValueError): from_json(bad)

def test_cycles_and_depth():
    a = NestedNode('a', 'A', 0, 0, 0, '')
    a.children = [a]
    with pytest.raises(ReadError, match='twice'): from_nested(a)
    deep = [TreeNode(i, f'n{i}', i, i - 1 if i else None, children=[i + 1], last=4999) for i in range(5000)]
    deep[0].heading_type, deep[-1].children = 'root', []
    assert from_nested(nested(deep)) == deep
    with pytest.raises(ValueError, match='too deep'): to_json(deep)

def test_hostile_titles():
    for title in HOSTILE + ['<script>', '›', 'a\nb', '\u202eabc', '0000']:
        tree = [TreeNode(0, 'D', 0, children=[1], heading_type='root', last=1), TreeNode(1, title, 1, 0, last=1)]
        text = to_json(tree)
        text.encode()
        assert from_json(text) == tree
        out = json.loads(json.dumps(to_pageindex(tree)))
        assert out['structure'][0]['title'] == title


# --- PageIndex: out

def test_the_format():
    doc = [(1, 'Vorwort\n\n# A\n\na'), (2, '## B\n\nb'), (3, '# C\n\nc')]
    tree = build_tree(doc, title='Doc')
    out = to_pageindex(tree, description='About it.', page_count=3)
    assert list(out) == ['doc_name', 'doc_description', 'page_count', 'structure']
    assert out['structure'][1] == dict(title='A', node_id='0001', start_index=1, end_index=2, summary='a', nodes=[
        dict(title='B', node_id='0002', start_index=2, end_index=2, summary='b')])
    assert [(n['title'], n['start_index'], n['end_index']) for n in out['structure']] == [
        ('Preface', 1, 1), ('A', 1, 2), ('C', 3, 3)]
    plain = list(nodes_of(to_pageindex(tree, summary=False, node_id=False)['structure']))
    assert set(plain[0]) == {'title', 'start_index', 'end_index'}

@examples(80)
@given(pages)
def test_numbers_and_ranges(doc):
    doc = list(clean(doc).items())
    tree = build_tree(doc, title='Fruit')
    flat, first = list(nodes_of(to_pageindex(tree, doc)['structure'])), doc[0][0]
    assert [n['node_id'] for n in flat] == [f'{i:04}' for i in range(len(flat))]
    assert len(flat) == len(tree) - 1 + bool(tree[0].segments)
    for n in flat:
        assert n['start_index'] <= n['end_index'] and n['start_index'] >= 1
        for c in n.get('nodes', []): assert n['start_index'] <= c['start_index'] and c['end_index'] <= n['end_index']
    starts = [n['start_index'] - (first == 0) for n in flat]
    assert starts[len(starts) - len(tree) + 1:] == [n.page_start for n in tree[1:]]

def test_deep_titles_become_items():
    tree = build_tree('# A\n\n## B\n\n### C\n\n## D\n\n# E\n', title='Doc')
    out = to_pageindex(tree, max_depth=1)['structure']
    assert [(n['title'], n.get('key_items')) for n in out] == [('A', ['B', 'C', 'D']), ('E', None)]
    assert not any('nodes' in n for n in out)


# --- PageIndex: in

some = st.sampled_from('Hive Frames Wire Tools Year Spring Swarm Queen Honey Wax'.split())
titles = st.lists(some, min_size=1, max_size=8, unique=True)

@examples(80)
@given(titles, st.data())
def test_sections_come_back_with_their_text(names, data):
    levels = [data.draw(st.integers(1, 3)) for _ in names]
    texts, doc = [f'about {n.lower()} there is this' for n in names], []
    for i, (n, level, t) in enumerate(zip(names, levels, texts)):
        part = f"{'#'*level} {n}\n\n{t}\n\n"
        if doc and data.draw(st.booleans()): doc[-1] = (doc[-1][0], doc[-1][1] + part)
        else: doc.append((len(doc) + 1, part))
    tree = build_tree(doc, title='Bees', mode='markdown')
    for given_pages, form in ((doc, to_pageindex(tree, doc)), (None, to_pageindex(tree, doc, text=True)),
                              (doc, json.dumps(to_pageindex(tree, doc)))):
        new = from_pageindex(form, given_pages)
        assert [(n.title, n.parent, n.text(), n.summary) for n in new[1:]] == [
            (n.title, n.parent, n.text(), n.summary) for n in tree[1:]]

REAL = dict(doc_name='acf_manual.pdf', doc_description='How to install the analyzer.', page_count=4, structure=[
    dict(title='Preface', node_id='0000', start_index=1, end_index=1, summary='Contents and title.'),
    dict(title='Safety instructions', node_id='0001', start_index=2, end_index=3, summary='What to heed.', nodes=[
        dict(title='Intended use', node_id='0002', start_index=2, end_index=3, summary='Continuous measurement.'),
        dict(title='Handling', node_id='0003', start_index=3, end_index=3, prefix_summary='Hot surfaces.')]),
    dict(title='4 Shutting down', node_id='0004', start_index=4, end_index=9)], pages=[
    dict(page=1, content='Operator’s manual\n\nSafety instructions 2\nHandling 3\n'),
    dict(page=2, content=' Safety instructions  2 \n\nSafety instructions \nThese must be heeded.\n Intended use \n'
         'Measure gas.\n'),
    dict(page=3, content='more on use\nHandling\nSurfaces are hot.\n'),
    dict(page=4, content='Shut-\nting down\nSwitch it off.\n')])

def test_a_tree_as_its_makers_write_it():
    db = library()
    got = db.add_pageindex(json.dumps(REAL))
    assert (got['title'], got['kind'], got['nodes']) == ('acf manual', 'pdf', 5)
    tree = db.doc_tree(got['doc_id'])
    assert [(n.title, n.level, n.page_start, n.text()) for n in tree] == [
        ('acf manual', 0, 1, 'Operator’s manual\n\nSafety instructions 2\nHandling 3\n\n Safety instructions  2'),
        ('Safety instructions', 1, 2, 'These must be heeded.'), ('Intended use', 2, 2, 'Measure gas.\n\nmore on use'),
        ('Handling', 2, 3, 'Surfaces are hot.'), ('4 Shutting down', 1, 4, 'Switch it off.')]
    assert [n.summary for n in tree] == ['How to install the analyzer.', 'What to heed.', 'Continuous measurement.',
                                         'Hot surfaces.', 'Switch it off.']
    out = db.pageindex(got['doc_id'], pages=True)
    assert [p['content'] for p in out['pages']] == [p['content'] for p in REAL['pages']]
    assert [n['title'] for n in nodes_of(out['structure'])] == [n['title'] for n in nodes_of(REAL['structure'])]
    assert db.add_pageindex(json.dumps(REAL))['skipped'] == 'unchanged'

@pytest.mark.parametrize('structure,want', [
    ([dict(title='A'), dict(title='B')], [(1, 'A', 1), (1, 'B', 1)]),                                  # no pages at all
    ([dict(title='B', start_index=2), dict(title='A', start_index=1)], [(1, 'B', 2), (1, 'A', 2)]),    # backwards
    ([dict(title='A', start_index=-5), dict(title='Z', start_index=99)], [(1, 'A', 1), (1, 'Z', 2)]),  # nowhere
    ([dict(title='A', physical_index='<physical_index_2>')], [(1, 'A', 2)]),
    ([dict(title='A', page_index=2, nodes=[dict(title='', node_id='7')])], [(1, 'A', 2), (2, '7', 2)]),
    ([dict(title='***', start_index=1, nodes=None)], [(1, 'Untitled', 1)]),
    (dict(title='Top', nodes=[dict(title='In', start_index=2)]), [(1, 'Top', 1), (2, 'In', 2)]), ([], [])])
def test_careless_trees(structure, want):
    doc = [(1, 'A\nalpha\n'), (2, 'B\nbeta\n')]
    db = library()
    did = db.add_pageindex(dict(structure=structure), doc)['doc_id']
    assert [(n.level, n.title, n.page_start) for n in db.doc_tree(did)[1:]] == want
    assert text_of(db, f'{did}#0') == 'A\nalpha\n\n\nB\nbeta\n'   # nothing of the document is lost

@pytest.mark.parametrize('bad', ['{"structure": [3]}', '[{"title": "a", "nodes": ["b"]}]', '[' * 100_000, '"x"', '{'],
                         ids=lambda o: o[:20])
def test_what_is_no_such_tree(bad):
    with pytest.raises(ReadError): from_pageindex(bad.encode(), [(1, 'a')])

words = st.sampled_from(['', 'A', 'B', '2', 'Preface'])
scalar = st.one_of(st.none(), st.booleans(), st.integers(-3, 10**12), st.floats(), words)
key = st.sampled_from('''title node_id start_index end_index physical_index page_index line_num summary text nodes
    children'''.split())
either = lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(key, inner, max_size=5))
anything = st.recursive(scalar, either, max_leaves=12)
entries = st.lists(st.dictionaries(key, anything, max_size=5), max_size=4)
whole_file = st.fixed_dictionaries(dict(structure=entries, doc_name=scalar, doc_description=scalar, type=scalar,
                                        pages=anything))

@examples(80)
@given(st.one_of(anything, entries, whole_file))
def test_any_json_is_a_tree_or_refused(data):
    doc = [(1, 'A\nalpha\nB\nbeta\n'), (2, 'Preface\n\nA\nmore')]
    try: tree = from_pageindex(json.loads(json.dumps(data)), doc)
    except (ReadError, OSError): return
    assert [n.seq for n in tree] == list(range(len(tree))) and all(n.title for n in tree)
    parts = sorted((p, o, t) for n in tree for (p, t), o in zip(n.segments, n.offsets))
    assert all(dict(doc)[p][o:o + len(t)] == t for p, o, t in parts)
    assert all(a + len(t) <= b for (p, a, t), (q, b, _) in zip(parts, parts[1:]) if p == q)   # nothing twice
    assert 'alpha' in ' '.join(t for *_, t in parts)
    db = library()
    if isinstance(data, dict): assert db.add_pageindex(data, doc)['nodes'] == len(tree)

def test_without_text():
    db, bare = library(), dict(doc_name='x.pdf', structure=[dict(title='A', summary='s')])
    for match in ('pages=', 'x.pdf'):
        with pytest.raises(ReadError, match=match): db.add_pageindex(bare)
    assert db.toc() == []

def test_texts_of_nodes_that_repeat_those_below():
    tree = dict(structure=[dict(title='A', start_index=1, end_index=2, text='A\na\nB\nb\n', nodes=[
        dict(title='B', start_index=1, end_index=1, text='B\nb\n')]), dict(title='C', start_index=3, text='C\nc')])
    assert pageindex_pages(tree) == [(1, 'B\nb'), (3, 'C\nc')]

def test_a_title_in_running_text_is_no_heading():
    doc = [(1, 'As Tools shows, and the Tools too.\n\n2.1 Tools\n\nA smoker.\n\nToolshed\n')]
    tree = from_pageindex([dict(title='Tools', start_index=1)], doc)
    assert tree[1].text() == 'A smoker.\n\nToolshed'

def test_reading_is_linear():
    text = '\n\n'.join(f'Tools\n\nitem {i}' for i in range(20_000))
    began = time.thread_time()
    tree = from_pageindex([dict(title='Tools')]*3000, text)
    assert [n.text() for n in tree[1:4]] == ['item 0', 'item 1', 'item 2']
    from_pageindex([dict(title='a')]*300, 'a b '*200_000)
    from_pageindex([dict(title='a')]*300, 'xa'*300_000)
    assert time.thread_time() - began < 15


# --- markdown as PageIndex reads it

def test_markdown_tree():
    text = '---\nkey: x\n# no\n---\n# A\n\nintro\n\n**Bold line**\n\ntext\n\n```\n# no\n```\n\n### C\n\nc\n'
    out = md_to_tree(text, if_add_node_text=True)
    assert out['line_count'] == 20 and [n['title'] for n in out['structure']] == ['A', 'Bold line']
    bold = out['structure'][1]
    assert (bold['line_num'], bold['node_id'], bold['nodes'][0]['title']) == (9, '0001', 'C')
    assert bold['text'].startswith('**Bold line**') and '# no' in bold['text']
    assert 'summary' not in bold

def test_markdown_summaries_and_thinning(tmp_path):
    long = 'word '*400
    (tmp_path/'guide.md').write_text(f'# A\n\nshort\n\n## B\n\n{long}\n\n## C\n\nc\n')
    out = md_to_tree(tmp_path/'guide.md', if_add_node_summary='yes', summarize=lambda t: 'LONG')
    a, = out['structure']
    assert (out['doc_name'], a['prefix_summary']) == ('guide', '# A\n\nshort')
    assert [n['summary'] for n in a['nodes']] == ['LONG', '## C\n\nc']
    thin = md_to_tree(str(tmp_path/'guide.md'), if_thinning=True, min_token_threshold=100)
    assert [n['title'] for n in thin['structure'][0]['nodes']] == ['B', 'C']
    thin = md_to_tree(str(tmp_path/'guide.md'), if_thinning=True, if_add_node_text=True)
    assert 'nodes' not in thin['structure'][0] and thin['structure'][0]['text'].endswith('## C\n\nc')
    with pytest.raises(OSError): md_to_tree('no/such/file.md')
    assert md_to_tree('no headings here')['structure'] == []
