"Processes that read: the same library whoever read it, files that bring a reader down, and nothing left running."
import json, os, signal, subprocess, sys, threading, time
from pathlib import Path

import pytest
from litesearch import crew, jobs, workers
from litesearch.core import database, rows
from litesearch.encode import hash_embed
from litesearch.plan import pack_plan, plan_doc, unpack_plan

pytestmark = pytest.mark.skipif(not sys.platform.startswith('linux'), reason='forks are used on Linux')
ROOT = Path(__file__).parents[1]

@pytest.fixture(autouse=True)
def small_folders_count(monkeypatch): monkeypatch.setattr(workers, 'MIN_BYTES', 1000)

def children():
    "Processes whose parent is this one, ended ones that nobody waited for included."
    found = set()
    for stat in Path('/proc').glob('[0-9]*/stat'):
        try: pid, rest = stat.parent.name, stat.read_text(errors='replace').rpartition(')')[2].split()
        except OSError: continue   # it ended between the two
        if int(rest[1]) == os.getpid(): found.add(int(pid))
    return found

@pytest.fixture(autouse=True)
def before(small_folders_count):
    "Children of earlier tests, which are no business of these: a spawned process leaves a tracker for good."
    global BEFORE
    BEFORE = children()

def embed(texts): return hash_embed(texts, 64)

def write_folder(folder, n=60):
    "Markdown, reStructuredText and text files of different lengths."
    folder.mkdir()
    for i in range(n):
        words = ' '.join(f'word{i}x{k} garnet.' for k in range(30))
        size = 1 + i*7 % 40
        if i % 3 == 0: text = '\n\n'.join(f'# Part {k}\n\n{words}' for k in range(size))
        elif i % 3 == 1: text = '\n\n'.join(f'Part {k}\n=======\n\n{words}' for k in range(size))
        else: text = '\n\n'.join(f'CHAPTER {k}\n\n{words}' for k in range(1, size + 1))
        (folder/f'{i}.{("md", "rst", "txt")[i % 3]}').write_text(text)
    return folder

def contents(db):
    "Everything that is stored, but for the hour."
    cols = lambda t: [r[1] for r in rows(db, f'pragma table_info({t})') if not r[1].endswith('_at')]
    return {t: rows(db, f'select {", ".join(map(json.dumps, cols(t)))} from {t} order by rowid')
            for t in ('docs', 'pages', 'nodes', 'store')}

def no_child_is_left(): assert not children() - BEFORE

@pytest.mark.parametrize('n', [None, 1, 3])
def test_the_same_library_whoever_read_it(tmp_path, n):
    d = write_folder(tmp_path/'in')
    alone, helped = database(), database()
    want, got = (db.add_dir(d, emb_fn=embed, n_workers=k) for db, k in ((alone, 0), (helped, n)))
    assert got == want and len(got) == 60 and not any('error' in r for r in got)
    assert contents(helped) == contents(alone)
    no_child_is_left()

def test_workers_are_really_used(tmp_path, monkeypatch):
    d, me = write_folder(tmp_path/'in'), os.getpid()
    def read(path, **kw):
        with open(tmp_path/'who', 'a') as f: f.write(f'{os.getpid() == me}\n')
        return real(path, **kw)
    real = jobs.read_file
    monkeypatch.setattr(jobs, 'read_file', read)
    monkeypatch.setattr(workers, 'processors', lambda: 2)
    database().add_dir(d)
    who = (tmp_path/'who').read_text().split()
    assert len(who) == 60 and set(who) == {'True', 'False'}

def test_a_file_that_kills_its_reader_is_reported_alone(tmp_path, monkeypatch):
    d, me = write_folder(tmp_path/'in', 30), os.getpid()
    for name in ('7.pdf', '19.pdf'): (d/name).write_bytes(b'%PDF-1.7 of the bad kind' + b' '*2000)
    real = jobs.read_file
    def read(path, **kw):
        if path.suffix == '.pdf':
            assert os.getpid() != me, 'no such file is read here'
            os.kill(os.getpid(), signal.SIGKILL)
        return real(path, **kw)
    monkeypatch.setattr(jobs, 'read_file', read)
    db = database()
    results = db.add_dir(d, emb_fn=embed, n_workers=2)
    bad = [r for r in results if 'error' in r]
    assert [Path(r['source']).name for r in bad] == ['7.pdf', '19.pdf'] and len(results) == 32
    assert all('its reader crashed' in r['error'] for r in bad)
    assert rows(db, 'select count(*) from docs') == [(30,)]
    no_child_is_left()

