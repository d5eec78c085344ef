"""This library beside release 0.1.61 of the package of the same name, on the same documents.

    python -m venv /tmp/peer && /tmp/peer/bin/pip install litesearch==0.1.61
    python benchmarks/peer.py --peer /tmp/peer/bin/python

Both sides run in processes of their own, taking turns, with one embedding function, which stands below; it is fast, so
that what is measured is the library. One JSON line a measurement goes to standard output, at the end a table.
"""
import argparse, json, os, statistics, subprocess, sys, tempfile, threading, time
from pathlib import Path

OURS, PEER = 'ours', 'peer'
TYPES = '.pdf,.md,.markdown,.txt,.rst,.ipynb,.htm,.html'


# --- the embedding function of both sides

def _tables():
    import numpy as np
    word = np.zeros(256, bool)
    word[[*b'abcdefghijklmnopqrstuvwxyz0123456789_', *range(128, 256)]] = True
    return word, np.random.default_rng(1).integers(1, 2**31, 64).astype(np.uint32)*2 + 1

def embed(texts, ndim=256, **kw):
    "Words, hashed and counted: float16 rows of length one."
    import numpy as np
    word, factor = _tables()
    raw = [t.lower().encode('utf-8', 'replace') for t in texts]
    buf = np.frombuffer(b' ' + b' '.join(raw) + b' ', np.uint8)
    first = np.cumsum([1] + [len(r) + 1 for r in raw])
    inside = word[buf]
    starts, ends = (np.flatnonzero(inside[1:] & ~inside[:-1]) + 1, np.flatnonzero(inside[:-1] & ~inside[1:]) + 1)
    at = np.flatnonzero(inside)
    place = at - np.repeat(starts, ends - starts)
    steps = np.cumsum(ends - starts) - (ends - starts)
    hashes = np.add.reduceat((buf[at].astype(np.uint32) + 1)*factor[np.minimum(place, 63)],
                             steps) if len(starts) else starts
    hashes = hashes.astype(np.int64)
    rows = np.searchsorted(first, starts, 'right') - 1
    counts = np.bincount(rows*ndim + (hashes >> 7) % ndim, minlength=len(raw)*ndim).reshape(len(raw),
                                                                                            ndim).astype(np.float32)
    counts[counts.sum(1) == 0, 0] = 1
    return (counts/np.linalg.norm(counts, axis=1, keepdims=True)).astype(np.float16)


# --- what a child does

def median_ms(f, items):
    "Median milliseconds of a call over some items."
    took = []
    for x in items:
        start = time.perf_counter()
        f(x)
        took.append(1000*(time.perf_counter() - start))
    return statistics.median(took)

def open_db(path):
    from litesearch.core import database
    import litesearch.tree
    return database(path)

def child_ingest(path, folder):
    "Load a folder, then look at it again unchanged; the second time in the same process, as a watcher would."
    db = open_db(path)
    times = []
    for _ in range(2):
        start = time.perf_counter()
        results = db.add_dir(folder, types=TYPES, emb_fn=embed)
        times.append(time.perf_counter() - start)
    count = lambda t: db.conn.execute(f'select count(*) from {t}').fetchall()[0][0]
    return dict(load_s=times[0], again_s=times[1], docs=count('docs'), nodes=count('nodes'), chunks=count('store'),
                failed=sum('error' in r for r in results))

def child_ask(path, queries):
    "Medians of the calls that answer."
    import numpy as np
    db, queries = open_db(path), json.loads(Path(queries).read_text())
    vecs = dict(zip(queries, (v.tobytes() for v in embed(queries))))
    roots = [d['tree']['id'] for d in db.toc()][:60]
    calls = dict(doc_search=(lambda q: db.doc_search(q, vecs[q], limit=10, dtype=np.float16), queries),
                 sections=(lambda q: db.sections(q, vecs[q], limit=5, dtype=np.float16), queries),
                 context=(lambda q: db.context(q, vecs[q], dtype=np.float16), queries),
                 toc=(lambda _: db.toc(), range(7)), read_root=(lambda i: db.read(i, max_chars=10**9), roots))
    for f, items in calls.values(): f(items[0])
    return {name: median_ms(f, items) for name, (f, items) in calls.items()}

def child_bare(path, queries):
    "What SQLite's keyword index takes by itself for the ten best rows of the same questions, asked for any word."
    import apsw, re
    conn, queries = apsw.Connection(path), json.loads(Path(queries).read_text())
    sql = 'select rowid from store_fts where store_fts match ? order by rank limit 10'
    match = lambda q: ' OR '.join(f'"{w}"' for w in dict.fromkeys(re.findall(r'\w+', q.lower())))
    ask = lambda q: conn.execute(sql, (match(q),)).fetchall()
    ask(queries[0])
    return dict(bare_fts5=median_ms(ask, queries))

def child_import(statement):
    start, cpu = time.perf_counter(), time.process_time()
    exec(statement, {})
    return dict(ms=1000*(time.perf_counter() - start), cpu_ms=1000*(time.process_time() - cpu))

