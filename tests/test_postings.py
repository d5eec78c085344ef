"What is kept of phrases gives what FTS5 gives."
import threading
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from litesearch import postings
from litesearch.answer import _answers, _by_postings, _by_statement
from litesearch.core import bind_where, database, rows, state, write_txn
from litesearch.fts import fts_rowids
from litesearch.postings import alternatives, best_rows, postings_of
from litesearch.query import _literals, _phrase_terms, _terms
from litesearch.store import insert_rows

WORDS = '''weir mill miller miller's milling river rivers v2.4.9 C++ C e-mail snake_case naïve café straße
    研究生命 科学 サンド 서버를 หนังสือ หน ропот 2024 "open quay" Übergrößenträger the of'''.split()
word = st.sampled_from(WORDS)
text = st.lists(word, max_size=14).map(' '.join)
path = st.lists(word, max_size=4).map(' › '.join)
row = st.fixed_dictionaries(dict(content=text, heading=st.one_of(st.none(), path),
                                 metadata=st.one_of(st.none(), st.just(None), text)))
question = st.one_of(st.lists(word, min_size=1, max_size=7).map(' '.join),
                     st.lists(word, min_size=1, max_size=3).map(lambda ws: f'"{" ".join(ws)}" {ws[0]}'),
                     st.text(max_size=9))
conditions = st.sampled_from([(None, None), ('rowid > ?', [2]), ('content like :x', dict(x='%mill%')),
                              ('page is not null', None)])

def both(db, q, where=None, args=None, name='store', loose=False, phrase=False):
    "What both ways say about a question: the kept postings, and the statement."
    where, args = bind_where(where, args)
    terms = _phrase_terms(q) if phrase else _terms(q, loose)
    if not terms: return None, None
    common = (db, name, terms, [] if phrase else _literals(q), where, args)
    return _by_postings(*common), _by_statement(*common)

def same(db, q, *args, limits=(1, 3, 30, -1), pools=(0, 1, 2, 5, 93, -1), **kw):
    "Check that both ways agree; returns whether something was kept."
    kept, asked = both(db, q, *args, **kw)
    if kept is None: return False
    for pool in pools:
        a, b = kept(pool), asked(pool)
        assert [(r, bool(yes)) for r, _, yes in a] == [(r, bool(yes)) for r, _, yes in b], (q, pool, a, b)
        assert np.allclose([s for _, s, _ in a], [s for _, s, _ in b], rtol=0, atol=1e-12), (q, pool)
    for limit in limits: assert [r for r, _ in _answers(kept, limit)] == [r for r, _ in _answers(asked, limit)]
    return True

def store_of(items, path=':memory:', **kw):
    db = database(path)
    db.get_store(**kw)
    insert_rows(db, 'store', list(items))
    return db

CHANGES = {
    'add': lambda db, r: insert_rows(db, 'store', [r]),
    'insert': lambda db, r: db.t.store.insert(r),
    'delete': lambda db, r: db.conn.execute('delete from store where rowid=(select min(rowid) from store)'),
    'delete the last': lambda db, r: db.conn.execute('delete from store where rowid=(select max(rowid) from store)'),
    'edit': lambda db, r: db.conn.execute('update store set content=?, heading=? where rowid%3=1',
                                          (r['content'], r['heading'])),
    'move': lambda db, r: db.conn.execute(
        'update store set rowid=rowid+1000 where rowid=(select max(rowid) from store)'),
    'page': lambda db, r: db.conn.execute('update store set page=1 where rowid%2=0'),
    'clear': lambda db, r: db.conn.execute('delete from store')}

def undone(db, change, r, q):
    "A change that is asked about before it is taken back."
    with pytest.raises(KeyError):
        with write_txn(db):
            change(db, r)
            assert not same(db, q)    # what may be undone is not kept
            raise KeyError

step = st.tuples(st.sampled_from([*CHANGES]), row, question, conditions, st.booleans())

@settings(max_examples=100, deadline=None)
@given(st.lists(row, max_size=12), st.lists(step, min_size=1, max_size=6))
def test_kept_postings_give_what_the_statement_gives(items, steps):
    db = store_of(items)
    for change, r, q, (where, args), undo in steps:
        for _ in range(2): same(db, q, where, args)
        same(db, q, loose=True)
        same(db, q, phrase=True)
        undone(db, CHANGES[change], r, q) if undo else CHANGES[change](db, r)
        same(db, q)
        same(db, 'weir mill river', where, args)

