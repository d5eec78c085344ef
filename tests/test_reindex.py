"Moving a store to another encoder: what is used meanwhile, what is kept after a kill, and that nothing old is used afterwards"
import json, random, threading, time, warnings
import numpy as np, pytest
from litesearch.core import (DatabaseFileError, StoreMismatch, VectorError, database, get_meta, quote, rows, set_meta, store_info,
                             table_exists)
from litesearch.embed import store_encoder
from litesearch.ingest import store_chunks
from litesearch.encode import encoder_id, HashEncoder
from litesearch.ann import sidecar_path
from litesearch.late import BlendEncoder
from litesearch.notes import add_note
from litesearch import reindex as module
from support import *


class Slow(HashEncoder):
    "Counts what it embeds, and fails when it has had enough."
    def __init__(self, ndim=64, most=10**9): self.most, self.texts = most, []; super().__init__(ndim)

    def __call__(self, texts, **kw):
        if len(self.texts) + len(texts) > self.most: raise RuntimeError('the service is down')
        self.texts += texts
        return super().__call__(texts)

def notes(n): return [(f'Note {i}', f'# A{i}\n\n{"quince " * 99}\n\n# B{i}\n\njar {i} of medlar') for i in range(n)]

def old(n=12, path=':memory:'): return library(*notes(n), path=path, emb_fn=HashEncoder())

def vectors(db, store='store'):
    info = store_info(db, store, fresh=True)
    found = rows(db, f'select rowid, embedding from {quote(store)} order by rowid')
    return {r: np.frombuffer(e, info.dtype) for r, e in found if e is not None}

def state_of(db): return rows(db, 'select rowid, id, content, heading, doc_id, node_id, ord from store order by rowid')

def assert_moved(db, enc):
    "Every vector is the encoder's, the record says so, nothing is left behind, and searching works."
    texts = [f'{h}\n\n{t}' if h else t for h, t in rows(db, 'select heading, content from store order by rowid')]
    got = vectors(db)
    assert np.allclose(np.array(list(got.values()), float), np.array(HashEncoder(enc.ndim)(texts), float), atol=2e-3)
    assert (store_info(db).encoder, store_info(db).ndim) == (enc.encoder_id, enc.ndim)
    assert not table_exists(db, 'store_reindex') and get_meta(db, 'reindex:store') is None
    i = next(i for i, t in enumerate(texts) if t.endswith('jar 3 of medlar'))
    hit, = db.t.store.vec_search(HashEncoder(enc.ndim)([texts[i]])[0], limit=1)
    assert hit['content'] == 'jar 3 of medlar'
    check_library(db)

# --- the whole way

@pytest.mark.parametrize('batch', [1, 3, 1000])
def test_all_vectors_and_nothing_else(batch):
    db, enc = old(), Slow(128)
    before = state_of(db)
    assert db.reindex(enc, batch=batch) == dict(store='store', encoder='hash-128', ndim=128, chunks=len(before), embedded=len(before))
    assert state_of(db) == before
    assert_moved(db, enc)
    assert words(db, 'medlar', limit=30)

def test_by_name_and_back(tmp_path):
    db = old(path=tmp_path/'x.db')
    first = vectors(db)
    db.reindex('hash:32')
    assert_moved(db, HashEncoder(32))
    db.reindex('hash')
    assert {k: v.tobytes() for k, v in vectors(db).items()} == {k: v.tobytes() for k, v in first.items()}
    with pytest.raises(ValueError, match='hash:<ndim>'): db.reindex('word2vec')
    with pytest.raises(ValueError, match='no store called'): db.reindex('hash', store='none')
    with pytest.raises(ValueError, match='batch'): db.reindex('hash', batch=0)

# --- nothing to do, or little

def test_the_same_encoder_again_embeds_nothing(tmp_path):
    db = old(path=tmp_path/'x.db')
    db.reindex(Slow(32))
    before = vectors(db)
    again = Slow(32)
    res = db.reindex(again)
    assert (res['embedded'], res['skipped'], again.texts) == (0, 'unchanged', [])
    assert {k: v.tobytes() for k, v in vectors(db).items()} == {k: v.tobytes() for k, v in before.items()}
    assert_moved(db, again)
    assert database(tmp_path/'x.db').reindex(Slow(32))['embedded'] == 0   # nor after it was opened anew