def test_an_error_keeps_its_words(tmp_path):
    d = write_folder(tmp_path/'in', 30)
    (d/'broken.ipynb').write_text('{"cells": [')
    (d/'empty.md').write_text('')
    both = [database().add_dir(d, n_workers=n) for n in (0, 2)]
    assert both[0] == both[1] and sum('error' in r for r in both[0]) == 2

def test_an_embedder_that_fails_leaves_no_process(tmp_path):
    d = write_folder(tmp_path/'in')
    def broken(texts): raise RuntimeError('the model is away')
    with pytest.raises(RuntimeError, match='the model is away'): database().add_dir(d, emb_fn=broken, embed_batch=9)
    no_child_is_left()

def test_functions_of_the_caller_run_in_his_process(tmp_path):
    d, seen = write_folder(tmp_path/'in'), []
    def summarize(text):
        seen.append(os.getpid())
        return text[:9]
    def pieces(text):
        seen.append(os.getpid())
        return text.split('\n\n')
    one, two = database(), database()
    for db, n in ((one, 0), (two, 2)): db.add_dir(d, n_workers=n, summarize=summarize, chunker=pieces)
    assert set(seen) == {os.getpid()} and contents(one) == contents(two)

def test_no_fork_where_there_are_threads(tmp_path, monkeypatch):
    d, end = write_folder(tmp_path/'in'), threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    def fork(): raise AssertionError('forked beside a thread')
    monkeypatch.setattr(crew, '_fork', fork)
    try: assert len(database().add_dir(d)) == 60
    finally:
        end.set()
        thread.join()

def test_a_result_that_can_not_be_sent_is_made_here(tmp_path, monkeypatch):
    d = write_folder(tmp_path/'in', 30)
    monkeypatch.setattr(workers, 'pack_plan', lambda plan: dict(plan=lambda: plan))
    results = database().add_dir(d, n_workers=1)
    assert len(results) == 30 and not any('error' in r for r in results)

def test_workers_do_not_run_ahead_of_a_large_file(monkeypatch):
    monkeypatch.setattr(crew, 'AHEAD', 100)
    todo = [jobs.Job(Path(f'{i}'), f'{i}', f'{i}', size=40) for i in range(30)]
    held = []
    def here(job):
        held.append(int(job.title))
        return job.title
    def there(job):
        if job.title == '0': time.sleep(.3)
        return job.title
    results = crew._crew_results(todo, there, here, 1, lambda job: True)
    seen = [next(results)[1]]
    assert 0 < len(held) <= 4
    assert seen + [r for _, r in results] == [j.title for j in todo]
    no_child_is_left()

def test_a_number_is_taken_once_whoever_takes_it():
    pile, taken = crew._Pile(100, 400), []
    hired = [crew._Worker(lambda n: n, pile) for _ in range(3)]
    while (number := pile.take()) is not None: taken.append(number)
    mine = len(taken)
    for w in hired:
        for _ in pile.taken_by(w.pid): taken.append(w.take()[1])
        w.end()
    assert sorted(taken) == list(range(100, 400)) and len(pile.taken_by(os.getpid())) == mine
    no_child_is_left()

def test_a_lock_dies_with_its_holder():
    pile, me = crew._Pile(0, 3), os.getpid()
    def die(n): return os.getpid() == me or os._exit(1)
    w = crew._Worker(lambda n: pile.take(die), pile)
    assert w.take() is None and pile.taken_by(w.pid) == [0]
    w.end()
    assert pile.take(die) == 1

def test_batches_are_written_instead_of_waiting(tmp_path):
    todo, done, written = [jobs.Job(Path(f'{i}'), f'{i}', f'{i}', size=40) for i in range(4)], [], []
    def there(job):
        while job.title == '3' and not (tmp_path/'2').exists(): time.sleep(.01)
        return job.title
    def meanwhile():
        if not done: return False
        written.extend(done)
        (tmp_path/done[-1]).touch()
        done.clear()
        return True
    results = crew._crew_results(todo, there, there, 1, lambda job: False, meanwhile)
    for job, title in results: done.append(title)
    assert written == ['0', '1', '2'] and done == ['3']

