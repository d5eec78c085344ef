"The published examples of the API, value by value: sections, breadcrumbs, scores, ids."
import subprocess, sys
from pathlib import Path
import numpy as np
import pytest

from litesearch.core import database
from litesearch.encode import hash_embed
from support import HERE, embed, text_of, vec, write_files

tree = pytest.importorskip('litesearch.tree')
from litesearch.tree import (adaptive_weights, build_tree, detect_mode, heading_path, merge_spans, struct_levels,
                             summarize_extractive, _dedent_path, _md_lines, _md_stats)

def titles(nodes): return [n.title for n in nodes]
def parents(nodes): return [n.parent for n in nodes]


# --- sections out of headings

@pytest.fixture(scope='module')
def orchard():
    return build_tree([(0, '# Apples\n\nA word on the old varieties.\n\n## Grafting\n\nWhip and tongue in March.'),
                       (1, '## Storage\n\nKeep them cool.')], title='Orchard')

def test_titles(orchard): assert titles(orchard) == ['Orchard', 'Apples', 'Grafting', 'Storage']

def test_sections_hang_under_the_one_above(orchard): assert orchard[2].parent == orchard[3].parent == 1

def test_heading_path(orchard): assert heading_path(orchard, orchard[2], 'Orchard') == 'Orchard › Apples › Grafting'

def test_levels_pages_and_summaries(orchard):
    "A root without text of its own is summed up by the titles below it."
    assert [(n.seq, n.level, n.page_start, n.page_end, n.summary) for n in orchard] == [
        (0, 0, 0, 1, 'Apples'), (1, 1, 0, 0, 'A word on the old varieties.'),
        (2, 2, 0, 0, 'Whip and tongue in March.'), (3, 2, 1, 1, 'Keep them cool.')]

def test_a_root_is_summed_up_by_all_its_titles():
    assert build_tree('# One\n\na\n\n# Two\n\nb', title='T')[0].summary == 'One / Two'

@pytest.fixture(scope='module')
def readme():
    "The package name in lower case as first heading, which says nothing that the title does not."
    text = '# pomona\n\n> about fruit\n\n## Install\n\npip\n\n## Sorters\n\nby size\n\n### Color\n\nby hue'
    return build_tree([(0, text)], title='pomona')

def test_a_first_heading_that_repeats_the_title(readme):
    assert titles(readme) == ['pomona', 'Install', 'Sorters', 'Color']
    assert parents(readme) == [None, 0, 0, 2]

@pytest.mark.parametrize('i,path', [(2, 'pomona › Sorters'), (3, 'pomona › Sorters › Color')])
def test_its_paths(readme, i, path): assert heading_path(readme, readme[i], 'pomona') == path

def test_its_line_stays_text(readme): assert '# pomona' in readme[0].text()

def test_a_heading_in_lower_case_that_says_more_is_kept():
    assert titles(build_tree('# pomona guide\n\nx\n\n# other\n\ny', title='pomona')) == ['pomona', 'pomona guide',
                                                                                         'other']

def test_a_skipped_level():
    nodes = build_tree([(0, '# Doc\n\ntop\n\n### First\n\na\n\n### Second\n\nb')], title='Doc')
    assert parents(nodes) == [None, 0, 1, 1]


# --- fenced code

FENCED = '''# pomona

> about fruit

## Picking

```python
crate.fill('https://orchard/rows')
# [0] .../rows?side=north   crates: 31
```

## Pressing

press what bruised
'''

def test_a_comment_in_a_fence_is_no_heading():
    nodes = build_tree([(0, FENCED)], title='pomona')
    assert titles(nodes) == ['pomona', 'Picking', 'Pressing']
    assert parents(nodes) == [None, 0, 0]
    assert 'crates: 31' in nodes[1].text()

def test_counts_and_mode():
    assert _md_stats([(0, FENCED)]) == (3, 2)
    assert detect_mode([(0, FENCED)]) == 'markdown'

def test_an_open_fence_takes_the_rest():
    nodes = build_tree([(0, '# Doc\n\n## First\n\n```\n## Second\n')], title='Doc')
    assert titles(nodes) == ['Doc', 'Doc', 'First']
    assert '## Second' in nodes[2].text()

def test_a_longer_fence_quotes_a_shorter_one():
    text = '# Doc\n\n## First\n\n````md\n```\n# Not one\n```\n````\n\n## Second\n\nb'
    assert titles(build_tree([(0, text)], title='Doc')) == ['Doc', 'Doc', 'First', 'Second']