def test_by_force_it_embeds_all():
    db, enc = old(), Slow(256)
    assert db.reindex(Slow(256))['embedded'] == 0     # what ingest has made counts, too
    res = db.reindex(enc, force=True)
    assert res['embedded'] == len(enc.texts) == res['chunks'] and 'skipped' not in res
    assert_moved(db, enc)

def test_only_what_has_no_vector_is_embedded():
    db, enc = old(4), Slow(256)
    db.add_doc('jar 77 of medlar', 'Late')
    rows(db, 'update store set embedding = zeroblob(9) where rowid = 1')    # of another size
    res = db.reindex(enc)
    assert res['embedded'] == len(enc.texts) == 2
    assert_moved(db, enc)

def test_forced_work_does_not_begin_with_the_old_vectors():
    db = old()
    n = len(state_of(db))
    db.add_doc('jar 77 of medlar', 'Late')
    with pytest.raises(RuntimeError): db.reindex(Slow(256, 0))          # which has taken over what was right
    assert db.reindex(Slow(256), force=True)['embedded'] == n + 1
    with pytest.raises(RuntimeError): db.reindex(Slow(256, 9), force=True, batch=4)
    assert 0 < db.reindex(Slow(256), force=True)['embedded'] < n + 1    # and is itself taken up again

@pytest.mark.parametrize('how', ['ingest', 'deferred', 'reindex'])
def test_vectors_without_heading_paths_are_others(how):
    db, enc = database(), HashEncoder(64)
    if how == 'deferred':
        for title, text in notes(3): db.add_doc(text, title, defer=(later := []))
        for title, text in notes(3): db.add_doc(text, title, defer=later, force=True)
        store_chunks(db.t.store, later, emb_fn=enc, with_heading=False)
    else:
        for title, text in notes(3): db.add_doc(text, title, emb_fn=enc, with_heading=how == 'reindex')
    n = len(state_of(db))
    if how == 'reindex': assert db.reindex(enc, with_heading=False)['embedded'] == n
    assert db.reindex(enc, with_heading=False)['embedded'] == 0
    assert db.reindex(enc)['embedded'] == n
    assert db.reindex(enc)['skipped'] == 'unchanged'

def test_a_move_that_somebody_else_began_is_given_up():
    db = old()
    with pytest.raises(RuntimeError): db.reindex(Slow(64, 7), batch=2)
    assert table_exists(db, 'store_reindex')
    assert db.reindex(Slow(256))['embedded'] == 0
    assert_moved(db, HashEncoder(256))

def test_an_encoder_without_a_name_may_be_another_one():
    db = old(3)
    nameless = lambda texts: HashEncoder(64)(texts)
    n = db.reindex(nameless)['embedded']
    assert n and db.reindex(nameless)['embedded'] == n

def test_chunks_without_a_vector_get_one():
    db = library(*notes(4))
    db.add_doc('late comer of medlar', 'New', emb_fn=HashEncoder())
    db.reindex(Slow(64))
    assert_moved(db, HashEncoder(64))

def test_a_type_of_numbers_comes_along():
    db = old(4)
    wide = HashEncoder(64, np.float32)
    db.reindex(wide)
    assert store_info(db).dtype == 'float32' and len(rows(db, 'select embedding from store limit 1')[0][0]) == 256
    assert db.add_doc('more', 'More', emb_fn=wide)['chunks'] == 1
    with pytest.raises(StoreMismatch): db.add_doc('more', 'Less', emb_fn=HashEncoder(128))

def test_an_encoder_without_name_or_size():
    db = old(4)
    db.reindex(lambda texts: HashEncoder(48)(texts))
    assert (store_info(db).encoder, store_info(db).ndim) == (None, 48)
    assert db.t.store.vec_search(HashEncoder(48)(['jar 3 of medlar'])[0], limit=1)[0]['content'] == 'jar 3 of medlar'

def test_blended_neighbors_are_those_of_the_section():
    text = '# A\n\n' + 'one two three four. ' * 90 + '\n\n# B\n\n' + 'five six seven. ' * 90
    one, two = library(text, text + ' end', emb_fn=HashEncoder()), library(text, text + ' end', emb_fn=BlendEncoder(HashEncoder(64)))
    for batch in (1, 2, 5, 1000):
        one.reindex('hash:64', ctx_blend=.3, batch=batch)
        assert store_info(one).encoder == 'hash-64~0.3' and store_encoder(one).b == .3
        assert np.allclose(np.array(list(vectors(one).values()), float), np.array(list(vectors(two).values()), float), atol=2e-3)

