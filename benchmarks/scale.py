"""A library of many chunks, made by the library's own code, and what questions to it cost beside bare libraries.

    python benchmarks/scale.py --chunks 100000
    python benchmarks/scale.py --chunks 1000000 --db /tmp/scale_1m.db

The file is made once, with a graph beside it, and used again when it is there.

The words have the frequencies of a language: a few stand everywhere, most are rare, some belong to a topic, and many
share a stem. The vectors lie in clusters within clusters, as those of texts do. Questions are some words of a chunk
and a vector near that of the chunk; no question is asked twice. All contenders answer the same questions in one
process, taking turns; memory and opening are measured in processes of their own.
"""
import argparse, json, os, random, statistics, subprocess, sys, time
from pathlib import Path
import numpy as np

NDIM, STEMS, TOPICS, PER_DOC, WORDS = 256, 120_000, 1500, 100, 80
COMMON = '''the of and to in a is that for it as was with be by on not he his but at are this have from or had an they
    which one you were all her she there would their we him been has when who will no more if out so up said what its
    about than into them can only other time new some could these two may first then do any like my now over such our
    man me even most made after also did many off before must well back through years where much your way down should
    because long each just those people how too little state good very make world still see own men work here get both
    between life being under never day same another know while last might us great old year come since against go came
    right used take three'''.split()
SYLLABLES = [c + v + e for c in 'b c d f g h l m n p r s t v br cr dr gr pl st tr sh th'.split()
             for v in 'a e i o u ea ou'.split() for e in ('', '', 'n', 'r', 'l', 's', 't')]
ENDINGS = ['']*6 + ['s', 's', 's', 'ing', 'ed', 'ation', 'er', 'al', 'ly', 'ment', 'ity']


# --- texts and vectors

def vocabulary(rng):
    "Words by rank: common ones first, then made ones, longer the rarer they are."
    seen, words = set(COMMON), list(COMMON)
    while len(words) < STEMS:
        word = ''.join(rng.choices(SYLLABLES, k=min(2 + (len(words) > 4000) + (rng.random() < .3), 4)))
        word += rng.choice(ENDINGS)
        if word in seen: continue
        seen.add(word)
        words.append(word)
    return words

class Texts:
    "Documents of a seeded, endless library, each with the vectors of its chunks."
    def __init__(self, seed=0):
        self.words = vocabulary(random.Random(seed))
        rng = self.rng = np.random.default_rng(seed)
        n = len(self.words)
        # nearly half of all words in a text are common ones; the others follow Zipf's law
        common, rest = 1/(np.arange(len(COMMON)) + 2.7), 1/(np.arange(n - len(COMMON)) + 10)
        self.cdf = np.cumsum(np.concatenate([.48*common/common.sum(), .52*rest/rest.sum()]))
        # what a topic talks of: words of all ranks but the common ones
        self.own = np.exp(rng.uniform(np.log(len(COMMON)), np.log(n), (TOPICS, 200))).astype(int)
        # a few directions hold most of what differs, as in encoders of text
        turn = np.linalg.qr(rng.standard_normal((NDIM, NDIM)))[0]
        self.turn = (turn*(np.arange(1, NDIM + 1)**-.35)[:, None]).astype(np.float32)
        self.topics, self.middle = self.latent(TOPICS), self.latent(1)

    def latent(self, n): return self.rng.standard_normal((n, NDIM), dtype=np.float32)@self.turn

    def tokens(self, n, topic):
        "Ranks of `n` words of a text about a topic."
        ids = np.searchsorted(self.cdf, self.rng.random(n)*self.cdf[-1])
        mine = self.rng.random(n) < .12
        own = self.own[topic]
        ids[mine] = own[(len(own)*self.rng.random(mine.sum())**2).astype(int)]
        return ids

    def paragraph(self, ids):
        "A text of sentences of about sixteen words."
        words = [self.words[i] for i in ids]
        for i in range(15, len(words), 16): words[i] += '.'
        return ' '.join(words).capitalize() + '.'

    def doc(self, number, chunks):
        "Title, text and vectors of a document."
        rng, topic = self.rng, int(self.rng.integers(TOPICS))
        sizes = rng.poisson(WORDS, chunks).clip(20)
        ids = np.split(self.tokens(sizes.sum(), topic), np.cumsum(sizes)[:-1])
        section = np.cumsum(rng.random(chunks) < .25)
        parts, last = [], None
        for s, at in zip(section.tolist(), ids):
            head = [self.words[i] for i in self.tokens(int(rng.integers(2, 6)), topic)] if s != last else None
            if head: parts.append('## ' + ' '.join(head).capitalize())
            parts.append(self.paragraph(at))
            last = s
        X = (.5*self.topics[topic] + .4*self.latent(1) + .4*self.latent(section[-1] + 1)[section]
             + .7*self.latent(chunks) + .5*self.middle)
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        return f'{self.words[int(self.own[topic][0])]} {number}'.capitalize(), '\n\n'.join(parts), X.astype(np.float16)

