"""Which settings answer questions best? Every setting is asked all questions of all collections.

usage: python benchmarks/study.py [--corpora FOLDER] [--only NAME ...] [--configs NAME ...] [--people N] [--derived N]
                                  [--quick] [--runs FILE] [--summary FILE]

CORPORA is a folder of collections, each with docs/ (or docs.jsonl) and queries.jsonl. Of questions that people wrote at
most N a collection are asked, and N of each other flavour. The answers of a collection under one setting are a line of
RUNS; what is there already is not done again, unless the code of the library has changed since. SUMMARY, a small JSON
file, is what the notebook shows: for each collection and setting the means, and the difference to the base with its
interval. With --quick: four small collections.
"""
import argparse, hashlib, itertools, json, platform, re, statistics, sys, time
from dataclasses import asdict, replace
from functools import lru_cache, partial
from pathlib import Path
from unittest.mock import patch
import numpy as np
import litesearch
from litesearch.encode import get_encoder
from litesearch.evidence import WEIGHTS
from litesearch.eval import compare_runs, Config, evaluate, known_corpus, METRICS, Run, Table
from litesearch.metrics import macro_interval
from litesearch.queryset import Corpus, Doc, Query, read_corpus

ROOT = Path(__file__).resolve().parents[1]
SMALL = ['covid-qa', 'emanual-qa', 'long-reports', 'office-formats']

# --- what is compared: axis → settings; each differs from the base in what its name says

BASE = Config('base')

def of(name, **kw): return replace(BASE, name=name, **kw)

def weighing(evidence, times):
    "What gives one kind of evidence another weight."
    return partial(patch.dict, WEIGHTS, {evidence: WEIGHTS[evidence]*times})

def section_vectors(db, encoder): db.build_sections(emb_fn=encoder)

AXES = {
    'chunks': [of('plain 256', chunker='plain:256'), of('plain 1024', chunker='plain:1024'),
               of('semantic 800', chunker='semantic:800'), of('semantic 1600', chunker='semantic:1600')],
    'headings': [of('text alone embedded', ingest=dict(with_heading=False))],
    'tree': [of('windows of pages', ingest=dict(mode='window'))],
    'encoder': [of('no vectors', encoder=None), of('hash', encoder='hash'),
                of('neighbors blended in', encoder='wordllama~0.3')],
    'fusion': [of('RRF', search=dict(fuse='rrf')), of('RRF 1:1', search=dict(fuse='rrf', weights=(1, 1))),
               of('RRF 3:1', search=dict(fuse='rrf', weights=(3, 1))),
               of('RRF 1:3', search=dict(fuse='rrf', weights=(1, 3))),
               of('relative 3:1', search=dict(fuse='relative', weights=(3, 1))),
               of('RRF by number of terms', search=dict(fuse='rrf', term_rank=True))],
    'evidence': [*(of(f'without {k}', during=weighing(k, 0)) for k in WEIGHTS if k != 'words'),
                 of('vectors count in full', search=dict(weights=(1, 1))), of('words 2:1', search=dict(weights=(2, 1))),
                 of('adaptive', search=dict(adaptive=True))],
    'section score': [of('mean', sections=dict(score='mean')), of('sum', sections=dict(score='sum'))],
    'levels': [of('sections as such', prepare=section_vectors, sections=dict(level='sections')),
               of('sections and chunks', prepare=section_vectors, sections=dict(level='fused'))],
    'passages': [of('single chunks', passages=dict(spans=False)), of('pad 1', passages=dict(pad=1)),
                 of('pad 2', passages=dict(pad=2))],
}
CONFIGS = [BASE] + [c for settings in AXES.values() for c in settings]


# --- asking

@lru_cache
def code_digest():
    "What tells that the library is the same as before."
    h = hashlib.blake2b(digest_size=6)
    for p in sorted(Path(litesearch.__file__).parent.glob('*.py')): h.update(p.read_bytes())
    return h.hexdigest()

def signature(config, sizes):
    "What tells that a run is what would be done again; where a function lies in memory does not count."
    return f'{code_digest()} {sizes} ' + re.sub(' at 0x[0-9a-f]+', '', repr(config))

def works(config):
    "Whether the library can do what a setting wants."
    tiny = Corpus('tiny', [Doc('d', text='# Bees\n\nThey fly.')], [Query('who flies', docs=['d'], titles=['Bees'])])
    try: return bool(list(evaluate(tiny, config)))
    except (ValueError, TypeError, ImportError) as e: say(f'left out: {config.name} ({e})')