def test_fences_close_only_by_their_own_mark():
    lines = ['~~~', '# a', '```', '# b', '~~~']
    assert list(_md_lines('\n'.join(lines))) == [(l, True) for l in lines]


# --- chapters and windows

def chapters(body): return [(i, f'CHAPTER {i + 1}\n\n{body.format(i + 1)}') for i in range(4)]

def test_chapter_lines():
    assert detect_mode(chapters('body')) == 'chapter'
    nodes = build_tree(chapters('what stands in chapter {}'), title='Book')
    assert len(nodes) == 5 and nodes[1].title.startswith('CHAPTER 1')

def test_windows():
    prose = [(i, f'page {i} without any mark') for i in range(20)]
    assert detect_mode([(i, 'prose') for i in range(20)]) == 'window'
    nodes = build_tree(prose, title='Notes', window=8)
    assert len(nodes) == 4 and nodes[1].title.startswith('Pages 1–8')

def test_levels_of_chapter_words():
    assert struct_levels([(i, f'Article {i}\n\nx') for i in range(1, 5)]) == {'article': 1}

def test_summary_is_cut_with_an_ellipsis():
    assert summarize_extractive('two  words\n', 300) == 'two words'
    assert summarize_extractive('x'*400, 300) == 'x'*300 + '…'

def test_repeats_in_a_path_are_dropped(): assert list(_dedent_path(['Guide', 'guide', 'Valves'])) == ['Guide', 'Valves']


# --- files of a folder

@pytest.fixture
def metals(tmp_path):
    return write_files(tmp_path/'metals', {'a.md': '# Alpha\n\nan essay on iridium',
                                           'b.md': '# Beta\n\nan essay on osmium'})

def test_add_dir_without_vectors(metals, tmp_path):
    db = database(tmp_path/'m.db', sem_search=False)
    db.add_dir(metals, types='md')
    assert [h['content'] for h in db.t.store.fts_search('iridium')] == ['an essay on iridium']

def test_bulk_load_restores_the_triggers(metals, tmp_path):
    db = database(tmp_path/'m.db', sem_search=False)
    db.add_dir(metals, types='md', bulk=True)
    assert len(db.t.store.fts_search('iridium')) == len(db.t.store.fts_search('osmium')) == 1
    db.t.store.insert({'content': 'a later essay on rhenium'})
    assert len(db.t.store.fts_search('rhenium')) == 1

@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    "A library of a markdown file and a text without headings, and what adding them returned."
    d = write_files(tmp_path_factory.mktemp('folder'), {
        'pumps.md': '# Pumps\n\n## Priming\n\nFill the casing with water before the first start.',
        'diary.txt': 'A plain text without any heading, which becomes one window.'})
    db = database()
    db.get_tree('store')
    return db, d, db.add_dir(d, emb_fn=embed)

def test_add_dir_returns_one_result_a_file_in_path_order(folder):
    _, _, results = folder
    assert [(r['title'], r['kind'], r['nodes'], r['chunks']) for r in results] == [('diary', 'txt', 2, 1),
                                                                                   ('pumps', 'md', 3, 1)]
    assert all(len(r['doc_id']) == 16 for r in results)

def test_toc_lists_the_documents(folder): assert {d['title'] for d in folder[0].toc()} == {'pumps', 'diary'}

def test_toc_of_one_document(folder):
    root = folder[0].toc('pumps')[0]['tree']
    assert [c['title'] for c in root['children']] == ['Pumps']
    assert [c['title'] for c in root['children'][0]['children']] == ['Priming']

def test_adding_again_is_skipped(folder):
    db, d, _ = folder
    assert db.add_file(d/'pumps.md', emb_fn=embed).get('skipped')

def test_reading_the_root_descends(folder):
    db = folder[0]
    assert 'before the first start' in db.read(db.toc('pumps')[0]['tree']['id'])['text']


# --- one document through every call; its figures are part of the contract

DOC = (HERE/'data'/'grahas.md').read_text()
DID = '5a991f283775ae0d'
Q = 'how long does the saturn transit last'

@pytest.fixture(scope='module')
def grahas():
    db = database()
    db.get_tree('store')
    db.result = db.add_doc(DOC, title='Grahas', source='notes/grahas.md', kind='md', emb_fn=embed)
    return db

@pytest.fixture(scope='module')
def root(grahas): return grahas.toc('Grahas')[0]['tree']

def test_what_add_doc_returns(grahas):
    assert grahas.result == dict(doc_id=DID, title='Grahas', kind='md', nodes=6, chunks=5)

