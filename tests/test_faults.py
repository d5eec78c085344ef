"Faults that were once there: each test is a small case that showed one."
import os, random, shutil, time
from pathlib import Path
import numpy as np
import pytest
import litesearch.data, litesearch.ingest
from litesearch.core import database, DatabaseFileError, rows, store_info, StoreMismatch, VectorError, write_txn
from litesearch.data import Profile, register_profile
from litesearch.encode import HashEncoder
from litesearch.outline import TreeNode
from litesearch.ingest import ingest_plans, store_chunks
from litesearch.plan import plan_doc
from support import *

# --- pages of hits
VOCABULARY = 'quince slate thatch cork alder birch vole heron jar lid pot roof story page field moss'.split()
QUERIES = ['quince', 'slate roof', 'heron on the moss of a field', 'vole birch alder cork', 'jar "pot lid"']

def add_many(db, texts): ingest_plans(db, [plan_doc(text, title) for title, text in texts.items()], emb_fn=embed)

@pytest.fixture(scope='module')
def big():
    pick = random.Random(7).choices
    text, db = lambda: ' '.join(pick(VOCABULARY, k=8)), library()
    sectioned = [''.join(f'# Part {i}\n\n{text()}\n\n{text()}\n\n' for i in range(3)) for _ in range(60)]
    texts = [*(text() for _ in range(240)), *sectioned, *['quince jar on slate']*40]
    add_many(db, {f'D{i}': t for i, t in enumerate(texts)})
    return db

def pages_join(db, q, size=10, n=3, **kw):
    "Pages put together are the long list: nothing twice, nothing lost."
    ask = lambda **page: [(h['rowid'], h['content']) for h in db.doc_search(q, vec(q), **page, **kw)]
    joined, full = sum((ask(limit=size, offset=i*size) for i in range(n)), []), ask(limit=n*size)
    assert joined == full and len(set(joined)) == len(joined) == n*size

@pytest.mark.parametrize('spans', [True, False])
@pytest.mark.parametrize('q', QUERIES)
def test_pages_of_hits_join(big, q, spans):
    pages_join(big, q, spans=spans)
    pages_join(big, q, 7, 12, spans=spans, fuse='relative')

by_length = lambda q, texts: [len(t)*7 % 13 for t in texts]
@pytest.mark.parametrize('kw', [dict(adaptive=True), dict(where='rowid%2'), dict(term_rank=True), dict(rerank=by_length),
                                dict(term_rank=True, rerank=by_length)], ids=''.join)
def test_pages_join_with_options(big, kw):
    pages_join(big, 'slate roof', n=6, spans=False, **kw)
    pages_join(big, 'slate roof', 7, 9, **kw)

def test_pages_join_when_hits_are_neighbors():
    db = library()   # a section of many small chunks fills the first ranking and becomes few spans
    db.add_doc('\n'.join('quince '*9 + str(i) for i in range(60)), title='Long', chunker=str.splitlines, emb_fn=embed)
    add_many(db, {f'D{i}': f'a quince in a jar, numbered {i}' for i in range(60)})
    pages_join(db, 'quince', 5)

@pytest.mark.parametrize('q,kw', [*((q, {}) for q in QUERIES), (QUERIES[1], dict(term_rank=True)),
                                  (QUERIES[1], dict(reranking=by_length))], ids=''.join)
def test_pages_of_search_do_not_repeat(big, q, kw):
    ids = [h['rowid'] for i in range(8) for h in big.search(q, vec(q), limit=10, offset=10*i, **kw)]
    assert len(ids) == len(set(ids)) == 80

# --- another connection writes between the statements of a call
VERSIONS = [f'# A\n\n{a*9}\n\n# B\n\nquince {b}\n\n## C\n\nquince cork {b}\n' for a, b in ['ox', ('new words ', 'yes')]]

