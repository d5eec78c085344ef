"What must hold of a library whatever the documents are and whatever has happened to them."
import json, os
from contextlib import contextmanager
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from litesearch.core import clean_text, database, rows, StoreMismatch
from litesearch.outline import heading_path, build_tree
from support import *

TIMES = int(os.environ.get('EXAMPLES', 1))    # EXAMPLES=20 looks further, and each time elsewhere

def examples(n, **kw):
    return settings(max_examples=n*TIMES, deadline=None, derandomize=TIMES == 1,
                    suppress_health_check=list(HealthCheck), **kw)


# --- documents

WORDS = '''plum quince medlar sorb damson bullace é straße Ελαία слива 梨の実 배나무 ลูกแพร์ مشمش v2.4 snake_case C++
    e\u0301 in\u00advisible 😀 co\u2060op don't "quoted" #tag \\# ``` ~~~ <!-- --> --- === *** | > - 1. [x](y) &amp; <b>'''.split()
BREAKS = ['\n', '\n\n', '\n\n\n', '\r\n', '\r', '\n\t\n', '\u2028', '\x0b', '\x1c', '  \n', '\n    ']

word = st.sampled_from(WORDS)
sentence = st.lists(word, min_size=1, max_size=12).map(' '.join)
paragraph = st.lists(sentence, min_size=1, max_size=4).map('. '.join)
atx = st.builds(lambda n, s, t, end: f"{' '*s}{'#'*n} {t}{end}", st.integers(1, 6), st.integers(0, 4), sentence,
                st.sampled_from(['', ' #', ' ##  ', ' {#id}']))
setext = st.builds(lambda t, c, n: f'{t}\n{c*n}', sentence, st.sampled_from('=-'), st.integers(1, 9))
fence = st.builds(lambda mark, info, body, close: f'{mark}{info}\n{body}\n{close}', st.sampled_from(['```', '````',
                                                                                                     '~~~']),
                  st.sampled_from(['', 'py', ' a b']), st.lists(st.one_of(atx, sentence), max_size=3).map('\n'.join),
                  st.sampled_from(['```', '````', '~~~', '']))
quoted = st.lists(st.one_of(atx, sentence), min_size=1, max_size=3).map(lambda ls: '\n'.join('> ' + l for l in ls))
listed = st.lists(st.one_of(atx, sentence), min_size=1, max_size=3).map(lambda ls: '\n'.join('- ' + l for l in ls))
chapter = st.builds(lambda w, i, t: f'{w} {i} {t}'.strip(), st.sampled_from(['Chapter', 'CHAPTER', 'Article', 'PART',
                                                                             'Book']),
                    st.sampled_from(['1', '2', '3', 'I', 'II', 'III', '4a']), st.one_of(st.just(''), sentence))
odd = st.sampled_from(['', ' ', '\t', '\x00', '\ud800', '\ufeff', 'x'*1300, 'ä€'*400, '漢字'*300, 'line\n'*150,
                       '---\ntitle: t\n# no\n---', '<!--\n# no\n-->'])
block = st.one_of(paragraph, atx, atx, setext, fence, quoted, listed, chapter, odd)
page = st.builds(lambda bs, seps: ''.join(x for pair in zip(bs, seps) for x in pair),
                 st.lists(block, max_size=9), st.lists(st.sampled_from(BREAKS), min_size=9, max_size=9))
pages = st.one_of(page, st.builds(lambda texts, first, step: [(first + i*step, t) for i, t in enumerate(texts)],
                                  st.lists(page, min_size=1, max_size=5), st.integers(0, 3), st.integers(1, 3)))

def clean(doc):
    "Pages as they are stored."
    return {0: clean_text(doc)} if isinstance(doc, str) else {n: clean_text(t) for n, t in doc}


# --- one document

@examples(150)
@given(pages, st.booleans(), st.sampled_from([None, 'markdown', 'chapter', 'window']))
def test_a_document_is_stored_exactly(doc, vectors, mode):
    db = library()
    did = db.add_doc(doc, title='Fruit', emb_fn=embed if vectors else None, mode=mode)['doc_id']
    assert pages_of(db)[did] == clean(doc)
    assert whole(db, did) == '\n\n'.join(clean(doc).values())
    check_library(db)

