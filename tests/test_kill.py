"""Processes that are killed at any moment of adding, noting, moving to another encoder and following a folder.

A process of its own forks one child a run, so that a run takes as long as its work. Half of the runs are killed after a
time, spread over the time that the whole run takes; the other half before one of the statements that it executes."""
import json, os, random, shutil, signal, time
import pytest
from litesearch.check import check_library as check
from litesearch.core import database, rows, store_info
from litesearch.encode import HashEncoder
from litesearch.schema import doc_id
from litesearch.notes import add_note, delete_note, edit_note, list_notes
from litesearch.sync import sync_dir
from support import *

pytestmark = pytest.mark.skipif(not hasattr(os, 'fork'), reason='there is no fork here')
TIMES = 50*int(os.environ.get('EXAMPLES', 1))    # runs that are killed, for each kind of work
ENC = HashEncoder(64)

def story(i, word='quince'):
    return f'# Jar {i}\n\njar {i} holds {word}\n\n## Lid\n\nlid {i} of cork\n\n# Shelf\n\nshelf of jar {i}\n'


# --- the work

def add(path, folder, db=None):
    db = db or database(path)
    db.add_dir(folder, emb_fn=ENC, embed_batch=7, n_workers=0, bulk='bulk' in str(path))
    return db

def note(path, folder, db=None):
    "Notes that come, are replaced by their key, edited and deleted, one after the other."
    db = db or database(path)
    have = {n['key']: n for n in list_notes(db)}
    for i in range(12):
        if (n := have.get(f'k{i}')) is None: add_note(db, f'note {i} on quince', topic='fruit', key=f'k{i}', emb_fn=ENC)
        if n is None or n['text'] != f'note {i} on medlar':
            if i % 2: edit_note(db, f'k{i}', text=f'note {i} on medlar', emb_fn=ENC)
            else: add_note(db, f'note {i} on medlar', topic='fruit', key=f'k{i}', emb_fn=ENC)
    if 'gone' in {n['key'] for n in list_notes(db)}: delete_note(db, 'gone')
    return db

def reindex(path, folder, db=None):
    db = db or database(path)
    db.reindex('hash:32', batch=6)
    db.build_sections(emb_fn=HashEncoder(32))
    db.t.store.rebuild_index()
    return db

def sync(path, folder, db=None):
    db = db or database(path)
    sync_dir(db, folder, emb_fn=ENC, embed_batch=5, n_workers=0)
    return db

def repair(path, folder, db=None):
    db = db or database(path)
    assert check(db, repair=True, emb_fn=ENC)['ok']
    return db

def of_docs(*rowids): return f'doc_id in (select id from docs where rowid in {rowids})'

# each of another document, or of what has no text
DAMAGE = ("update store set content='other' where rowid in (2, 3)", 'drop trigger store_fts_ad',
          'update nodes set last=9', f'delete from nodes where seq=2 and {of_docs(2, 3)}',
          'delete from docs where rowid in (6, 7)',
          f"update pages set text=replace(text, 'holds', 'grows') where {of_docs(4, 5)}",
          'update store set embedding=zeroblob(128) where rowid=5')

MOVED = {5: 'moved.md', 6: 'sub/n06.md'}    # one gets another title, too

WORK = dict(add=add, bulk=add, note=note, reindex=reindex, sync=sync, repair=repair)

ZYGOTE = '''
import signal
from test_kill import WORK, database
for line in sys.stdin:
    kind, path, folder, most = json.loads(line)
    pid = os.fork()
    if not pid:
        db = database(path)
        left = [most]
        def count(*args):
            left[0] -= 1
            if not left[0]: os.kill(os.getpid(), signal.SIGKILL)
            return True
        if most: db.conn.exec_trace = count
        print(os.getpid(), flush=True)
        try: WORK[kind](path, folder, db)
        except BaseException as e:
            print(repr(e), file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    print(os.waitpid(pid, 0)[1], flush=True)
'''

@pytest.fixture(scope='module')
def zygote():
    proc = start(ZYGOTE, stdin=subprocess.PIPE)
    yield proc
    proc.stdin.close()
    proc.wait(10)