def interrupted(tmp_path, call, change):
    "What a call returns when `change` runs on another connection before its first, second … statement."
    db, other = (database(tmp_path/'x.db') for _ in range(2))
    for n in range(1, 20):
        did, said = other.add_doc(VERSIONS[0], title='T', emb_fn=embed, force=True)['doc_id'], []
        call(db, did)
        def trace(cursor, sql, args):
            said.append(sql)
            if len(said) == n: change(other, did)
            return True
        db.conn.exec_trace = trace
        yield call(db, did)
        db.conn.exec_trace = None
        if len(said) < n: return
CHANGES = dict(replaced=lambda db, did: db.add_doc(VERSIONS[1], title='T', emb_fn=embed),
               deleted=lambda db, did: db.delete_doc(did))
CALLS = dict(read=lambda db, did: [db.read(f'{did}#2')], toc=lambda db, did: db.toc(),
             context=lambda db, did: db.context('quince', vec('quince'))['results'])

@pytest.mark.parametrize('change', CHANGES)
@pytest.mark.parametrize('call', CALLS)
def test_a_call_meets_a_writer(tmp_path, call, change):
    versions = [library(('T', v)) for v in VERSIONS]
    allowed = {text_of(db, n['id']) for db in versions for n in sections_of(db)}
    found = list(interrupted(tmp_path, CALLS[call], CHANGES[change]))
    assert len(found) > 1 and found[-1] and all(r['tree'] for rs in found for r in rs if call == 'toc')
    assert call == 'toc' or {r['text'] for rs in found for r in rs if r} <= allowed

# --- folders and files
def test_profiles_of_the_moment_are_used_with_workers(tmp_path, monkeypatch):
    monkeypatch.setattr(litesearch.profile, '_profiles', {})
    d = write_files(tmp_path/'in', {f'{i}.xml': f'<p>quince {i}</p>' for i in range(5)})
    register_profile(Profile('shout', '.xml', parse=lambda path: Path(path).read_text().upper()))
    both = library(), library()
    for db, n in zip(both, (0, 2)): db.add_dir(d, n_workers=n)
    assert pages_of(both[0]) == pages_of(both[1]) and '<P>QUINCE 0</P>' in str(pages_of(both[1]))

def test_sync_keeps_what_can_not_be_reached(tmp_path, monkeypatch):
    db, d = database(), write_files(tmp_path/'in', {'a.md': 'a', 'gone.md': 'b', 'shut/c.md': 'c', 'was/d.md': 'd'})
    db.add_dir(d)
    for name in ('shut', 'was'): shutil.rmtree(d/name)
    (d/'gone.md').unlink()
    really, shut = os.stat, str((d/'shut').resolve())
    def stat(path, *args, **kw):
        if str(path).startswith(shut): raise PermissionError(13, 'no', path)
        return really(path, *args, **kw)
    monkeypatch.setattr(os, 'stat', stat)
    removed = [r['title'] for r in db.add_dir(d, sync=True) if 'removed' in r]
    monkeypatch.undo()
    assert sorted(removed) == ['d', 'gone'] and sorted(t['title'] for t in db.toc()) == ['a', 'c']

def test_a_misspelled_option(tmp_path):
    db, d = database(), write_files(tmp_path/'in', {'a.md': 'a'})
    with pytest.raises(TypeError, match='sumarize'): db.add_dir(d, sumarize=len)
    assert db.toc() == []

def test_one_path_is_a_list_of_one(tmp_path):
    db, d = database(), write_files(tmp_path, {'a.md': 'quince', 'b.md': 'slate'})
    for path in (str(d/'a.md'), d/'b.md'): assert [r['chunks'] for r in db.add_dir(files=path)] == [1]

