"Vectors: what is refused, exact search against a plain model, and graphs that are damaged, stale, foreign or missing."
import json, os, shutil, subprocess, sys, tempfile, threading, time, warnings
from contextlib import contextmanager
from pathlib import Path
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from litesearch import ann as ann_module, graph as graph_module, sidecar as sidecar_module
from litesearch import vector as vector_module
from litesearch.ann import _outside, extend_index, graph_rowids, store_graph
from litesearch.core import (database, get_meta, MissingDependency, rows, save_info, state, StoreInfo, StoreMismatch,
                             VectorError, write_txn)
from litesearch.exact import as_matrix, as_vector, distances, ExactIndex, metric_name
from litesearch.graph import breadth, sidecar_path
from litesearch.sidecar import matches
from litesearch.vector import prepare_vectors, store_index, vec_rowids

STONES = 'amber basalt cobalt dolomite emerald feldspar garnet hematite'.split()


def blob(v, dtype=np.float16): return np.asarray(v, dtype).tobytes()

def make_store(pth=':memory:', ndim=8, name='store', **kw):
    "An empty store with the columns that vectors need."
    db = database(pth)
    q = '"' + name.replace('"', '""') + '"'
    cols = 'rowid integer primary key autoincrement, content text, embedding blob, grams text'
    db.conn.execute(f'create table {q}({cols})')
    save_info(db, StoreInfo(name, ndim=ndim, **kw))
    prepare_vectors(db, name)
    return db

def add(db, texts, vecs, name='store', dtype=np.float16):
    q = '"' + name.replace('"', '""') + '"'
    with db.conn: db.conn.executemany(f'insert into {q}(content, embedding) values(?, ?)',
                                      ((t, None if v is None else blob(v, dtype)) for t, v in zip(texts, vecs)))

def notes(n=5): return [f'note {i}: {w}' for i, w in enumerate(STONES[:n])]

def axes(n, ndim=8): return (np.eye(n, ndim) + 0.1).astype(np.float16)

def first_hit(db, i, ndim=8): return db.t.store.ann_search(axes(8, ndim)[i], limit=1)[0]['content']

def clustered(n, ndim=32, seed=0):
    r = np.random.default_rng(seed)
    return (r.standard_normal((20, ndim))[r.integers(0, 20, n)] + 0.3*r.standard_normal((n, ndim))).astype(np.float16)

@pytest.fixture
def disk(tmp_path): return tmp_path/'notes.db'

@contextmanager
def no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        yield


# --- what gets in ---

BAD = {'nan': [1, np.nan, 2], 'infinite': [1, np.inf, 2], 'zeros': [0, 0, 0], 'float16 overflow': [1e5, 1, 1],
       'float16 underflow': [1e-9, 0, 0]}

@pytest.mark.parametrize('bad', BAD.values(), ids=BAD)
@pytest.mark.parametrize('form', [list, np.array, lambda v: np.float64(v).tobytes()], ids=['list', 'array', 'bytes'])
def test_bad_vectors_are_refused(bad, form):
    given = [form([1., 2, 3]), form(bad)]
    with pytest.raises(VectorError, match=r'notes\.md: vector 1 of 2'):
        as_matrix([np.frombuffer(v) if isinstance(v, bytes) else v for v in given], 2, 3, who='notes.md')

def test_counts_and_sizes_name_both_numbers():
    with pytest.raises(VectorError, match='4 vectors came for 5 texts'): as_matrix(np.ones((4, 3)), 5)
    with pytest.raises(VectorError, match='6 vectors came for 5 texts'): as_matrix(np.ones((6, 3)), 5)
    with pytest.raises(VectorError, match='128 numbers, the store has 256'): as_matrix(np.ones((2, 128)), 2, 256)
    with pytest.raises(VectorError, match='vector 1 has 2 numbers, vector 0 has 3'): as_matrix([[1, 2, 3], [1, 2]], 2)
    with pytest.raises(VectorError, match='vector 0 of 2 is missing'): as_matrix([None, [1, 2]], 2)
    with pytest.raises(VectorError, match='numbers'): as_matrix([['a', 'b']], 1)
    with pytest.raises(VectorError): as_matrix(np.ones((2, 0)), 2)
    assert as_matrix([], 0, 4).shape == (0, 4)

@pytest.mark.parametrize('form', [
    lambda X: X, lambda X: X.tolist(), lambda X: list(X), lambda X: tuple(map(tuple, X.tolist())), lambda X: iter(X),
    lambda X: [blob(v) for v in X], lambda X: X.astype(np.float64), lambda X: np.asfortranarray(X)])
def test_what_encoders_return(form):
    X = np.float32([[1, 2, 3], [4, 5, 6]])
    got = as_matrix(form(X), 2, 3)
    assert got.dtype == np.float16 and got.flags.c_contiguous and (got == X).all()

@pytest.mark.parametrize('one', [[1, 2, 3], np.array([1, 2, 3]), blob([1, 2, 3]), [[1, 2, 3]]])
def test_one_text_may_get_a_flat_vector(one):
    if isinstance(one, list) and not isinstance(one[0], list): one = np.array(one)
    assert as_matrix(one, 1, 3).tolist() == [[1, 2, 3]]

@given(st.lists(st.floats(allow_nan=True, allow_infinity=True, width=32), min_size=1, max_size=6),
       st.sampled_from(['float16', 'float32']))
def test_nothing_but_measurable_vectors_passes(v, dtype):
    try: X = as_matrix([v], 1, dtype=dtype)
    except VectorError: return
    length = float((X.astype(np.float64)**2).sum())
    assert np.isfinite(length) and length > 0


# --- what is asked ---