class Paragraphs:
    "A chunk is a paragraph."
    def chunk(self, text): return text.split('\n\n')


# --- making the library

def say(**kw): print(json.dumps({k: round(v, 4) if isinstance(v, float) else v for k, v in kw.items()}), flush=True)

def make(path, chunks):
    "A library of that many chunks in a new file."
    from litesearch.core import database
    texts, start = Texts(), time.perf_counter()
    db, done, number = database(path), 0, 0
    while done < chunks:
        title, text, X = texts.doc(number, min(PER_DOC, chunks - done))
        res = db.add_doc(text, title=title, chunker=Paragraphs(), emb_fn=lambda ts: X[:len(ts)], index=False)
        done, number = done + res['chunks'], number + 1
        if number % 500 == 0: say(chunks=done, s=time.perf_counter() - start)
    say(made=done, s=time.perf_counter() - start, mb=Path(path).stat().st_size/1e6)
    return db

def add_graph(db):
    "The graph beside the file."
    start, cpu = time.perf_counter(), time.process_time()
    n = db.t.store.rebuild_index()
    say(graph=n, s=time.perf_counter() - start, cpu_s=time.process_time() - cpu)

def prepared(path, chunks, graph):
    "The library, made if it is not there."
    from litesearch.core import database, get_meta
    there = Path(path).exists()
    db = database(path) if there else make(path, chunks)
    if graph and not get_meta(db, 'ann:store'): add_graph(db)
    db.conn.close()


# --- questions

def questions(path, n, seed=1):
    "Some words of a chunk and a vector near that of it; and the same words in other questions, near other chunks."
    import apsw
    conn, rng, pick = apsw.Connection(str(path)), np.random.default_rng(seed), random.Random(seed)
    top, = conn.execute('select max(rowid) from store').fetchall()[0]
    out = []
    while len(out) < n:
        for text, blob in conn.execute('select content, embedding from store where rowid=?', (pick.randint(1, top),)):
            words = pick.sample(text.lower().replace('.', '').split(), pick.randint(5, 10))
            noise = rng.standard_normal(NDIM)
            out.append((' '.join(words), (np.frombuffer(blob, np.float16) + .6*noise/np.linalg.norm(noise))))
    known = [w for q, _ in out for w in q.split()]
    again = [(' '.join(pick.sample(known, len(q.split()))), v + .1*rng.standard_normal(NDIM)/16) for q, v in out]
    return [[(q, v.astype(np.float16).tobytes()) for q, v in qs] for qs in (out, again)]


# --- the contenders

def ours(path):
    "What answers of this library, each with a connection of its own, so that none finds what another has read."
    from litesearch.core import database
    from litesearch.vector import vec_rowids
    a, b, c, d = (database(path) for _ in range(4))
    return {'doc_search': lambda q, v: a.doc_search(q, v, limit=10), 'sections': lambda q, v: b.sections(q, v, limit=5),
            'keyword leg': lambda q, v: c.t.store.fts_search(q, columns=['rowid'], limit=30),
            'vector leg': lambda q, v: vec_rowids(d, 'store', v, 10, ann=graph_is_there(path))}

