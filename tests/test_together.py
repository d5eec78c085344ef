"Threads and processes on one file that add, search, note, follow a folder and repair at the same time."
import json, threading
import pytest
from litesearch.check import check_library as check
from litesearch.core import database, rows
from litesearch.encode import HashEncoder
from litesearch.notes import add_note, delete_note, list_notes, search_notes
from litesearch.sync import sync_dir
from support import *

ENC, DOCS, NOTES = HashEncoder(64), 5, 6

def vector(q): return ENC([q])[0]

def adds(db, who):
    for i in range(DOCS): db.add_doc(f'# Jar\n\n{who} holds quince {i}\n\n# Lid\n\nof cork', f'{who} {i}', emb_fn=ENC)
    db.add_doc(f'# Jar\n\n{who} holds medlar\n\n# Lid\n\nof cork', f'{who} 0', emb_fn=ENC)
    db.add_doc('to be deleted', f'{who} x', emb_fn=ENC)
    db.delete_doc(db.toc(f'{who} x')[0]['doc_id'])

def takes_notes(db, who):
    "Some under keys that all write, some of its own."
    for i in range(NOTES):
        add_note(db, f'{who} says quince {i}', key=f'shared {i % 2}', topic='all', emb_fn=ENC)
        own = add_note(db, f'own note {i} of {who}', topic=who, emb_fn=ENC)
        if i == 2: delete_note(db, own['note'])

def searches(db, who):
    "Whatever is found can be read, and is about what was asked."
    for _ in range(12):
        for h in db.doc_search('quince cork', vector('quince cork'), limit=5) or []:
            assert 'quince' in h['content'] or 'cork' in h['content'] or 'medlar' in h['content']
        for s in db.sections('quince', vector('quince'), limit=3): assert s['breadcrumb']
        for n in search_notes(db, 'quince', vector('quince')): assert n['content'] and n['updated_at']

def checks(db, who):
    for deep in (False, True, False):
        got = check(db, deep=deep)
        assert not got['problems'], got

def all_at_once(path, who, work=(adds, takes_notes, searches, checks)):
    "One thread for each kind of work, all with one connection; raises what the first of them raised."
    db, errors = database(path), []
    def tried(task):
        try: task(db, who)
        except BaseException as e: errors.append(e)
    threads = [threading.Thread(target=tried, args=(task,)) for task in work]
    for t in threads: t.start()
    for t in threads: t.join()
    if errors: raise errors[0]
    return db

OTHER = '''
from test_together import *
all_at_once(sys.argv[1], sys.argv[2])
'''

def test_threads_of_processes_add_search_and_note(tmp_path):
    path = tmp_path/'t.db'
    others = [start(OTHER, path, f'process{i}') for i in range(2)]
    db = all_at_once(path, 'this')
    for p in others: finish(p, 120)
    who = ['this', 'process0', 'process1']
    assert {d['title'] for d in db.toc()} == {f'{w} {i}' for w in who for i in range(DOCS)}
    texts = dict(rows(db, 'select d.title, p.text from docs d join pages p on p.doc_id=d.id'))
    assert all('medlar' in texts[f'{w} 0'] and 'quince 1' in texts[f'{w} 1'] for w in who)
    notes = list_notes(db)
    assert {n['key']: n['topic'] for n in notes if n['key']} == {'shared 0': 'all', 'shared 1': 'all'}
    assert sorted(n['text'] for n in notes if not n['key']) == sorted(f'own note {i} of {w}' for w in who
                                                                      for i in range(NOTES) if i != 2)
    assert len({n['note'] for n in notes}) == len(notes)
    check_library(db)
    assert not check(db)['problems'] and rows(db, 'select count(*) from store where embedding is null') == [(0,)]

FOLLOWS = '''
from test_together import *
for _ in range(3): results = sync_dir(database(sys.argv[1]), sys.argv[2], emb_fn=ENC, n_workers=0)
assert not [r for r in results if 'error' in r], results
'''

def test_processes_follow_one_folder(tmp_path):
    "Files come, go, change and move; three processes sync at once."
    path, folder = tmp_path/'f.db', write_files(tmp_path/'in', {f'n{i}.md': f'# A{i}\n\ntext {i}' for i in range(9)})
    db = database(path)
    sync_dir(db, folder, emb_fn=ENC)
    ids = {r['title']: r['doc_id'] for r in db.toc()}
    (folder/'n0.md').unlink()
    (folder/'n1.md').rename(folder/'moved.md')
    write_files(folder, {'n2.md': '# A2\n\nanother text', 'sub/n9.md': '# A9\n\nnew'})
    add_note(db, 'stays', emb_fn=ENC)
    for p in [start(FOLLOWS, path, folder) for _ in range(3)]: finish(p, 120)
    assert {d['title'] for d in db.toc()} == {'moved', *(f'n{i}' for i in range(2, 10))}
    assert {d['title']: d['doc_id'] for d in db.toc()}['moved'] == ids['n1']
    assert len(list_notes(db)) == 1
    check_library(db)

REPAIRS = '''
from test_together import *
db = database(sys.argv[1])
print(json.dumps([check(db, repair=True, emb_fn=ENC)['ok'] for _ in range(6)]))
'''

def test_a_repair_while_others_write(tmp_path):
    path = tmp_path/'r.db'
    old = [f'# A\n\nold text {i}\n\n# B\n\nmore' for i in range(20)]
    db = library(*old, path=path, emb_fn=ENC)
    for sql in ("update store set content='x' where rowid<9", 'update nodes set last=7',
                'delete from docs where rowid in (11, 12)'): rows(db, sql)
    repairs = [start(REPAIRS, path) for _ in range(2)]
    all_at_once(path, 'this', (adds, takes_notes))
    for p in repairs: assert all(json.loads(finish(p, 120)))
    assert not check(db)['problems'] and len(db.toc()) == 20 + DOCS
    assert {*old} <= {t for t, in rows(db, 'select text from pages')}

@pytest.mark.parametrize('path', [':memory:', 'file'])
def test_many_threads_of_one_object(tmp_path, path):
    db = all_at_once(path if path == ':memory:' else tmp_path/'t.db', 'this',
                     (adds, takes_notes, searches, searches, checks, checks, searches))
    assert len(db.toc()) == DOCS and len(list_notes(db)) == 2 + NOTES - 1
    check_library(db)