def child_version():
    "Which package this is; what is imported here is compiled before anything is measured."
    import litesearch
    from importlib import import_module
    used = 'litesearch.core litesearch.tree litesearch.pdf litesearch.rst pymupdf docutils.parsers.rst.states'
    for name in used.split():
        try: import_module(name)
        except ImportError: pass
    return dict(version=litesearch.__version__, file=litesearch.__file__)

CHILDREN = dict(ingest=child_ingest, ask=child_ask, bare=child_bare, import_=child_import, version=child_version)


# --- running children

def held(pid):
    "Megabytes that a process holds: resident pages, and the same with a page of n processes counted as 1/n."
    try: lines = (Path('/proc')/str(pid)/'smaps_rollup').read_text().splitlines()
    except OSError: return 0, 0
    sizes = {name: int(rest.split()[0])/1024 for name, _, rest in (l.partition(':') for l in lines[1:])}
    return sizes.get('Rss', 0), sizes.get('Pss', 0)

def family(pid):
    "A process and all below it."
    kids, todo = {}, [pid]
    for p in Path('/proc').glob('[0-9]*'):
        try: kids.setdefault(int((p/'stat').read_text().rsplit(')', 1)[1].split()[1]), []).append(int(p.name))
        except OSError: continue
    while todo:
        yield (at := todo.pop())
        todo += kids.get(at, [])

def watched(proc, every=0.1):
    "The most memory that a process and all below it held at once."
    most = [0, 0]
    def watch():
        while proc.poll() is None:
            now = [sum(n) for n in zip(*map(held, family(proc.pid)))]
            most[:] = map(max, most, now)
            time.sleep(every)
    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return most

def surroundings(folder):
    "The environment of children: compiled modules are kept, and lie where both sides can write."
    env = {k: v for k, v in os.environ.items() if k != 'PYTHONDONTWRITEBYTECODE'}
    return {**env, 'PYTHONPYCACHEPREFIX': str(folder)}

ENV = {}

def run(python, task, *args, memory=False):
    "What a child measured."
    cmd = [python, '-P', __file__, '--child', task, *map(str, args)]
    # what leads this side to its checkout is not for the other one
    env = {k: v for k, v in ENV.items() if k != 'PYTHONPATH' or python == sys.executable}
    with tempfile.TemporaryDirectory() as away:
        proc = subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=away, env=env)
        most = watched(proc) if memory and Path('/proc/self/smaps_rollup').exists() else None
        out, err = proc.communicate()
    if proc.returncode: raise RuntimeError(f'{python} {task}: {err[-3000:]}')
    res = json.loads(out.strip().split('\n')[-1])
    return {**res, 'peak_mb': most[0], 'peak_once_mb': most[1]} if most else res

def say(**kw): print(json.dumps({k: round(v, 4) if isinstance(v, float) else v for k, v in kw.items()}), flush=True)

class Table:
    "Medians of both sides over the rounds, and their ratio."
    def __init__(self): self.seen = {}

    def add(self, what, side, value): self.seen.setdefault(what, {}).setdefault(side, []).append(value)

    def rows(self):
        for what, sides in self.seen.items():
            a, b = (statistics.median(sides[s]) if s in sides else None for s in (OURS, PEER))
            yield what, a, b, (b/a if a and b else None)

    def markdown(self):
        show = lambda x, f='{:,.3g}': '' if x is None else f.format(x) if x < 1000 else f'{x:,.0f}'
        lines = [f'| {what} | {show(a)} | {show(b)} | {show(r, "{:.1f}×") if r else ""} |' for what, a, b,
                 r in self.rows()]
        return '\n'.join(['| measured | this library | release 0.1.61 | ratio |', '|---|---|---|---|', *lines])


# --- the measurements

