"""Kinds of fault that users of document search have met, each as a function of its texts.

`test_cases.py` and `test_processes.py` call them with texts of our own, `test_shared_cases.py` with those of a list
of published reports. Each function makes what it needs, and asserts."""
import json, os, shutil, time, unicodedata
import numpy as np
import pytest
from litesearch.core import database, DatabaseFileError, rows, StoreMismatch, VectorError
from litesearch.encode import hash_embed
from support import *
from support import embed, finish, start, vec


# --- chunking

def cut_anywhere(text, last):
    "A text without a good place to cut loses nothing, and no character is cut."
    db = library(('Doc', text))
    chunks = [c['content'] for c in chunks_of(db)]
    assert len(chunks) > 1 and ''.join(chunks) == text and not any('\ufffd' in c or not c.strip() for c in chunks)
    assert last in found(db, last)[0]
    check_library(db)

def blank_then_real(blank, text, word):
    "A blank document does not look indexed, and is in nobody's way."
    db = library()
    try: assert db.add_doc(blank, title='Note')['chunks'] == 0
    except ValueError: pass
    assert found(db, word) == []
    assert 'skipped' not in db.add_doc(text, title='Note')
    assert found(db, word) == [text]

def repeated_lines(text, title, line, n):
    "Equal chunks of one section stay distinct."
    db = library(('Doc', text), emb_fn=embed)
    assert text_of(db, section(db, title)['id']).split('\n').count(line) == n
    assert len({c['rowid'] for c in chunks_of(db)}) == len(chunks_of(db)) > 1
    check_library(db)

def twins(text, word):
    "Two sources of one text: removing one keeps the other."
    db = library()
    a, b = (db.add_doc(text, title='A', source=s)['doc_id'] for s in 'ab')
    db.delete_doc(a)
    hits = words(db, word)
    assert hits and {h['source'] for h in hits} == {'b'} and [d['source'] for d in db.toc()] == ['b']
    db.delete_doc(b)
    assert words(db, word) == [] and db.toc() == []

def kept_apart(text, where):
    "Short sections are not put together; `where` tells which title holds which word."
    db = library(('Doc', text))
    for word, title in where.items():
        chunk, = [c for c in chunks_of(db) if word in c['content']]
        assert chunk['heading'].endswith(title)
        assert not [w for w in where if w != word and w in chunk['content']]

def edited_in_order(text, edited, title, body):
    "After an edit a section reads in the order of the document."
    db = library()
    did = db.add_doc(text, title='Doc', source='s', emb_fn=embed)['doc_id']
    db.add_doc(edited, title='Doc', source='s', emb_fn=embed)
    assert whole(db, did) == edited
    assert text_of(db, section(db, title)['id']) == body
    check_library(db)

def title_once(text, word, title, path):
    "A first heading that repeats the title does not double the path."
    hit = words(library((title, text)), word)[0]
    assert hit['heading'] == hit['breadcrumb'] == path and not hit['content'].lstrip().startswith(title)

def every_line(text):
    "Reading the root gives every line, in order."
    db = library(('Doc', text))
    assert whole(db, db.toc()[0]['doc_id']) == text
    check_library(db)


# --- words

def comes_first(texts, queries, wanted):
    "The document meant is the first hit."
    db = library(*texts)
    for q in queries: assert found(db, q)[:1] == [wanted], q

def survives(texts, queries):
    "Whatever is typed gives a list."
    db = library(*texts, emb_fn=embed)
    for q in queries:
        for hits in (db.doc_search(q, None), db.doc_search(q, vec(q)), db.sections(q, vec(q)),
                     db.context(q, vec(q))['results']):
            assert isinstance(hits, list), q

def nul_bytes(text, word, other, other_word):
    "NUL in a document leaves the index of all others whole."
    db = library()
    try: db.add_doc(text, title='N', emb_fn=embed)
    except ValueError: word = None
    db.add_doc(other, title='W', emb_fn=embed)
    assert found(db, other_word) == [other]
    if word: assert word in found(db, word)[0]
    fts_check(db)