@examples(80)
@given(pages)
def test_every_section_reads_as_its_slice(doc):
    "From its own text to the end of the last section inside, whatever headings stand between."
    db = library()
    did = db.add_doc(doc, title='Fruit')['doc_id']
    text = pages_of(db)[did]
    sql = '''select n.id, n.page_start, n.start, l.page_end, l."end", n.page_end, n."end" from nodes n
        join nodes l on l.doc_id=n.doc_id and l.seq=n.last where n.seq>0'''
    for nid, first, start, last, end, own_last, own_end in rows(db, sql):
        assert text_of(db, nid).strip() == slice_of(text, first, start, last, end).strip()
        assert text_of(db, nid, children=False).strip() == slice_of(text, first, start, own_last, own_end).strip()
        assert db.read(nid, max_chars=7)['text'] == text_of(db, nid)[:7]

@examples(80)
@given(pages)
def test_every_word_is_in_a_chunk_or_a_title_line(doc):
    "What is in no chunk is the line of a heading that has text or sections of its own."
    db = library()
    did = db.add_doc(doc, title='Fruit')['doc_id']
    held = {n: bytearray(len(t)) for n, t in pages_of(db)[did].items()}
    for c in chunks_of(db):
        for n in [n for n in held if c['page'] <= n <= c['page_end']]:
            lo, hi = (c['start'] if n == c['page'] else 0), (c['end'] if n == c['page_end'] else len(held[n]))
            assert not any(held[n][lo:hi]), 'text in two chunks'
            held[n][lo:hi] = b'\1'*(hi - lo)
    titles = squeezed(''.join(t for t, in rows(db, 'select title from nodes')))
    for n, text in pages_of(db)[did].items():
        free = ''.join(c for c, h in zip(text, held[n]) if not h)
        left = [c for c in free if c.isalnum() and c not in titles]
        assert not left or set(left) <= set('idxyb'), f'lost: {free!r}'    # but for {#id}, link and tag

@examples(80)
@given(pages)
def test_the_outline_is_a_tree_in_reading_order(doc):
    db = library()
    did = db.add_doc(doc, title='Fruit')['doc_id']
    found = rows(db, 'select seq, last, level, parent_id, id, page_start, start from nodes where doc_id=? order by seq',
                 (did,))
    assert [r[0] for r in found] == list(range(len(found)))
    at, order = {r[4]: r for r in found}, list(pages_of(db)[did])
    places = [(order.index(r[5]), r[6]) for r in found]
    assert places == sorted(places)
    for seq, last, level, parent, *_ in found:
        inside = [r[0] for r in found if r[0] > seq and r[0] <= last]
        assert all(at[r[3]][0] >= seq for r in found if r[0] in inside)
        if parent: assert at[parent][0] < seq <= at[parent][1] and at[parent][2] < level
    assert [n['id'] for n in flat(db.toc(did, max_depth=99)[0]['tree'])] == [r[4] for r in found]

@examples(60)
@given(pages)
def test_paths_are_the_same_everywhere(doc):
    "In the chunks, in breadcrumbs, in hits."
    db = library()
    db.add_doc(doc, title='Fruit')
    for c in chunks_of(db): assert c['heading'] == db.breadcrumb(c['node_id']) == db.read(c['node_id'])['breadcrumb']
    for h in words(db, 'plum quince'): assert h['breadcrumb'] == db.breadcrumb(h['node_id'])


# --- a document that is edited

body = st.lists(st.sampled_from('apple pear fig date lime kiwi'.split()), min_size=3, max_size=150).map(' '.join)
level = st.integers(1, 3)
parts = st.lists(st.tuples(level, body), min_size=2, max_size=7)

def text_from(secs): return 'Preface.\n\n' + '\n\n'.join(f'{"#"*n} Part {k}\n\n{b}' for n, k, b in secs)

def state_of(db):
    "(path, own text) → node id, rowids and vectors of its chunks."
    out = {}
    for nid, in rows(db, 'select id from nodes'):
        r = db.read(nid, max_chars=WHOLE, children=False)
        chunks = rows(db, 'select rowid, embedding from store where node_id=? order by ord', (nid,))
        out[r['breadcrumb'], r['text'].strip()] = (nid, chunks)
    return out