def test_other_stores_stay():
    db = old(4)
    db.get_tree('law')
    db.add_doc('statute of medlar', 'Law', store='law', emb_fn=HashEncoder())
    before = vectors(db)
    assert db.reindex('hash:16', store='law')['chunks'] == 1
    assert {k: v.tobytes() for k, v in vectors(db).items()} == {k: v.tobytes() for k, v in before.items()}
    assert store_info(db, 'law').ndim == 16 and store_info(db).ndim == 256

def test_a_store_without_documents():
    db = database()
    db.get_store()
    rows(db, 'insert into store(content) values (?), (?), (?)', ('alder', 'birch', '  '))
    assert db.reindex('hash:64')['embedded'] == 2
    assert db.t.store.vec_search(HashEncoder(64)(['birch'])[0], limit=1)[0]['content'] == 'birch'
    assert db.reindex('hash:64', store='store')['chunks'] == 3

def test_vectors_that_no_text_can_give_anew_are_not_lost():
    db = database()
    db.get_store()
    rows(db, 'insert into store(content, embedding) values (?, ?)', (None, np.ones(4, np.float16).tobytes()))
    with pytest.raises(VectorError, match='1 rows with a vector but no text'): db.reindex('hash:64')
    assert len(vectors(db)) == 1 and not table_exists(db, 'store_reindex')

def test_a_table_of_that_name_is_not_taken():
    db = old(2)
    db.conn.execute('create table store_reindex(mine)')
    with pytest.raises(ValueError, match="'store_reindex' already"): db.reindex('hash:64')
    assert table_exists(db, 'store_reindex') and store_info(db).ndim == 256

# --- interruptions

def test_what_was_made_is_not_made_again():
    db, n = old(), len(state_of(old()))
    for most in (7, 9):
        with pytest.raises(RuntimeError, match='down'): db.reindex(made := Slow(64, most), batch=2)
        assert made.texts
        n -= len(made.texts)
        assert store_info(db).encoder == 'hash-256' and nearest(db, 'jar 3 of medlar')[0] == 'jar 3 of medlar'
    left = Slow(64)
    got = db.reindex(left, batch=2)
    assert got['embedded'] == len(left.texts) == n
    assert_moved(db, left)

def test_another_wish_begins_anew():
    db, n = old(), len(state_of(old()))
    with pytest.raises(RuntimeError): db.reindex(Slow(64, 7), batch=2)
    assert db.reindex(Slow(32))['embedded'] == n
    with pytest.raises(RuntimeError): db.reindex(Slow(64, 7), batch=2)
    assert db.reindex(Slow(64), with_heading=False)['embedded'] == n
    nameless = Slow(16, 7)
    nameless.encoder_id = None
    with pytest.raises(RuntimeError): db.reindex(nameless, batch=2)
    nameless.most = 10**9
    assert db.reindex(nameless)['embedded'] == n

def test_documents_come_and_go_meanwhile():
    "With the old encoder, which is in force until the switch."
    db, enc = old(), HashEncoder(64)
    class Busy(Slow):
        def __call__(self, texts, **kw):
            if self.texts and not words(db, 'meanwhile'):
                db.add_doc('# New\n\nbrought in meanwhile', 'New', emb_fn=HashEncoder())
                db.delete_doc(db.toc('Note 1')[0]['doc_id'])
                title, text = notes(4)[2]
                db.add_doc(text.replace('quince', 'cherry'), title, emb_fn=HashEncoder())
                with pytest.raises(StoreMismatch): db.add_doc('too early', 'Early', emb_fn=enc)
            return super().__call__(texts)
    assert db.reindex(Busy(64), batch=2)['embedded'] > len(state_of(db))    # some of it for nothing
    assert_moved(db, enc)
    assert words(db, 'cherry') and words(db, 'meanwhile')

def test_a_document_that_comes_at_the_last_moment(monkeypatch):
    db, enc, switch, calls = old(), Slow(64), module._switch, []
    def late(db, *args):
        if not calls: db.add_doc('# New\n\nat the last moment', 'New', emb_fn=HashEncoder())
        calls.append(1)
        return switch(db, *args)
    monkeypatch.setattr(module, '_switch', late)
    db.reindex(enc)
    assert len(calls) == 2
    assert_moved(db, enc)