def test_top_sections(root): assert [c['title'] for c in root['children']] == ['Saturn', 'Jupiter']

def test_ids_and_chunk_counts(root):
    def walk(n): return [(n['title'], n['nchunks'], n['id'])] + [x for c in n['children'] for x in walk(c)]
    names = ['Grahas', 'Saturn', 'Sade Sati', 'Remedies', 'Jupiter', 'Transits']
    assert walk(root) == [(t, int(i > 0), f'{DID}#{i}') for i, t in enumerate(names)]

def test_breadcrumb(grahas): assert grahas.breadcrumb(f'{DID}#2') == 'Grahas › Saturn › Sade Sati'

def test_read(grahas):
    r = grahas.read(f'{DID}#2')
    assert r['breadcrumb'] == 'Grahas › Saturn › Sade Sati'
    assert r['pages'] == (0, 0) and len(r['text']) == 266 and 'thirty months' in r['text']
    assert set(r) >= {'id', 'title', 'breadcrumb', 'pages', 'summary', 'children', 'text'}

def test_scores_of_doc_search(grahas):
    hits = grahas.doc_search(Q, vec(Q), limit=3, dtype=np.float16)
    assert [(f"{h['_rrf_score']:.4f}", h['breadcrumb'], h['content'][:22]) for h in hits] == [
        ('0.0333', 'Grahas › Saturn › Sade Sati', 'Sade sati is the seven'),
        ('0.0328', 'Grahas › Saturn', 'Saturn is the slowest '),
        ('0.0161', 'Grahas › Saturn › Remedies', 'Recitation on Saturday')]
    assert [h['_rrf_score'] for h in hits] == pytest.approx([2/60, 2/61, 1/62])

def test_scores_of_sections(grahas):
    secs = grahas.sections(Q, vec(Q), limit=2, dtype=np.float16)
    assert [(f"{s['score']:.4f}", s['breadcrumb'], s['read']) for s in secs] == [
        ('0.0333', 'Grahas › Saturn › Sade Sati', f"read('{DID}#2')"), ('0.0328', 'Grahas › Saturn',
                                                                        f"read('{DID}#1')")]

def by_meaning(q, texts):
    "Stands in for a cross-encoder: it knows which texts tell how long something lasts."
    order = ['seven and a half year', 'slowest', 'twelve years']
    return [-next((i for i, o in enumerate(order) if o in t), len(order)) for t in texts]

def test_reranking(grahas):
    hits = grahas.doc_search(Q, vec(Q), limit=3, dtype=np.float16, rerank=by_meaning)
    assert len(hits) == 3 and all(h['breadcrumb'] for h in hits)
    assert [h['_rrf_score'] for h in hits] == [1/(60 + i) for i in range(3)]
    assert [h['content'][:17] for h in hits] == ['Sade sati is the ', 'Saturn is the slo', "Jupiter's return "]

def test_scores_without_reranking_are_others(grahas):
    hits = grahas.doc_search(Q, vec(Q), limit=3, dtype=np.float16)
    assert [h['_rrf_score'] for h in hits] != [1/(60 + i) for i in range(len(hits))]

def test_sections_are_reranked_by_their_hits(grahas):
    secs = grahas.sections(Q, vec(Q), limit=2, dtype=np.float16, rerank=by_meaning)
    assert [s['breadcrumb'] for s in secs] == ['Grahas › Saturn › Sade Sati', 'Grahas › Saturn']

def test_adding_the_same_again_and_deleting():
    db = database()
    did = db.add_doc(DOC, title='Grahas', source='notes/grahas.md', kind='md', emb_fn=embed)['doc_id']
    assert 'skipped' in db.add_doc(DOC, title='Grahas', source='notes/grahas.md', kind='md', emb_fn=embed)
    assert 'skipped' in db.add_doc(DOC, title='Grahas', source='notes/grahas.md',
                                   emb_fn=embed), 'the kind may be left out'
    before = len(db.t.store())
    db.delete_doc(did)
    assert f'{before} chunks removed' == '5 chunks removed'
    assert len(db.t.store()) == 0 and db.toc() == []

def test_defaults_of_context(grahas):
    out = grahas.context(Q, vec(Q), dtype=np.float16)
    assert set(out) >= {'query', 'results', 'related'} and out['query'] == Q
    assert all('›' in r['breadcrumb'] and r['text'] for r in out['results'])
    assert 'Sade Sati' in out['results'][0]['breadcrumb']