@settings(max_examples=40, deadline=None)
@given(st.lists(row, max_size=9),
       st.lists(st.tuples(st.sampled_from([*CHANGES]), row, question), min_size=1, max_size=5))
def test_changes_of_another_connection(tmp_path_factory, items, steps):
    path = tmp_path_factory.mktemp('other')/'o.db'
    db, other = store_of(items, path), database(path)
    for change, r, q in steps:
        same(db, q)
        CHANGES[change](other, r)
        same(db, q)
        same(other, q)
        assert fts_rowids(db, 'store', q) == fts_rowids(other, 'store', q)
    db.conn.close(), other.conn.close()

def many(n=300):
    rng = np.random.default_rng(7)
    return [dict(content=' '.join(rng.choice(WORDS, 9)), heading=' › '.join(rng.choice(WORDS, 2)),
                 metadata=str(rng.choice(WORDS)) if i % 5 == 0 else None) for i in range(n)]

def test_a_larger_store_is_ranked_to_the_last_digit():
    db = store_of(many())
    for a in WORDS:
        for b in WORDS:
            kept, asked = both(db, f'{a} {b} weir')
            if kept: assert kept(40) == [(r, s, bool(yes)) for r, s, yes in asked(40)]

def test_words_of_every_kind_are_kept():
    db = store_of(many())
    for q in WORDS:
        if _terms(q): assert same(db, q), q
    assert not same(db, '"研究 weir"'), 'all of several parts: FTS5 has to say'

@pytest.mark.parametrize('tokenize,kept', [
    ('unicode61', True), ('ascii', True), ('porter ascii', True), ('trigram', False),
    ("unicode61 tokenchars '-_'", True), ("porter unicode61 separators 'x'", True)])
def test_tokenizers(tokenize, kept):
    db = store_of(many(60), tokenize=tokenize)
    for q in ('weir mill', 'e-mail river', 'milling', '"open quay"', 'café'): assert same(db, q) == kept, q

def test_row_numbers_that_are_far_apart():
    db = store_of(many(5))
    db.conn.execute('insert into store(rowid, content) values (?, ?)', (2**40, 'weir'))
    assert not same(db, 'weir') and 2**40 in fts_rowids(db, 'store', 'weir')
    db.conn.execute('delete from store where rowid > 99')
    assert same(db, 'weir')
    db.conn.execute('insert into store(rowid, content) values (?, ?)', (-3, 'weir'))
    assert not same(db, 'weir') and -3 in fts_rowids(db, 'store', 'weir')

def test_an_empty_store():
    db = store_of([])
    assert not same(db, 'weir') and fts_rowids(db, 'store', 'weir') == []
    insert_rows(db, 'store', [dict(content='', heading=None)])
    same(db, 'weir')
    assert fts_rowids(db, 'store', 'weir') == []

def test_the_first_question_is_answered_like_the_next():
    db = store_of(many(20))
    assert same(db, 'weir') and same(db, 'weir') and same(db, 'mill')
    db.t.store.insert(dict(content='weir'))
    assert same(db, 'weir') and same(db, 'weir')

def test_memory_is_bounded(monkeypatch):
    db = store_of(many())
    monkeypatch.setattr(postings, 'KEPT', 20_000)
    monkeypatch.setattr(postings, 'KEPT_A_ROW', 1)
    for q in [' '.join(WORDS[i:i+4]) for i in range(len(WORDS))]*2:
        same(db, q)
        cache = state(db).cache['postings', 'store']
        assert cache.nbytes == sum(p.nbytes for p in cache.known.values()) <= 20_000
    monkeypatch.setattr(postings, 'KEPT_A_ROW', 100)   # a store of more rows may keep more
    for q in WORDS: same(db, q)
    assert 20_000 < state(db).cache['postings', 'store'].nbytes <= 100*len(many())
    monkeypatch.setattr(postings, 'KEPT', 0)
    monkeypatch.setattr(postings, 'KEPT_A_ROW', 0)
    assert same(db, 'weir mill') and not state(db).cache['postings', 'store'].known

def test_phrases_are_read_once_and_together():
    db, said = store_of(many()), []
    same(db, 'weir')
    db.conn.exec_trace = lambda cur, sql, args: said.append(sql) or True
    for n, q in [(2, 'mill river'), (1, 'river weir mill'), (3, 'e-mail v2.4.9 café 2024')]:
        said.clear()
        terms = _terms(q)
        assert postings_of(db, 'store', [a for text, _ in terms for a in alternatives(text)])
        assert len(said) == n, said