def test_two_wishes_at_once(tmp_path):
    "The second takes over; the first stops before it mixes anything."
    a, b = old(path=tmp_path/'x.db'), database(tmp_path/'x.db')
    class Overtaken(Slow):
        def __call__(self, texts, **kw):
            if self.texts: b.reindex(Slow(32))
            return super().__call__(texts)
    with pytest.raises(StoreMismatch, match='another process'): a.reindex(Overtaken(64), batch=2)
    for db in (a, b): assert_moved(db, HashEncoder(32))

@pytest.mark.parametrize('value,why', [(np.nan, 'NaN'), (np.inf, 'infinite'), (0, 'zeros')])
def test_bad_vectors_stop_it(value, why):
    db = old()
    class Bad(Slow):
        def __call__(self, texts, **kw):
            got = super().__call__(texts)
            return got if len(self.texts) < 7 else np.full_like(got, value)
    with pytest.raises(VectorError, match=why): db.reindex(Bad(64), batch=2)
    assert store_info(db).encoder == 'hash-256' and nearest(db, 'jar 3 of medlar')[0] == 'jar 3 of medlar'
    assert db.reindex(Slow(64))['embedded'] < len(state_of(db))
    assert_moved(db, HashEncoder(64))

@pytest.mark.parametrize('fn', [lambda self, texts: HashEncoder(32)(texts), lambda self, texts: HashEncoder(64)(texts[1:])],
                         ids=['another size', 'too few'])
def test_wrong_vectors_stop_it(fn):
    db = old(3)
    wrong = type('Wrong', (HashEncoder,), dict(__call__=fn))(64)
    with pytest.raises(VectorError): db.reindex(wrong)
    assert store_info(db).encoder == 'hash-256' and nearest(db, 'jar 2 of medlar')[0] == 'jar 2 of medlar'

def test_a_switch_that_fails_is_undone(monkeypatch):
    db = old()
    def fail(*args): raise KeyboardInterrupt
    monkeypatch.setattr(module, 'note_spec', fail)
    with pytest.raises(KeyboardInterrupt): db.reindex(Slow(64))
    assert store_info(db).encoder == 'hash-256' and nearest(db, 'jar 3 of medlar')[0] == 'jar 3 of medlar'
    monkeypatch.undo()
    assert db.reindex(Slow(64))['embedded'] == 0
    assert_moved(db, HashEncoder(64))

MOVE = '''
from litesearch.encode import encoder_id, HashEncoder
class Slow(HashEncoder):
    def __call__(self, texts, **kw):
        time.sleep(float(sys.argv[3]))
        return super().__call__(texts)
db = database(sys.argv[1])
print('ready', flush=True)
db.reindex(Slow(64), batch=int(sys.argv[2]))
'''

def side_rows(db): return rows(db, 'select count(*) from store_reindex')[0][0] if table_exists(db, 'store_reindex') else 0

@pytest.mark.parametrize('batch,pause,most', [(2, .01, .3), (2, .01, .3), (1000, 0, .04), (1000, 0, .02)])
def test_kill(tmp_path, batch, pause, most):
    "At any moment the store is of the old encoder or of the new one; what was made is kept, and the next call ends the work."
    path, r, have = tmp_path/'k.db', random.Random(f'{batch} {tmp_path.name}'), 0
    db = old(30, path)
    whole, n = {k: v.tobytes() for k, v in vectors(db).items()}, len(state_of(db))
    for _ in range(3):
        proc = start(MOVE, path, batch, pause)
        assert proc.stdout.readline() == 'ready\n'
        time.sleep(r.uniform(0, most))
        proc.kill()
        proc.communicate()
        db = database(path)
        if store_info(db).encoder == 'hash-64': return assert_moved(db, HashEncoder(64))
        assert store_info(db).encoder == 'hash-256' and nearest(db, 'jar 3 of medlar')[0] == 'jar 3 of medlar'
        assert {k: v.tobytes() for k, v in vectors(db).items()} == whole
        assert side_rows(db) >= have
        have = side_rows(db)
    assert db.reindex(Slow(64))['embedded'] == n - have
    assert_moved(db, HashEncoder(64))