def graph_is_there(path): return Path(f'{path}.usearch').exists()

def bare_fts(path):
    "The keyword index asked by one statement, with the same expression."
    import apsw
    from litesearch.query import fts_query
    conn = apsw.Connection(str(path))
    sql = 'select rowid from store_fts where store_fts match ? order by rank limit 30'
    return lambda q, v: [r for r, in conn.execute(sql, (fts_query(q),))]

def bare_usearch(path):
    "The same graph, asked for what the library asks for: 30 rows at the breadth it uses."
    from usearch.index import Index
    from litesearch.core import StoreInfo
    from litesearch.graph import breadth
    index = Index.restore(f'{path}.usearch', view=True)
    index.expansion_search = breadth(len(index), StoreInfo('store'))
    return lambda q, v: index.search(np.frombuffer(v, np.float16), 30).keys[:10].tolist()

def numpy_exact(path):
    "All vectors in memory as float32, compared one and all."
    import apsw
    conn = apsw.Connection(str(path))
    n, = conn.execute('select count(*) from store').fetchall()[0]
    X, keys, at = np.empty((n, NDIM), np.float32), np.empty(n, np.int64), 0
    for key, blob in conn.execute('select rowid, embedding from store order by rowid'):
        X[at], keys[at], at = np.frombuffer(blob, np.float16), key, at + 1
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    def ask(q, v):
        s = X@np.frombuffer(v, np.float16).astype(np.float32)
        near = np.argpartition(s, -30)[-30:]
        return keys[near[np.argsort(-s[near])]][:10].tolist()
    return ask

def contenders(path):
    found = {**ours(path), 'bare FTS5': bare_fts(path)}
    if graph_is_there(path): found['bare usearch'] = bare_usearch(path)
    return {**found, 'numpy exact': numpy_exact(path)}

def timed(f, *args):
    "Milliseconds, milliseconds of processor, and the result."
    start, cpu = time.perf_counter(), time.process_time()
    res = f(*args)
    return 1000*(time.perf_counter() - start), 1000*(time.process_time() - cpu), res

def race(path, n):
    "Every contender answers every question, in an order that changes from one to the next."
    runners, out = contenders(path), {}
    for kind, qs in zip(('new', 'known words'), questions(path, n + 5)):
        took, order = {name: [] for name in runners}, list(runners)
        for i, (q, v) in enumerate(qs):
            for name in order: took[name].append(timed(runners[name], q, v))
            order = order[1:] + order[:1] if i % 2 else order[::-1]
        out[kind] = {name: dict(ms=statistics.median(t for t, _, _ in runs[5:]),
                                cpu_ms=statistics.median(c for _, c, _ in runs[5:]),
                                p90=sorted(t for t, _, _ in runs[5:])[int(.9*n)]) for name, runs in took.items()}
        exact = [set(r) for _, _, r in took['numpy exact']]
        keys = {'vector leg': lambda r: [k for k, _ in r], 'bare usearch': lambda r: r}
        for name in keys.keys() & took.keys():
            found = [set(keys[name](r)) for _, _, r in took[name]]
            out[kind][name]['recall'] = round(statistics.mean(len(e & f)/10 for e, f in zip(exact, found)), 3)
    return out


# --- memory and opening

def memory():
    "Megabytes of this process: resident, and those that are its own and no file's."
    lines = Path('/proc/self/smaps_rollup').read_text().splitlines()[1:]
    sizes = {name: int(rest.split()[0])/1024 for name, _, rest in (l.partition(':') for l in lines)}
    return dict(rss_mb=sizes['Rss'], own_mb=sizes['Anonymous'])

def child_memory(path, who, n):
    "What a process holds that has answered some questions."
    qs = questions(path, int(n))[0]
    if who == 'ours':
        from litesearch.core import database
        db = database(path)
        asked = [db.doc_search, db.sections]
    else: asked = [bare_fts(path), bare_usearch(path)]
    for q, v in qs:
        for f in asked: f(q, v)
    return memory()