def test_a_load_leaves_the_log_as_it_was(tmp_path):
    d, db = write_folder(tmp_path/'in'), database(tmp_path/'x.db')
    db.add_dir(d, emb_fn=embed)
    assert rows(db, 'pragma wal_autocheckpoint') == [(1000,)]
    busy, log, copied = rows(db, 'pragma wal_checkpoint(passive)')[0]
    assert not busy and log == copied
    whole = (tmp_path/'x.db').stat().st_size
    assert whole == rows(db, 'select page_count*page_size from pragma_page_count, pragma_page_size')[0][0]

@pytest.mark.parametrize('fails', [False, True])
def test_a_long_pdf_is_read_in_parts(tmp_path, monkeypatch, fails):
    pymupdf, pdfpages = pytest.importorskip('pymupdf'), pytest.importorskip('litesearch.pdfpages')
    d, doc = write_folder(tmp_path/'in', 6), pymupdf.open()
    for i in range(60):
        page = doc.new_page()
        for k, line in enumerate([f'The heron report, page {i}', f'Chapter {i}', *['A garnet line of text.']*9]):
            page.insert_text((72, 40 + 60*k), line)
    doc.set_toc([[1, f'Chapter {i}', i + 1] for i in range(60)])
    doc.save(d/'long.pdf')
    monkeypatch.setattr(jobs, 'LONG', 1000)
    monkeypatch.setattr(workers, 'processors', lambda: 2)
    real = pdfpages.pdf_rows
    def rows_of(path, start, stop, **kw):
        with open(tmp_path/'parts', 'a') as f: f.write(f'{start} ')
        if fails and start: raise ValueError('no')
        return real(path, start, stop, **kw)
    monkeypatch.setattr(pdfpages, 'pdf_rows', rows_of)
    both = database(), database()
    for db, n in zip(both, (0, None)): db.add_dir(d, n_workers=n)
    assert sorted((tmp_path/'parts').read_text().split()) == ['0', '30']
    assert contents(both[0]) == contents(both[1]) and rows(both[1], 'select count(*) from pages') == [(66,)]
    no_child_is_left()

def test_a_plan_survives_the_way():
    pages = [(3, '# Hive\n\nTen frames.\n\n## Tools\n'), (4, 'Smoker and tool.\n\n# Late\n\n' + 'Many words here. '*90)]
    class Verses:
        pack_cited, target = True, 700
        def chunk(self, text): return [text]
    for kw in ({}, dict(meta=dict(a=1)), dict(chunker=Verses()), dict(meta_fn=lambda t: dict(n=len(t)))):
        plan = plan_doc(pages, 'Apiary', **kw)
        sent = unpack_plan(pack_plan(plan))
        assert sent.chunks == plan.chunks
        for a, b in zip(sent.tree, plan.tree):
            a.segments, a.offsets, a.children = b.segments, b.offsets, b.children
        assert sent == plan

LOAD = '''
import sys, time
from pathlib import Path
from litesearch.core import database
from litesearch.encode import hash_embed
def slow(texts):
    if len(sys.argv) > 2: (Path(sys.argv[2])/'ready').touch(); time.sleep(60)
    return hash_embed(texts, 64)
print(len(database().add_dir(sys.argv[1], emb_fn=slow, n_workers=2, embed_batch=100)))
'''

def environment(): return {**os.environ, 'PYTHONPATH': str(ROOT)}

@pytest.mark.parametrize('how', ['-c', '-'])
def test_no_main_guard_is_needed(tmp_path, how):
    d = write_folder(tmp_path/'in', 30)
    cmd = [sys.executable, *(['-c', LOAD] if how == '-c' else ['-']), str(d)]
    out = subprocess.run(cmd, input=LOAD if how == '-' else None, capture_output=True, text=True, env=environment())
    assert (out.stdout, out.stderr) == ('30\n', '')

def test_workers_end_with_their_parent(tmp_path):
    d = write_folder(tmp_path/'in')
    proc = subprocess.Popen([sys.executable, '-c', LOAD, str(d), str(tmp_path)], env=environment())
    while not (tmp_path/'ready').exists(): time.sleep(.02)
    kids = Path(f'/proc/{proc.pid}/task/{proc.pid}/children').read_text().split()
    proc.kill()
    proc.wait()
    gone = lambda pid: not Path(f'/proc/{pid}').exists() or ') Z ' in Path(f'/proc/{pid}/stat').read_text()
    for _ in range(200):
        if all(map(gone, kids)): break
        time.sleep(.05)
    assert kids and all(map(gone, kids))