def test_kill_keeps_what_was_made(tmp_path):
    path = tmp_path/'k.db'
    db = old(30, path)
    proc = start(MOVE, path, 2, .01)
    while not 20 < side_rows(db): time.sleep(.01)
    proc.kill()
    proc.communicate()
    assert 20 < side_rows(db) < 90 and store_info(db, fresh=True).encoder == 'hash-256'
    have = side_rows(db)
    assert database(path).reindex(Slow(64))['embedded'] == 90 - have

# --- what is told

def test_progress(capsys):
    threads = threading.active_count()
    old(4).reindex('hash:64', progress=True)
    assert '12/12' in (err := capsys.readouterr().err) and 'chunk' in err
    assert threading.active_count() == threads    # with one more no process could be forked from here on
    old(4).reindex('hash:64')
    assert capsys.readouterr() == ('', '')

def test_command_line(tmp_path, capsys):
    from litesearch.cli import main
    path = tmp_path/'c.db'
    old(4, path).conn.close()
    assert main(['reindex', '--encoder', 'hash:64~0.3', '--json', '--lib', str(path)]) == 0
    assert json.loads(capsys.readouterr().out) == dict(store='store', encoder='hash-64~0.3', ndim=64, chunks=12, embedded=12)
    assert main(['reindex', '--lib', str(path)]) == 0
    assert capsys.readouterr().out == '12 passages, vectors of hash-64~0.3 (12 in the graph)\n'
    (tmp_path/'new.md').write_text('# New\n\nplum jam')
    assert main(['add', str(tmp_path/'new.md'), '--lib', str(path)]) == main(['search', 'plum', '--lib', str(path)]) == 0
    assert len(vectors(database(path))[13]) == 64
    assert main(['reindex', '--encoder', 'word2vec', '--lib', str(path)]) == 2
    assert main(['reindex', '--lib', str(tmp_path/'none.db')]) == 1 and not (tmp_path/'none.db').exists()

# --- nothing old is used

def test_a_document_on_its_way_with_the_old_encoder(tmp_path):
    "Its vectors are refused when the switch came between embedding and writing."
    db, other = old(4, tmp_path/'x.db'), database(tmp_path/'x.db')
    class Overtaken(HashEncoder):
        def __call__(self, texts, **kw):
            other.reindex('hash:64')
            return super().__call__(texts)
    with pytest.raises(StoreMismatch, match='hash-64'): db.add_doc('too late', 'Late', emb_fn=Overtaken())
    assert len(db.t.docs()) == 4
    assert_moved(db, HashEncoder(64))

def test_stored_vectors_by_number(tmp_path):
    db, other = old(4, tmp_path/'x.db'), database(tmp_path/'x.db')
    assert len(other.t.store.ann_vec(1)) == 256
    db.reindex(HashEncoder(64, np.float32))
    assert np.array_equal(other.t.store.ann_vec(1), db.t.store.ann_vec(1)) and other.t.store.ann_vec(1).shape == (64,)
    assert other.t.store.ann_neighbors(3, limit=2)

def test_connections_that_were_open(tmp_path):
    "Matrix, size and type of a connection that has searched before are those of the new vectors."
    db = old(path=tmp_path/'x.db')
    other = database(tmp_path/'x.db')
    assert nearest(other, 'jar 3 of medlar')[0] == 'jar 3 of medlar'
    db.reindex(HashEncoder(64, np.float32))
    q = HashEncoder(64)(['jar 5 of medlar'])[0]
    for d in (db, other):
        with pytest.raises(StoreMismatch, match="has 256 numbers, store 'store' has 64"): d.t.store.vec_search(HashEncoder()(['x'])[0])
        assert d.t.store.vec_search(q, limit=1)[0]['content'] == 'jar 5 of medlar'
        assert d.doc_search('zzz', q, limit=1)[0]['content'] == 'jar 5 of medlar'
    third = database(tmp_path/'x.db')
    assert third.t.store.vec_search(q, limit=1)[0]['content'] == 'jar 5 of medlar'

def test_the_first_question_of_an_open_connection_may_be_of_the_new_size(tmp_path):
    db, q = old(path=tmp_path/'x.db'), HashEncoder(64)(['jar 5 of medlar'])[0]
    others = [database(tmp_path/'x.db') for _ in range(2)]
    for o in others: assert nearest(o, 'jar 3 of medlar') and store_info(o).ndim == 256
    db.reindex('hash:64')
    assert others[0].t.store.vec_search(q, limit=1)[0]['content'] == 'jar 5 of medlar'
    assert others[1].t.store.ann_search(q, limit=1)[0]['content'] == 'jar 5 of medlar'