def test_query_forms():
    info, q = StoreInfo('store', ndim=4), [1, 2, 3, 0.5]
    for given in (q, np.array(q), np.array([q]), blob(q), bytearray(blob(q)), memoryview(blob(q)), blob(q, np.float32),
                  blob(q, np.float64)):
        got = as_vector(given, info)
        assert got.dtype == np.float32 and got.tolist() == q
    assert as_vector(blob(q, np.float32), StoreInfo('store', ndim=4, dtype='float32')).tolist() == q
    assert as_vector(blob(q), StoreInfo('store', ndim=4, dtype='float32')).tolist() == q

def test_other_sizes_raise_store_mismatch():
    info = StoreInfo('mine', ndim=4)
    with pytest.raises(StoreMismatch, match=r"3 numbers, store 'mine' has 4"): as_vector([1, 2, 3], info)
    with pytest.raises(StoreMismatch, match=r"10 bytes \(5 numbers of float16\).*4 numbers \(8 bytes\)"):
        as_vector(b'0'*10, info)
    with pytest.raises(VectorError): as_vector([1, 2, np.nan, 4], info)
    with pytest.raises(VectorError): as_vector(None, info)
    db = make_store()
    add(db, notes(), axes(5))
    for f in (db.t.store.vec_search, db.t.store.ann_search):
        with pytest.raises(StoreMismatch, match='5 numbers.*8'): f([1, 2, 3, 4, 5])

def test_unknown_metric_lists_the_known():
    with pytest.raises(ValueError, match="'cosine', 'ip', 'l2sq'"): metric_name('bogus')
    with pytest.raises(ValueError, match="'cosine'"): make_store().t.store.vec_search(axes(1)[0], emb_metric='bogus')


# --- the index in memory, against a plain model ---

def plain(model, q, count, metric):
    "What a search must return, computed row by row."
    q = np.float64(q)
    def dist(x):
        x = np.float64(x)
        if metric == 'ip': return 1 - x@q
        return ((x - q)**2).sum() if metric == 'l2sq' else 1 - x@q/np.sqrt((x@x)*(q@q))
    return sorted((round(dist(x), 6), k) for k, x in model.items())[:count]

vecs = st.lists(st.integers(-3, 3), min_size=3, max_size=3).filter(any)
steps = st.lists(st.one_of(st.tuples(st.just('add'), st.integers(0, 30), vecs),
                           st.tuples(st.just('remove'), st.integers(0, 30)),
                           st.tuples(st.just('search'), vecs, st.integers(1, 40))), max_size=40)

@settings(max_examples=150, deadline=None)
@given(steps, st.sampled_from(['cosine', 'ip', 'l2sq']))
def test_exact_index_is_the_model(todo, metric):
    ix, model = ExactIndex(3, metric), {}
    for what, *args in todo:
        if what == 'add' and args[0] not in model:
            ix.add(*args)
            model[args[0]] = args[1]
        elif what == 'add':
            with pytest.raises(ValueError): ix.add(*args)
        elif what == 'remove': assert ix.remove(args[0]) == (model.pop(args[0], None) is not None)
        else:
            found = ix.search(*args).to_list()
            assert [(round(d, 6) + 0.0, k) for k, d in found] == plain(model, *args, metric)
        assert len(ix) == len(model) and sorted(ix.keys) == sorted(model) and all(k in ix for k in model)
        assert all((ix.get(k) == model[k]).all() for k in model)

def test_a_clone_is_not_changed_by_its_origin():
    ix = ExactIndex(2)
    ix.add([1, 2], [[1, 0], [0, 1]])
    other = ix.clone()
    ix.add(3, [1, 1])
    ix.remove(1)
    assert other.search([1, 0], 9).to_list() == [(1, 0.0), (2, 1.0)]

def test_equal_vectors_come_in_order_of_rowid():
    X = clustered(1, 37).repeat(1003, axis=0)
    ix = ExactIndex(37)
    ix.add(np.random.default_rng(0).permutation(1003), X)
    found = ix.search(X[0], 900).to_list()
    assert [k for k, _ in found] == list(range(900)) and {d for _, d in found} == {0.0}

def test_calls_are_those_of_usearch():
    from usearch.index import Index
    X = clustered(50)
    theirs, ours = Index(ndim=32, metric='cos', dtype='f32'), ExactIndex(ndim=32, metric='cos', dtype='f32')
    for ix in (theirs, ours):
        ix.add(np.arange(50), X.astype(np.float32))
        ix.remove(7)
    for q in X[:5].astype(np.float32):   # a graph may miss a neighbor: theirs is asked exactly
        a, b = theirs.search(q, 10, exact=True), ours.search(q, 10)
        assert a.keys.tolist() == b.keys.tolist() and np.allclose(a.distances, b.distances, atol=1e-5)
    a, b = theirs.search(X[:5].astype(np.float32), 4, exact=True), ours.search(X[:5], 4)
    assert a.keys.shape == b.keys.shape and (a.keys == b.keys).all()
    assert len(theirs) == len(ours) == 49 and (7 in theirs) == (7 in ours) == False
    assert ours.contains([6, 7]).tolist() == theirs.contains(np.array([6, 7])).tolist() == [True, False]
    assert np.allclose(theirs.get(6), ours.get(6), atol=1e-3) and theirs.get(7) is None is ours.get(7)


# --- the store, exactly ---

def test_unnormalized_vectors_and_every_metric():
    db = make_store(ndim=2)
    add(db, 'abc', [[1, 0], [100, 1], [0, 2]])
    def order(metric): return [h['content'] for h in db.t.store.vec_search([2, 0], emb_metric=metric)]
    assert order('cosine') == list('abc') and order('ip') == list('bac') and order('l2sq') == list('acb')
    assert db.t.store.vec_search([5, 0], limit=1)[0]['_dist'] == 0

