"""Damaged files for the readers: each is read in a process of its own, with bounds of memory and time.

    python benchmarks/fuzz.py --seconds 600 --formats pdf,docx --seed 1 --more FOLDER --keep /tmp/faults
    python benchmarks/fuzz.py --linear

Seeds are those of the tests and the files below the folders of `--more`. What ends in anything but pages or `ReadError`
is printed, and kept under `--keep`. With `--linear` every reader of text and every builder is timed on growing input that
is made of one thing; what takes more than its share is printed.
"""
import argparse, faulthandler, os, pickle, random, resource, shutil, signal, sys, tempfile, time, traceback, zlib
from collections import Counter
from pathlib import Path
sys.path.insert(0, str(Path(__file__).parents[1]/'tests'))
import fuzzing as f

SLOW = 10 # seconds of processor time that are worth a line

def in_child(do, seconds, megabytes=f.MEGABYTES):
    "What `do()` returns, or how it failed, as `(kind, detail)`; and the processor time it took."
    r, w = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(r)
        os.setpgid(0, 0)
        faulthandler.register(signal.SIGXCPU, file=w, chain=True)  # tells where it hangs
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 2))
        try:
            with f.guarded(10*seconds, megabytes): out = 'ok', do()
        except BaseException as e:
            out = 'fault', f'{type(e).__name__}: {str(e)[:300]}\n' + ''.join(traceback.format_tb(e.__traceback__)[-3:])
        try: os.write(w, pickle.dumps(out)[:60_000])
        finally: os._exit(0)
    os.close(w)
    with os.fdopen(r, 'rb') as pipe: got = pipe.read()
    _, status, usage = os.wait4(pid, 0)
    try: os.killpg(pid, signal.SIGKILL)
    except OSError: pass
    cpu = usage.ru_utime + usage.ru_stime
    if not status: return *pickle.loads(got), cpu
    how = f'signal {os.WTERMSIG(status)}' if os.WIFSIGNALED(status) else f'exit {status}'
    return 'hang' if cpu >= seconds - 1 else 'crash', f"{how}\n{got.decode('utf-8', 'replace')[:1500]}", cpu

def load(formats, folders):
    "Seeds as (name, content)."
    found = list(f.seeds().items())
    for folder in folders:
        for o in sorted(Path(folder).rglob('*')):
            if o.is_file() and o.stat().st_size < 400_000 and o.suffix: found.append((o.name, o.read_bytes()))
    return [(k, b) for k, b in found if b and (not formats or Path(k).suffix.lstrip('.') in formats)]

def _expanded(b):
    "A PDF with its streams unpacked, so that damage reaches what they say."
    import pymupdf
    try:
        with pymupdf.open(stream=b, filetype='pdf') as doc: return doc.tobytes(expand=255)
    except Exception: return b

def campaign(args):
    "Read damaged files until the time is up."
    found, end, counts, shown = load(args.formats, args.more), time.time() + args.seconds, Counter(), Counter()
    found += [(k, _expanded(b)) for k, b in found if k.endswith('.pdf')]
    kinds, case = {}, 0
    for k, b in found: kinds.setdefault(Path(k).suffix, []).append((k, b))
    print(f'{len(found)} seeds of {len(kinds)} formats', flush=True)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for k, b in f.seeds().items():  # loads what children would have to load
            (path := Path(folder)/k).write_bytes(b)
            assert f.check_file(path) == 'read', k
            path.unlink()
        while time.time() < end:
            case += 1
            r = random.Random(f'{args.seed}:{case}')
            ext = r.choice(list(kinds))
            name, seed = r.choice(kinds[ext])
            raw = f.mutated(name, seed, r, [b for _, b in kinds[ext]])
            if not raw: continue
            (path := Path(folder)/name).write_bytes(raw)
            kind, detail, cpu = in_child(lambda: f.check_file(path), args.limit)
            counts[ext, detail if kind == 'ok' else kind] += 1
            left = sorted(set(os.listdir(folder)) - {name})
            if left: kind, detail = 'fault', f'leaves files: {left}'
            for o in os.listdir(folder):
                p = Path(folder)/o
                shutil.rmtree(p) if p.is_dir() else p.unlink()
            if kind == 'ok' and cpu < SLOW: continue
            key = f'{ext} {kind} ' + (detail.split('\n')[0][:40] + detail[-150:] if kind == 'fault' else '')
            shown[key] += 1
            if shown[key] > args.same: continue
            kept = Path(args.keep)/f'{args.seed}-{case}-{name}'
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(raw)
            print(f'{"slow" if kind == "ok" else kind}: {kept} ({len(raw):,} bytes, {cpu:.1f} s): {detail}', flush=True)
    for key, n in sorted(counts.items()): print(*key, n)
    print(f'{case} cases, {sum(shown.values())} faults')
    return bool(shown)

