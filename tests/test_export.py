"A library as files, and back."
import json, re, sys
from importlib.util import find_spec
from pathlib import Path
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from litesearch.core import MissingDependency, database, rows
from litesearch.encode import HashEncoder
from litesearch.export import (document_markdown, export_arrow, export_json, export_markdown, NotOurs, replacing,
                               safe_name, safe_names, tree_markdown)
from litesearch.nested import from_nested
from litesearch.report import stored_tree
from litesearch.schema import tree_names
from support import HOSTILE, SHARED, embed, library, needs_shared, run

BOOK = [(1, 'A foreword.\n\nCHAPTER I\nThe bees woke.\n\nCHAPTER II\n\nThey flew.'),
        (2, 'Far.\n\nCHAPTER III\n\nThey slept.')]
MIXED = 'Title\n=====\n\nText.\n\nPart *two*\n---\n\nMore.\n\n### Deep\n\nDown.\n\n```\n# no heading\n```\n'

def stored(db): return {r[0]: stored_tree(db, tree_names(), r[0]) for r in rows(db, 'select id from docs')}

def shape(tree): return [(n.level, n.title) for n in tree[1:]]

def with_notes(db):
    "A store of notes as it stands in a library."
    fields = dict.fromkeys('topic title key source created_at updated_at'.split(), str)
    notes = db.get_store('notes', **fields)
    notes.insert(dict(id='n1', content='Order sugar.\n\nTwo bags.', topic='tools', created_at='2026-08-09T10:00:00'))
    notes.insert(dict(id='n2', content='Queen seen.', topic=None, title='Hive 3', key='k', created_at='2026-05-01T10:00:00'))
    return db


needs_arrow = pytest.mark.skipif(find_spec('pyarrow') is None, reason='pyarrow is optional')


# --- names of files

@pytest.mark.parametrize('title', HOSTILE + ['a/b\\c', 'NUL', 'com1.txt', '.hidden', 'x'*500, 'é'*500, 'a\nb',
                                             '\x1b[31m', '蜂', '..'])
def test_any_title_makes_a_name(title, tmp_path):
    name = safe_name(title.replace('\ud800', '\ufffd'))
    assert name and name == name.strip() and len(name.encode()) <= 121
    assert not set(name) & set('<>:"/\\|?*\0\n\ufffd') and name.upper() not in ('NUL', 'COM1.TXT') and name[0] != '.'
    (tmp_path/f'{name}.md').write_text('x')
    assert [p.name for p in tmp_path.iterdir()] == [f'{name}.md']

@given(st.dictionaries(st.text('0123456789abcdef', min_size=16, max_size=16), st.text(max_size=8), max_size=8))
@settings(max_examples=60, deadline=None)
def test_names_differ_where_ids_do(titles):
    assert len({n.casefold() for n in safe_names(titles).values()}) == len(titles)

def test_two_documents_of_one_title(tmp_path):
    db = database()
    for source in 'ab': db.add_doc(f'Text {source}.', title='Bees', source=source)
    db.add_doc('More.', title='notes')
    paths = export_markdown(with_notes(db), tmp_path)
    assert len({p.name.casefold() for p in paths}) == 4 and all(p.exists() for p in paths)
    assert (tmp_path/'notes.md').read_text().startswith('# Notes\n')

def files_of(folder): return {p.name: p.read_bytes() for p in folder.iterdir()}

def test_documents_keep_their_files_when_others_come(tmp_path):
    db = library(('Bees', 'Text a.'))
    first, = export_markdown(db, tmp_path)
    for source in 'bc': db.add_doc(f'Text {source}.', title='Bees', source=source)
    db.add_doc('Text d.', title='bees', source='d')
    paths = export_markdown(db, tmp_path)
    assert first in paths and len({p.name.casefold() for p in paths}) == 4 and 'Text a.' in first.read_text()
    before = files_of(tmp_path)
    assert set(export_markdown(db, tmp_path)) == set(paths) and files_of(tmp_path) == before
    rows(db, "delete from docs where source in ('b', 'c', 'd')")
    assert export_markdown(db, tmp_path) == [first] and files_of(tmp_path) == before