@pytest.mark.parametrize('search', ['vec_search', 'ann_search'])
def test_hits_are_json(search):
    db = make_store()
    add(db, notes(), axes(5))
    hits = getattr(db.t.store, search)(np.float32(axes(5)[2]), limit=3)
    assert json.loads(json.dumps(hits)) == hits and [*hits[0]] == ['rowid', 'content', '_dist']
    assert all(type(v) in (int, float, str) for h in hits for v in h.values())
    assert {type(v) for f in vec_rowids(db, 'store', axes(5)[0], ann=search == 'ann_search') for v in f} == {int, float}
    assert [*getattr(db.t.store, search)(axes(5)[2], columns=['embedding'], limit=1)[0]] == ['embedding', '_dist']

def test_rows_without_a_vector_are_skipped_until_they_have_one():
    db = make_store()
    add(db, notes(3), [axes(3)[0], None, axes(3)[2]])
    assert [i for i, _ in vec_rowids(db, 'store', axes(3)[1])] == [1, 3]
    rows(db, 'update store set embedding=? where rowid=2', [blob(axes(3)[1])])
    assert vec_rowids(db, 'store', axes(3)[1], 1) == [(2, 0.0)] == vec_rowids(db, 'store', axes(3)[1], 1, ann=True)
    rows(db, 'update store set embedding=null where rowid=2')
    assert [i for i, _ in vec_rowids(db, 'store', axes(3)[1])] == [1, 3]
    rows(db, 'update store set embedding=? where rowid=2', [blob(axes(3)[2])])
    assert [i for i, d in vec_rowids(db, 'store', axes(3)[2]) if d == 0] == [2, 3]

@pytest.mark.parametrize('ann', [False, True])
def test_a_replaced_vector_is_noticed(disk, ann):
    db, other = make_store(disk), None
    add(db, notes(), axes(5))
    other = database(disk)
    for d in (db, other): assert vec_rowids(d, 'store', axes(5)[0], 1, ann=ann)[0][0] == 1
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        rows(db, 'update store set embedding=? where rowid=4', [blob(axes(8)[7])])
        for d in (db, other): assert vec_rowids(d, 'store', axes(8)[7], 1, ann=ann) == [(4, 0.0)]

@pytest.mark.parametrize('ann', [False, True])
def test_deleted_rows_never_come_back_nor_shorten(ann):
    db, X = make_store(ndim=32), clustered(400)
    add(db, map(str, range(400)), X)
    assert len(vec_rowids(db, 'store', X[0], 20, ann=ann)) == 20
    near = [i for i, _ in vec_rowids(db, 'store', X[0], 200)]
    with db.conn: db.conn.executemany('delete from store where rowid=?', ((i,) for i in near))
    found = [i for i, _ in vec_rowids(db, 'store', X[0], 20, ann=ann)]
    assert len(found) == 20 and not set(found) & set(near)
    assert len(vec_rowids(db, 'store', X[0], 500, ann=ann)) == 200

def test_other_connections_and_processes(disk):
    db, other = make_store(disk), database(disk)
    add(db, notes(3), axes(3))
    assert len(vec_rowids(other, 'store', axes(3)[0])) == 3
    add(db, ['late'], [axes(8)[5]])
    assert vec_rowids(other, 'store', axes(8)[5], 1)[0][0] == 4
    rows(db, 'delete from store where rowid=1')
    assert sorted(dict(vec_rowids(other, 'store', axes(3)[0]))) == [2, 3, 4]
    code = ('import sys, sqlite3\nc = sqlite3.connect(sys.argv[1])\n'
            'c.execute("delete from store where rowid=4")\nc.commit()')
    subprocess.run([sys.executable, '-c', code, str(disk)], check=True)
    for d in (db, other): assert sorted(i for i, _ in vec_rowids(d, 'store', axes(8)[5])) == [2, 3]

def test_rolled_back_rows_leave_no_trace():
    db = make_store()
    add(db, notes(3), axes(3))
    vec_rowids(db, 'store', axes(3)[0])
    with pytest.raises(KeyError):
        with write_txn(db):
            add(db, ['ghost', 'ghost'], axes(8)[6:])
            rows(db, 'delete from store where rowid=1')
            assert sorted(i for i, _ in vec_rowids(db, 'store', axes(8)[6])) == [2, 3, 4, 5]
            raise KeyError
    assert sorted(i for i, _ in vec_rowids(db, 'store', axes(8)[6])) == [1, 2, 3]
    add(db, ['real'], [axes(8)[4]])            # gets the rowid of the ghost
    assert vec_rowids(db, 'store', axes(8)[4], 1) == [(4, 0.0)]

@pytest.mark.parametrize('ann', [False, True])
def test_a_table_made_anew(disk, ann):
    db = make_store(disk)
    add(db, notes(5), axes(5))
    assert len(vec_rowids(db, 'store', axes(5)[0], 1, ann=ann)) == 1
    rows(db, 'drop table store')
    db.conn.execute('create table store(rowid integer primary key autoincrement, content text, embedding blob)')
    assert vec_rowids(db, 'store', axes(5)[0]) == []
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        for d in (db, database(disk)):
            add(d, ['a', 'b'], axes(8)[[7, 0]])
            assert vec_rowids(d, 'store', axes(8)[7], 1, ann=ann)[0][0] == 1

