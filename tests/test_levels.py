"Vectors of sections and documents, and searching among them."
import math
from dataclasses import replace
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from support import HOSTILE, Counting, embed, library, start, vec
from litesearch.core import StoreMismatch, VectorError, database, rows, save_info, store_info, write_txn
from litesearch.encode import HashEncoder
from litesearch.evidence import question_words
from litesearch.hierarchy import LEVELS, SCORINGS, best_chunks, candidates, coverage, document_score
from litesearch.hierarchy import level_near, section_words
from litesearch.schema import tree_names
from litesearch.search import search_legs
from litesearch.sectionvec import LevelOff, pooled, span_windows, window_size
from litesearch.store import store_names

LONG = 'The keeper opens the hive when no rain falls and counts the frames of brood. '
GUIDE = f'# Swarms\n\n{LONG*30}\n\n# Winter\n\nThe cluster eats honey.\n\n# Feeding\n\nSyrup in autumn.\n\n{LONG*12}\n'
EGGS = LONG.replace('hive', 'pond')*20
PONDS = f'# Frogs\n\nFrogs sing at night.\n\n## Eggs\n\n{EGGS}\n\n# Newts\n\nNewts hide in winter.\n'

def built(*texts, path=':memory:', strategy='auto', **kw):
    "A library with vectors of all levels."
    db = library(*(texts or (('Guide', GUIDE), ('Ponds', PONDS))), path=path, emb_fn=embed)
    db.build_sections(emb_fn=embed, strategy=strategy, **kw)
    return db

def vectors(db, table='store_sections', key='node_id'):
    return {k: np.frombuffer(b, np.float16) for k, b in rows(db, f'select {key}, embedding from "{table}"')}

def chunks(db, table='store'):
    "Node id → (heading, texts, vectors)."
    out = {}
    sql = f'select node_id, heading, content, embedding from "{table}" order by doc_id, ord'
    for id, head, text, blob in rows(db, sql):
        _, texts, vecs = out.setdefault(id, (head, [], []))
        texts.append(text)
        vecs.append(np.frombuffer(blob, np.float16).astype(np.float64))
    return out

def unit(v): return v/np.linalg.norm(v)

def close(a, b): return np.allclose(np.float64(a), np.float64(b), atol=1e-3)


# --- formulas