FIFO = '''
import signal
db, d, _ = database(), sys.argv[1], signal.alarm(8)    # whoever waits for the pipe dies of this
print(json.dumps([r.get('error') for r in [*db.add_dir(d), *db.add_dir(files=[d + '/pipe.md'])]]))
'''
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(write_files(tmp_path/'in', {'a.md': 'quince'})/'pipe.md')
    errors = json.loads(run(FIFO, tmp_path/'in'))
    assert errors[0] is None and 'pipe.md' in errors[-1]

# --- encoders
class Enc:
    encoder_id, ndim = 'odd', 256
    def __init__(self, fn=embed, **kw): self.fn, _ = fn, self.__dict__.update(kw)
    def __call__(self, texts): return self.fn(texts)
class Other:
    def encode(self, texts): return embed(texts)
def fail(texts): raise RuntimeError('no network')
@pytest.mark.parametrize('enc,error', [(Enc(fail, ndim=512, dtype='float32'), RuntimeError),
    (Enc(lambda ts: np.zeros((len(ts), 256))), VectorError), (Enc(lambda ts: embed(ts)[:0]), VectorError)])
@pytest.mark.parametrize('way', ['add', 'defer'])
def test_a_failing_encoder_leaves_no_mark(enc, error, way):
    db, q = library(), []
    if way == 'defer': db.add_doc('quince', title='T', defer=q)
    with pytest.raises(error):
        store_chunks(db.get_tree().store, q, enc) if q else db.add_doc('quince', title='T', emb_fn=enc)
    info = store_info(db, 'store', fresh=True)
    assert (info.encoder, info.ndim, info.dtype) == (None, None, 'float16')
    assert db.add_doc('quince', title='T', emb_fn=HashEncoder(64))['chunks'] == 1

def test_the_vectors_tell_their_length():
    db, enc = library(), Enc(ndim=512)
    for i in range(2): db.add_doc(f'quince {i}', title=f'T{i}', emb_fn=enc)
    assert store_info(db, 'store', fresh=True).ndim == 256 and len(nearest(db, 'quince 1')) == 2

as_bytes, one = lambda ts: [v.tobytes() for v in embed(ts)], lambda vecs: vecs[0] if len(vecs) == 1 else vecs
SHAPES = dict(bytes=as_bytes, one=lambda ts: one(embed(ts)), one_list=lambda ts: one(embed(ts).tolist()),
    lists=lambda ts: embed(ts).tolist(), iterator=lambda ts: iter(embed(ts)),
    float64=lambda ts: embed(ts).astype('float64'),
    declared=Enc(lambda ts: embed(ts).astype('float64'), dtype=np.float64), method=Other(),
    one_bytes=lambda ts: one(as_bytes(ts)))
@pytest.mark.parametrize('name', SHAPES)
def test_shapes_of_vectors(name):
    texts = [('One', 'slate roof'), ('Two', '# A\n\nquince\n\n# B\n\ncork')]
    db, whole = library(*texts, emb_fn=SHAPES[name]), library(*texts, emb_fn=embed)
    vectors = lambda db, dtype: [np.frombuffer(c['embedding'], dtype).tolist() for c in chunks_of(db)]
    assert vectors(db, store_info(db).dtype) == vectors(whole, 'float16')

@pytest.mark.parametrize('dtype', ['int8', 'flaot16', 'object', 'complex64'])
def test_what_is_no_vector(dtype):
    db = library()
    with pytest.raises(VectorError, match='None'): db.add_doc('q', title='T', emb_fn=lambda texts: None)
    with pytest.raises((ValueError, TypeError), match=dtype): db.add_doc('q', title='T', emb_fn=Enc(dtype=dtype))
    with pytest.raises((ValueError, TypeError), match=dtype): database().get_store(dtype=dtype)
    assert db.toc() == [] and store_info(db, fresh=True).dtype == 'float16'

# --- chunks stored later
def test_a_deferred_file_is_not_done(tmp_path):
    db, path = library(), write_files(tmp_path, {'a.md': 'quince'})/'a.md'
    db.add_file(path, defer=[])
    assert 'skipped' not in db.add_file(path) and found(db, 'quince') == ['quince']