def only_its_own(texts, queries):
    "The nth query finds the nth text and no other."
    db = library(*texts)
    for q, t in zip(queries, texts): assert found(db, q) == [t], q

def all_find(text, queries, others=()):
    db = library(text, *others)
    for q in queries: assert found(db, q) == [text], q

def stale_words(old, new, old_word, new_word):
    "Replaced text leaves the index."
    db = library()
    for text in (old, new): db.add_doc(text, title='T', source='s', emb_fn=embed)
    assert found(db, old_word) == [] and found(db, new_word) == [new]
    check_library(db)

def vacuumed(tmp_path, texts, gone, i, word):
    "VACUUM moves nothing that the indexes point at."
    db = library(*texts, path=tmp_path/'v.db', emb_fn=embed)
    ids = {d['title']: d['doc_id'] for d in db.toc()}
    for k in gone: db.delete_doc(ids[f'Doc {k}'])
    db.conn.execute('vacuum')
    db.conn.close()
    db = database(tmp_path/'v.db')
    assert found(db, word)[0] == nearest(db, texts[i])[0] == texts[i]
    check_library(db)

def heading_word(text, word, title):
    "A word that stands only in a heading is found without vectors, in that section alone."
    db = library(('Doc', text))
    hit, = words(db, word)
    assert hit['breadcrumb'].endswith(title) and hit['node_id'] == section(db, title)['id']
    assert [s['title'] for s in db.sections(word, None)] == [title]

def phrase(texts, q):
    "A quoted phrase means these words in this order; unquoted, any order."
    db = library(*texts)
    assert found(db, f'"{q}"') == [texts[0]] and sorted(found(db, q)) == sorted(texts)


# --- vectors

def other_size(tmp_path, text, word, big=256, small=128):
    "Another encoder fails loudly and writes nothing."
    path = tmp_path/'n.db'
    db = library(('A', text), path=path, emb_fn=lambda ts: hash_embed(ts, big))
    before = db.conn.total_changes()
    with pytest.raises(StoreMismatch, match=f'(?s){big}.*{small}|{small}.*{big}'):
        db.add_doc('other text', title='B', emb_fn=lambda ts: hash_embed(ts, small))
    assert db.conn.total_changes() == before
    for _ in range(2):
        assert [d['title'] for d in db.toc()] == ['A'] and len(chunks_of(db)) == 1
        assert db.doc_search(word, hash_embed([word], big)[0].tobytes())[0]['content'] == text
        db.conn.close()
        db = database(path)

SEARCH_NOTE = '''
from litesearch.ann import sidecar_path
from litesearch.sidecar import matches
from litesearch.core import get_meta
path, note, word = sys.argv[1:]
db = database(path)
hits = db.t.store.ann_search(vec(note), limit=1)
words = [h['content'] for h in db.doc_search(word, vec(word), ann=True)]
print(json.dumps([hits[0]['content'], words[0], matches(sidecar_path(db), get_meta(db, 'ann:store'))]))
'''

def damaged_sidecar(tmp_path, texts, damage, i, word):
    "A damaged graph is built again from the table; it does not take the process with it."
    from litesearch.ann import sidecar_path
    path = tmp_path/'s.db'
    db = library(*texts, path=path, emb_fn=embed)
    db.t.store.rebuild_index()
    side = sidecar_path(db)
    assert side.exists()
    db.conn.close()
    damage(side)
    assert json.loads(run(SEARCH_NOTE, path, texts[i], word)) == [texts[i], texts[i], True]

def older_sidecar(tmp_path, texts):
    "A graph from before the last text was added hides nothing."
    from litesearch.ann import sidecar_path
    path = tmp_path/'o.db'
    db = library(*texts[:-1], path=path, emb_fn=embed)
    db.t.store.rebuild_index()
    side = sidecar_path(db)
    shutil.copy(side, tmp_path/'copy')
    db.add_doc(texts[-1], title='last', emb_fn=embed)
    db.t.store.rebuild_index()
    db.conn.close()
    shutil.copy(tmp_path/'copy', side)
    assert json.loads(run(SEARCH_NOTE, path, texts[-1], texts[-1]))[:2] == [texts[-1]]*2