@pytest.mark.parametrize('text', ['My thoughts.', '', '---\nid: "0123456789abcdef"\ntitle: "Bees"\n---\n',
                                  '# Notes\n\nBuy milk.\n', 'A quotation:\n\n---\nid: "{id}"\n', b'\xff\xfe\x00'])
def test_files_of_others_stay(text, tmp_path):
    db = with_notes(library(('Bees', 'Text.')))
    id, = rows(db, 'select id from docs')[0]
    raw = text if isinstance(text, bytes) else text.replace('{id}', id).encode()
    for name in ('Bees.md', 'notes.md', f'Bees {id[:8]}.md'): (tmp_path/name).write_bytes(raw)
    (tmp_path/f'Bees {id}.md').mkdir()
    mine = export_markdown(db, tmp_path)
    assert [p.name for p in mine] == [f'Bees {id} 2.md', 'notes 2.md'] and export_markdown(db, tmp_path) == mine
    assert all((tmp_path/name).read_bytes() == raw for name in ('Bees.md', 'notes.md', f'Bees {id[:8]}.md'))

def test_notes_of_two_libraries_in_one_folder(tmp_path):
    one, two = (with_notes(database(tmp_path/f'{n}.db')) for n in 'ab')
    for db in (one, two): db.get_tree()
    rows(two, "update notes set content='Other.'")
    paths = [export_markdown(db, tmp_path/'out')[0] for db in (one, two, one, two)]
    assert [p.name for p in paths] == ['notes.md', 'notes 2.md']*2
    assert 'Order sugar.' in paths[0].read_text() and 'Other.' in paths[1].read_text()

def test_an_export_into_a_file_of_others_is_refused(tmp_path):
    db, path = library(('Bees', 'Text.')), tmp_path/'a.json'
    path.write_text('{"mine": 1}')
    with pytest.raises(NotOurs, match='left alone'): export_json(db, path)
    assert path.read_text() == '{"mine": 1}'
    path.write_text('')
    assert export_json(db, path) == export_json(db, path) == path and json.loads(path.read_text())['documents']


# --- markdown

@pytest.mark.parametrize('pages', [BOOK, [(0, MIXED)], [(0, '')], [(0, '# Only')], [(3, 'x'), (4, '# A\n\n## A\n\ny')],
                                   [(0, '# ' + 'A long title ' * 20 + '\n\nText.\n\n## B\n\nMore.')],
                                   [(0, '---\na: b\n---\n\n# H\n\nText.')],
                                   [(0, '<h1>One</h1>\n\nText.\n\n<h2>Two</h2>\n\nMore.')],
                                   [(0, '1. Scope\n\nThis.\n\n2. Terms\n\nThat.\n\n2.1 Words\n\nA.\n\n3. End\n\nB.')]])
def test_markdown_has_the_same_sections_and_all_of_the_text(pages):
    db, back = library(('Doc', pages)), database()
    (tree, pages, _), = stored(db).values()
    out = list(tree_markdown(tree, pages))
    assert [n for n, _ in out] == [n for n, _ in pages]
    for (_, a), (_, b) in zip(pages, out):
        assert not set(re.findall(r'\w+', a)) - set(re.findall(r'\w+', b))
    back.add_doc(out, title='Doc')
    (again, *_), = stored(back).values()
    assert shape(again) == shape(tree)

def test_a_section_whose_title_is_nowhere_gets_a_heading():
    from litesearch.outline import TreeNode
    tree = [TreeNode(0, 'Doc', 0), TreeNode(1, 'Made up', 1, parent=0, segments=[(0, 'Text here.')])]
    db = database()
    db.add_doc('Text here.', title='Doc', build=lambda pages, title: tree)
    (tree, pages, _), = stored(db).values()
    assert list(tree_markdown(tree, pages)) == [(0, '# Made up\n\nText here.')]

