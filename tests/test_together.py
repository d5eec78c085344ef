"Threads and processes on one file that add, search, note, follow a folder and repair at the same time."
import json, threading, time, warnings
import pytest
from litesearch.check import check_library as check
from litesearch.core import database, get_meta, rows, StoreMismatch
from litesearch.encode import HashEncoder
from litesearch.library import Library
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
            assert any(word in h['content'] for word in ('quince', 'cork', 'medlar', 'deleted')), h   # near-duplicates fold
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

ENCODERS = 'hash:64', 'hash:32', 'hash:16', 'hash:48'
ASKING = dict(search=lambda o: o, research=lambda o: o, context=lambda o: o['results'], navigate=lambda o: o['sections'])

def asks(lib, until, seen):
    "Ask in every way until it is enough; whatever is found is about the question."
    while not seen or not until():
        for ask, hits in ASKING.items():
            kw = dict(include_notes=True) if ask == 'search' else {}
            found = hits(getattr(lib, ask)('which jar holds quince', **kw))
            assert found and 'quince' in str(found[0]).lower(), (ask, found)
            seen.append(ask)

def moved_shelf(path):
    lib = Library(path, encoder=ENCODERS[0])
    lib.add({f'Book {i}': f'# Jar\n\njar {i} holds quince\n\n# Lid\n\nlid {i} of cork' for i in range(8)})
    lib.note('quince is sour', topic='fruit')
    return lib

@pytest.mark.parametrize('wish', ['auto', ENCODERS[0]])
def test_threads_ask_while_another_moves_the_library(tmp_path, wish):
    moved_shelf(tmp_path/'m.db').close()
    lib, over, errors, seen = Library(tmp_path/'m.db', encoder=wish), threading.Event(), [], []
    def tried():
        try: asks(lib, over.is_set, seen)
        except BaseException as e: errors.append(e)
    threads = [threading.Thread(target=tried) for _ in range(3)]
    for t in threads: t.start()
    while len(seen) < 8 and not errors: time.sleep(0.01)
    for encoder in ENCODERS[1:]*3: lib.reindex(encoder)
    over.set()
    for t in threads: t.join()
    assert not errors, errors[0]
    assert lib.status()['encoder'] == 'hash-48' and lib.encoder.ndim == 48
    check_library(lib.db)

ASKS = '''
from test_together import *
lib, seen, begun = Library(sys.argv[1], encoder=sys.argv[2]), [], time.monotonic()
print(lib.encoder, flush=True)
with warnings.catch_warnings():
    warnings.simplefilter('error')
    asks(lib, lambda: os.path.exists(sys.argv[3]), seen)
    assert lib.search('quince')[0]['content'] and lib._encoders.asking().ndim == 48
print(len(seen))
'''

def test_processes_ask_while_another_moves_the_library(tmp_path):
    "One of them has its encoder from the library, the other has been told one that fits no more."
    lib, stop = moved_shelf(tmp_path/'m.db'), tmp_path/'stop'
    others = [start(ASKS, tmp_path/'m.db', wish, stop) for wish in ('auto', ENCODERS[0])]
    for p in others: assert p.stdout.readline() == 'HashEncoder(64)\n'
    for encoder in ENCODERS[1:]*4: lib.reindex(encoder)
    stop.touch()
    assert all(int(finish(p, 120)) for p in others)
    assert not check(lib.db)['problems']

def test_an_answer_is_of_one_encoder(tmp_path):
    "Vectors of the same size, too, are those of the encoder that the question was embedded with."
    lib, other = moved_shelf(tmp_path/'m.db'), database(tmp_path/'m.db')
    class Turned(HashEncoder):
        def __init__(self):
            super().__init__(64)
            self.encoder_id = 'turned'
        def __call__(self, texts, **kw): return -super().__call__(texts, **kw)
    assert lib.search('quince') and lib.encoder.encoder_id == 'hash-64'
    asked, was = [], lib.db.doc_search
    def doc_search(q, vec, **kw):
        asked.append(vec)
        if len(asked) == 1: other.reindex(Turned())
        return was(q, vec, **kw)
    lib.db.doc_search = doc_search
    assert lib.search('quince')
    assert asked[0] is not None and asked[-1] is None    # no name makes the new one, so words alone decide

BEGINS = '''
from test_together import *
path, encoder, what, go = sys.argv[1:]
lib = Library(path, encoder=encoder)
print(lib.encoder.ndim, flush=True)
while not os.path.exists(go): time.sleep(0.001)
try:
    if what == 'note': lib.note(f'a note of {encoder}')
    else: results = lib.add({f'{encoder} {i}': f'# Jar\\n\\ntext {i}' for i in range(3)})
    told = None if what == 'note' else ' '.join({o['error'] for o in results if 'error' in o})
except StoreMismatch as e: told = str(e)
print(json.dumps(told))
'''

@pytest.mark.parametrize('first, second', [('add', 'note'), ('note', 'add'), ('add', 'add'), ('note', 'note')])
def test_two_processes_begin_a_library_with_two_encoders(tmp_path, first, second):
    "One of them is told of the other's encoder, and whatever is stored is of one."
    path, go = tmp_path/'b.db', tmp_path/'go'
    both = [start(BEGINS, path, encoder, what, go) for encoder, what in (('hash:64', first), ('hash:32', second))]
    for p in both: assert p.stdout.readline().strip() in ('64', '32')
    go.touch()
    told = [json.loads(finish(p, 60)) for p in both]
    assert sum(map(bool, told)) == 1 and 'has encoder' in max(told, key=lambda t: len(t or '')), told
    db = database(path)
    known = {get_meta(db, f'store:{s}')['encoder'] for s in ('store', 'notes') if get_meta(db, f'store:{s}')}
    assert len(known - {None}) == 1 and not check(db)['problems']
    with Library(path) as lib: assert lib.search('text note', include_notes=True)