def embedded(db, text): return [f'{h}\n\n{text}' for h, in rows(db, 'select heading from store where content = ?', (text,))]

class Turned(HashEncoder):
    "Vectors of the same size, and yet others: each is that of another text."
    def __init__(self): super().__init__(256); self.encoder_id = 'turned-256'

    def __call__(self, texts, **kw): return super().__call__(texts)[:, ::-1]

@pytest.mark.parametrize('path', [None, 'x.db'], ids=['memory', 'file'])
def test_a_graph_of_old_vectors_is_not_used(tmp_path, path):
    path = tmp_path/path if path else ':memory:'
    db = library(*[(f'N{i}', f'jar {i} of medlar') for i in range(60)], path=path, emb_fn=HashEncoder())
    assert db.reindex()['graph'] == 60
    others = [database(path)] if path != ':memory:' else []
    for d in (db, *others): assert d.t.store.ann_search(HashEncoder()(['jar 7 of medlar'])[0], limit=1)[0]['content'] == 'jar 7 of medlar'
    db.reindex(Turned())
    assert path == ':memory:' or not sidecar_path(db).exists()
    q = Turned()(embedded(db, 'jar 7 of medlar'))[0]
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        for d in (db, *others):
            hit, = d.t.store.ann_search(q, limit=1)
            assert hit['content'] == 'jar 7 of medlar' and hit['_dist'] < .01
        assert db.reindex()['graph'] == 60

def test_a_graph_file_that_comes_back_is_not_used(tmp_path):
    db = library(*[(f'N{i}', f'jar {i} of medlar') for i in range(60)], path=tmp_path/'x.db', emb_fn=HashEncoder())
    db.reindex()
    saved, record = sidecar_path(db).read_bytes(), get_meta(db, 'ann:store')
    db.reindex(Turned())
    sidecar_path(db).write_bytes(saved)
    set_meta(db, 'ann:store', record)    # as an old copy of the whole would have it
    again = database(tmp_path/'x.db')
    with pytest.warns(UserWarning, match='not as recorded'):
        hit, = again.t.store.ann_search(Turned()(embedded(again, 'jar 7 of medlar'))[0], limit=1)
    assert hit['content'] == 'jar 7 of medlar' and hit['_dist'] < .01

def test_a_read_only_file_is_told(tmp_path):
    path = tmp_path/'r.db'
    db = old(4, path)
    db.conn.execute('pragma query_only=1')
    with pytest.raises(DatabaseFileError, match='r.db'): db.reindex('hash:64')
    assert nearest(db, 'jar 3 of medlar')[0] == 'jar 3 of medlar'

@pytest.mark.parametrize('finish', ['repair', 'reindex'])
def test_notes_that_were_left_behind_are_told_and_follow(tmp_path, finish):
    "As when the process is killed between the documents and the notes."
    from litesearch.library import Library
    with Library(tmp_path/'l.db', encoder='hash:64') as lib:
        lib.add({'Hive': '# Queens\n\nOne to a hive.'})
        for i in range(5): lib.note(f'Swarm {i} was caught in the old orchard.', topic='swarms')
        lib.db.reindex('hash:128', store='store')
    with Library(tmp_path/'l.db') as lib:
        told, = lib.check()['problems']
        assert told['kind'] == 'encoder' and told['where'] == 'notes' and not told['repaired']
        assert all(o in told['what'] for o in ('hash-64', 'hash-128', 'reindex')) and not lib.check()['ok']
        assert len(lib.search('swarm', topic='swarms')) == 5
        if finish == 'reindex': lib.reindex('hash:128')
        else:
            report = lib.check(repair=True)
            assert report['ok'] and [o['repaired'] for o in report['problems']] == [True]
        assert lib.check()['problems'] == [] and store_info(lib.db, 'notes', fresh=True).encoder == encoder_id(lib.encoder)
        assert {len(v) for v in vectors(lib.db, 'notes').values()} == {128} and len(vectors(lib.db, 'notes')) == 5
        lib.note('A swarm.')

def test_notes_without_vectors_are_not_left_behind(tmp_path):
    from litesearch.library import Library
    with Library(tmp_path/'l.db', encoder='hash:64') as lib:
        lib.add({'Hive': '# Queens\n\nOne to a hive.'})
        add_note(lib.db, 'Without a vector.')
        assert lib.check()['problems'] == []