def test_node_context(grahas):
    around = grahas.node_context(f'{DID}#2')
    assert around['parent']['title'] == 'Saturn'
    assert [s['title'] for s in around['siblings']] == ['Remedies'] and around['children'] == []


# --- fusion and spans

def test_a_quoted_phrase_leans_on_words():
    assert adaptive_weights('"deep well"', [1], [1])[0] > adaptive_weights('how deep is it', [1], [1])[0]

@pytest.mark.parametrize('fts,vecs,want', [([], [1], (0.0, 1.0)), ([1], [], (1.0, 0.0))])
def test_an_empty_leg_has_no_vote(fts, vecs, want): assert adaptive_weights('anything', fts, vecs) == want

def test_neighbors_merge_and_keep_the_best_score():
    hits = [dict(content='the one half', node_id='d#1', page=3, _rrf_score=0.02, rowid=1),
            dict(content='the other half', node_id='d#1', page=4, _rrf_score=0.01, rowid=2),
            dict(content='far off', node_id='d#9', page=40, _rrf_score=0.005, rowid=3)]
    merged = merge_spans(hits)
    assert len(merged) == 2 and merged[0]['_nspan'] == 2
    assert 'the one half' in merged[0]['content'] and 'the other half' in merged[0]['content']
    assert merged[0]['_rrf_score'] == 0.02


# --- names

METHODS = ('get_store get_tree add_doc add_file add_dir delete_doc assets toc read breadcrumb node_context search '
           'doc_search sections context').split()
TABLE_METHODS = 'fts_search vec_search ann_search rebuild_index'.split()

def test_core_alone_brings_every_method():
    "In a process of its own, since other tests have imported everything."
    code = f'''from litesearch.core import database
db = database()
print([m for m in {METHODS} if not callable(getattr(db, m, None))])
print([m for m in {TABLE_METHODS} if not callable(getattr(db.get_store(), m, None))])'''
    res = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert res.stdout.split('\n')[:2] == ['[]', '[]']

TREE_NAMES = '''TreeNode build_tree detect_mode struct_levels summarize_extractive heading_path _dedent_path _md_lines
    _md_stats adaptive_weights merge_spans doc_id store_chunks _pack_target'''.split()

@pytest.mark.parametrize('name', TREE_NAMES)
def test_names_of_the_tree_module(name): assert callable(getattr(tree, name))

def test_names_of_the_utils_module():
    from litesearch.utils import hash_embed as one
    assert one is hash_embed

def test_ids_of_documents():
    assert tree.doc_id('notes/grahas.md', 'Grahas') == DID

def test_hash_embed_is_what_it_says():
    "Counts of the CRC-32 of all runs of three to five characters, of length one, rounded to float16."
    from zlib import crc32
    for text in ['Saturn  transits', 'naïve Ünïcode — ok', 'ab', '漢字かな混じり文']:
        padded, counts = f" {' '.join(text.lower().split())} ", np.zeros(256, np.float32)
        for n in (3, 4, 5):
            for i in range(len(padded) - n + 1): counts[crc32(padded[i:i + n].encode()) % 256] += 1
        want = (counts/max(np.linalg.norm(counts), 1e-12)).astype(np.float16)
        assert (hash_embed([text], 256)[0] == want).all()


# --- where scripts look for names, and in which order they give values

@pytest.mark.parametrize('module,names', [
    ('tree', 'TreeNode build_tree detect_mode doc_id heading_path merge_spans struct_levels'),
    ('data', 'Profile chunk_markdown chunk_spans pdf_parse pre'),
    ('utils', 'FastEncode doc_encoder encoder_id hash_embed query_encoder static_embedder')])
def test_names_of_a_module(module, names):
    for n in names.split(): exec(f'from litesearch.{module} import {n}', {})

def test_a_star_brings_the_tree():
    brought = {}
    exec('from litesearch.tree import *', brought)
    assert {'TreeNode', 'build_tree', 'detect_mode', 'doc_id', 'heading_path', 'merge_spans', 'adaptive_weights',
            'store_chunks', 'struct_levels', 'summarize_extractive'} <= brought.keys()

def test_values_by_place():
    "Source and kind follow the title, order and limit the columns."
    db = database()
    assert db.add_doc(DOC, 'Grahas', 'notes/grahas.md', 'md')['doc_id'] == DID
    assert db.toc()[0]['kind'] == 'md'
    assert len(db.t.store.fts_search('saturn', ['content'], 'rowid desc', 2)) == 2