def test_where_is_exact():
    db, X = make_store(ndim=32), clustered(3000)
    add(db, map(str, range(3000)), X)
    for cond, args, keep in [('rowid % 100 = ?', [7], lambda i: i % 100 == 7),
                             ('rowid > :low or content = :c', dict(low=100, c='5'), lambda i: i > 100 or i == 6),
                             ('0', (), lambda i: False), ('1 -- comment', (), lambda i: True)]:
        found = vec_rowids(db, 'store', X[3], 40, where=cond, where_args=args)
        full = [(i, d) for i, d in vec_rowids(db, 'store', X[3], None) if keep(i)]
        assert found == full[:40] == vec_rowids(db, 'store', X[3], 40, where=cond, where_args=args, ann=True)
    hits = db.t.store.vec_search(X[3], where='content in (?, ?)', where_args=['11', '12'], columns='content')
    assert sorted(h['content'] for h in hits) == ['11', '12']

def test_few_rows_of_a_large_store_are_read_apart(monkeypatch):
    db, X = make_store(ndim=32), clustered(3000)
    add(db, map(str, range(3000)), X)
    conditions = ['rowid % 9 = 3', 'rowid between 50 and 80', 'rowid in (7, 2999)', '0']
    ask = lambda: [vec_rowids(db, 'store', X[3], n, where=c) for c in conditions for n in (5, None)]
    monkeypatch.setattr(vector_module, 'LARGE', 1000)
    apart = ask()
    assert ('vectors', 'store', 'embedding') not in state(db).cache
    vec_rowids(db, 'store', X[3], 5, where='rowid > 100')    # most of the rows are not read apart
    assert ('vectors', 'store', 'embedding') in state(db).cache
    assert ask() == apart
    monkeypatch.setattr(vector_module, 'LARGE', 10**9)
    rows(db, 'delete from store where rowid between 60 and 70')
    expected = ask()
    assert expected != apart
    state(db).cache.clear()
    monkeypatch.setattr(vector_module, 'LARGE', 0)
    assert ask() == expected

def test_limit_and_offset():
    db = make_store()
    add(db, notes(), axes(5))
    every = db.t.store.vec_search(axes(5)[0], limit=None)
    assert len(every) == 5 and db.t.store.vec_search(axes(5)[0], limit=2, offset=2) == every[2:4]
    assert db.t.store.vec_search(axes(5)[0], limit=0) == [] == db.t.store.vec_search(axes(5)[0], offset=9)
    assert vec_rowids(db, 'store', np.zeros(8)) == [] == vec_rowids(make_store(), 'store', axes(5)[0])

def test_unknown_columns_raise():
    db = make_store()
    add(db, notes(), axes(5))
    with pytest.raises(ValueError, match="'rowid', 'content'"): db.t.store.vec_search(axes(5)[0], columns=['bogus'])
    assert [*db.t.store.vec_search(axes(5)[0], columns=[db.t.store.c.content])[0]] == ['content', '_dist']

@pytest.mark.parametrize('name', ['a "quoted" name', "it's", 'a/b', '漢字', 'select', 'x;y'])
def test_hostile_store_names(tmp_path, name):
    db = make_store(tmp_path/'x.db', name=name)
    add(db, notes(), axes(5), name)
    assert vec_rowids(db, name, axes(5)[2], 1) == [(3, 0.0)] == vec_rowids(db, name, axes(5)[2], 1, ann=True)
    assert sidecar_path(db, name).parent == tmp_path and sidecar_path(db, name).exists()
    q = name.replace('"', '""')
    rows(db, f'update "{q}" set embedding=? where rowid=3', [blob(axes(8)[7])])
    assert vec_rowids(db, name, axes(8)[7], 1) == [(3, 0.0)]

def test_rows_that_another_program_spoiled():
    db = make_store()
    add(db, notes(), axes(5))
    for bad in (blob([np.nan]*8), blob([0]*8), b'', b'123', blob(axes(5)[2], np.float32), 'text', 5):
        rows(db, 'insert into store(content, embedding) values(?, ?)', ['spoiled', bad])
    with pytest.warns(UserWarning, match='left out'): found = vec_rowids(db, 'store', axes(5)[2], 9)
    assert [i for i, _ in found][0] == 3 and sorted(i for i, _ in found) == [1, 2, 3, 4, 5]
    with no_warning(): assert vec_rowids(db, 'store', axes(5)[2], 9) == found
    with pytest.warns(UserWarning, match='left out'):
        assert vec_rowids(db, 'store', axes(5)[2], 1, ann=True) == found[:1]

@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
def test_stores_of_other_types(dtype):
    db = make_store(ndim=None, dtype=dtype)
    add(db, notes(), axes(5), dtype=dtype)
    for q in (axes(5)[2], blob(axes(5)[2], dtype)):
        assert vec_rowids(db, 'store', q, 1)[0][0] == 3 == vec_rowids(db, 'store', q, 1, ann=True)[0][0]
    assert db.t.store.ann_vec(3).dtype == np.dtype(dtype)

def test_a_second_column_of_vectors():
    db = make_store()
    add(db, notes(), axes(5))
    rows(db, 'alter table store add column title_vec blob')
    rows(db, 'update store set title_vec=? where rowid=2', [blob([1, 2, 3])])
    assert [h['rowid'] for h in db.t.store.vec_search([1, 2, 3], emb_col='title_vec')] == [2]
    with pytest.raises(StoreMismatch): db.t.store.vec_search(axes(5)[0], emb_col='title_vec')

def test_nothing_is_read_again_when_nothing_moved():
    db, X = make_store(ndim=32), clustered(2000)
    add(db, map(str, range(2000)), X)
    ix, seen = store_index(db), []
    db.conn.exec_trace = lambda cur, sql, args: seen.append(sql) or True
    vec_rowids(db, 'store', X[0], 10)
    assert len(seen) == 1
    db.conn.exec_trace = None
    assert store_index(db) is ix
    best = min(_timed(store_index, db) for _ in range(200))
    assert best < 50e-6
    add(db, ['new'], X[:1])
    assert np.shares_memory(store_index(db)._x, ix._x)       # one row was appended, the others were not read again