def removed_and_added(texts, order):
    "Removing in any order and adding again mixes nothing up."
    db = library(*texts, emb_fn=embed)
    db.t.store.rebuild_index()
    ids = {d['title']: d['doc_id'] for d in db.toc()}
    for i in order: db.delete_doc(ids[f'Doc {i}'])
    assert nearest(db, texts[0]) == []
    for i, t in enumerate(texts): db.add_doc(t, title=f'Doc {i}', emb_fn=embed)
    for t in texts:
        for how in (db.t.store.vec_search, db.t.store.ann_search): assert how(vec(t), limit=1)[0]['content'] == t
    assert rows(db, 'select count(*) from store where embedding is not null') == [(len(texts),)]
    assert db.t.store.rebuild_index() == len(texts)

def not_a_number(texts, bad, word, i):
    "A vector with NaN is refused; nothing of its document is stored."
    db = library(*texts, emb_fn=embed)
    with pytest.raises(VectorError, match='Broken one'):
        db.add_doc(bad, title='Broken one', emb_fn=lambda ts: np.full((len(ts), 256), np.nan, np.float16))
    hits = db.doc_search(word, vec(word))
    assert hits[0]['content'] == texts[i] and 'NaN' not in json.dumps(hits)
    assert 'Broken one' not in [d['title'] for d in db.toc()]
    check_library(db)

def as_json(texts, q):
    "All that is returned is plain data."
    db = library(*texts, emb_fn=embed)
    first = db.toc()[0]['tree']['id']
    for value in (db.doc_search(q, vec(q), explain=True), db.sections(q, vec(q)), db.context(q, vec(q)), db.toc(),
                  db.read(first),
                  db.node_context(first), db.search(q, vec(q)), db.t.store.vec_search(vec(q)),
                  db.t.store.fts_search(q, columns=['rowid', 'content'])):
        assert json.loads(json.dumps(value, allow_nan=False)) is not None

def one_too_few(text, n):
    "An encoder that returns too few vectors is named with both numbers; nothing is stored."
    db = library()
    with pytest.raises(ValueError, match=f'(?s){n - 1}.*{n}'): db.add_doc(text, title='Doc',
                                                                          emb_fn=lambda ts: embed(ts)[:-1])
    assert db.toc() == [] and chunks_of(db) == [] and rows(db, 'select count(*) from pages') == [(0,)]

def vectors_later(text, q):
    "A store filled without an encoder can be completed."
    db = library()
    db.add_doc(text, title='Doc', source='s')
    assert nearest(db, q) == []
    assert 'skipped' not in db.add_doc(text, title='Doc', source='s', emb_fn=embed)
    assert nearest(db, q)[0] == text and len(chunks_of(db)) == 1
    assert 'skipped' in db.add_doc(text, title='Doc', source='s', emb_fn=embed)


# --- files

def spellings(tmp_path, monkeypatch, text, word):
    "One file under three spellings is one document."
    (tmp_path/'sub').mkdir()
    write_files(tmp_path, {'notes.md': text})
    monkeypatch.chdir(tmp_path)
    db = library()
    results = [db.add_file(p) for p in ('notes.md', tmp_path/'notes.md', './sub/../notes.md')]
    assert ['skipped' in r for r in results] == [False, True, True] and len({r['doc_id'] for r in results}) == 1
    assert len(words(db, word)) == len(db.toc()) == 1

def linked_in_a_circle(tmp_path, a, b):
    "Links that lead back do not hang, nor repeat a file."
    write_files(tmp_path, {'a.md': a, 'sub/b.md': b})
    (tmp_path/'sub/up').symlink_to('..')
    (tmp_path/'sub/self').symlink_to('.')
    db = library()
    assert len(db.add_dir(tmp_path)) == len(db.toc()) == 2