def fixed_queries(corpus, n=60):
    "The same questions every time, of all flavours."
    lines = [json.loads(l)['q'] for l in open(corpus/'queries.jsonl', encoding='utf-8')]
    return list(dict.fromkeys(lines))[::max(1, len(lines)//n)][:n]

def compare_corpus(table, pythons, name, corpus, rounds, work):
    "Load, load again, ask."
    queries = work/f'{name}.json'
    queries.write_text(json.dumps(fixed_queries(corpus)))
    for i in range(rounds):
        for side, python in pythons.items():
            path = work/f'{name}-{side}-{i}.db'
            res = run(python, 'ingest', path, corpus/'docs', memory=True)
            say(corpus=name, side=side, round=i, **res)
            for key, label in dict(load_s='add_dir, s', again_s='add_dir of unchanged files, s',
                                   peak_mb='memory while loading, MB',
                                   peak_once_mb='the same, pages shared by processes counted once').items():
                if key in res: table.add(f'{name}: {label}', side, res[key])
    for i in range(rounds):
        for side, python in pythons.items():
            res = run(python, 'ask', work/f'{name}-{side}-0.db', queries)
            say(corpus=name, side=side, round=i, **res)
            for key, value in res.items(): table.add(f'{name}: {key}, ms', side, value)
        res = run(pythons[OURS], 'bare', work/f'{name}-{OURS}-0.db', queries)
        say(corpus=name, round=i, **res)
        table.add(f'{name}: ranking by bare FTS5, ms', OURS, res['bare_fts5'])

IMPORTS = {'import litesearch': 'import litesearch',
           'import with every method': 'import litesearch.core, litesearch.tree'}

def compare_imports(table, pythons, times=9):
    "Cold imports, each in a process of its own, after one that leaves compiled modules behind."
    jobs = [(side, label, statement) for side in pythons for label, statement in IMPORTS.items()]
    jobs.append((OURS, 'import fastlite, numpy', 'import fastlite, numpy'))
    for i in range(times + 1):
        for side, label, statement in jobs:
            res = run(pythons[side], 'import_', statement)
            if i: table.add(f'{label}, ms', side, res['ms'])
            if i: table.add(f'{label}, ms of processor', side, res['cpu_ms'])
    ours = {what: a for what, a, _, _ in table.rows()}
    for unit in ('ms', 'ms of processor'):
        own, base = ours[f'import litesearch, {unit}'], ours[f'import fastlite, numpy, {unit}']
        say(unit=unit, own=own, base=base, ratio_to_base=own/base)

WORDS = '''amber basin copper delta ember fathom gravel harbor iron juniper kelp lantern mortar nickel oak pewter quarry
    resin slate timber'''.split()

def big_library(path, chunks):
    "Documents of generated text, a chunk a section."
    import random
    from litesearch.core import database
    from litesearch.encode import HashEncoder
    pick, db, enc, size = random.Random(5), database(path), HashEncoder(), 1000
    for d in range(0, chunks, size):
        secs = (f'## Section {d + i}\n\n' + ' '.join(f'{pick.choice(WORDS)}{pick.randrange(3000)}' for _ in range(40))
                for i in range(min(size, chunks - d)))
        db.add_doc('\n\n'.join(secs), title=f'Volume {d//size}', emb_fn=enc, index=d + size >= chunks)
    return db.conn.execute('select count(*) from store').fetchall()[0][0]

CLI = 'import sys; from litesearch.cli import main; sys.exit(main())'

def time_cli(table, chunks, work, times=7):
    "From the shell to the answer: of a library as it is after `add`, and once more with its vector index deleted."
    path, start = work/'big.db', time.perf_counter()
    n = big_library(path, chunks)
    say(cli_chunks=n, build_s=time.perf_counter() - start)
    for state in ('', ', no index file'):
        if state: Path(f'{path}.usearch').unlink(missing_ok=True)
        for command in ('search', 'sections'):
            for i in range(times):
                start = time.perf_counter()
                subprocess.run([sys.executable, '-P', '-c', CLI, command, 'amber lantern slate77 oak', '--lib', str(path),
                                '--json'], check=True, stdout=subprocess.DEVNULL, cwd=work, env=ENV)
                label = f'cold command line, {command} in {n:,} chunks{state}, s'
                table.add(label, OURS, time.perf_counter() - start)

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--peer', help='python of the environment that has release 0.1.61')
    parser.add_argument('--corpora', type=Path, default=Path(__file__).parents[2]/'shared'/'corpora',
                        help='folder of eu-legislation and docs-trees')
    parser.add_argument('--only', nargs='*', default=['eu-legislation', 'docs-trees'],
                        help='folders in it, each with docs/ and queries.jsonl')
    parser.add_argument('--rounds', type=int, default=3, help='how often each side has its turn')
    parser.add_argument('--chunks', type=int, default=100_000,
                        help='size of the library that the command line answers from')
    parser.add_argument('--skip-cli', action='store_true', help='leave out the command line')
    parser.add_argument('--skip-imports', action='store_true', help='leave out the imports')
    parser.add_argument('--child', nargs='+', help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        print('\n' + json.dumps(CHILDREN[args.child[0]](*args.child[1:])))
        return
    cache = tempfile.TemporaryDirectory()
    ENV.update(surroundings(cache.name))
    pythons = {OURS: sys.executable, **({PEER: args.peer} if args.peer else {})}
    versions = {side: run(python, 'version') for side, python in pythons.items()}
    for side, v in versions.items(): say(side=side, **v)
    if len({v['file'] for v in versions.values()}) < len(pythons): parser.error('both sides import the same package')
    table = Table()
    with tempfile.TemporaryDirectory() as work:
        if not args.skip_imports: compare_imports(table, pythons)
        for name in args.only: compare_corpus(table, pythons, name, args.corpora.resolve()/name, args.rounds,
                                              Path(work))
        if not args.skip_cli: time_cli(table, args.chunks, Path(work))
    print('\n' + table.markdown())


if __name__ == '__main__': main()