@examples(60)
@given(parts, st.data())
def test_an_edit_touches_only_what_changed(secs, data):
    secs = [(n, i, b) for i, (n, b) in enumerate(secs)]
    db, enc = library(), Counting()
    db.add_doc(text_from(secs), title='T', emb_fn=enc)
    before, top = state_of(db), rows(db, 'select max(rowid) from store')[0][0]
    how, i, new = data.draw(st.sampled_from(['change', 'append', 'insert', 'drop', 'turn',
                                             'rename'])), data.draw(st.integers(0, len(secs) - 1)), list(secs)
    if how == 'change': new[i] = (*secs[i][:2], secs[i][2] + ' and more')
    if how == 'append': new.append((1, 99, 'an appendix'))
    if how == 'insert': new.insert(i, (3, 99, 'an inset'))
    if how == 'drop': new.pop(i)
    if how == 'turn': new.reverse()
    if how == 'rename': new[i] = (secs[i][0], 99, secs[i][2])
    enc.texts.clear()
    db.add_doc(text_from(new), title='T', emb_fn=enc)
    after = state_of(db)
    for key in before.keys() & after.keys(): assert before[key] == after[key]
    fresh = [r for key, (_, chunks) in after.items() if key not in before for r, _ in chunks]
    assert len(enc.texts) == len(fresh) and all(r > top for r in fresh)
    gone = {nid for key, (nid, _) in before.items() if key not in after} - {nid for nid, _ in after.values()}
    assert not [g for g in gone if db.read(g)]
    if how in ('change', 'append') and len(secs) > 1: assert len(after.keys() & before.keys()) >= len(secs) - 1
    check_library(db)

@examples(40)
@given(pages, st.booleans())
def test_adding_the_same_again_writes_nothing(doc, vectors):
    db, enc = library(), Counting()
    first = db.add_doc(doc, title='T', emb_fn=enc if vectors else None)
    changes, texts = db.conn.total_changes(), len(enc.texts)
    again = db.add_doc(doc, title='T', emb_fn=enc if vectors else None)
    assert again['skipped'] and again['doc_id'] == first['doc_id']
    assert db.conn.total_changes() == changes and len(enc.texts) == texts

def test_unchanged_files_are_not_written_nor_parsed_again(tmp_path, monkeypatch):
    import litesearch.files as files
    write_files(tmp_path, {f'{i}.md': f'# T{i}\n\ntext {i}' for i in range(5)})
    db = library()
    db.add_dir(tmp_path, emb_fn=embed)
    changes = db.conn.total_changes()
    monkeypatch.setattr(files, 'read_file', lambda *a, **k: pytest.fail('parsed again'))
    assert all(r['skipped'] for r in db.add_dir(tmp_path, emb_fn=Counting(lambda ts: pytest.fail('embedded again'))))
    assert db.conn.total_changes() == changes


# --- any history

class History(RuleBasedStateMachine):
    "Documents are added, edited, deleted and added again; the file is compacted; each step leaves everything right."

    @initialize(vectors=st.booleans(), disk=st.booleans())
    def begin(self, vectors, disk):
        self.db, self.enc = library(), embed if vectors else None
        self.docs, self.seen, self.rows = {}, 0, {}

    def add(self, title, doc):
        self.db.add_doc(doc, title=title, emb_fn=self.enc)
        self.docs[title] = clean(doc)

    @rule(title=st.sampled_from('ABC'), doc=pages)
    def add_or_edit(self, title, doc): self.add(title, doc)

    @rule(title=st.sampled_from('ABC'), more=block)
    def lengthen(self, title, more):
        if title in self.docs: self.add(title, [(n, t + '\n\n' + more if n == max(self.docs[title]) else t) for n,
                                                t in self.docs[title].items()])

    @rule(title=st.sampled_from('ABC'))
    def again(self, title):
        if title not in self.docs: return
        before = self.db.conn.total_changes()
        self.db.add_doc(list(self.docs[title].items()), title=title, emb_fn=self.enc)
        assert self.db.conn.total_changes() == before

    @rule(title=st.sampled_from('ABC'))
    def delete(self, title):
        for d in self.db.toc(title): self.db.delete_doc(d['doc_id'])
        self.docs.pop(title, None)

    @rule()
    def vacuum(self): self.db.conn.execute('vacuum')

    @rule(title=st.sampled_from('ABC'), doc=pages)
    def fail(self, title, doc):
        "An encoder that breaks down changes nothing."
        def broken(texts): raise RuntimeError
        before = list(self.db.conn.execute('select * from store'))
        try: self.db.add_doc(doc, title=title, emb_fn=broken)
        except RuntimeError: assert list(self.db.conn.execute('select * from store')) == before
        else: self.docs[title] = clean(doc)    # there was nothing new to embed

    @invariant()
    def all_is_well(self):
        if not hasattr(self, 'db'): return
        check_library(self.db)
        stored = {t: pages_of(self.db)[d] for d, t in rows(self.db, 'select id, title from docs')}
        assert stored == self.docs
        now = {c['rowid']: (c['content'], c['embedding']) for c in chunks_of(self.db)}
        new = now.keys() - self.rows.keys()
        assert all(r > self.seen for r in new), 'a rowid was used again'
        assert all(self.rows[r] == now[r] for r in now.keys() & self.rows.keys()), 'a row changed'
        self.seen, self.rows = max([self.seen, *now]), now
        if self.enc and now:
            assert all(e for _, e in now.values())
            found = self.db.t.store.vec_search(vec('plum'), columns=['rowid'], limit=None)
            assert {h['rowid'] for h in found} == now.keys()

