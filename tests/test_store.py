"The file and its tables: names, who may write, bulk loads that never end, conditions, merges of the keyword index."
import os, shutil, sqlite3, stat, subprocess, sys, tempfile, threading, time
from contextlib import closing
from pathlib import Path
import numpy as np
import pytest
from litesearch.ann import extend_index
from litesearch.core import database, DatabaseFileError, get_meta, rows, set_meta, state, write_txn
from litesearch.fts import fts_rowids, has_triggers, tidy_fts
from litesearch.schema import open_tree
from litesearch.store import insert_rows, store_names
from support import *
from test_fts import check, store_of


# --- bulk loads that do not come to their end

LOADING = '''
db = database(sys.argv[1])
db.get_tree()
with db.t.store.bulk_load():
    for i in range(int(sys.argv[2])):
        print(i, flush=True)
        if i >= 10: sys.stdin.readline()
        db.add_doc(f'quince {i}', title=f'T {i}', emb_fn=embed)
    if sys.argv[3] == 'die': os.kill(os.getpid(), 9)
'''

def loader(path, n, end):
    "A process that loads ten documents at once and each further one when told to."
    code = 'import os, sys\nfrom support import *\n' + LOADING
    env = dict(os.environ, PYTHONPATH=os.pathsep.join([str(HERE), str(HERE.parent)]))
    proc = subprocess.Popen([sys.executable, '-c', code, str(path), str(n), end], env=env, text=True,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for line in proc.stdout:
        if line == '10\n': return proc

def go_on(proc): return proc.communicate('\n'*100, timeout=240)

def all_found(db):
    "Every stored document is found by its word, and the index agrees with the rows."
    check(db)
    assert get_meta(db, 'bulk:store') is None and has_triggers(db, 'store')
    return sorted(fts_rowids(db, 'store', 'quince', 100)) == [r for r, in rows(db, 'select rowid from store order by 1')]

@pytest.mark.parametrize('end', ['die', 'live'])
@pytest.mark.parametrize('other', ['opens', 'was open', 'writes'])
def test_a_bulk_load_and_another_connection(tmp_path, end, other):
    path = tmp_path/'b.db'
    db = library('first quince', path=path, emb_fn=embed)
    found(db, 'quince')
    proc = loader(path, 15, end)
    if other == 'opens': db = database(path)
    if other == 'writes': db.add_doc('mine is quince', title='Mine', emb_fn=embed)
    else: assert len(words(db, 'quince', limit=99)) >= 11    # answering mends
    go_on(proc)
    assert proc.returncode == (-9 if end == 'die' else 0)
    assert len(words(db, 'quince', limit=99)) == (17 if other == 'writes' else 16)
    assert all_found(db)
    assert all_found(database(path))
    check_library(db)

def test_two_bulk_loads_at_once(tmp_path):
    "The one that ends first makes the index whole; the other one is killed."
    path = tmp_path/'b.db'
    library('first quince', path=path).conn.close()
    one, two = loader(path, 14, 'die'), loader(path, 12, 'live')
    go_on(two), go_on(one)
    db = database(path)
    assert len(words(db, 'quince', limit=99)) == 15 and all_found(db)

def test_an_unfinished_load_in_a_file_that_is_locked(tmp_path):
    "A question does not wait for a writer: it is answered from the index as it is, and the next one mends it."
    path = tmp_path/'b.db'
    db = store_of('one quince', path=path)
    with write_txn(db) as conn:
        set_meta(db, 'bulk:store', True)
        for t in ('ai', 'ad', 'au'): conn.execute(f'drop trigger store_fts_{t}')
        conn.execute("insert into store(content) values('two quince')")
    db, other = database(path), database(path)
    with write_txn(other):
        began = time.monotonic()
        db.get_store()
        assert fts_rowids(db, 'store', 'quince') == [1] and time.monotonic() - began < 5
    assert fts_rowids(db, 'store', 'quince') == [1, 2] and all_found(db)
    with write_txn(other): pass


# --- names

@pytest.mark.parametrize('name', ['meta', 'Docs', 'pages', 'nodes', 'x_fts', 'X_TEXT', 'sqlite_x', ''])
def test_reserved_names(name):
    db = database()
    with pytest.raises(ValueError, match='can not be called|for itself'): db.get_store(name)
    with pytest.raises(ValueError, match='can not be called|for itself'): db.get_tree(name)
    assert not rows(db, 'select * from sqlite_master')

def test_names_that_are_taken():
    db = library('a plum')
    db.get_store('law')
    for name in ('STORE', 'Law'):
        with pytest.raises(ValueError, match="to SQLite, .* is the same|go together"): db.get_tree(name)
    for name in ('law_fts_data', 'law_doc', 'docs_source'):
        with pytest.raises(ValueError, match='choose another name'): db.get_store(name)
    assert store_names(db) == ['law', 'store']

def test_two_stores_with_one_prefix():
    db = database()
    db.add_doc('a plum', title='T')
    for args in (('two', ''), ('store', 'two_'), ('two', 'Two_'), ('STORE', None)):
        if args[0] == 'two' and args[1]: db.get_tree('three', prefix='two_')
        with pytest.raises(ValueError, match='go together|the same name'): db.add_doc('a plum', title='T', store=args[0],
                                                                                     prefix=args[1])
    assert len(db.toc()) == 1 and not rows(db, "select 1 from sqlite_master where name='two'")

def test_a_chosen_prefix_is_kept(tmp_path):
    db = database(tmp_path/'p.db')
    db.add_doc('a plum', title='T', store='law', prefix='acts_')
    db = database(tmp_path/'p.db')
    assert db.toc(store='law', prefix='acts_') and open_tree(db, 'law', 'acts_').docs.name == 'acts_docs'
    with pytest.raises(ValueError, match="'acts_' go together"): db.get_tree('law')

def test_a_library_of_before_pairs_were_recorded(tmp_path):
    db = library('a plum', path=tmp_path/'o.db')
    rows(db, "delete from meta where key='tree:store'")
    db = database(tmp_path/'o.db')
    assert open_tree(db) and db.get_tree() and found(db, 'plum')

def test_reading_makes_nothing(tmp_path):
    path = tmp_path/'r.db'
    db = database(path)
    assert open_tree(db) is None
    assert not rows(db, 'select * from sqlite_master')
    with pytest.raises(ValueError, match="no store called 'stroe'; there are: none yet"): open_tree(db, 'stroe')
    library('a plum', path=path)
    before = rows(db, 'select name from sqlite_master')
    with pytest.raises(ValueError, match="no store called 'stroe'; there are: 'store'"): open_tree(db, 'stroe')
    with pytest.raises(ValueError, match='go together'): open_tree(db, 'store', 'zz_')
    assert rows(db, 'select name from sqlite_master') == before and open_tree(db).prefix == ''

def test_what_is_undone_is_forgotten():
    db = database()
    with pytest.raises(KeyError):
        with write_txn(db):
            db.get_tree()
            raise KeyError
    db.add_doc('a plum', title='T')
    assert found(db, 'plum')


# --- files of other programs

def made(path, *statements):
    with closing(sqlite3.connect(path)) as conn:
        for s in statements: conn.execute(s)
        conn.commit()
    return path.read_bytes()

OTHERS = {'meta': ['create table meta(k, v)'], 'docs': ['create table docs(x)'], 'view': ['create view docs as select 1 x'],
          'store': ['create table store(a)'], 'meta is a view': ["create view meta as select 'a' key, 'b' value"],
          'browser': ['create table meta(key text primary key, value text)', "insert into meta values('version', '7')"],
          'schema': ['create table meta(key text primary key, value text)', "insert into meta values('schema', '\"x\"')"],
          'no json': ['create table meta(key text primary key, value text)', "insert into meta values('schema', 'one')"],
          'null': ['create table meta(key text primary key, value text)', "insert into meta values('schema', null)"]}

@pytest.mark.parametrize('statements', OTHERS.values(), ids=OTHERS)
def test_the_file_of_another_program(tmp_path, statements):
    path = tmp_path/'other.db'
    before = made(path, *statements)
    with pytest.raises(DatabaseFileError, match='other.db: .* belongs to another program'):
        database(path).get_tree()
    assert path.read_bytes() == before and os.listdir(tmp_path) == ['other.db']

def test_a_library_in_the_file_of_another_program(tmp_path):
    "Tables of other names are no obstacle."
    made(tmp_path/'app.db', 'create table bees(a)')
    assert found(library('a plum', path=tmp_path/'app.db'), 'plum')

def test_text_that_is_no_text(tmp_path):
    db = library('a plum', path=tmp_path/'x.db')
    rows(db, "update docs set title=cast(x'ff41' as text)")
    rows(db, "update store set metadata=cast(x'ff41' as text)")
    with pytest.raises(DatabaseFileError, match='x.db: it is damaged'): db.toc()
    with pytest.raises(DatabaseFileError, match='x.db: it is damaged'): db.search('plum')


# --- files that can't be written

READ = '''
import sys
from support import *
from litesearch.core import DatabaseFileError
db = database(sys.argv[1])
assert found(db, 'plum') == nearest(db, 'plum') == ['a plum'], found(db, 'plum')
assert db.sections('plum', vec('plum')) and db.context('plum', vec('plum'))
assert db.read(db.toc()[0]['doc_id'] + '#0')['text'] == 'a plum'
try: db.add_doc('more', title='More')
except DatabaseFileError as e: print(e)
'''

@pytest.fixture
def shut():
    "A folder that nobody but its owner may write to."
    path = Path(tempfile.mkdtemp())
    path.chmod(0o755)
    yield path
    path.chmod(0o755)
    shutil.rmtree(path)

def read_by_another(path):
    "What a reader without any rights says; skipped where there is none."
    env = dict(os.environ, PYTHONPATH=os.pathsep.join([str(HERE), str(HERE.parent)]), PYTHONDONTWRITEBYTECODE='1')
    cmd = [sys.executable, '-c', READ, str(path)]
    if IS_ROOT:
        if not shutil.which('setpriv'): pytest.skip('needs setpriv')
        cmd = ['setpriv', '--reuid=65534', '--clear-groups', *cmd]
        if subprocess.run([*cmd[:4], '-c', 'import support'], env=env, capture_output=True).returncode:
            pytest.skip('the project can not be read by others')
    else:
        for p in path.parent.iterdir(): p.chmod(stat.S_IRUSR)
        path.parent.chmod(stat.S_IRUSR | stat.S_IXUSR)
    return subprocess.run(cmd, env=env, capture_output=True, text=True)

@pytest.mark.parametrize('how', ['closed', 'open', 'not wal', 'odd name'])
def test_a_library_that_can_only_be_read(shut, how):
    path = shut/('50%?mode=rw #1.db' if how == 'odd name' else 'l.db')
    db = library('a plum', path=path, emb_fn=embed, wal=how != 'not wal')
    if how != 'open': db.conn.close()
    if how == 'closed': assert not list(shut.glob('*-wal'))
    files = {p.name: p.read_bytes() for p in shut.iterdir() if not p.name.endswith('-shm')}
    done = read_by_another(path)
    assert done.returncode == 0, done.stderr
    assert str(path) in done.stdout and 'read-only' in done.stdout
    assert {p.name: p.read_bytes() for p in shut.iterdir() if not p.name.endswith('-shm')} == files


# --- conditions

WHERE = {'comment': ('rowid > 0 -- all of them', ()), 'generator': ('rowid in (?, ?)', lambda: (i for i in (1, 2))),
         'numbered': ('rowid < ?2 and rowid >= ?1', [1, 9]), 'numbered twice': ('rowid = ?1 or rowid = ?1 + 1', [1]),
         'named': ('rowid >= :p', dict(p=1)), 'named, in order': ('rowid >= :p', [1]),
         'marks in strings': ("content <> 'why? :p ?2' and rowid > ?", [0]), 'one value': ('rowid > ?', 0),
         'block comment': ('/* ? */ rowid > ? /* and so on */', [0]), 'blank': ('  ', None)}

@pytest.mark.parametrize('where,args', WHERE.values(), ids=WHERE)
def test_conditions(where, args):
    db, values = library('plum', 'a plum', emb_fn=embed), args if callable(args) else lambda: args
    table = db.t.store
    assert len(table.fts_search('plum', where=where, where_args=values())) == 2
    assert len(table.fts_search('plum AND plum', where=where, where_args=values())) == 2
    assert len(table.fts_search('C++ plu', where=where, where_args=values())) == 2     # asked twice
    assert len(table.vec_search(vec('plum'), where=where, where_args=values())) == 2
    assert len(table.ann_search(vec('plum'), where=where, where_args=values())) == 2

def test_conditions_are_kept_apart():
    "What a comment hides, or `or` joins, is the condition's own."
    db = library('plum', 'a plum', emb_fn=embed)
    db.add_doc('quince', title='Q', emb_fn=embed)
    assert len(db.t.store.fts_search('plum', where="page=7 or content='quince' -- )")) == 0
    assert len(db.t.store.vec_search(vec('plum'), where="page=7 or content='quince' -- )")) == 1

@pytest.mark.parametrize('where,args', [('page=?', ()), ('page=?', [1, 2]), ('page=?2', [1]), ('page=?', dict(a=1)),
                                        ('page=:a', None)])
def test_conditions_with_other_values(where, args):
    db = library('plum', emb_fn=embed)
    for ask in (lambda **kw: db.t.store.fts_search('plum', **kw), lambda **kw: db.t.store.vec_search(vec('plum'), **kw)):
        with pytest.raises(ValueError, match='where_args has'): ask(where=where, where_args=args)

@pytest.mark.parametrize('dtype', ['int8', 'bfloat16', np.int8, 'float8', 'i8', complex])
def test_types_of_numbers(dtype):
    db = library('plum', emb_fn=embed)
    for call in (lambda: database().get_store(dtype=dtype), lambda: db.t.store.vec_search(vec('plum'), dtype=dtype),
                 lambda: db.t.store.ann_search(vec('plum'), dtype=dtype), lambda: db.t.store.rebuild_index(dtype=dtype)):
        with pytest.raises(ValueError, match="use one of: 'float16', 'float32', 'float64'"): call()


# --- merges

def test_merges_grow_with_the_store():
    "One document at a time: all merges together write a few times the rows of the store."
    db, merged = store_of(), []
    for i in range(300):
        insert_rows(db, 'store', [dict(content=f'plum {i} {j} of many') for j in range(20)])
        if tidy_fts(db, 'store', 20): merged.append(rows(db, 'select count(*) from store')[0][0])
    assert len(merged) < 25 and sum(merged) <= 5*6000
    parts = rows(db, 'select count(*) from (select distinct segid from store_fts_idx)')[0][0]
    assert parts <= 16
    check(db)

def test_a_large_load_is_merged():
    db = store_of(*[f'plum {i}' for i in range(1000)])
    assert tidy_fts(db, 'store', 1000) and not tidy_fts(db, 'store', 0)
    insert_rows(db, 'store', [dict(content=f'plum {i}') for i in range(300)])
    assert tidy_fts(db, 'store', 300)
    rows(db, 'delete from store')
    rows(db, "delete from sqlite_sequence where name='store'")
    insert_rows(db, 'store', [dict(content='plum')])
    assert tidy_fts(db, 'store', 1), 'row numbers that began anew'


# --- threads

def test_every_statement_holds_the_lock(tmp_path):
    "Also every row that is fetched: otherwise two threads meet on the connection now and then."
    db, loose = database(tmp_path/'l.db'), set()
    def held(*args):
        if not state(db).lock._is_owned(): loose.add(str(args[1])[:60])
        return True
    db.conn.exec_trace, db.conn.row_trace = held, lambda cursor, row: held(cursor, cursor.description_full) and row
    db.get_store('beside', ann=True, shelf=str)
    for i in range(3): db.add_doc(f'# Plum\n\nplum {i}', title=f'A{i}', emb_fn=embed)
    table = db.get_tree().store
    with table.bulk_load(): db.add_doc('# Quince\n\nquince', title='Q', emb_fn=embed)
    extend_index(db, 'store', least=1), table.rebuild_index()
    db.add_doc('# Sorb\n\nsorb', title='S', emb_fn=embed)
    for ask in (table.vec_search, table.ann_search): assert ask(vec('plum'), where='rowid > ?', where_args=[0])
    assert table.ann_search(vec('plum'), limit=1) and table.ann_neighbors(1, limit=1) and table.fts_search('plum')
    extend_index(db, 'store', least=0), tidy_fts(db, 'store'), list(store_names(db)), open_tree(db)
    db.doc_search('plum', vec('plum')), db.sections('plum', vec('plum')), db.toc(), db.get_store('third')
    db.conn.exec_trace = db.conn.row_trace = None
    assert not loose

def test_one_connection_and_many_threads(tmp_path):
    "Writing, searching by graph, and opening stores: nobody finds the connection busy."
    db, errors, until = library('plum', path=tmp_path/'t.db', emb_fn=embed), [], time.time() + 1
    def run(do):
        n = 0
        while time.time() < until and not errors:
            try: do(n := n + 1)
            except Exception as e: errors.append(e)
    jobs = [lambda n: db.add_doc(f'plum {n}', title=f'A{n % 7}', emb_fn=embed),
            lambda n: db.get_store(f's{n % 3}'), lambda n: extend_index(db, 'store', least=10**6),
            lambda n: db.doc_search('plum', vec('plum')), lambda n: db.get_tree(), lambda n: db.toc()]
    threads = [threading.Thread(target=run, args=(j,)) for j in jobs*2]
    for t in threads: t.start()
    for t in threads: t.join()
    assert not errors