def test_windows_stay_text():
    pages = [(i, f'Some prose of page {i}.') for i in range(20)]
    (tree, pages, _), = stored(library(('Doc', pages))).values()
    assert len(tree) > 1 and list(tree_markdown(tree, pages)) == pages

@pytest.mark.parametrize('title', HOSTILE + ['a: b', '"', "- x", 'a\u2028b', '#', '{'])
def test_front_matter_is_yaml(title):
    yaml = pytest.importorskip('yaml')
    db = library((title, 'Text.'))
    doc = dict(zip(('id', 'title'), rows(db, 'select id, title from docs')[0]))
    text = document_markdown(dict(doc, meta=dict(note=title.replace('\ud800', '?'))), *stored(db)[doc['id']][:2])
    found = yaml.safe_load(text.split('---\n')[1])
    assert found['title'] == doc['title'] and text.endswith('---\n\nText.\n')

def test_exported_files_can_be_added_again(tmp_path):
    db, back = library(('Year', BOOK), ('Habits', MIXED)), database()
    export_markdown(db, tmp_path)
    back.add_dir(tmp_path, n_workers=0)
    for title in ('Year', 'Habits'): assert shape(back.doc_tree(title)) == shape(db.doc_tree(title))

def test_exporting_twice_gives_the_same_files(tmp_path):
    db = with_notes(library(('Year', BOOK), ('Habits', MIXED)))
    first = {p.name: p.read_bytes() for p in export_markdown(db, tmp_path)}
    assert {p.name: p.read_bytes() for p in export_markdown(db, tmp_path)} == first
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(first)

def test_a_file_that_fails_leaves_the_old_one(tmp_path):
    path = tmp_path/'a.txt'
    path.write_text('old')
    with pytest.raises(RuntimeError):
        with replacing(path) as tmp:
            tmp.write_text('half')
            raise RuntimeError
    assert path.read_text() == 'old' and list(tmp_path.iterdir()) == [path]


# --- JSON

def test_json_gives_the_same_trees(tmp_path):
    db = with_notes(library(('Year', BOOK), ('Habits', MIXED)))
    out = json.loads(export_json(db, tmp_path/'a.json', indent=1).read_text())
    trees = stored(db)
    assert {d['id']: from_nested(d['tree']) for d in out['documents']} == {id: t for id, (t, *_) in trees.items()}
    assert all(d['tree']['children'][0]['id'].startswith(d['id'] + '#') for d in out['documents'])
    assert [(n['note'], n['text']) for n in out['notes']] == [('n2', 'Queen seen.'), ('n1', 'Order sugar.\n\nTwo bags.')]

def test_json_of_hostile_titles(tmp_path):
    db = library(*[(t, f'# {t}\n\nText {i}.') for i, t in enumerate(HOSTILE)])
    assert len(json.loads(export_json(db, tmp_path/'a.json').read_text())['documents']) == len(stored(db))


# --- Parquet

def parquet(folder):
    from pyarrow.parquet import read_table
    return {p.stem: read_table(p) for p in Path(folder).glob('*.parquet')}

@needs_arrow
def test_parquet_has_every_row_and_the_very_vectors(tmp_path):
    db = with_notes(library(('Year', BOOK), ('Habits', MIXED), emb_fn=embed))
    counts, found = export_arrow(db, tmp_path), parquet(tmp_path)
    assert counts == {k: len(t) for k, t in found.items()}
    assert set(counts) == {'docs', 'pages', 'nodes', 'chunks', 'notes'}
    for name, table in [('docs', 'docs'), ('pages', 'pages'), ('nodes', 'nodes'), ('store', 'chunks')]:
        assert counts[table] == rows(db, f'select count(*) from {name}')[0][0]
    chunks = found['chunks'].to_pydict()
    vectors = dict(rows(db, 'select id, embedding from store'))
    assert all(vectors[id] == np.array(v, 'float16').tobytes() for id, v in zip(chunks['id'], chunks['embedding']))
    texts = {(d, p): t for d, p, t in zip(*(found['pages'][c].to_pylist() for c in ('doc_id', 'page', 'text')))}
    for c in found['chunks'].to_pylist():
        if c['page'] == c['page_end']: assert texts[c['doc_id'], c['page']][c['start']:c['end']] == c['content']