def normal_forms(tmp_path, name, text, word):
    "Composed and decomposed spellings of a name mean the same file."
    nfc, nfd = (unicodedata.normalize(f, name) for f in ('NFC', 'NFD'))
    db = library()
    db.add_file(write_files(tmp_path, {nfc: text})/nfc)
    assert len(db.toc(nfd.rsplit('.', 1)[0])) == len(words(db, word)) == 1
    assert db.delete_source(str(tmp_path/nfd)) == 1 and db.toc() == []

def odd_path(tmp_path, name, text, word):
    "A path is a path, whatever characters it has."
    path = tmp_path/name
    db = library(('A', text), path=path, emb_fn=embed)
    db.t.store.rebuild_index()
    db.conn.close()
    files = {p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob('*') if p.is_file()}
    assert files == {name, f'{name}.usearch'}
    db = database(path)
    assert words(db, word) and db.t.store.ann_search(vec(word), limit=1)

def vanished(tmp_path, a, b, word):
    "A file that is gone can be forgotten, and only that one."
    write_files(tmp_path, {'a.md': a, 'b.md': b})
    db = library()
    db.add_dir(tmp_path)
    before = chunks_of(db)
    (tmp_path/'b.md').unlink()
    results = db.add_dir(tmp_path, sync=True)
    assert [r['title'] for r in results if r.get('removed')] == ['b'] and [d['title'] for d in db.toc()] == ['a']
    assert words(db, word) == [] and chunks_of(db) == [c for c in before if c['heading'].startswith('a')]

def same_size_same_time(tmp_path, old, new, old_word, new_word):
    "A change is seen by content, not by time and size."
    assert len(old) == len(new)
    path = write_files(tmp_path, {'a.md': old})/'a.md'
    was, db = path.stat(), library()
    db.add_file(path)
    path.write_text(new)
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
    db.add_file(path)
    assert words(db, new_word) and not words(db, old_word)

def shrunk(tmp_path, text, short, gone, n):
    "What was cut off at the end is gone."
    path = write_files(tmp_path, {'a.md': text})/'a.md'
    db = library()
    db.add_file(path)
    path.write_text(short)
    assert db.add_file(path)['chunks'] == n
    assert len(sections_of(db)) == n == len(chunks_of(db)) and not words(db, f'"{gone}"')
    check_library(db)

BIG_FILE = '''
path, word = sys.argv[1:]
db = database()
t = time.time()
db.add_file(path)
took, used = time.time() - t, peak_megabytes()
print(json.dumps([took, used, len(db.doc_search(word, None))]))
'''

def endless_line(tmp_path, line, word, seconds=30, megabytes=700):
    path = write_files(tmp_path, {'big.txt': line})/'big.txt'
    took, used, hits = json.loads(run(BIG_FILE, path, word))
    assert took < seconds and used < megabytes and hits

def undecodable(tmp_path, name, odd, text, word):
    "A file whose name is not UTF-8 stops nothing."
    (tmp_path/os.fsdecode(name)).write_text(odd)
    write_files(tmp_path, {'ok.md': text})
    db = library()
    results = db.add_dir(tmp_path)
    assert len(results) == 2 and words(db, word)
    assert 'ok' in json.dumps(db.toc()) and json.dumps(results).encode() and print(db.toc()) is None

def hidden_copies(tmp_path, files, n, hidden):
    "Hidden folders and those of packages are passed over."
    db = library()
    db.add_dir(write_files(tmp_path, files))
    assert len(db.toc()) == n and not [w for w in hidden if words(db, w)]


# --- processes

ADD_NOTES = '''
path, notes = sys.argv[1], json.loads(sys.argv[2])
db = database(path)
db.get_tree()
for i, t in enumerate(notes): db.add_doc(t, title=t.split()[2] + f' {notes[0][-20:]} {i}', source=t, emb_fn=embed)
'''

def two_writers(tmp_path, notes, word):
    "Two processes add different documents to a new file at the same time."
    path, half = tmp_path/'two.db', len(notes)//2
    for p in [start(ADD_NOTES, path, json.dumps(n)) for n in (notes[:half], notes[half:])]: finish(p)
    db = database(path)
    assert len(db.toc()) == len(notes) == len({h['doc_id'] for h in words(db, word, limit=len(notes))})
    assert rows(db, 'select count(*) from store where embedding is null') == [(0,)]
    assert {h['doc_id'] for h in db.t.store.vec_search(vec(word), limit=None)} == {d['doc_id'] for d in db.toc()}
    check_library(db)

