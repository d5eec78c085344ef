"Exact search against the graph: what one query costs at several sizes, and what the graph costs to make."
import argparse, tempfile, time
from pathlib import Path
import numpy as np
from litesearch.ann import graph_rowids
from litesearch.core import database, StoreInfo, save_info
from litesearch.graph import sidecar_path
from litesearch.vector import prepare_vectors, vec_rowids


def vectors(n, ndim, seed=0):
    "Clustered vectors, as texts give them."
    r = np.random.default_rng(seed)
    centers = np.random.default_rng(99).standard_normal((300, ndim))
    return (centers[r.integers(0, 300, n)] + 0.7*r.standard_normal((n, ndim))).astype(np.float16)


def make_store(path, X):
    "A store that holds nothing but vectors and a text of usual length."
    db = database(path)
    db.conn.execute('create table store(rowid integer primary key autoincrement, content text, embedding blob)')
    save_info(db, StoreInfo('store', ndim=X.shape[1]))
    prepare_vectors(db)
    items = (('x'*500, x.tobytes()) for x in X)
    with db.conn: db.conn.executemany('insert into store(content, embedding) values(?, ?)', items)
    db.conn.close()


def timed(f, *args, **kw):
    "Milliseconds and result."
    start = time.perf_counter()
    result = f(*args, **kw)
    return 1000*(time.perf_counter() - start), result


def measure(path, n, ndim, queries=50):
    "One line of the table."
    make_store(path, vectors(n, ndim))
    db, Q = database(path), vectors(queries, ndim, 1)
    first, _ = timed(vec_rowids, db, 'store', Q[0], 10)
    exact = [timed(vec_rowids, db, 'store', q, 10) for q in Q]
    db.conn.close()
    db = database(path)
    build, _ = timed(db.t.store.rebuild_index)
    db.conn.close()
    db = database(path)
    opened, _ = timed(graph_rowids, db, 'store', Q[0], 10)
    graph = [timed(graph_rowids, db, 'store', q, 10) for q in Q]
    recall = np.mean([len(dict(g).keys() & dict(e).keys())/10 for (_, g), (_, e) in zip(graph, exact)])
    mid = lambda ts: np.median([t for t, _ in ts])
    return (f'| {n:,} | {first:.0f} ms | {mid(exact):.1f} ms | {build/1000:.1f} s | {opened:.0f} ms '
            f'| {mid(graph):.1f} ms | {recall:.3f} | {sidecar_path(db).stat().st_size/1e6:.0f} MB |')


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--sizes', type=int, nargs='+', default=[10_000, 30_000, 100_000])
    parser.add_argument('--ndim', type=int, default=256)
    args = parser.parse_args()
    import usearch.index  # so that its import is not counted as opening
    print('| rows | first exact | exact | build | first graph | graph | recall@10 | file |')
    print('|---'*8 + '|')
    with tempfile.TemporaryDirectory() as folder:
        for n in args.sizes: print(measure(Path(folder)/f'{n}.db', n, args.ndim), flush=True)