def targets():
    "What is timed: a name, and a function of a text."
    from litesearch.section import clean_title
    from litesearch.verse import verse_refs
    pages = lambda t: [(1, t)]
    many = lambda t: [(i, o) for i, o in enumerate(t.split('\n'), 1)]
    def reader(ext):
        wrap = {'xml': lambda t: f'<a><head>x</head><p>{f.xml(t)}</p></a>', 'tei': lambda t: f.TEI.replace('iron holds', f.xml(t)),
                'ipynb': lambda t: f.json.dumps(dict(cells=[dict(cell_type='markdown', source=t)])),
                'json': lambda t: f.json.dumps(dict(verses=[dict(verse=1, text=t)]*3))}.get(ext, str)
        def read(t):
            try: return f.read_file(Path(f'x.{ext}'), raw=wrap(t).encode())
            except f.ReadError: return None
        return read
    out = {f'read .{ext}': reader(ext) for ext in 'md txt rst html xml ipynb conllu'.split()}
    for mode in ('markdown', 'chapter', 'verse', 'window'):
        out[f'build_tree {mode}'] = lambda t, mode=mode: f.build_tree(pages(t), mode=mode)
    out |= {'build_tree lines as pages': lambda t: f.build_tree(many(t)), 'detect_mode': lambda t: f.detect_mode(pages(t)),
            'chapter_headings': lambda t: f.chapter_headings(pages(f.BOOK + '\n\n' + t)), 'scan_headings': f.scan_headings,
            'find_code_fence_spans': f.find_code_fence_spans, 'md_to_tree': lambda t: f.md_to_tree('\n' + t, True, if_add_node_summary=True),
            'SectionDetector': lambda t: f.SectionDetector().detect_sections(t), 'clean_title': clean_title,
            'verse_refs': lambda t: verse_refs(pages(t)) , 'chunk_spans': lambda t: f.chunk_spans(t)}
    return out

def linear(args):
    "Time growing input of one thing; returns whether something grows faster than its input."
    found = False
    for what, do in targets().items():
        if args.only and args.only not in what: continue
        for trap in f.TRAPS:
            kind, bad, cpu = in_child(lambda: _superlinear(do, trap, args.size), 100)
            found |= kind != 'ok' or bool(bad)
            if kind != 'ok': print(f'{what} on {trap!r}: {kind} {bad}', flush=True)
            else: print(*(f'{what} on {text!r}: {took}\n' for text, took in bad), sep='', end='', flush=True)
        print(f'{what} done', flush=True)
    return found

def _superlinear(do, trap, size):
    "Texts made of `trap` that take more than their share, with the seconds for one, two and four times the size."
    def timed(n):
        t = around.format(trap*(n//len(trap)))
        begun = time.process_time()
        do(t)
        return round(time.process_time() - begun, 3)
    bad = []
    for around in ('{}', 'x{}x', 'x\n\n{}\n\nx'):
        if timed(size) < .1: continue
        took = [timed(k*size) for k in (1, 2, 4)]
        if took[2] > 3*took[1] > 7*took[0] or took[2] > 100e-6*size: bad.append((around.format(trap), took))
    return bad

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--seconds', type=float, default=60)
    parser.add_argument('--formats', type=lambda s: set(s.split(',')), help='extensions with commas; all by default')
    parser.add_argument('--seed', default='0')
    parser.add_argument('--more', nargs='*', default=[], help='folders with more seed files')
    parser.add_argument('--keep', default='faults', type=lambda s: str(Path(s).resolve()), help='folder for what fails')
    parser.add_argument('--limit', type=int, default=60, help='seconds of processor time for a file')
    parser.add_argument('--same', type=int, default=2, help='how often a fault of one kind is shown')
    parser.add_argument('--linear', action='store_true')
    parser.add_argument('--size', type=int, default=100_000, help='characters of the smallest input')
    parser.add_argument('--only', help='part of the name of what is timed')
    args = parser.parse_args()
    args.more = [str(Path(o).resolve()) for o in args.more]
    sys.exit(linear(args) if args.linear else campaign(args))

if __name__ == '__main__': main()