def shared_by_threads(texts, word, path=':memory:', writers=4, rounds=25):
    "One object serves threads that write and threads that search."
    from concurrent.futures import ThreadPoolExecutor
    db = library(path=path)
    def write(part):
        for t in part: db.add_doc(t, title=t, source=t, emb_fn=embed)
    def search(_):
        for _ in range(rounds):
            for h in db.doc_search(word, vec(word)): assert h['content'] and db.read(h['node_id'])['text']
    with ThreadPoolExecutor(2*writers) as pool:
        jobs = [pool.submit(write, texts[i::writers]) for i in range(writers)] + [pool.submit(search, i)
                                                                                  for i in range(writers)]
        for j in jobs: j.result(timeout=240)
    assert len(db.toc()) == len(texts)
    check_library(db)

ADD_FOLDER = '''
db = database(sys.argv[1])
print(json.dumps(db.add_dir(sys.argv[2], emb_fn=embed, embed_batch=int(sys.argv[3]))))
'''

def folder_twice(tmp_path, files, word, batch=0):
    "Two processes add the same folder at the same time."
    path, d = tmp_path/'same.db', write_files(tmp_path/'in', files)
    outs = [finish(p) for p in [start(ADD_FOLDER, path, d, batch) for _ in range(2)]]
    assert not any('error' in r for out in outs for r in json.loads(out))
    db = database(path)
    assert len(db.toc()) == len(files)
    paths = [(c['doc_id'], c['heading']) for c in chunks_of(db)]
    assert len(paths) == len(set(paths))
    rowids = [h['rowid'] for h in words(db, word, limit=len(files))]
    assert len(rowids) == len(set(rowids)) == len(files)
    check_library(db)

SEARCH_OFTEN = '''
db, worst, seen = database(sys.argv[1]), 0, 0
db.get_tree()
for i in range(50):
    t = time.time()
    hits = db.doc_search(sys.argv[2], vec(sys.argv[2]))
    worst, seen = max(worst, time.time() - t), max(seen, len(hits))
    time.sleep(0.01)
print(json.dumps([worst, seen]))
'''

def search_while_loading(tmp_path, files, word):
    "Readers do not wait for a long load."
    path, d = tmp_path/'load.db', write_files(tmp_path/'in', files)
    db = database(path)
    db.get_tree()
    loader, reader = start(ADD_FOLDER, path, d, 0), start(SEARCH_OFTEN, path, word)
    worst, _ = json.loads(finish(reader))
    finish(loader)
    assert worst < 5 and len(db.toc()) == len(files)

SLOW_FOLDER = '''
def slow(texts):
    time.sleep(0.01*len(texts))
    return embed(texts)
db = database(sys.argv[1])
db.get_tree()
print('ready', flush=True)
db.add_dir(sys.argv[2], emb_fn=slow, embed_batch=int(sys.argv[3]))
'''

def killed(tmp_path, files, word, delay, batch=0):
    "After kill -9 every document is whole or absent, and a second run adds the rest; returns how many were there."
    path, d = tmp_path/'kill.db', write_files(tmp_path/'in', files)
    clean = library()
    clean.add_dir(d, emb_fn=embed)
    want = {x['doc_id']: sum(n['nchunks'] for n in flat(x['tree'])) for x in clean.toc(max_depth=9)}
    proc = start(SLOW_FOLDER, path, d, batch)
    assert proc.stdout.readline() == 'ready\n'
    time.sleep(delay)
    proc.kill()
    proc.communicate()
    db = database(path)
    have = {x['doc_id']: sum(n['nchunks'] for n in flat(x['tree'])) for x in db.toc(max_depth=9)}
    assert all(want[k] == n for k, n in have.items())
    check_library(db)
    results = db.add_dir(d, emb_fn=embed)
    assert sum('skipped' in r for r in results) == len(have) and len(db.toc()) == len(files)
    assert rows(db, 'select count(*) from store where embedding is null') == [(0,)]
    assert len({h['doc_id'] for h in words(db, word, limit=len(files))}) == len(files)
    check_library(db)
    return len(have)