@pytest.mark.parametrize('gone', [False, True])
def test_deferred_twice_or_deleted(gone):
    db, q = library(), []
    for _ in range(2): did = db.add_doc('# A\n\nquince\n\n# B\n\ncork', title='T', defer=q)['doc_id']
    if gone: db.delete_doc(did)
    assert store_chunks(db.get_tree().store, q, embed) == len(chunks_of(db)) == (0 if gone else 2)
    check_library(db)

# --- what happens after, or inside, a transaction
def test_a_load_that_can_not_be_tidied(tmp_path, monkeypatch):
    def full(*args): raise DatabaseFileError('the disk is full')
    db = library()
    monkeypatch.setattr(litesearch.ingest, 'tidy_fts', full)
    with pytest.warns(UserWarning, match='stored.*the disk is full'):
        assert db.add_doc('quince', title='T', emb_fn=embed)['chunks'] == 1
    with pytest.warns(UserWarning): db.add_dir(write_files(tmp_path, {'a.md': 'cork'}))
    assert [len(found(db, q)) for q in ('quince', 'cork', 'pear')] == [1, 1, 0]

@pytest.mark.parametrize('late', [False, True], ids=['before writing', 'while writing'])
def test_a_failure_that_is_caught_inside_a_transaction(late):
    db = library(('Kept', 'cork'))
    before = [rows(db, f'select * from {t}') for t in ('docs', 'pages', 'nodes', 'store')]
    if late: db.conn.execute("create temp trigger no before insert on main.store begin select raise(abort, 'no'); end")
    build = None if late else lambda pages, title: [TreeNode(0, title, 0), TreeNode(1, None, 1, 0)]
    with write_txn(db):
        try: db.add_doc('quince', title='T', build=build)
        except Exception as e: error = e
    assert error and [rows(db, f'select * from {t}') for t in ('docs', 'pages', 'nodes', 'store')] == before
    check_library(db)

def test_a_transaction_inside_another_is_undone_alone():
    db = library(('One', 'cork'))
    with write_txn(db):
        db.add_doc('quince', title='Two')
        with pytest.raises(KeyError), write_txn(db):
            with write_txn(db): db.add_doc('moss', title='Four')
            raise KeyError
    assert [d['title'] for d in db.toc()] == ['One', 'Two']
    check_library(db)

# --- trees that were built elsewhere
PAGE, root = 'Alpha one. Beta two!', lambda **kw: TreeNode(**{**dict(seq=0, title='T', level=0), **kw})
def node(seq=1, title='A', parent=0, segments=((0, 'Alpha one.'),), **kw):
    return TreeNode(seq, title, 1, parent, segments=list(segments), **kw)

@pytest.mark.parametrize('tree,named', [
    ([root(), node(parent=-1)], 'node 1'), ([root(), node(parent=2), node(2, segments=())], 'node 1'),
    ([root(), node(parent=None)], 'node 1'), ([root(), node(parent=1)], 'node 1'), ([root(), node(seq=2)], 'node 1'),
    ([root(), node(2), node(1)], 'node 1'), ([root(), node(seq=0)], 'node 1'), ([root(), node(title=None)], 'node 1'),
    ([root(), node(page_start=7)], 'node 1'), ([root(), node(segments=[(7, 'Alpha')])], 'node 1'),
    ([root(), node(segments=[(0, 'nowhere')])], "'A'"), ([root(), node(offsets=[3])], 'node 1'),
    ([root(parent=0)], 'root'), ([], 'root'),
    ([root(), node(segments=[(0, 'Beta two')], offsets=[-9])], 'node 1')])
def test_odd_trees(tree, named):
    db = library()
    with pytest.raises(ValueError, match=named): db.add_doc(PAGE, title='T', build=lambda pages, title: tree)
    assert all(not rows(db, f'select 1 from {t}') for t in ('docs', 'pages', 'nodes', 'store'))