def _timed(f, *args):
    start = time.perf_counter()
    f(*args)
    return time.perf_counter() - start

def test_threads_share_a_connection():
    db, X, wrong = make_store(ndim=32), clustered(600), []
    add(db, map(str, range(300)), X[:300])
    def ask():
        for i in range(0, 300, 7):
            try: wrong.extend([i] if vec_rowids(db, 'store', X[i], 1)[0][1] > 1e-9 else [])
            except Exception as e: wrong.append(e)
    def write():
        for i in range(300, 600, 5):
            with write_txn(db): add(db, [str(i)]*5, X[i:i+5])
    threads = [threading.Thread(target=f) for f in (ask, ask, write, ask)]
    for t in threads: t.start()
    for t in threads: t.join()
    assert not wrong and len(store_index(db)) == 600


CHANGES = 'insert insert insert bare delete set unset extend undone'.split()

def change(db, what, i, v):
    "One of the things that happen to a store; `i` picks a row, `v` is a vector."
    if what == 'insert': add(db, ['x'], [v])
    if what == 'bare': add(db, ['x'], [None])
    if what == 'delete': rows(db, 'delete from store where rowid=(select rowid from store limit 1 offset ?)', [i])
    picked = 'where rowid=(select rowid from store limit 1 offset ?)'
    if what == 'set': rows(db, f'update store set embedding=? {picked}', [blob(v), i])
    if what == 'unset': rows(db, f'update store set embedding=null {picked}', [i])
    if what == 'extend': extend_index(db, least=i)
    if what == 'undone':
        with pytest.raises(KeyError), write_txn(db):
            change(db, 'insert', i, v)
            change(db, 'delete', i, v)
            vec_rowids(db, 'store', v, 3, ann=i > 2)
            raise KeyError

@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1), st.sampled_from(CHANGES), st.integers(0, 5), vecs,
                         st.sampled_from([True, False, None])),
                max_size=30))
def test_two_connections_always_see_the_table(todo):
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter('ignore')
        dbs = [make_store(folder + '/x.db', ndim=3, ann=True)]
        dbs.append(database(folder + '/x.db'))
        for who, what, i, v, ann in todo:
            change(dbs[who], what, i, v)
            table = rows(dbs[0], 'select rowid, embedding from store where embedding is not null')
            model = {k: np.frombuffer(b, np.float16) for k, b in table}
            for db in dbs:
                found = vec_rowids(db, 'store', v, 4, ann=ann)
                assert [(round(d, 6) + 0.0, k) for k, d in found] == plain(model, v, 4, 'cosine')
        for db in dbs: db.conn.close()


# --- the graph ---

