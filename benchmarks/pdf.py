"""Reading PDFs: this library beside release 0.1.61 of the package of the same name, on the same files.

    python -m venv /tmp/peer && /tmp/peer/bin/pip install litesearch==0.1.61
    python benchmarks/pdf.py --peer /tmp/peer/bin/python FOLDER...

Every folder is read by both sides in turn, each time in a process of its own, several rounds long. The time to import is
not counted. One JSON line a run goes to standard output, at the end a table of medians.
"""
import argparse, json, os, statistics, subprocess, sys, tempfile, time
from pathlib import Path

OURS, PEER = 'ours', 'peer'

def child(files):
    "Read files; pages, characters, seconds."
    try: from litesearch.pdf import pdf_parse
    except ImportError: from litesearch.data import pdf_parse
    pdf_parse(Path(files[0]))  # loads what is loaded at the first use
    pages = chars = failed = 0
    wall, cpu = time.perf_counter(), time.process_time()
    for f in files:
        try: got = pdf_parse(Path(f))
        except Exception: failed += 1
        else: pages, chars = pages + len(got), chars + sum(len(o if isinstance(o, str) else o[1]) for o in got)
    return dict(pages=pages, chars=chars, failed=failed, wall=time.perf_counter() - wall, cpu=time.process_time() - cpu)

def run(python, files):
    "What a child measured."
    env = {k: v for k, v in os.environ.items() if k != 'PYTHONPATH' or python == sys.executable}
    cmd = [python, '-P', __file__, '--child', *files]
    with tempfile.TemporaryDirectory() as away:
        p = subprocess.run(cmd, cwd=away, env=env, capture_output=True, text=True, check=True)
    return json.loads(p.stdout.strip().split('\n')[-1])

def compare(python, folder, rounds):
    "Medians of pages per second of both sides."
    files, seen = sorted(str(f.resolve()) for f in Path(folder).rglob('*.pdf')), {}
    for i in range(rounds):
        for side, exe in (OURS, sys.executable), (PEER, python):
            res = run(exe, files)
            print(json.dumps(dict(folder=str(folder), side=side, round=i, **res)), flush=True)
            for clock in ('wall', 'cpu'): seen.setdefault((side, clock), []).append(res['pages']/res[clock])
    return {k: statistics.median(v) for k, v in seen.items()}

def table(results):
    lines = ['| pages per second | this library | release 0.1.61 | ratio |', '|---|---|---|---|']
    for folder, got in results.items():
        for clock in ('wall', 'cpu'):
            a, b = got[OURS, clock], got[PEER, clock]
            lines.append(f'| {folder}, by {clock} time | {a:,.0f} | {b:,.0f} | {a/b:.2f}× |')
    return '\n'.join(lines)

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folders', nargs='+')
    parser.add_argument('--peer', required=True, help='Python with the other release')
    parser.add_argument('--rounds', type=int, default=3)
    args = parser.parse_args()
    print(table({f: compare(args.peer, f, args.rounds) for f in args.folders}))

if __name__ == '__main__':
    if sys.argv[1:2] == ['--child']: print(json.dumps(child(sys.argv[2:])))
    else: main()