@pytest.mark.parametrize('offsets', [[], [11]])
def test_a_tree_may_come_from_a_generator(offsets):
    db, tree = library(), [root(), node(), node(2, 'B', segments=[(0, 'Beta two!')], offsets=offsets)]
    db.add_doc(PAGE, title='T', build=lambda pages, title: (n for n in tree))
    assert text_of(db, section(db, 'B')['id']) == 'Beta two!'
    check_library(db)

def test_a_summary_that_is_no_text():
    db = library()
    with pytest.raises(TypeError, match='dict'): db.add_doc('# A\n\nquince', title='T', summarize=lambda t: dict(a=1))
    assert db.toc() == [] and not rows(db, 'select 1 from store')

# --- numbers
@pytest.fixture(scope='module')
def graphed():
    db = library(*(f'# A\n\n{a} on a field\n\n# B\n\n{a} roof' for a in VOCABULARY*4), emb_fn=embed)
    db.get_store().rebuild_index()
    return db

KINDS = [{}, dict(where='length(content)>?', where_args=[9]), dict(q='"slate roof" jar'), dict(q='zyzzyva'),
         dict(q='quince zyzzyva'), dict(term_rank=True), dict(ann=True)]
@pytest.mark.parametrize('call,kw', [(c, kw)
                                     for c in ('context', 'sections', 'doc_search') for kw in KINDS], ids=str)
def test_statements(graphed, call, kw):
    kw, said = {'q': 'slate roof on a field', **kw}, []
    ask = lambda: getattr(graphed, call)(emb=vec(kw['q']), **kw)
    ask()
    graphed.conn.exec_trace = lambda cursor, sql, args: said.append(sql) or True
    ask()
    graphed.conn.exec_trace = None
    assert 0 < len(said) <= 8

def test_pages_are_counted():
    db = library(('T', [(1, 'one'), (2, 'two'), (3, 'three')]))
    assert db.toc()[0]['pages'] == rows(db, 'select pages from docs')[0][0] == 3

@pytest.mark.parametrize('call,kw', [(c, kw) for c in ('doc_search', 'search', 'sections')
                                     for kw in (dict(limit=-1), dict(limit=None), dict(rrf_k=0), dict(weights=(1,)))]
    + [('context', kw) for kw in (dict(sections=-1), dict(rrf_k=0), dict(weights=(1,)), dict(related=-1))]
    + [('read', dict(max_chars=-5))], ids=str)
def test_numbers_that_mean_nothing(big, call, kw):
    args = [big.toc('D1')[0]['tree']['id']] if call == 'read' else ['quince', vec('quince')]
    with pytest.raises(ValueError): getattr(big, call)(*args, **kw)

def test_one_of_many_siblings():
    db, n, fetched = library(('T', '# S\n\ntext')), 20_000, []
    rows(db, '''with recursive i(k) as (values(2) union all select k + 1 from i where k<=?) insert into nodes
        (id, doc_id, parent_id, level, seq, last, title) select doc_id||'#'||k, doc_id, parent_id, 1, k, k, 'S'||k
        from i, nodes where seq=1''', (n,))
    did, start = db.toc(max_depth=0)[0]['doc_id'], time.thread_time()
    db.conn.row_trace = lambda cursor, row: fetched.append(row) or row
    found = db.node_context(f'{did}#{n//2}')
    assert len(found['siblings']) == 8 and found['parent']['title'] == 'T' and len(fetched) < 50
    assert time.thread_time() - start < 2

# --- what is given to add_doc

@pytest.mark.parametrize('pages', [['page one', 'page two'], ['ab', 'cd'], {1: 'text'}, None, b'text', [('iv', 'text')], [(1, 'a', 'b')],
                                   [dict(page=1, text='a')], [(1, 5)], [(2**70, 'text')], [1, 2]])