def child_open(path):
    "What opening costs, and the first questions after it."
    start = time.perf_counter()
    import litesearch.core, litesearch.tree
    out = dict(import_ms=1000*(time.perf_counter() - start))
    qs = json.loads(sys.stdin.read())
    def note(name, f, *args):
        out[name + '_ms'], out[name + '_cpu_ms'], res = timed(f, *args)
        return res
    db = note('open', litesearch.core.database, path)
    note('first', db.doc_search, qs[0][0], bytes.fromhex(qs[0][1]))
    note('second', db.doc_search, qs[1][0], bytes.fromhex(qs[1][1]))
    note('third', db.doc_search, qs[2][0], bytes.fromhex(qs[2][1]))
    db = note('again_open', litesearch.core.database, path)
    note('again_first', db.doc_search, qs[3][0], bytes.fromhex(qs[3][1]))
    return out

def forget(path):
    "Ask the system to drop what it has cached of the files."
    os.sync()
    for p in Path(path).parent.glob(Path(path).name + '*'):
        fd = os.open(p, os.O_RDONLY)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)

def child(*args, given=None):
    "What a process of its own measured."
    run = subprocess.run([sys.executable, __file__, '--child', *map(str, args)], input=given, capture_output=True,
                         text=True)
    if run.returncode: raise RuntimeError(run.stderr[-3000:])
    return json.loads(run.stdout.strip().split('\n')[-1])

def opening(path, times=5):
    "Medians of opening, with the file in the system's cache and without."
    qs, out = questions(path, 4*(2*times + 1), seed=3)[0], {}
    runs = {'warm': [], 'cold': []}
    for i in range(2*times + 1):
        given = json.dumps([(q, v.hex()) for q, v in qs[4*i:4*i + 4]])
        if i > times: forget(path)
        res = child('open', path, given=given)
        if i: runs['cold' if i > times else 'warm'].append(res)
    return {kind: {key: statistics.median(r[key] for r in rs) for key in rs[0]} for kind, rs in runs.items()}


# --- all of it

def table(out):
    "What was measured, as markdown."
    cols = [f'{kind}: {what}' for kind in out['race'] for what in ('ms', 'slowest tenth', 'processor')]
    lines = [f"| contender | {' | '.join(cols)} | recall@10 |", '|---'*(len(cols) + 2) + '|']
    for name in out['race']['new']:
        runs = [out['race'][kind][name] for kind in out['race']]
        cells = [f'{r[k]:.1f}' for r in runs for k in ('ms', 'p90', 'cpu_ms')]
        lines.append(f"| {name} | {' | '.join(cells)} | {runs[0].get('recall', '')} |")
    for kind, runs in out['race'].items():
        for unit in ('ms', 'cpu_ms'):
            bare = runs['bare FTS5'][unit] + runs.get('bare usearch', runs['numpy exact'])[unit]
            lines.append(f"\n{kind}, {unit}: " + ', '.join(f"{name} {runs[name][unit]/bare:.2f} × the bare libraries"
                                                          for name in ('doc_search', 'sections')))
    for part in ('opening', 'memory'):
        for kind, o in out[part].items(): lines.append(f'\n{kind}: ' + ', '.join(f'{k} {v:.0f}' for k, v in o.items()))
    return '\n'.join(lines)

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--chunks', type=int, default=100_000)
    parser.add_argument('--db', help='the file; used as it is when it is there')
    parser.add_argument('--questions', type=int, default=100)
    parser.add_argument('--no-graph', action='store_true', help='make no graph over the vectors')
    parser.add_argument('--make-only', action='store_true')
    parser.add_argument('--child', nargs='+', help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child: return print('\n' + json.dumps(globals()['child_' + args.child[0]](*args.child[1:])))
    path = args.db or f'/tmp/scale_{args.chunks}.db'
    prepared(path, args.chunks, not args.no_graph)
    if args.make_only: return
    out = dict(chunks=args.chunks, memory={who: child('memory', path, who, args.questions) for who in
                                           ('ours', *['bare']*graph_is_there(path))},
               opening=opening(path), race=race(path, args.questions))
    print(json.dumps(out) + '\n\n' + table(out))


if __name__ == '__main__': main()