TestHistory = History.TestCase
TestHistory.settings = examples(25, stateful_step_count=8)

def test_rowids_are_not_reused_after_the_last_one_was_deleted():
    db = library(('A', 'one'), ('B', 'two'), emb_fn=embed)
    last = max(c['rowid'] for c in chunks_of(db))
    db.delete_doc(db.toc('B')[0]['doc_id'])
    db.conn.execute('vacuum')
    db.add_doc('three', title='C', emb_fn=embed)
    assert max(c['rowid'] for c in chunks_of(db)) > last
    assert nearest(db, 'three')[0] == 'three' and found(db, 'three') == ['three'] and found(db, 'two') == []


# --- what a store is made of

class Named(Counting):
    "An encoder with an identity."
    def __init__(self, name, ndim=256, dtype=np.float16):
        super().__init__(lambda ts: hash_embed(list(ts), ndim).astype(dtype))
        self.encoder_id, self.ndim, self.dtype = name, ndim, np.dtype(dtype)

MISFITS = {'other size': lambda db: db.add_doc('new', title='B', emb_fn=Named(None, 128)),
           'other size, anonymous': lambda db: db.add_doc('new', title='B', emb_fn=lambda ts: hash_embed(ts, 128)),
           'other encoder': lambda db: db.add_doc('new', title='B', emb_fn=Named('other')),
           'other type': lambda db: db.get_store('store', dtype=np.float32),
           'other dimension': lambda db: db.get_store('store', ndim=128),
           'other metric': lambda db: db.get_store('store', metric='ip'),
           'other tokenizer': lambda db: db.get_store('store', tokenize='trigram'),
           'a new column beside': lambda db: db.get_store('store', ndim=128, shelf=str),
           'a query of another size': lambda db: db.doc_search('old', hash_embed(['old'], 128)[0].tobytes()),
           'in an edit': lambda db: db.add_doc('edited', title='A', emb_fn=Named('one', 128)),
           'in add_dir': lambda db: db.add_dir(files=[HERE/'data'/'grahas.md'], emb_fn=Named('other'))}

@pytest.mark.parametrize('attempt', MISFITS.values(), ids=MISFITS)
def test_a_mismatch_raises_before_anything_is_written(attempt):
    db = library(('A', 'old text'), emb_fn=Named('one'))
    dump = lambda: (db.conn.total_changes(), list(db.conn.execute('select sql from sqlite_master')),
                    rows(db, 'select * from meta'), chunks_of(db))
    before = dump()
    with pytest.raises(StoreMismatch): attempt(db)
    assert dump() == before
    assert [d['title'] for d in db.toc()] == ['A'] and nearest(db, 'old text') == ['old text']

def test_a_record_outlives_the_connection(tmp_path):
    library(('A', 'old text'), path=tmp_path/'r.db', emb_fn=Named('one')).conn.close()
    db = database(tmp_path/'r.db')
    with pytest.raises(StoreMismatch, match='(?s)one.*two'): db.add_doc('new', title='B', emb_fn=Named('two'))
    assert db.add_doc('new', title='B', emb_fn=Named('one'))['chunks'] == 1