def spoil_truncate(p): os.truncate(p, p.stat().st_size//2)
def spoil_header(p): p.write_bytes(b'\xff'*8 + p.read_bytes()[8:])
def spoil_zero_bytes(p): p.write_bytes(b'')
def spoil_middle(p):
    b = bytearray(p.read_bytes())
    b[len(b)//2:len(b)//2 + 64] = os.urandom(64)
    p.write_bytes(b)
def spoil_longer(p): p.write_bytes(p.read_bytes() + b'\0'*100)
def spoil_text(p): p.write_text('not a graph')
def spoil_missing(p): p.unlink()
def spoil_foreign(p):
    from usearch.index import Index
    ix = Index(ndim=3)
    ix.add(np.arange(9), np.ones((9, 3), np.float32))
    ix.save(str(p))

SPOILS = [spoil_truncate, spoil_header, spoil_zero_bytes, spoil_middle, spoil_longer, spoil_text, spoil_missing,
          spoil_foreign]

@pytest.mark.parametrize('spoil', SPOILS)
def test_a_spoiled_sidecar_is_made_whole(disk, spoil):
    db = make_store(disk)
    add(db, notes(), axes(5))
    assert db.t.store.rebuild_index() == 5
    path = sidecar_path(db)
    db.conn.close()
    spoil(path)
    db = database(disk)
    with pytest.warns(UserWarning, match='not as recorded'): assert first_hit(db, 2) == 'note 2: cobalt'
    assert matches(path, get_meta(db, 'ann:store'))
    with no_warning(): assert first_hit(database(disk), 4) == 'note 4: emerald'
    assert [p.name for p in disk.parent.iterdir() if p.suffix == '.tmp'] == []

def test_a_sidecar_older_than_the_table(disk):
    db = make_store(disk)
    add(db, notes(2), axes(2))
    db.t.store.rebuild_index()
    old = disk.with_name('old')
    shutil.copy2(sidecar_path(db), old)
    add(db, notes(3)[2:], axes(3)[2:])
    assert first_hit(db, 2) == 'note 2: cobalt'            # the row waits outside the graph
    db.t.store.rebuild_index()
    db.conn.close()
    shutil.copy2(old, str(disk) + '.usearch')
    db = database(disk)
    with pytest.warns(UserWarning): assert first_hit(db, 2) == 'note 2: cobalt'
    assert get_meta(db, 'ann:store')['count'] == 3 and len(store_graph(db).index) == 3

def test_a_crash_between_rename_and_commit(disk, monkeypatch):
    db = make_store(disk)
    add(db, notes(3), axes(3))
    db.t.store.rebuild_index()
    add(db, notes(5)[3:], axes(5)[3:])
    def killed(p):
        if p == disk.parent: raise KeyboardInterrupt
    monkeypatch.setattr(graph_module, 'sync', killed)
    with pytest.raises(KeyboardInterrupt): db.t.store.rebuild_index()
    monkeypatch.undo()
    db.conn.close()
    db = database(disk)
    assert not matches(sidecar_path(db), get_meta(db, 'ann:store'))
    with pytest.warns(UserWarning): assert first_hit(db, 4) == 'note 4: emerald'

@pytest.mark.parametrize('memory', [True, False], ids=['memory', 'disk'])
def test_remove_then_add(disk, memory):
    db = make_store(':memory:' if memory else disk)
    add(db, notes(8), axes(8))
    db.t.store.rebuild_index()
    for i in (3, 1, 0, 2, 7, 5, 4, 6): rows(db, 'delete from store where rowid=?', [i + 1])
    assert db.t.store.ann_search(axes(8)[0]) == []
    add(db, notes(8), axes(8))
    assert [first_hit(db, i) for i in range(8)] == notes(8)
    assert extend_index(db, least=1) is True
    assert [first_hit(db, i) for i in range(8)] == notes(8) and len(store_graph(db).index) == 8

@pytest.mark.parametrize('memory', [True, False], ids=['memory', 'disk'])
def test_extending_keeps_what_is_there(disk, memory):
    db, X = make_store(':memory:' if memory else disk, ndim=32, ann=True), clustered(1000)
    add(db, map(str, range(500)), X[:500])
    assert extend_index(db) is False and extend_index(db, least=600) is False and get_meta(db, 'ann:store') is None
    assert extend_index(db, least=100) is True and extend_index(db, least=100) is False
    rows(db, 'delete from store where rowid % 5 = 0 and rowid <= 500')
    add(db, map(str, range(500, 1000)), X[500:])
    graph = store_graph(db)
    assert (len(graph.index), len(graph.tail)) == (500, 500)
    assert extend_index(db, least=100) is True
    graph, ids = store_graph(db), [i for i, in rows(db, 'select rowid from store order by rowid')]
    assert graph.keys.tolist() == ids == graph.ids.tolist() and len(graph.tail) == 0
    assert get_meta(db, 'ann:store')['H'] == 1000
    hits = [graph_rowids(db, 'store', X[i - 1], 1)[0] for i in ids[::9]]
    assert sum(i == j for (i, _), j in zip(hits, ids[::9])) >= 0.9*len(hits)   # a graph is allowed to miss some

def test_a_larger_graph_is_extended_more_seldom(disk, monkeypatch):
    db, X = make_store(disk, ndim=32, ann=True), clustered(1000)
    monkeypatch.setattr(ann_module, 'ANN_MIN', 50)
    def grow(a, b):
        add(db, map(str, range(a, b)), X[a:b])
        return extend_index(db)
    assert [grow(0, 50), grow(50, 51), grow(51, 101), grow(101, 102)] == [False, True, False, True]
    assert [grow(102, 900), grow(900, 990), grow(990, 991)] == [True, False, True]    # now by a tenth of 900

def test_unregistered_stores_get_no_graph(disk):
    db = make_store(disk, ndim=32)
    add(db, map(str, range(300)), clustered(300))
    assert extend_index(db, least=10) is False and not sidecar_path(db).exists()

def test_recall_and_distances_are_those_of_the_exact_search():
    db, X = make_store(ndim=32), clustered(4000)
    add(db, map(str, range(4000)), X)
    hit = 0
    for q in clustered(30, seed=5):
        exact, graph = vec_rowids(db, 'store', q, 20), vec_rowids(db, 'store', q, 20, ann=True)
        both = set(exact) & set(graph)
        hit += len(both)
        assert len(graph) == 20 and {i for i, _ in exact} & {i for i, _ in graph} == {i for i, _ in both}
        assert graph == sorted(graph, key=lambda f: (f[1], f[0]))
    assert hit/600 > 0.9

@pytest.mark.parametrize('metric', ['cosine', 'ip', 'l2sq'])
def test_every_metric_has_its_graph(disk, metric):
    db, X = make_store(disk, ndim=32, metric=metric), clustered(500)*np.linspace(0.5, 2, 500, dtype=np.float16)[:, None]
    add(db, map(str, range(500)), X)
    db.t.store.rebuild_index()
    pairs = [(vec_rowids(db, 'store', q, 5), vec_rowids(db, 'store', q, 5, ann=True)) for q in X[:20]]
    assert store_graph(db, build=False) is not None
    assert sum(len(set(a) & set(b)) for a, b in pairs) >= 0.8*100    # threads build it, and it may miss a few
    assert all(a[0] == b[0] for a, b in pairs) or metric == 'ip'     # which is no distance

def cant(*args, **kw): raise PermissionError(13, 'Permission denied')

def test_a_folder_that_takes_no_file(disk, monkeypatch):
    db = make_store(disk)
    add(db, notes(), axes(5))
    monkeypatch.setattr(tempfile, 'mkstemp', cant)
    with pytest.warns(UserWarning, match='no graph can be kept'): assert first_hit(db, 2) == 'note 2: cobalt'
    with pytest.warns(UserWarning, match='no graph can be kept'): assert db.t.store.rebuild_index() == 0
    assert not sidecar_path(db).exists()

def test_a_damaged_sidecar_in_a_read_only_folder(disk, monkeypatch):
    db = make_store(disk)
    add(db, notes(), axes(5))
    db.t.store.rebuild_index()
    db.conn.close()
    spoil_header(disk.with_name('notes.db.usearch'))
    monkeypatch.setattr(tempfile, 'mkstemp', cant)
    db = database(disk)
    with pytest.warns(UserWarning): assert [first_hit(db, i) for i in range(5)] == notes()
    monkeypatch.undo()
    with pytest.warns(UserWarning): assert first_hit(db, 1) == 'note 1: basalt'
    assert matches(sidecar_path(db), get_meta(db, 'ann:store'))

def test_a_read_only_database_keeps_its_file(disk):
    db = make_store(disk)
    add(db, notes(), axes(5))
    db.t.store.rebuild_index()
    path, before = sidecar_path(db), sidecar_path(db).read_bytes()
    rows(db, 'pragma query_only=1')
    with pytest.warns(UserWarning, match='no graph can be kept'): db.t.store.rebuild_index()
    assert path.read_bytes() == before and first_hit(db, 3) == 'note 3: dolomite'

def test_the_place_of_the_graph(tmp_path):
    chosen = dict(path=str(tmp_path/'elsewhere.graph'), connectivity=8, expansion_search=99)
    db = make_store(tmp_path/'a.db', graph=chosen)
    add(db, notes(), axes(5))
    assert first_hit(db, 2) == 'note 2: cobalt' and (tmp_path/'elsewhere.graph').exists()
    assert (store_graph(db).index.connectivity, store_graph(db).index.expansion_search) == (8, 99)
    db = make_store(tmp_path/'b.db', graph=dict(path=str(tmp_path/'no'/'folder')))
    add(db, notes(), axes(5))
    with pytest.warns(UserWarning, match='no graph can be kept'): assert first_hit(db, 2) == 'note 2: cobalt'

def test_stores_of_one_file_have_graphs_of_their_own(disk):
    db = make_store(disk)
    rows(db, 'create table other(rowid integer primary key autoincrement, content text, embedding blob)')
    save_info(db, StoreInfo('other', ndim=8))
    add(db, notes(), axes(5))
    add(db, notes(), axes(5)[::-1], 'other')
    for name, best in (('store', 1), ('other', 5)): assert vec_rowids(db, name, axes(5)[0], 1, ann=True)[0][0] == best
    assert sorted(p.name for p in disk.parent.glob('*usearch')) == ['notes.db.other.usearch', 'notes.db.usearch']

def test_memory_has_no_file():
    db = make_store()
    add(db, notes(), axes(5))
    assert first_hit(db, 2) == 'note 2: cobalt' and sidecar_path(db) is None
    add(db, ['late'], [axes(8)[7]])
    assert first_hit(db, 7) == 'late'

def test_without_usearch(disk, monkeypatch):
    db = make_store(disk)
    add(db, notes(), axes(5))
    monkeypatch.setitem(sys.modules, 'usearch.index', None)
    with pytest.warns(UserWarning, match='pip install usearch'): assert first_hit(db, 2) == 'note 2: cobalt'
    with pytest.raises(MissingDependency, match='pip install usearch'): db.t.store.rebuild_index()

def test_no_graph_is_made_inside_a_transaction(disk):
    db = make_store(disk)
    add(db, notes(3), axes(3))
    with write_txn(db):
        add(db, ['late'], [axes(8)[7]])
        assert first_hit(db, 7) == 'late' and extend_index(db, least=0) is False
    assert not sidecar_path(db).exists()
    assert first_hit(db, 7) == 'late' and sidecar_path(db).exists()
    with pytest.raises(KeyError):
        with write_txn(db):
            add(db, ['ghost'], [axes(8)[6]])
            assert first_hit(db, 6) == 'ghost'
            raise KeyError
    assert first_hit(db, 6) != 'ghost'

def test_neighbors():
    db = make_store()
    add(db, notes(5) + ['bare'], [*axes(5), None])
    near = db.t.store.ann_neighbors(3, limit=2)
    assert len(near) == 2 and 3 not in [h['rowid'] for h in near]
    assert db.t.store.ann_neighbors(3, limit=2, include_self=True)[0]['rowid'] == 3
    assert [h['rowid'] for h in db.t.store.ann_neighbors(3, where='rowid > ?', where_args=[3])] == [4, 5]
    assert db.t.store.ann_vec(3).tolist() == np.float16(axes(5)[2]).tolist()
    for key in (6, 99):
        with pytest.raises(VectorError, match=f'no row {key} with a vector'): db.t.store.ann_vec(key)

EXTEND = '''
import sys, numpy as np
from litesearch.core import database, write_txn
from litesearch.ann import extend_index
db, r = database(sys.argv[1]), np.random.default_rng(int(sys.argv[2]))
for i in range(6):
    X = r.standard_normal((60, 32)).astype(np.float16)
    with write_txn(db) as conn:
        conn.executemany('insert into store(content, embedding) values(?, ?)', ((sys.argv[2], x.tobytes()) for x in X))
    extend_index(db, least=50)
'''

def test_two_processes_extend_at_once(disk):
    db = make_store(disk, ndim=32, ann=True)
    running = [subprocess.Popen([sys.executable, '-W', 'error', '-c', EXTEND, str(disk), str(i)],
                                stderr=subprocess.PIPE, text=True) for i in range(2)]
    for p in running: assert (p.communicate(timeout=240)[1], p.returncode) == ('', 0)
    record = get_meta(db, 'ann:store')
    assert matches(sidecar_path(db), record) and rows(db, 'select count(*) from store')[0][0] == 720
    with no_warning(): graph = store_graph(db)
    assert len(graph.index) + len(graph.tail) == 720 and len(graph.index) == record['count'] > 0
    assert not [p for p in disk.parent.iterdir() if p.suffix == '.tmp']
    for i in (1, 333, 720):
        assert graph_rowids(db, 'store', db.t.store.ann_vec(i), 1) == [(i, 0.0)]

def test_a_reader_sees_the_graph_that_another_saved(disk):
    db, X = make_store(disk, ndim=32, ann=True), clustered(400)
    add(db, map(str, range(200)), X[:200])
    extend_index(db, least=10)
    reader = database(disk)
    assert len(store_graph(reader).index) == 200
    add(db, map(str, range(200, 400)), X[200:])
    assert (len(store_graph(reader).index), len(store_graph(reader).tail)) == (200, 200)
    extend_index(db, least=10)
    assert (len(store_graph(reader).index), len(store_graph(reader).tail)) == (400, 0)
    assert all(graph_rowids(reader, 'store', X[i], 1) == [(i + 1, 0.0)] for i in range(0, 400, 37))


# --- opening reads no more than it must, and a question makes nothing ---

def unread(path): raise AssertionError(f'{path} is read to its end')

@pytest.mark.skipif(os.name != 'posix', reason='times of files can be set at will')
def test_a_graph_that_was_not_written_since_is_opened_without_reading_it(disk, monkeypatch):
    db = make_store(disk)
    add(db, notes(), axes(5))
    db.t.store.rebuild_index()
    db.conn.close()
    monkeypatch.setattr(sidecar_module, 'checksum', unread)
    with no_warning(): assert first_hit(database(disk), 2) == 'note 2: cobalt'

@pytest.mark.parametrize('spoil', [spoil_header, spoil_middle])
def test_a_file_whose_time_was_set_back_is_read(disk, spoil):
    db = make_store(disk)
    add(db, notes(), axes(5))
    db.t.store.rebuild_index()
    path = sidecar_path(db)
    db.conn.close()
    before = path.stat()
    spoil(path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    with pytest.warns(UserWarning, match='not as recorded'): assert first_hit(database(disk), 2) == 'note 2: cobalt'

def test_a_change_right_after_saving_is_noticed(disk):
    db = make_store(disk)
    add(db, notes(), axes(5))
    for _ in range(20):
        db.t.store.rebuild_index()
        spoil_header(sidecar_path(db))
        assert not matches(sidecar_path(db), get_meta(db, 'ann:store'))

def test_copies_and_older_records_are_told_by_the_checksum(disk, tmp_path):
    db = make_store(disk)
    add(db, notes(), axes(5))
    db.t.store.rebuild_index()
    record = get_meta(db, 'ann:store')
    copy = Path(shutil.copy2(sidecar_path(db), tmp_path/'copy'))
    assert matches(copy, record) and matches(copy, {k: v for k, v in record.items() if k != 'stamp'})
    spoil_middle(copy)
    assert not matches(copy, record)

def lost_graph(disk, n=400):
    db = make_store(disk, ndim=32, ann=True)
    add(db, map(str, range(n)), clustered(n))
    db.t.store.rebuild_index()
    sidecar_path(db).unlink()
    db.conn.close()
    return database(disk)

def test_a_question_does_not_wait_for_a_graph(disk):
    db = lost_graph(disk)
    for q in clustered(5, seed=1):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter('always')
            found = vec_rowids(db, 'store', q, 10, ann=None)
        assert found == vec_rowids(db, 'store', q, 10) and 'rebuild_index' in str(told[0].message)
    assert not sidecar_path(db).exists()
    q = clustered(400)[0]
    with pytest.warns(UserWarning, match='building it again'): assert len(vec_rowids(db, 'store', q, 9, ann=True)) == 9
    with no_warning(): assert vec_rowids(db, 'store', q, 1, ann=None)[0][0] == 1
    assert sidecar_path(db).exists()

def test_a_load_makes_a_lost_graph_again(disk):
    db = lost_graph(disk)
    assert extend_index(db, least=400) is False and not sidecar_path(db).exists()    # few rows are searched exactly
    assert extend_index(db, least=300) is True and len(store_graph(db, build=False).index) == 400
    rows(db, 'update store set embedding=? where rowid=7', [blob(np.ones(32))])
    assert store_graph(db, build=False) is None
    assert extend_index(db, least=300) is True and vec_rowids(db, 'store', np.ones(32), 1, ann=None)[0][0] == 7
    assert extend_index(db, least=300) is False

def test_a_lost_graph_is_looked_for_once(disk):
    db = lost_graph(disk)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        vec_rowids(db, 'store', clustered(1)[0], 5, ann=None)
        asked = []
        db.conn.exec_trace = lambda cur, sql, args: asked.append(sql) or True
        vec_rowids(db, 'store', clustered(1)[0], 5, ann=None)
    assert not [sql for sql in asked if 'group_concat' in sql]

def test_breadth_grows_with_the_graph():
    info = StoreInfo('store')
    sizes = [breadth(n, info) for n in (0, 10, 10**5, 10**6, 10**7)]
    assert sizes == sorted(sizes) and sizes[:3] == [256]*3 and sizes[3:] == [512, 768]
    assert breadth(10**6, StoreInfo('store', graph=dict(expansion_search=31))) == 31

@pytest.mark.parametrize('gone', [range(0), [1], [50], [99, 100], range(1, 80)],
                         ids=['none', 'first', 'one', 'last', 'most'])
def test_rows_outside_a_graph(gone):
    keys = np.arange(1, 101)
    ids = np.setdiff1d(np.arange(1, 121), [*gone])
    assert _outside(ids, keys).tolist() == list(range(101, 121))
    six = [6] if 6 in ids else []
    assert _outside(np.append(ids, 500), np.delete(keys, 5)).tolist() == [*six, *range(101, 121), 500]

def test_a_column_of_vectors_that_is_not_there_is_told():
    db = database()
    db.get_store(ndim=2)
    with pytest.raises(ValueError, match="emb_col='vector' is not known; use one of: 'rowid'"): db.t.store.vec_search([1, 2], emb_col='vector')