@settings(max_examples=60, deadline=None)
@given(st.text(alphabet='ab蜂 \n', max_size=400), st.integers(2, 60))
def test_windows_are_the_text(text, size):
    parts = span_windows(text, size)
    assert ''.join(parts) == text and all(len(p) <= size for p in parts)
    assert all(len(p) > size//2 for p in parts[:-1])
    for p in parts[:-1]: assert p[-1] in ' \n' or not set(p[size//2:]) & set(' \n')

def test_window_size(): assert [window_size(), window_size(100), window_size(0)] == [24_000, 300, 24_000]

@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=6), st.integers(0, 99))
def test_pooled_is_the_mean(sizes, seed):
    X = np.random.default_rng(seed).normal(size=(sum(sizes), 4))
    starts = np.cumsum([0, *sizes[:-1]])
    want = [unit(X[a:a + n].mean(0)) for a, n in zip(starts, sizes)]
    assert np.allclose(pooled(X, starts), want, atol=1e-5)

def test_centroids():
    db = built(strategy='centroid')
    want = {id: unit(np.mean(vecs, 0)) for id, (_, _, vecs) in chunks(db).items()}
    got = vectors(db)
    assert got.keys() == want.keys() and all(close(got[id], want[id]) for id in want)
    whole = {}
    for id, (_, _, vecs) in chunks(db).items(): whole.setdefault(id.split('#')[0], []).extend(vecs)
    docs = vectors(db, 'store_documents', 'doc_id')
    assert docs.keys() == whole.keys() and all(close(docs[d], unit(np.mean(v, 0))) for d, v in whole.items())

@pytest.mark.parametrize('ctx', [None, 100])
def test_raw_spans(ctx):
    db = built(strategy='rawspan', ctx=ctx)
    got, some = vectors(db), 0
    for id, (head, texts, _) in chunks(db).items():
        parts = [w for w in span_windows('\n'.join(texts), window_size(ctx)) if w.strip()]
        some += len(parts) > 1
        assert close(got[id], unit(np.float64(embed([f'{head[:100]}\n\n{w}' for w in parts])).mean(0)))
    assert bool(some) == bool(ctx)

def test_auto_reads_short_sections_of_several_chunks():
    db = library(('Guide', GUIDE), emb_fn=embed)
    sizes = {id: (len(texts), sum(map(len, texts))) for id, (_, texts, _) in chunks(db).items()}
    long, short = sorted((n for _, n in sizes.values()), reverse=True)[:2]
    enc = Counting()
    assert min(n for n, _ in sizes.values()) == 1 and long > short > 500
    assert db.build_sections(emb_fn=enc, border=short)['embedded'] == len(enc.texts) == 1
    centroid, raw = built(('Guide', GUIDE), strategy='centroid'), built(('Guide', GUIDE), strategy='rawspan')
    for id, v in vectors(db).items():
        n, size = sizes[id]
        assert close(v, vectors(raw if n > 1 and size <= short else centroid)[id])

def test_scorings():
    s = [.9, .5, .2, .1]
    assert document_score(s, 'best') == document_score(s, 'auto', False) == .9
    assert math.isclose(document_score(s), .9*(1 + .3*math.log(4)))
    assert math.isclose(document_score(s, 'average'), .425)
    assert math.isclose(document_score(s, 'percentile'), np.percentile(s, 90))
    assert all(math.isclose(f([.4]), .4) for f in SCORINGS.values())
    with pytest.raises(ValueError, match='frequency_boost'): document_score(s, 'median')


# --- the words of a section

def words_of(db, q):
    "Sections by their words, as `level_search` finds them."
    fts = search_legs(db, 'store', q, None, 200)[0]
    lists = question_words(db, 'store', q)[0]
    return section_words(candidates(db, tree_names(), 'store', best_chunks(lists, fts))[0], lists, fts), lists

@pytest.mark.parametrize('q', ['the cluster eats brood', 'keeper of the pond', 'newts autumn honey', 'zzz'])
def test_section_words_by_brute_force(q):
    db, want = built(), {}
    got, lists = words_of(db, q)
    of = dict(rows(db, 'select rowid, node_id from store'))
    for p in lists:
        best = {}
        for r, s in zip(p.rowids.tolist(), p.scores): best[of[r]] = max(best.get(of[r], 0), -s)
        for id, s in best.items(): want[id] = want.get(id, 0) + s
    assert dict(got).keys() == want.keys() and all(math.isclose(s, want[id], rel_tol=1e-9) for id, s in got)
    assert [s for _, s in got] == sorted((s for _, s in got), reverse=True)

def test_words_without_postings():
    "Where FTS5 has to be asked, the best chunk of a section counts."
    fts = [(3, 9.0), (1, 4.0)]
    assert section_words({'a': np.array([1, 2]), 'b': np.array([3])}, None, fts) == [('b', 9.0), ('a', 4.0)]

def test_candidates_have_all_their_chunks():
    db = built()
    of = dict(rows(db, 'select rowid, node_id from store'))
    found, near, places = candidates(db, tree_names(), 'store', list(of))
    assert {int(r): id for id, ids in found.items() for r in ids} == of and near == [] and places.keys() == found.keys()
    assert all(p['breadcrumb'] == db.breadcrumb(id) for id, p in places.items())
    one, = candidates(db, tree_names(), 'store', [min(of)])[0].items()
    assert one[0] == of[min(of)] and set(one[1].tolist()) == {r for r, n in of.items() if n == one[0]}

def nearest_sections(db, q):
    "(node id, -distance) as `level_search` finds them."
    return candidates(db, tree_names(), 'store', [], level_near(db, 'store', 'sections', q))[1]

def test_nearest_by_brute_force():
    db = built()
    q = np.frombuffer(vec('frogs at night'), np.float16).astype(np.float64)
    want = {id: unit(q) @ unit(np.float64(v)) - 1 for id, v in vectors(db).items()}
    got = nearest_sections(db, q)
    assert dict(got).keys() == want.keys() and all(math.isclose(s, want[id], abs_tol=1e-6) for id, s in got)
    assert [s for _, s in got] == sorted((s for _, s in got), reverse=True)


# --- keeping them up to date

def test_only_what_changed_is_embedded():
    db, enc = library(('Guide', GUIDE), ('Ponds', PONDS), emb_fn=embed), Counting()
    assert db.build_sections(emb_fn=enc, strategy='rawspan')['sections'] == len(enc.texts) == 6
    before, enc.texts = vectors(db), []
    assert db.build_sections(emb_fn=enc, strategy='rawspan') == dict(sections=0, documents=0, embedded=0)
    db.add_doc(GUIDE.replace('eats', 'needs'), title='Guide', emb_fn=embed)
    assert len(vectors(db)) == 5 and len(vectors(db, 'store_documents', 'doc_id')) == 1
    assert db.build_sections(emb_fn=enc, strategy='rawspan') == dict(sections=1, documents=1, embedded=1)
    assert len(enc.texts) == 1 and 'needs honey' in enc.texts[0]
    after = vectors(db)
    assert sum(not np.array_equal(after[id], v) for id, v in before.items()) == 1

def test_same_as_from_scratch():
    db = built()
    text = GUIDE.replace('# Feeding', '# Food').replace('# Winter\n\nThe cluster eats honey.\n\n', '')
    db.add_doc(text, title='Guide', emb_fn=embed)
    db.build_sections(emb_fn=embed)
    got = vectors(db)
    db.build_sections(emb_fn=embed, strategy='centroid')
    db.build_sections(emb_fn=embed)
    assert got.keys() == vectors(db).keys() == set(chunks(db))
    assert all(close(got[id], v) for id, v in vectors(db).items())

def test_deleted():
    db = built()
    did = db.toc('Ponds')[0]['doc_id']
    db.delete_doc(did)
    assert vectors(db) and not any(id.startswith(did) for id in vectors(db))
    assert did not in vectors(db, 'store_documents', 'doc_id')
    for level in LEVELS: assert did not in [h['doc_id'] for h in db.level_search('frogs', vec('frogs'), level)]

def test_undone_together():
    db = built()
    before = vectors(db)
    with pytest.raises(RuntimeError), write_txn(db):
        db.delete_source('Guide')
        assert len(vectors(db)) < len(before)
        raise RuntimeError
    assert vectors(db).keys() == before.keys()

def test_stale_rows_are_not_shown():
    db = built()
    db.conn.execute('drop trigger store_sections_moved')
    db.add_doc(GUIDE.replace('eats', 'needs'), title='Guide', emb_fn=embed)
    sql = 'select n.id from nodes n join store_sections s on s.node_id=n.id and s.hash=n.hash'
    fresh = {id for id, in rows(db, sql)}
    got = dict(nearest_sections(db, vec('winter')))
    assert got.keys() == fresh and len(fresh) == len(vectors(db)) - 1

def test_strategy_begins_anew():
    db, enc = built(strategy='centroid'), Counting()
    assert db.build_sections(emb_fn=enc, strategy='rawspan')['sections'] == 6
    assert db.build_sections(strategy='centroid') == dict(sections=6, documents=2, embedded=0)

def test_killed_in_the_middle(tmp_path):
    "A process that dies between two documents leaves whole documents, and the next call makes the rest."
    path = tmp_path/'a.db'
    texts = [(f'Doc {i}', GUIDE) for i in range(6)]
    library(*texts, path=path, emb_fn=embed).conn.close()
    code = '''
import litesearch.sectionvec as sv
sv.BATCH_CHUNKS = 1
calls = []
def dying(texts, **kw):
    calls.append(1)
    if len(calls) == 4: os._exit(9)
    return embed(texts)
database(sys.argv[1]).build_sections(emb_fn=dying, strategy='rawspan')
'''
    proc = start(code, path)
    proc.communicate(timeout=240)
    assert proc.returncode == 9
    db = database(path)
    found = [n for n, in rows(db, 'select count(*) from store_sections group by doc_id')]
    assert found == [3, 3, 3] and len(vectors(db, 'store_documents', 'doc_id')) == 3
    assert db.build_sections(emb_fn=embed, strategy='rawspan') == dict(sections=9, documents=3, embedded=9)
    assert rows(db, 'pragma integrity_check') == [('ok',)]


# --- what is refused

def test_other_encoder_is_refused_before_anything_is_written():
    db = database()
    db.add_doc(GUIDE, title='Guide', emb_fn=HashEncoder(64))
    with pytest.raises(StoreMismatch): db.build_sections(emb_fn=HashEncoder(32))
    assert not rows(db, "select 1 from sqlite_master where name glob 'store_sections*'")
    assert store_names(db) == ['store']

@pytest.mark.parametrize('bad', [lambda ts, **k: np.zeros((len(ts), 256)), lambda ts, **k: embed(ts)*np.nan,
                                 lambda ts, **k: embed(ts)[:, :9], lambda ts, **k: embed(ts)[1:]])
def test_bad_vectors_are_refused(bad):
    db = built(strategy='rawspan')
    db.add_doc(GUIDE.replace('honey', 'sugar'), title='Guide', emb_fn=embed)
    before = vectors(db)
    with pytest.raises((VectorError, StoreMismatch)): db.build_sections(emb_fn=bad, strategy='rawspan')
    assert vectors(db).keys() == before.keys()

def test_level_off():
    db = library(('Guide', GUIDE), emb_fn=embed)
    for level in ('sections', 'documents', 'fused'):
        with pytest.raises(LevelOff, match='build_sections'): db.level_search('honey', vec('honey'), level=level)
        assert db.level_search('honey', level=level)
    assert db.level_search('honey', vec('honey'), level='chunks')

def test_unknown_options():
    db = built()
    with pytest.raises(ValueError, match='chunks.*sections.*documents.*fused'): db.level_search('a', level='pages')
    with pytest.raises(ValueError, match='percentile'): db.level_search('a', level='documents', scoring='x')
    with pytest.raises(ValueError, match='rawspan'): db.build_sections(emb_fn=embed, strategy='x')
    with pytest.raises(ValueError, match='section_weight'): db.level_search('a', section_weight=2)

def test_vectors_of_an_earlier_encoder():
    db = built()
    save_info(db, replace(store_info(db), encoder='another'))
    with pytest.raises(StoreMismatch, match='build_sections'): db.level_search('honey', vec('honey'))

def test_a_connection_that_has_not_seen_the_move(tmp_path):
    a = library(('Guide', GUIDE), path=tmp_path/'a.db', emb_fn=HashEncoder(64))
    a.build_sections(emb_fn=HashEncoder(64))
    b, new = database(tmp_path/'a.db'), HashEncoder(32)(['honey'])[0]
    for level in LEVELS: assert b.level_search('honey', HashEncoder(64)(['honey'])[0], level)
    a.reindex(HashEncoder(32))
    a.build_sections(emb_fn=HashEncoder(32))
    for level in LEVELS: assert b.level_search('honey', new, level) == a.level_search('honey', new, level)

@pytest.mark.parametrize('name', ['backwards', None])
def test_another_encoder_turns_the_levels_off(name, tmp_path):
    "Its vectors have the same size; without a name nothing else would tell them from the old ones."
    a = built(path=tmp_path/'a.db')
    b, before = database(tmp_path/'a.db'), vectors(a)
    honey = b.level_search('honey', vec('honey'))[0]['node_id']
    class Backwards:
        encoder_id = name
        def __call__(self, texts, **kw): return embed([t[::-1] for t in texts])
    enc = Backwards()
    a.reindex(enc)
    for db in (a, b):
        assert db.diagnose()['built'] == dict(sections=None, documents=None)
        for level in LEVELS[1:]:
            with pytest.raises(LevelOff, match='build_sections'): db.level_search('honey', enc(['honey'])[0], level=level)
    assert a.build_sections(emb_fn=enc)['sections'] == len(before)
    after = vectors(a)
    assert after.keys() == before.keys() and not any(close(after[id], v) for id, v in before.items())
    assert a.level_search('honey', enc(['honey'])[0])[0]['node_id'] == honey

def test_the_same_encoder_leaves_the_levels_on():
    db = library(('Guide', GUIDE), emb_fn=HashEncoder(64))
    db.build_sections(emb_fn=HashEncoder(64))
    before = vectors(db)
    db.reindex(HashEncoder(64))
    assert vectors(db).keys() == before.keys()

def test_means_are_of_the_encoder_that_the_file_names(tmp_path):
    "A connection that has not seen the move yet."
    a = library(('Guide', GUIDE), path=tmp_path/'a.db', emb_fn=HashEncoder(64))
    b = database(tmp_path/'a.db')
    honey = b.doc_search('honey', HashEncoder(64)(['honey'])[0])[0]['node_id']
    a.reindex(HashEncoder(32))
    assert b.build_sections(strategy='centroid')['sections'] == 3
    assert a.level_search('honey', HashEncoder(32)(['honey'])[0])[0]['node_id'] == honey


# --- searching

@pytest.mark.parametrize('level', LEVELS)
def test_misspelled_words_are_corrected(level):
    db = library(('Guide', GUIDE), ('Ponds', PONDS))
    assert db.level_search('the clustre', level=level), 'found by the word that was meant'
    assert db.level_search('the clustre', level=level)[0]['_spelling'] == {'clustre': 'cluster'}
    assert '_spelling' not in db.level_search('the cluster', level=level)[0]

@pytest.mark.parametrize('level', LEVELS)
def test_levels(level):
    db = built()
    hits = db.level_search('frogs sing at night', vec('frogs sing at night'), level=level)
    first = hits[0]
    assert first['doc_id'] == db.toc('Ponds')[0]['doc_id']
    assert first['page' if level == 'chunks' else 'pages'] in (0, (0, 0))
    if level == 'chunks': return
    assert first['node_id'].endswith('#0') == (level == 'documents')
    assert first['breadcrumb'] == db.breadcrumb(first['node_id']) and first['read'] == f"read('{first['node_id']}')"
    assert [h['score'] for h in hits] == sorted((h['score'] for h in hits), reverse=True)
    assert len({h['node_id'] for h in hits}) == len(hits) and db.level_search('frogs', level=level, limit=0) == []

def test_fused_by_brute_force():
    db, q = built(), 'newts and the cluster in winter'
    stretch = lambda d: {k: (s - min(d.values()))/(max(d.values()) - min(d.values())) for k, s in d.items()}
    sections = {h['node_id']: h['score'] for h in db.level_search(q, vec(q), 'sections', limit=99)}
    chunk = {}
    for h in db.doc_search(q, vec(q), limit=200, spans=False): chunk.setdefault(h['node_id'], h['_rrf_score'])
    pool = [h['_rrf_score'] for h in db.doc_search(q, vec(q), limit=200, spans=False)]
    chunk = {k: (s - min(pool))/(max(pool) - min(pool)) for k, s in chunk.items()}
    want = {k: .3*stretch(sections).get(k, 0) + .7*stretch(chunk).get(k, 0) for k in {*sections, *chunk}}
    got = {h['node_id']: h['score'] for h in db.level_search(q, vec(q), 'fused', limit=99, section_weight=.3)}
    assert got.keys() == want.keys() and all(math.isclose(s, want[k], abs_tol=1e-9) for k, s in got.items())

@pytest.mark.parametrize('level', LEVELS)
@pytest.mark.parametrize('size', [2, 40])
def test_statements(level, size):
    db = built(*[(f'Doc {i}', GUIDE.replace('keeper', f'keeper{i}') + PONDS) for i in range(size)])
    q = 'the cluster in winter'
    db.level_search(q, vec(q), level=level)
    said = []
    db.conn.exec_trace = lambda cursor, sql, args: said.append(sql) or True
    for other in (q, 'keeper of newts'):
        said.clear()
        assert db.level_search(other, vec(other), level=level)
        assert len(said) <= 8, said
    db.conn.exec_trace = None

def test_statements_of_building():
    counts = []
    for size in (2, 40):
        db, said = library(*[(f'Doc {i}', GUIDE) for i in range(size)], emb_fn=embed), []
        db.build_sections(emb_fn=embed)
        db.conn.exec_trace = lambda cursor, sql, args: said.append(sql.split()[0]) or True
        db.build_sections(strategy='centroid')
        counts.append(sum(s == 'select' for s in said))
        db.conn.exec_trace = None
    assert counts[0] == counts[1]

@pytest.mark.parametrize('store, prefix', [('notes', None), ('notes', 'my '), ("it's \"x\"", None), ('бджоли', None)])
def test_other_stores(store, prefix, tmp_path):
    db = built(path=tmp_path/'a.db')
    for title, text in dict(Guide=GUIDE, Ponds=PONDS).items():
        db.add_doc(text, title=title, store=store, prefix=prefix, emb_fn=embed)
    with pytest.raises(LevelOff): db.level_search('frogs', vec('frogs'), store=store, prefix=prefix)
    assert db.build_sections(store, prefix, embed)['documents'] == 2
    for level in LEVELS:
        hits = db.level_search('frogs at night', vec('frogs at night'), level, store=store, prefix=prefix)
        same = db.level_search('frogs at night', vec('frogs at night'), level)
        assert [(h['doc'], h['breadcrumb']) for h in hits] == [(h['doc'], h['breadcrumb']) for h in same]
    db.delete_source('Ponds', store=store, prefix=prefix)
    assert len(vectors(db)) == 6 and store_names(db) == sorted(['store', store])
    left, = rows(db, f'select count(*) from "{(store + "_sections").replace(chr(34), chr(34)*2)}"')[0]
    assert left == 3

def test_taken_name():
    db = library(('Guide', GUIDE), emb_fn=embed)
    db.get_store('store_sections')
    with pytest.raises(ValueError, match='store_sections'): db.build_sections(emb_fn=embed)
    assert store_names(db) == ['store', 'store_sections']

def test_unicode():
    text = '# 蜜蜂\n\n' + '蜂群在五月分蜂。' * 400 + '\n\n# Бджоли\n\nРій летить у травні.\n\n# 🐝\n\nזה הדבש\n'
    db = built(('百科', text))
    assert db.level_search('蜜蜂分蜂', vec('蜜蜂分蜂'), 'fused')[0]['title'] == '蜜蜂'
    assert db.level_search('рій', vec('рій'), 'sections')[0]['title'] == 'Бджоли'

@pytest.mark.parametrize('level', LEVELS)
def test_hostile_questions(level):
    db = built()
    for q in HOSTILE: assert isinstance(db.level_search(q, None, level), list)
    for q in ('', '  '): assert db.level_search(q, vec('x'), level) == []

@pytest.mark.parametrize('level', LEVELS)
def test_empty_library(level):
    db = database()
    assert db.level_search('a', None, level) == []
    db.get_tree()
    assert db.build_sections(emb_fn=embed) == dict(sections=0, documents=0, embedded=0)
    assert db.level_search('a', vec('a'), level) == []

def test_without_vectors_of_chunks():
    db = library(('Guide', GUIDE))
    assert db.build_sections(strategy='centroid')['sections'] == 0
    assert db.build_sections(emb_fn=embed)['sections'] == 3
    assert db.level_search('syrup in autumn', vec('syrup in autumn'), 'sections')[0]['title'] == 'Feeding'

def test_graph_of_sections(tmp_path):
    "The sections have a graph in a file of their own, which may be lost at any time."
    db = built(path=tmp_path/'a.db')
    assert db.t.store_sections.rebuild_index() == 6
    file = tmp_path/'a.db.store_sections.usearch'
    assert file.exists()
    q = vec('frogs at night')
    want = db.level_search('frogs', q)
    file.write_bytes(b'damaged')
    other = database(tmp_path/'a.db')
    with pytest.warns(UserWarning, match='not as recorded'): got = other.level_search('frogs', q)
    assert got == want


# --- how much of it an encoder reads

@given(st.lists(st.integers(0, 99), max_size=9), st.one_of(st.none(), st.integers(1, 99)))
def test_coverage(lengths, cap):
    want = sum(min(n, cap) for n in lengths)/sum(lengths) if cap and sum(lengths) else 1
    assert math.isclose(coverage(lengths, cap), want)

@pytest.mark.parametrize('n, ctx, warned', [(40, 20, True), (40, 200, False), (20, 20, False), (40, None, False)])
def test_warning_of_coverage(n, ctx, warned):
    db = library('\n\n'.join(f'# Hive {i}\n\n{LONG*3}' for i in range(n)))
    got = db.diagnose(ctx=ctx)
    assert got['chunks'] == got['sections'] == n and bool(got['warnings']) == warned
    assert (got['coverage'] < .8) == (ctx == 20) and got['built'] == dict(sections=None, documents=None)

def test_diagnosis_of_levels():
    db = built()
    assert db.diagnose()['built'] == dict(sections=6, documents=2) and not db.diagnose()['warnings']
    db.add_doc(GUIDE.replace('honey', 'sugar'), title='Guide', emb_fn=embed)
    got = db.diagnose()
    assert got['built'] == dict(sections=5, documents=1) and 'build_sections' in got['warnings'][0]
    assert database().diagnose()['chunks'] == 0