@pytest.mark.parametrize('dtype', [np.float32, np.float64])
def test_a_query_of_another_type_is_understood(dtype):
    "A float32 vector for a float16 store finds the same."
    db = library(('A', 'plum'), ('B', 'quince'), emb_fn=embed)
    q = hash_embed(['quince'], 256).astype(dtype)[0]
    for emb in (q, q.tobytes(), q.tolist()): assert db.doc_search('zzz', emb)[0]['content'] == 'quince'

def test_an_encoder_of_single_precision():
    db = library(('A', 'plum'), ('B', 'quince'), emb_fn=Named('wide', dtype=np.float32))
    assert {len(e) for e, in rows(db, 'select embedding from store')} == {1024}
    assert db.doc_search('zzz', hash_embed(['quince'], 256, dtype=np.float32)[0].tobytes())[0]['content'] == 'quince'


# --- anything typed

nasty = st.sampled_from(HOSTILE + ['%', '_', '"', "'", '\x00', '\ud800', '*', 'NEAR(', 'a"b', '́', '\ufeff', '#0', '',
                                   ' ', '\n', '\\', 'content:', '{x}'])
anything = st.one_of(st.text(st.characters(), max_size=30), nasty, st.builds(lambda a, b: f'{a} plum {b}', nasty,
                                                                             nasty))

@pytest.fixture(scope='module')
def shelf():
    db = library(('Plums', '# Blue\n\nplum jam\n\n# Red\n\nquince jelly\n\n## Late\n\nmedlar'),
                 ('It\'s "so"', 'sorb % _'), emb_fn=embed)
    db.before = list(db.conn.execute('select * from docs'))
    yield db
    assert list(db.conn.execute('select * from docs')) == db.before
    check_library(db)

@examples(200)
@given(q=anything)
def test_any_query(shelf, q):
    e, table = vec('plum'), shelf.t.store
    for hits in (shelf.doc_search(q), shelf.doc_search(q, e), shelf.sections(q), shelf.sections(q, e), shelf.search(q, e) or [],
                 table.fts_search(q), table.fts_search(q, quote=True), shelf.doc_search(q, fts_pre=False),
                 shelf.doc_search(q, e, adaptive=True, term_rank=True, explain=True), shelf.context(q, e)['results']):
        assert isinstance(hits, list)

@examples(150)
@given(x=anything)
def test_any_id(shelf, x):
    known = {d['doc_id'] for d in shelf.toc()}
    assert shelf.read(x) == {} and shelf.breadcrumb(x) == '' and shelf.node_context(x) == {}
    if x not in known: assert not shelf.delete_doc(x)
    assert {d['title'] for d in shelf.toc(x)} <= {'Plums', 'It\'s "so"'}

@examples(100)
@given(title=anything, source=st.one_of(st.none(), anything), text=st.one_of(anything, page), kind=anything)
def test_any_title(title, source, text, kind):
    db = library(('Plums', 'plum'), emb_fn=embed)
    try: did = db.add_doc(text, title=title, source=source, kind=kind, emb_fn=embed, meta={'k': title})['doc_id']
    except ValueError: did = None
    check_library(db)
    assert found(db, 'plum')[:1] == ['plum'] or did
    if did is None: return
    assert db.read(f'{did}#0')['title'] == clean_text(title)
    assert did in {d['doc_id'] for d in db.toc(title)} and json.dumps(db.toc())
    assert db.add_doc(text, title=title, source=source, kind=kind, emb_fn=embed, meta={'k': title}).get('skipped')
    db.delete_doc(did)
    assert len(db.toc()) == 1

@pytest.mark.parametrize('name', ['my store', 'a"b', "x'y", 'ünï', 'select', 'a-b.c', 'x; drop table docs', '%s', '[x]',
                                  'UPPER'])