def failed_update(old, new, old_word, new_word):
    "An update that fails leaves the old version whole."
    db = library()
    db.add_doc(old, title='T', source='s', emb_fn=embed)
    before = list(db.conn.execute('select * from store'))
    def broken(texts): raise RuntimeError('the model is away')
    with pytest.raises(RuntimeError, match='the model is away'): db.add_doc(new, title='T', source='s', emb_fn=broken)
    assert found(db, old_word) == [old] == nearest(db, old_word) and found(db, new_word) == [] and len(db.toc()) == 1
    assert list(db.conn.execute('select * from store')) == before
    check_library(db)

def not_sqlite(tmp_path, text):
    "A damaged file is left as it is, and named."
    path = tmp_path/'x.db'
    db = library(('A', text), path=path)
    db.conn.execute('pragma wal_checkpoint(truncate)')
    db.conn.close()
    raw = bytes(100) + path.read_bytes()[100:]
    path.write_bytes(raw)
    with pytest.raises(DatabaseFileError, match='x.db'):
        db = database(path)
        words(db, 'slate')
    assert path.read_bytes() == raw and [p.name for p in tmp_path.iterdir()] == ['x.db']

def paid_once(tmp_path, files, fail_after=6):
    "A second run embeds only what was not stored."
    d, db, n = write_files(tmp_path, files), library(), 0
    def failing(texts):
        nonlocal n
        n += len(texts)
        if n > fail_after: raise RuntimeError('out of quota')
        return embed(texts)
    try: db.add_dir(d, emb_fn=failing, embed_batch=1)
    except RuntimeError: pass
    again = Counting()
    db.add_dir(d, emb_fn=again, embed_batch=1)
    assert len(again.texts) == len(files) - fail_after and len(db.toc()) == len(files)


# --- hostile values

def hostile_ids(text):
    "An id that is not known is not known, whatever it holds."
    db = library(('Doc', text))
    before = db.toc()
    for x in HOSTILE:
        assert db.read(x) == {} and db.breadcrumb(x) == '' and db.node_context(x) == {} and not db.delete_doc(x), x
        try: assert not x or not db.delete_source(x), x
        except ValueError: pass    # a path can't hold it
    assert db.toc() == before
    check_library(db)

def quotes_in_titles(titles, one, other):
    "Quotes are ordinary characters of a title; `one` and `other` map a piece to the titles that hold it."
    db = library(*[(t, f'text {i}') for i, t in enumerate(titles)])
    for t in titles: assert [d['title'] for d in db.toc(t)] == [t]
    for piece in (one, other): assert {d['title'] for d in db.toc(piece)} == {t for t in titles if piece in t}

def ids_do_not_meet(a, b, word_a, word_b):
    "Two pairs of source and title that are joined to the same text stay two documents."
    db = library()
    ids = {db.add_doc(a, title='c', source='a|b')['doc_id'], db.add_doc(b, title='b|c', source='a')['doc_id']}
    assert len(ids) == len(db.toc()) == 2 and found(db, word_a) == [a] and found(db, word_b) == [b]

def half_an_emoji(good, bad, word, bad_word):
    "A lone surrogate is replaced or refused; nothing is half stored."
    db = library(('G', good), emb_fn=embed)
    def attempt(*args, **kw):
        try: return db.add_doc(*args, emb_fn=embed, **kw)
        except ValueError: return None
    if attempt(bad, title='S'): assert found(db, bad_word)
    attempt('fine text about voles', title='T \ud83d')
    for q in (bad, '\ud83d', f'{word} \ud83d'): assert isinstance(db.doc_search(q, vec(q)), list)
    assert found(db, word) == [good] and json.dumps(db.toc()).encode()
    check_library(db)