def test_what_is_no_page_is_named(pages):
    db = library(('Kept', 'quince'))
    with pytest.raises(ValueError, match=r'\(number, text\) pairs'): db.add_doc(pages, 'X')
    assert [d['title'] for d in db.toc()] == ['Kept']

def test_pages_as_people_have_them():
    db = database()
    for i, pages in enumerate([((n, f'page {n}') for n in (1, 2)), [['1', 'page 1'], (2.0, 'page 2')], [(1, 'page 1'), (np.int64(2), 'page 2')]]):
        did = db.add_doc(pages, f'Doc {i}')['doc_id']
        assert db.read(did, pages='2')['text'] == 'page 2'

def test_a_source_may_be_a_path():
    db = database()
    db.add_doc('quince', 'X', source=Path('shelf')/'x.md')
    assert db.toc()[0]['source'] == os.path.join('shelf', 'x.md')
    with pytest.raises(TypeError, match='source of a document must be text, not int'): db.add_doc('quince', 'X', source=5)

@pytest.mark.parametrize('meta, error', [(dict(a=float('nan')), ValueError), (dict(a={1, 2}), ValueError), (dict(a=object()), ValueError),
                                         (['a'], TypeError), ('a=1', TypeError)])
def test_facts_that_can_not_be_stored_are_refused(tmp_path, meta, error):
    write_files(tmp_path, {'a.md': '# Pots\n\nquince'})
    db = database()
    for add in (lambda: db.add_doc('quince', 'X', meta=meta), lambda: db.add_file(tmp_path/'a.md', meta=meta),
                lambda: db.add_dir(tmp_path, meta=meta)):
        with pytest.raises(error, match='meta'): add()
    assert db.toc() == []

def test_half_an_emoji_in_the_facts():
    db = database()
    db.add_doc('quince', 'X', meta=dict(mood='good \ud83d'))
    assert rows(db, "select json_extract(meta, '$.mood') from docs") == [('good \ufffd',)]
    assert db.add_doc('quince', 'X', meta=dict(mood='good \ud83d'))['skipped']

# --- adding again what is there

def test_another_encoder_is_refused_even_if_nothing_is_new(tmp_path):
    write_files(tmp_path/'in', {'a.md': '# Pots\n\nquince'})
    db, other = database(), HashEncoder(32)
    adds = (lambda enc, **kw: db.add_doc('quince', 'X', emb_fn=enc, **kw), lambda enc, **kw: db.add_file(tmp_path/'in'/'a.md', emb_fn=enc, **kw),
            lambda enc, **kw: db.add_dir(tmp_path/'in', emb_fn=enc, **kw))
    for add in adds: add(HashEncoder(64))
    for add in adds:
        with pytest.raises(StoreMismatch, match="'hash-64', but 'hash-32'"): add(other)
        with pytest.raises(StoreMismatch, match='hash-64~0.3'): add(HashEncoder(64), ctx_blend=.3)
        add(HashEncoder(64))
        add(None)

def test_a_new_kind_is_recorded_and_nothing_embedded(tmp_path):
    write_files(tmp_path, {'a.md': '# Pots\n\nquince'})
    db, enc = database(), Counting(embed)
    for add, kinds in ((lambda **kw: db.add_doc('quince', 'X', emb_fn=enc, **kw), ['text', 'letter', 'letter']),
                       (lambda **kw: db.add_file(tmp_path/'a.md', emb_fn=enc, **kw), ['md', 'letter', 'letter'])):
        assert add()['kind'] == kinds[0]
        n = len(enc.texts)
        assert add(kind='letter')['kept'] == 1 and add(kind='letter')['skipped']
        assert len(enc.texts) == n
    assert [d['kind'] for d in db.toc()] == ['letter']*2
    assert db.add_file(tmp_path/'a.md', emb_fn=enc)['skipped'] and db.add_dir(tmp_path, emb_fn=enc)[0]['skipped']