def run(zygote, kind, path, folder, most=0, delay=None):
    "Let a child do the work; returns (how it ended, seconds)."
    zygote.stdin.write(json.dumps([kind, str(path), str(folder), most]) + '\n')
    zygote.stdin.flush()
    pid, begin = int(zygote.stdout.readline()), time.monotonic()
    if delay is not None:
        time.sleep(delay)
        try: os.kill(pid, signal.SIGKILL)
        except ProcessLookupError: pass    # it was faster
    return int(zygote.stdout.readline()), time.monotonic() - begin


# --- the library before, and what must be there after

def begun(kind, path, folder):
    "A library as it is before the work, and the folder as it is then."
    db = database(path)
    write_files(folder, {f'n{i:02d}.md': story(i) for i in range(8)})
    if kind != 'bulk': db.add_dir(folder, emb_fn=ENC)
    if kind == 'note': add_note(db, 'to be deleted', key='gone', emb_fn=ENC)
    if kind == 'reindex':
        db.build_sections(emb_fn=ENC)
        db.t.store.rebuild_index()
    if kind in ('add', 'sync'): write_files(folder, {f'n{i:02d}.md': story(i, 'medlar') for i in (1, 3, 9, 10)})
    if kind == 'sync':
        (folder/'n04.md').unlink()
        (folder/'sub').mkdir()
        for i in (5, 6): (folder/f'n{i:02d}.md').rename(folder/MOVED[i])
    for sql in DAMAGE if kind == 'repair' else (): rows(db, sql)
    db.conn.execute('pragma wal_checkpoint(truncate)')
    db.conn.close()

def complete(kind, db, folder):
    "Whether everything is there that the work brings."
    if kind == 'note': return {n['text'] for n in list_notes(db)} == {f'note {i} on medlar' for i in range(12)}
    if kind == 'reindex' and store_info(db).encoder != 'hash-32': return False
    if kind == 'repair':    # where a document came from is lost with its row
        return {t for t, in rows(db, 'select text from pages')} == {f.read_text() for f in folder.iterdir()}
    stored = dict(rows(db, 'select d.source, p.text from docs d join pages p on p.doc_id=d.id'))
    if stored != {str(f): f.read_text() for f in folder.rglob('*.md')}: return False
    ids = dict(rows(db, 'select source, id from docs'))
    return kind != 'sync' or all(ids[f'{folder/new}'] == doc_id(f"{folder/f'n{i:02d}.md'}", f'n{i:02d}')
                                 for i, new in MOVED.items())

def whole_notes(db):
    "Notes as some step of the work left them."
    texts = {n['key']: n['text'] for n in list_notes(db)}
    steps = {k for k in texts if k != 'gone'}
    assert steps == {f'k{i}' for i in range(len(steps))}
    assert all(t.startswith(f'note {k[1:]} on ') for k, t in texts.items() if k != 'gone')

@pytest.mark.parametrize('kind', WORK)
def test_killed_at_any_moment(tmp_path, zygote, kind):
    base, folder, rng, ends = tmp_path/'base.db', tmp_path/'in', random.Random(kind), []
    folder.mkdir()
    begun(kind, base, folder)
    def copy(name):
        for file in tmp_path.glob('base.db*'): shutil.copy2(file, tmp_path/file.name.replace('base', name))
        return tmp_path/f'{name}.db'
    status, took = run(zygote, kind, copy(f'{kind}-0'), folder)
    assert status == 0
    statements = count_statements(kind, copy(f'{kind}-count'), folder)
    for i in range(1, TIMES + 1):
        path, share = copy(f'{kind}-{i}'), (i - rng.random())/TIMES
        how = dict(most=1 + int(share*statements)) if i % 2 else dict(delay=share*took)
        ends.append(run(zygote, kind, path, folder, **how)[0])
        db = database(path)
        got = check(db)
        assert kind == 'repair' or got['ok'] and not [p for p in got['problems'] if p['kind'] != 'graph'], (how, got)
        if kind == 'note': whole_notes(db)
        WORK[kind](path, folder, db)
        assert complete(kind, db, folder), how
        assert check(db)['problems'] == [], how
        db.conn.close()
    assert ends.count(signal.SIGKILL) > TIMES/2, ends

def count_statements(kind, path, folder):
    "How many statements the work takes."
    db, seen = database(path), []
    db.conn.exec_trace = lambda *args: seen.append(1) or True
    WORK[kind](path, folder, db)
    db.conn.exec_trace = None
    return len(seen)
