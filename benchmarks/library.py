"""Do the sections that answer stand among the first five, and does what is quoted stand where it says?

usage: python benchmarks/library.py CORPUS [CORPUS ...] [--encoder NAME] [--flavour NAME ...]

CORPUS is a folder with docs/ (or docs.jsonl) and queries.jsonl. Every question that a person wrote is given to `research`
and to `navigate` of a `Library` with all documents; a section counts when it is the one that holds the answer, or lies
under it. For each collection: the share of questions whose section is first, and among the first five, with the interval
that 95 % of 10,000 resamples fall into, and the median time of a call. Then an evidence pack of all questions is written,
read back, and every quotation looked for at its page in the file that it comes from.
"""
import argparse, statistics, time
from pathlib import Path
from litesearch import Library
from litesearch.eval import judge_sections
from litesearch.metrics import bootstrap_interval
from litesearch.pack import verify_pack
from litesearch.queryset import read_corpus

def filled(corpus, encoder):
    "A library with the documents of a collection, and the names by which its questions call them."
    lib, names = Library(':memory:', encoder=encoder), {}
    files = [d for d in corpus.docs if d.path]
    results = lib.add([d.path for d in files], progress=False) if files else []
    for d, r in zip(files, results): names[r.get('doc_id')] = d.name
    for d in corpus.docs:
        if not d.path: names[lib.add(d.text, title=d.title or d.name)[0].get('doc_id')] = d.name
    return lib, names

def places(lib, names, queries, ask):
    "The reciprocal ranks of the right sections, and the milliseconds of a call."
    found, took = [], []
    for q in queries:
        start = time.perf_counter()
        sections = ask(q.text)
        took.append(1000*(time.perf_counter() - start))
        found.append(judge_sections(q, sections, names)['section'])
    return found, statistics.median(took)

def row(name, what, found, ms):
    "A line of the table."
    first, five = ([float(r >= least) for r in found] for least in (1, 0.2))
    low, high = bootstrap_interval(five)
    return (f'| {name} | {what} | {len(found)} | {statistics.mean(first):.2f} | **{statistics.mean(five):.2f}** '
            f'({low:.2f}–{high:.2f}) | {ms:.0f} |')

def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('corpus', nargs='+', type=Path)
    ap.add_argument('--encoder', default='auto')
    ap.add_argument('--flavour', nargs='+', default=['question'], help='how the wanted questions are called')
    a = ap.parse_args()
    packs = []
    print('| collection | call | questions | first | among five | ms |\n|---|---|---|---|---|---|')
    for corpus in map(read_corpus, a.corpus):
        queries = [q for q in corpus.queries if q.flavour in a.flavour and q.titles]
        lib, names = filled(corpus, a.encoder)
        calls = dict(research=lambda q: lib.research(q, k=5), navigate=lambda q: lib.navigate(q, k=5)['sections'])
        for what, ask in calls.items(): print(row(corpus.name, what, *places(lib, names, queries, ask)), flush=True)
        pack = lib.evidence([q.text for q in queries])
        bad = [len(verify_pack(lib.db, str(pack), files=files)) for files in (False, True)]
        packs.append(f"{corpus.name}: {sum(len(o['quotes']) for o in pack)} quotations for {len(queries)} questions; "
                     f'not found at their page: in the library {bad[0]}, in the files {bad[1]}')
    print('\n' + '\n'.join(packs))

if __name__ == '__main__': main()