@needs_arrow
def test_tables_of_others_stay(tmp_path):
    import pyarrow as pa, pyarrow.parquet as pq
    db = library(('Year', BOOK))
    pq.write_table(pa.table(dict(mine=[1, 2])), tmp_path/'nodes.parquet')
    with pytest.raises(NotOurs, match='nodes.parquet'): export_arrow(db, tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ['nodes.parquet'] and parquet(tmp_path)['nodes'].num_rows == 2

@needs_arrow
def test_parquet_without_vectors(tmp_path):
    db = library(('Year', BOOK))
    assert export_arrow(db, tmp_path)['chunks'] and 'embedding' not in parquet(tmp_path)['chunks'].column_names
    assert export_arrow(database(), tmp_path/'none') == {} and not (tmp_path/'none').exists()

@needs_arrow
def test_values_of_other_types(tmp_path):
    db = library(('Year', BOOK), emb_fn=embed)
    rows(db, 'update store set page=?, heading=?, embedding=? where rowid=1', ('three', 7, b'odd'))
    export_arrow(db, tmp_path)
    row = next(r for r in parquet(tmp_path)['chunks'].to_pylist() if r['rowid'] == 1)
    assert row['page'] is None and row['heading'] == '7' and row['embedding'] is None

@needs_arrow
def test_another_store_and_its_columns(tmp_path):
    db = database()
    db.get_tree('legal', court=str, year=int)
    db.add_doc('# A\n\nText.', title='Doc', store='legal', emb_fn=HashEncoder(32))
    assert export_arrow(db, tmp_path, store='legal')['chunks'] == 1
    chunks = parquet(tmp_path)['chunks']
    assert {'court', 'year'} <= set(chunks.column_names) and str(chunks.schema.field('year').type) == 'int64'
    out = json.loads(export_json(db, tmp_path/'a.json', store='legal').read_text())
    assert len(export_markdown(db, tmp_path, store='legal')) == len(out['documents']) == 1

def test_pyarrow_is_asked_for_by_name(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, 'pyarrow', None)
    with pytest.raises(MissingDependency, match='pip install pyarrow'): export_arrow(library(('Year', BOOK)), tmp_path)

@needs_arrow
def test_memory_does_not_grow_with_the_library():
    code = '''
from litesearch.export import *
import tempfile
from pathlib import Path
db, folder = database(), Path(tempfile.mkdtemp())
for i in range(4): db.add_doc([(p, f'# S{p}\\n\\n' + f'Word {p} of {i}. '*400) for p in range(400)], title=f'D{i}')
before = peak_megabytes()
export_arrow(db, folder); export_markdown(db, folder); export_json(db, folder/'a.json')
print(peak_megabytes() - before, sum(p.stat().st_size for p in folder.iterdir())/1e6)
'''
    grown, written = map(float, run(code).split())
    assert written > 20 and grown < 120


# --- real documents

@needs_shared
@pytest.mark.parametrize('folder', ['eu-legislation/docs', 'books/docs', 'docs-trees/docs/rust-book'])
def test_real_documents_come_back_with_their_sections(folder, tmp_path):
    db, back = database(), database()
    db.add_dir(SHARED/'corpora'/folder, n_workers=0)
    export_markdown(db, tmp_path)
    back.add_dir(tmp_path, n_workers=0)
    told = lambda src: re.search(r'(?m)^id: "(\w+)"', Path(src).read_text())[1]
    ids, trees = dict(rows(back, 'select id, source from docs')), stored(back)
    again = {told(src): shape(trees[id][0]) for id, src in ids.items()}
    assert again == {id: shape(t) for id, (t, *_) in stored(db).items()}