def test_any_store_name(name):
    db = library(('Plums', 'plum jam'), emb_fn=embed)
    did = db.add_doc('# A\n\nquince jelly', title='Other', store=name, emb_fn=embed)['doc_id']
    assert db.doc_search('quince', vec('quince'), store=name)[0]['content'] == 'quince jelly'
    assert db.sections('quince', store=name)[0]['title'] == 'A' and db.toc(store=name)[0]['title'] == 'Other'
    assert db.read(f'{did}#1', store=name)['text'] == 'quince jelly' and [d['title'] for d in db.toc()] == ['Plums']
    assert db.t[name].vec_search(vec('quince'), limit=1) and db.t[name].fts_search('quince')
    fts_check(db, name.replace('"', '""'))
    assert db.delete_doc(did, store=name) == 1

OPTIONS = [dict(fuse='best'), dict(limit=-1), dict(offset=-1)]

@pytest.mark.parametrize('kw', OPTIONS, ids=str)
def test_unknown_options_are_refused(shelf, kw):
    with pytest.raises(ValueError): shelf.doc_search('plum', vec('plum'), **kw)

def test_unknown_modes_are_listed(shelf):
    with pytest.raises(ValueError, match='(?s)(?=.*max)(?=.*mean)(?=.*sum)'): shelf.sections('plum', score='best')
    with pytest.raises(ValueError, match='(?s)markdown.*window'): library().add_doc('x', title='T', mode='lines')


# --- work for a question

@contextmanager
def counted(db):
    "The statements that run on a connection."
    seen = []
    db.conn.exec_trace = lambda cursor, sql, values: seen.append(sql) or True
    try: yield seen
    finally: db.conn.exec_trace = None

@pytest.fixture(scope='module')
def big():
    "Many documents with deep sections."
    db = database()
    for i in range(40):
        text = ''.join(f'{"#"*(1 + j % 4)} Part {j}\n\n{w} grows in plot {i} {j}.\n\n' for j,
                       w in enumerate('plum quince medlar sorb'.split()*5))
        db.add_doc(text, title=f'Garden {i}', emb_fn=embed)
    return db

CALLS = {'doc_search': lambda db, n: db.doc_search('plum plot', vec('plum plot'), limit=n),
         'doc_search by words': lambda db, n: db.doc_search('plum v2.4 "grows in"', limit=n),
         'sections': lambda db, n: db.sections('quince plot', vec('quince plot'), limit=n),
         'context': lambda db, n: db.context('medlar plot', vec('medlar plot'), sections=n, related=n),
         'search': lambda db, n: db.search('plum plot', vec('plum plot'), limit=n),
         'toc': lambda db, n: db.toc(), 'toc of one': lambda db, n: db.toc('Garden 7'),
         'read': lambda db, n: db.read(db.leaf), 'read the whole': lambda db, n: db.read(db.leaf.split('#')[0] + '#0'),
         'breadcrumb': lambda db, n: db.breadcrumb(db.leaf), 'node_context': lambda db, n: db.node_context(db.leaf)}

@pytest.mark.parametrize('call', CALLS.values(), ids=CALLS)
def test_statements_for_a_question(big, call):
    big.leaf = rows(big, 'select id from nodes order by level desc limit 1')[0][0]
    call(big, 5)    # the connection has seen such a question before
    counts = []
    for n in (1, 5, 30):
        with counted(big) as seen: assert call(big, n)
        new = sum('octet_length' in s for s in seen)   # rows that no question has met yet are looked at together, once
        counts.append(len(seen) - new)
        assert new <= 1 and len(seen) <= 8
    assert len(set(counts)) == 1, (counts, seen)

def test_statements_after_a_change(big):
    "The first question after rows came or went may bring what is kept of them up to date, no more."
    assert big.doc_search('plum', vec('plum'))
    big.add_doc('a late plum', title='Late', emb_fn=embed)
    with counted(big) as seen: assert big.doc_search('late plum', vec('late plum'))
    assert len(seen) <= 14    # with `begin` and `commit`
    big.delete_doc(big.toc('Late')[0]['doc_id'])

def test_statements_of_an_edit_do_not_grow_with_the_library(big):
    counts = []
    for db in (library(), big):
        for text in ('# A\n\none\n\n# B\n\ntwo', '# A\n\none\n\n# B\n\nthree'):
            with counted(db) as seen: db.add_doc(text, title='Probe', emb_fn=embed)
        counts.append(len(seen))
    assert counts[1] <= counts[0] + 6   # merging the keyword index, when it is due