def collection(folder, people, derived):
    "A collection; where its questions are all by people, some known items are added."
    corpus = read_corpus(folder, derived)
    human = [q for q in corpus.queries if q.human]
    rest = [q for q in corpus.queries if not q.human] or known_corpus(corpus.docs, derived).queries
    corpus.queries = human[::-(-len(human)//people) or 1] + rest
    return corpus

def done_before(path, configs, sizes):
    "Runs of an earlier call that hold."
    want, found = {c.name: signature(c, sizes) for c in configs}, {}
    for line in path.read_text('utf-8').splitlines() if path.exists() else ():
        try: r = json.loads(line)
        except ValueError: continue   # the last line of a call that was ended
        if want.get(r['config']) == r.pop('signature'): found[r['corpus'], r['config']] = Run(**r)
    return found

def say(text): print(text, file=sys.stderr, flush=True)

def tidy(row, digits=4): return {k: round(float(v), digits) if isinstance(v, float) else v for k, v in row.items()}

def ask_all(folders, configs, sizes, path):
    "Runs of all collections; new ones are written to the file at once."
    runs = done_before(path, configs, sizes)
    with open(path, 'a', encoding='utf-8') as out:
        for folder in folders:
            todo = [c for c in configs if (folder.name, c.name) not in runs]
            if not todo: continue
            start, made_by = time.perf_counter(), {c.name: signature(c, sizes) for c in todo}
            for run in evaluate(collection(folder, *sizes), *todo):
                runs[run.corpus, run.config] = run
                row = {**asdict(run), 'rows': [tidy(r) for r in run.rows], 'signature': made_by[run.config]}
                out.write(json.dumps(row, ensure_ascii=False) + '\n')
                out.flush()
            say(f'{folder.name}: {len(todo)} settings, {time.perf_counter() - start:.0f} s')
    return runs


# --- summing up

EVEN = .002 # a difference of means that is none
KINDS = dict(people=True, derived=False)

def differences(runs, corpus, configs):
    "For each metric of people's questions: the mean of each setting, and its difference to the base."
    base = runs[corpus, BASE.name]
    for metric in METRICS:
        for c in configs if base.values(metric, human=True) else ():
            r = compare_runs(base, runs[corpus, c.name], metric, human=True)
            yield dict(corpus=corpus, metric=metric, config=c.name, n=r.n, mean=r.after, diff=r.diff,
                       low=r.low, high=r.high, p=r.p, better=r.better, worse=r.worse)

def over_collections(runs, corpora, configs):
    "The same over all collections, each counted once: passages (or, where documents have grades, nDCG), and sections."
    for level, metrics in dict(passages=('ndcg', 'passage'), sections=('section',)).items():
        for kind, human in KINDS.items():
            groups = {}
            for corpus in corpora:
                metric = next((m for m in metrics if runs[corpus, BASE.name].values(m, human=human)), None)
                if metric: groups[corpus] = [runs[corpus, c.name].values(metric, human=human) for c in configs]
            for i, c in enumerate(configs):
                a, b = ({k: np.array(list(v[j].values())) for k, v in groups.items()} for j in (0, i))
                mean, diff = macro_interval(b), macro_interval({k: b[k] - a[k] for k in a})
                yield dict(level=level, kind=kind, config=c.name, collections=len(groups), mean=mean[0], diff=diff[0],
                           low=diff[1], high=diff[2],
                           up=sum(bool(b[k].mean() > a[k].mean() + EVEN) for k in a),
                           down=sum(bool(b[k].mean() < a[k].mean() - EVEN) for k in a))

def by_flavour(runs, corpora, configs):
    "Means of each flavour."
    for corpus in corpora:
        for c in configs:
            run = runs[corpus, c.name]
            for f, m in itertools.product(dict.fromkeys(r['flavour'] for r in run.rows), METRICS):
                v = list(run.values(m, flavour=f).values())
                if v: yield dict(corpus=corpus, flavour=f, metric=m, config=c.name, n=len(v), mean=sum(v)/len(v))

def times(runs, corpora, configs):
    "What it takes."
    for corpus in corpora:
        for c in configs:
            run = runs[corpus, c.name]
            ms, sections_ms = (list(run.values(k).values()) for k in ('ms', 'sections_ms'))
            yield dict(corpus=corpus, config=c.name, ingest_s=run.seconds, chunks=run.chunks, failed=len(run.failed),
                       ms=statistics.median(ms), sections_ms=statistics.median(sections_ms) if sections_ms else None)

def summary(runs, corpora, configs):
    "What the notebook shows."
    count = lambda corpus, human: sum(r['human'] == human and bool(r.keys() & set(METRICS))
                                      for r in runs[corpus, BASE.name].rows)
    questions = {corpus: {kind: count(corpus, h) for kind, h in KINDS.items()} for corpus in corpora}
    axes = {axis: [c.name for c in settings if c in configs] for axis, settings in AXES.items()}
    encoder = getattr(get_encoder(BASE.encoder), 'encoder_id', None)
    return dict(version=litesearch.__version__, python=platform.python_version(), encoder=encoder,
                questions=questions, axes={k: v for k, v in axes.items() if v},
                differences=[d for c in corpora for d in differences(runs, c, configs)],
                overall=list(over_collections(runs, corpora, configs)),
                flavours=list(by_flavour(runs, corpora, [BASE])), times=list(times(runs, corpora, configs)))

def write_summary(found, path):
    "Tables with one line a row, the names of the columns first, so that a new study is a readable change."
    shown, lines = lambda v: json.dumps(v, ensure_ascii=False, separators=(',', ':')), []
    for k, v in found.items():
        if isinstance(v, list): v = [list(v[0]), *(list(tidy(r, 3).values()) for r in v)]
        lines.append(f'{shown(k)}:' + ('[\n' + ',\n'.join(map(shown, v)) + ']' if isinstance(v, list) else shown(v)))
    path.write_text('{\n' + ',\n'.join(lines) + '\n}\n', 'utf-8')

def overview(found):
    "Differences to the base over all collections, as a table."
    cells = {(o['config'], o['level'], o['kind']): o for o in found['overall']}
    keys = [(l, k) for l in ('passages', 'sections') for k in KINDS]
    table = Table([['axis', 'setting', *(f'{l}, {k}' for l, k in keys)]])
    show = lambda o: f"{o['diff']:+.3f} ({o['low']:+.3f} to {o['high']:+.3f}), {o['up']} up {o['down']} down"
    base = [f"{cells[BASE.name, *key]['mean']:.3f} of {cells[BASE.name, *key]['collections']}" for key in keys]
    table.append(['', BASE.name, *base])
    for axis, names in found['axes'].items():
        for name in names: table.append([axis, name, *(show(cells[name, *key]) for key in keys)])
    return table

def chosen(names, known, parser, what):
    "Those that were named, or all."
    if odd := set(names or ()) - set(known): parser.error(f'no such {what}: {", ".join(sorted(odd))}')
    return [v for k, v in known.items() if not names or k in names]

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--corpora', type=Path, default=ROOT.parent/'shared'/'corpora',
                        help='folder of the collections')
    parser.add_argument('--only', nargs='+', help='names of collections; all by default')
    parser.add_argument('--configs', nargs='+', help='names of settings; all by default. The base is always among them')
    parser.add_argument('--people', type=int, default=300, help="people's questions a collection, evenly over its file")
    parser.add_argument('--derived', type=int, default=12, help='questions of each flavour that no person wrote')
    parser.add_argument('--quick', action='store_true', help='small collections only')
    parser.add_argument('--runs', type=Path, default=ROOT/'study-runs.jsonl', help='where answers are kept')
    parser.add_argument('--summary', type=Path, default=ROOT/'nbs'/'study.json', help='where the summary goes')
    args = parser.parse_args()
    folders = {p.parent.name: p.parent for p in sorted(args.corpora.glob('*/queries.jsonl'))}
    if not folders: parser.error(f'no collections in {args.corpora}')
    folders = chosen(args.only or (SMALL if args.quick else None), folders, parser, 'collection')
    configs = chosen(args.configs and [BASE.name, *args.configs], {c.name: c for c in CONFIGS}, parser, 'setting')
    configs = [c for c in configs if works(c)]
    start = time.perf_counter()
    runs = ask_all(folders, configs, (args.people, args.derived), args.runs)
    found = summary(runs, [f.name for f in folders], configs)
    write_summary(found, args.summary)
    print(overview(found))
    say(f'{time.perf_counter() - start:.0f} s')


if __name__ == '__main__': main()