def test_inside_a_transaction_that_only_reads(tmp_path):
    db, other = store_of(many(20), tmp_path/'r.db'), database(tmp_path/'r.db')
    db.conn.execute('begin')
    fts_rowids(db, 'store', 'weir')
    db.conn.execute('commit')
    db.conn.execute('begin')
    before = fts_rowids(db, 'store', 'weir')
    other.conn.execute("update store set content='weir'")
    assert fts_rowids(db, 'store', 'weir') == before
    db.conn.execute('rollback')
    assert len(fts_rowids(db, 'store', 'weir')) == 20 and same(db, 'weir')

def test_another_connection_writes_between_two_statements(tmp_path):
    "A cache never holds what belongs to two states of the file."
    other = store_of(many(20), tmp_path/'b.db')
    for n in range(1, 7):
        db, seen = database(tmp_path/'b.db'), []
        def trace(cur, sql, args):
            seen.append(sql)
            if len(seen) == n: CHANGES['add'](other, dict(content=f'weir number {n}'))
            return True
        db.conn.exec_trace = trace
        fts_rowids(db, 'store', 'weir number')
        fts_rowids(db, 'store', 'mill weir v2.4.9')
        db.conn.exec_trace = None
        assert same(db, 'weir number') and same(db, 'mill weir v2.4.9')
        assert fts_rowids(db, 'store', f'number {n}')[0] == 20 + n

def test_threads_of_one_connection():
    db, errors = store_of(many()), []
    want = {q: fts_rowids(db, 'store', q) for q in WORDS}
    state(db).cache.pop(('postings', 'store'))
    def ask():
        for q in WORDS*3:
            if fts_rowids(db, 'store', q) != want[q]: errors.append(q)
    threads = [threading.Thread(target=ask) for _ in range(4)]
    for t in threads: t.start()
    for t in threads: t.join()
    assert not errors

@pytest.mark.parametrize('name', ['a b', "it's", 'say "hi"', 'x;drop table y', '表', '%_'])
def test_names(name):
    db = database()
    db.get_store(name)
    insert_rows(db, name, many(20))
    assert same(db, 'weir e-mail', name=name)

@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.lists(st.integers(1, 40), unique=True), st.integers(1, 3)), min_size=1, max_size=4),
       st.integers(-1, 50))
def test_the_best_rows(lists, n):
    lists = [(sorted(ids), w) for ids, w in lists]
    total = {}
    for ids, w in lists:
        for i in ids: total[i] = total.get(i, 0) - w
    want = sorted(total, key=lambda i: (total[i], i))
    none = np.empty(0, np.int64)
    made = [postings.Postings(np.array(ids, np.int64), np.full(len(ids), -float(w)), none) for ids, w in lists]
    got, scores = best_rows(made, n)
    assert got.tolist() == (want if n < 0 else want[:n]) and scores.tolist() == [total[i] for i in got.tolist()]

def test_what_takes_too_much_memory_is_left_to_fts5(monkeypatch):
    db = store_of(many() + [dict(content='a lone so-litary word', heading='')])
    monkeypatch.setattr(postings, 'MANY_WORDS', 100)
    monkeypatch.setattr(postings, 'MOST_PLACES', 50)
    assert same(db, 'lone') and same(db, 'so-litary lone')
    assert not same(db, 'weir') and not same(db, 'weir lone') and not same(db, 'wei', loose=True)
    assert not same(db, 'e-mail'), 'there are more such rows than an eighth'
    monkeypatch.setattr(postings, 'MANY_WORDS', 2**24)
    monkeypatch.setattr(postings, 'AT_A_TIME', 100)    # words are looked at in parts
    assert same(db, 'mill weir river café miller', pools=(40,)) and same(db, 'mill weir', loose=True)

def test_high_row_numbers_do_not_overflow():
    texts = ['1,1,-1,-4,9', '', '2,7,1,7']
    code = "iif(col='heading', -doc, doc)"
    few, many = (postings.Lengths(np.broadcast_to(1.0, n), 20, 99, code, "") for n in (10, 2**29))
    for a, b in zip(postings._postings(texts, few), postings._postings(texts, many)):
        assert a.rowids.tolist() == b.rowids.tolist() and a.apart.tolist() == b.apart.tolist()
        assert a.scores.tolist() == b.scores.tolist() and a.rowids.dtype == b.rowids.dtype == np.int64
    assert [p.rowids.tolist() for p in postings._postings(texts, few)] == [[1, 4, 9], [], [1, 2, 7]]
    assert [p.apart.tolist() for p in postings._postings(texts, few)] == [[4], [], []]
