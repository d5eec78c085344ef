"Several processes and threads on one file; processes that are killed; files that can't be written."
import json, os, random, sqlite3, stat, subprocess, sys, threading, time
import apsw
import numpy as np
import pytest
import kinds
from litesearch.core import database, DatabaseFileError, FileReplaced, rows
from litesearch.library import Library
from support import *


def folder(n): return {f'n{i:02d}.md': f'# Jar {i}\n\njar {i} holds quince\n\n# Lid {i}\n\nlid {i} of cork\n'
                       for i in range(n)}

def notes(n): return [f'# T\n\nstory {p} {i} quince\n\n# U\n\ny\n' for p in 'xy' for i in range(n//2)]

# --- writers

def test_two_processes_add_documents(tmp_path): kinds.two_writers(tmp_path, notes(40), 'quince')

@pytest.mark.parametrize('batch', [0, 2000], ids=['each document by itself', 'in batches'])
def test_two_processes_add_one_folder(tmp_path, batch): kinds.folder_twice(tmp_path, folder(25), 'quince', batch)

def test_searching_while_another_process_loads(tmp_path): kinds.search_while_loading(tmp_path, folder(80), 'quince')

SEE_NEW = '''
db, limit = database(sys.argv[1]), time.time() + 30
db.get_tree()
print('ready', flush=True)
while time.time() < limit:
    db.t.store.vec_search(vec('tamarind'), limit=1)    # what is kept in memory is used before the change, and after it
    if found(db, 'tamarind'): break
    time.sleep(0.02)
hits = db.t.store.vec_search(vec('tamarind pods'), limit=1)
print(json.dumps(hits[0]['content']))
'''

def test_a_reader_sees_what_another_process_adds(tmp_path):
    db = library('first text', path=tmp_path/'r.db', emb_fn=embed)
    reader = start(SEE_NEW, tmp_path/'r.db')
    assert reader.stdout.readline() == 'ready\n'
    db.add_doc('tamarind pods', title='new', emb_fn=embed)
    assert json.loads(finish(reader)) == 'tamarind pods'

def test_a_reader_no_longer_sees_what_another_connection_deletes(tmp_path):
    db = library('alder', 'birch', path=tmp_path/'d.db', emb_fn=embed)
    other = database(tmp_path/'d.db')
    assert nearest(other, 'birch')[0] == 'birch'
    db.delete_doc(db.toc('Doc 1')[0]['doc_id'])
    assert nearest(other, 'birch') == found(other, 'alder birch') == ['alder']

def test_two_connections_edit_one_document(tmp_path):
    "Whoever comes last wins, and wins the whole document."
    a, b = (database(tmp_path/'e.db') for _ in range(2))
    for db, text in [(a, '# A\n\none\n\n# B\n\ntwo'), (b, '# A\n\none\n\n# C\n\nthree'),
                     (a, '# C\n\nthree\n\n# A\n\none')]:
        db.add_doc(text, title='T', source='s', emb_fn=embed)
        check_library(a)
        check_library(b)
    assert whole(b, b.toc()[0]['doc_id']) == '# C\n\nthree\n\n# A\n\none'

@pytest.mark.parametrize('path', [':memory:', 'disk'])
def test_threads_share_one_object(tmp_path, path):
    kinds.shared_by_threads([f'pot {i} of quince' for i in range(32)], 'quince',
                            path if path == ':memory:' else tmp_path/'t.db', rounds=10)

def test_threads_edit_one_document(tmp_path):
    db, errors = library(('T', '# A\n\nzero'), path=tmp_path/'t.db', emb_fn=embed), []
    def edit(i):
        try: db.add_doc(f'# A\n\nzero\n\n# B{i}\n\nby {i}', title='T', emb_fn=embed)
        except Exception as e: errors.append(e)
    threads = [threading.Thread(target=edit, args=(i,)) for i in range(8)]
    for t in threads: t.start()
    for t in threads: t.join()
    assert not errors and len(db.toc()) == 1
    check_library(db)


# --- interruptions

@pytest.mark.parametrize('batch,delay', [(0, 0.02), (0, 0.25), (0, 0.5), (0, 0.8), (8, 0.15), (8, 0.45), (2000, 0.3)])
def test_kill_while_adding(tmp_path, batch, delay):
    kinds.killed(tmp_path, folder(30), 'quince', delay*random.Random(batch*delay).uniform(0.8, 1.2), batch)

EDIT_FOLDER = '''
db = database(sys.argv[1])
print('ready', flush=True)
db.add_dir(sys.argv[2], emb_fn=embed, embed_batch=0)
'''

@pytest.mark.parametrize('delay', [0.01, 0.05, 0.15])
def test_kill_while_editing(tmp_path, delay):
    "Every document is the old one or the new one."
    d, path = write_files(tmp_path/'in', folder(60)), tmp_path/'k.db'
    db = database(path)
    db.add_dir(d, emb_fn=embed)
    old = pages_of(db)
    write_files(d, {name: f'# New\n\nsynthetic {name}\n\n{text}' for name, text in folder(60).items()})
    proc = start(EDIT_FOLDER, path, d)
    assert proc.stdout.readline() == 'ready\n'
    time.sleep(delay)
    proc.kill()
    proc.communicate()
    now = pages_of(db)
    assert set(now) == set(old)
    assert all(t == old[k] or t[0] == f'# New\n\nsynthetic {t[0].split()[3]}\n\n{old[k][0]}' for k, t in now.items())
    check_library(db)

BULK = '''
db = database(sys.argv[1])
db.get_tree()
print('ready', flush=True)
def slow(texts):
    time.sleep(0.03)
    return embed(texts)
db.add_dir(sys.argv[2], emb_fn=slow, embed_batch=0, bulk=True)
'''

def test_kill_during_a_bulk_load(tmp_path):
    "The keyword index is whole again when the file is next used."
    d, path = write_files(tmp_path/'in', folder(30)), tmp_path/'b.db'
    proc = start(BULK, path, d)
    assert proc.stdout.readline() == 'ready\n'
    time.sleep(0.4)
    proc.kill()
    proc.communicate()
    db = database(path)
    assert len({h['doc_id'] for h in words(db, 'quince', limit=30)}) == len(db.toc()) < 30
    db.add_dir(d, emb_fn=embed)
    assert len({h['doc_id'] for h in words(db, 'quince', limit=30)}) == 30
    check_library(db)

def test_a_failing_update(): kinds.failed_update('old page on slate roofs', 'new page on thatch', 'slate', 'thatch')

def test_an_update_that_fails_midway():
    "An error inside the transaction, after rows were deleted and others inserted, undoes all of it."
    db = library(('T', '# A\n\none\n\n# B\n\ntwo'), emb_fn=embed)
    db.conn.execute("create temp trigger no_more before insert on main.pages begin select raise(abort, 'no more'); end")
    before = [list(db.conn.execute(f'select * from {t}')) for t in ('docs', 'pages', 'nodes', 'store')]
    with pytest.raises(apsw.ConstraintError): db.add_doc('# A\n\nuno\n\n# C\n\ntres', title='T', emb_fn=embed)
    assert [list(db.conn.execute(f'select * from {t}')) for t in ('docs', 'pages', 'nodes', 'store')] == before
    db.conn.execute('drop trigger no_more')
    check_library(db)
    assert nearest(db, 'two') and db.add_doc('# A\n\nuno', title='T', emb_fn=embed)['chunks'] == 1

def test_what_was_paid_for_is_kept(tmp_path): kinds.paid_once(tmp_path, {f'p{i}.md': f'item{i} quince'
                                                                         for i in range(9)}, 5)

def test_a_file_that_is_no_database(tmp_path): kinds.not_sqlite(tmp_path, 'page on slate')

@pytest.mark.parametrize('raw', [b'hello, I am a text file\n'*50, os.urandom(5000),
                                 b'SQLite format 3\x00' + b'\xff'*5000],
                         ids=['text', 'noise', 'only the header'])
def test_other_files_are_left_alone(tmp_path, raw):
    (tmp_path/'x.db').write_bytes(raw)
    with pytest.raises(DatabaseFileError, match='x.db'):
        database(tmp_path/'x.db').add_doc('text', title='T')
    assert (tmp_path/'x.db').read_bytes() == raw

def test_a_damaged_page_is_named(tmp_path):
    "And nothing is replaced by an empty file."
    path = tmp_path/'x.db'
    db = library(*[f'text {i} ' + 'word '*200 for i in range(60)], path=path, emb_fn=embed)
    db.conn.execute('pragma wal_checkpoint(truncate)')
    db.conn.close()
    raw = bytearray(path.read_bytes())
    for at in range(8192, len(raw), 4096): raw[at:at + 2048] = b'\xa5'*2048
    path.write_bytes(raw)
    with pytest.raises(DatabaseFileError, match='x.db'):
        db = database(path)
        db.get_tree()
        for i in range(60): db.add_doc(f'other {i}', title=f'O {i}')

# --- a disk that is full, files that are read-only

def full(path):
    "A library whose file may not grow."
    db = library('kept text on slate', path=path, emb_fn=embed)
    db.conn.execute(f"pragma max_page_count={rows(db, 'pragma page_count')[0][0] + 2}")
    return db

def test_a_full_disk(tmp_path):
    db = full(tmp_path/'f.db')
    before = [list(db.conn.execute(f'select * from {t}')) for t in ('docs', 'pages', 'nodes', 'store')]
    with pytest.raises(DatabaseFileError, match='(?s)f.db.*full'): db.add_doc('big words ' + 'filler '*20_000,
                                                                              title='Big', emb_fn=embed)
    assert [list(db.conn.execute(f'select * from {t}')) for t in ('docs', 'pages', 'nodes', 'store')] == before
    assert found(db, 'slate') == nearest(db, 'slate') == ['kept text on slate']
    check_library(db)
    db.conn.execute('pragma max_page_count=1000000')
    assert db.add_doc('big words ' + 'filler '*20_000, title='Big', emb_fn=embed)['chunks'] > 1
    check_library(db)

def test_a_full_disk_stops_add_dir_with_whole_documents(tmp_path):
    db = full(tmp_path/'f.db')
    write_files(tmp_path/'in', {f'{i}.md': f'# N{i}\n\n' + f'words{i} '*800 for i in range(40)})
    with pytest.raises(DatabaseFileError, match='f.db'): db.add_dir(tmp_path/'in', emb_fn=embed, embed_batch=0)
    check_library(db)

def test_a_full_disk_during_a_bulk_load(tmp_path):
    db = full(tmp_path/'f.db')
    write_files(tmp_path/'in', {f'{i}.md': f'# N{i}\n\n' + f'words{i} '*800 for i in range(40)})
    with pytest.raises(DatabaseFileError, match='f.db'): db.add_dir(tmp_path/'in', emb_fn=embed, embed_batch=0,
                                                                    bulk=True)
    db.conn.execute('pragma max_page_count=1000000')
    db.add_dir(tmp_path/'in', emb_fn=embed)
    assert len({h['doc_id'] for h in words(db, 'words7')}) == 1
    check_library(db)

def read_only(db):
    "The same connection, refused every write by SQLite."
    db.conn.execute('pragma query_only=1')
    return db

def test_a_connection_that_may_not_write(tmp_path):
    "It searches and reads; writing names the file."
    db = read_only(library('kept text on slate', path=tmp_path/'q.db', emb_fn=embed))
    assert found(db, 'slate') == nearest(db, 'slate') == ['kept text on slate']
    assert db.sections('slate', vec('slate')) and db.context('slate', vec('slate')) and db.toc()
    with pytest.raises(DatabaseFileError, match='(?s)q.db.*read-only'): db.add_doc('more', title='More', emb_fn=embed)
    db.conn.execute('pragma query_only=0')
    check_library(db)

@pytest.mark.skipif(IS_ROOT, reason='permission bits do not bind root')
def test_a_read_only_file(tmp_path):
    db = library('kept text on slate', path=tmp_path/'o.db', wal=False)
    db.conn.close()
    (tmp_path/'o.db').chmod(stat.S_IRUSR)
    db = database(tmp_path/'o.db', wal=False)
    assert found(db, 'slate')
    with pytest.raises(DatabaseFileError, match='o.db'): db.add_doc('more', title='More')

@pytest.mark.skipif(IS_ROOT, reason='permission bits do not bind root')
def test_a_read_only_folder(tmp_path):
    (tmp_path/'shut').mkdir()
    (tmp_path/'shut').chmod(stat.S_IRUSR | stat.S_IXUSR)
    with pytest.raises(DatabaseFileError, match='new.db'): database(tmp_path/'shut'/'new.db')

def test_a_path_that_is_a_folder(tmp_path):
    with pytest.raises(DatabaseFileError, match='folder'): database(tmp_path)

def test_a_parent_that_is_a_file(tmp_path):
    (tmp_path/'a').write_text('x')
    with pytest.raises(DatabaseFileError, match='new.db'): database(tmp_path/'a'/'new.db')

def test_another_program_holds_the_lock(tmp_path):
    "Readers go on; a writer waits, then says so."
    db = library('kept text on slate', path=tmp_path/'l.db', busy_timeout=200, emb_fn=embed)
    other = apsw.Connection(str(tmp_path/'l.db'))
    other.execute('begin immediate')
    assert found(db, 'slate') and nearest(db, 'slate')
    with pytest.raises(DatabaseFileError, match='l.db'): db.add_doc('more', title='More', emb_fn=embed)
    other.execute('rollback')
    assert db.add_doc('more', title='More', emb_fn=embed)['chunks'] == 1
    check_library(db)

def test_a_plain_sqlite_shell_can_search(tmp_path):
    library('kept text on slate', path=tmp_path/'s.db').conn.close()
    with sqlite3.connect(tmp_path/'s.db') as conn:
        try: found = conn.execute("select content from store_fts where store_fts match 'slate'").fetchall()
        except sqlite3.OperationalError as e: pytest.skip(f'this SQLite has no FTS5: {e}')
    assert found == [('kept text on slate',)]

# --- a file that is replaced while it is open

@pytest.mark.skipif(os.name == 'nt', reason='an open file can not be replaced there')
@pytest.mark.parametrize('how', ['moved over', 'deleted', 'made anew', 'moved away'])
def test_a_library_that_is_replaced_under_an_open_one(tmp_path, how):
    path = tmp_path/'l.db'
    with Library(tmp_path/'other.db', encoder='hash:64') as other: other.add({'Wax': '# Wax\n\nWax melts at 63 degrees.'})
    with Library(path, encoder='hash:64') as lib:
        lib.add({'Bees': '# Bees\n\nBees swarm in May.'})
        lib.note('A swarm.', topic='t')
        assert lib.search('bees') and not lib.search('nothing of the kind')
        rows(lib.db, 'pragma wal_checkpoint(truncate)')   # or SQLite takes the log for that of the new file
        if how == 'moved over': os.replace(tmp_path/'other.db', path)
        if how == 'moved away': os.rename(path, tmp_path/'away.db')
        if how in ('deleted', 'made anew'): path.unlink()
        if how == 'made anew': Library(path, encoder='hash:64').close()
        for call in (lambda: lib.search('bees'), lambda: lib.search('nothing of the kind'), lib.toc, lib.topics, lib.status,
                     lambda: lib.research('bees'), lambda: lib.grep('Bees'), lambda: lib.add(tmp_path),
                     lambda: lib.note('Honey.'), lambda: lib.search('swarm', topic='t'), lambda: lib.read('Bees'),
                     lib.check, lambda: lib.check(repair=True)):
            with pytest.raises(FileReplaced, match=r'l\.db: .*open it again'): call()
        assert 'open it again' in lib.add({'New': 'Honey.'})[0]['error']
    with Library(path) as lib:
        assert [o['doc'] for o in lib.search('wax')] == (['Wax'] if how == 'moved over' else [])
        lib.add({'New': 'Honey.'})
        assert lib.check()['ok']

@pytest.mark.skipif(os.name == 'nt', reason='an open file can not be replaced there')
def test_a_server_opens_the_new_library(tmp_path):
    path = tmp_path/'l.db'
    for name, text in ('l', 'Bees swarm.'), ('o', 'Wax melts.'):
        with Library(tmp_path/f'{name}.db', encoder='hash:64') as lib: lib.add({name: text})
    code = 'from litesearch.mcp import serve; import sys; serve(sys.argv[1])'
    proc = subprocess.Popen([sys.executable, '-c', code, str(path)], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    def titles():
        asked = dict(jsonrpc='2.0', id=1, method='tools/call', params=dict(name='toc', arguments={}))
        print(json.dumps(asked), file=proc.stdin, flush=True)
        said = json.loads(proc.stdout.readline())['result']
        text = said['content'][0]['text']
        return text if said['isError'] else [o['title'] for o in json.loads(text)]
    assert titles() == ['l']
    os.rename(path, tmp_path/'away.db')
    assert titles().startswith('FileReplaced: ') and not path.exists()
    os.rename(tmp_path/'o.db', path)
    assert titles() == ['o']
    proc.stdin.close()
    assert proc.wait(20) == 0
