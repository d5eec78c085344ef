"What is remembered of rows gives the sections and quotations that a look at all of them gives."
import gc, tracemalloc
import numpy as np, pytest
from hypothesis import given, settings, strategies as st
import litesearch.begun, litesearch.met, litesearch.tables
from litesearch.answer import quotation, quoting
from litesearch.begun import begin_products
from litesearch.core import database, rows, write_txn
from litesearch.evidence import question_words
from litesearch.fold import _digits, alike, fold_hits, text_runs
from litesearch.met import is_plain, met_rows, quoting_rows
from litesearch.schema import tree_names
from litesearch.vector import store_index, vec_rowids
from support import embed, vec

NAMES = tree_names('store', None)
PIECES = ['first', 'ﬁrst', 'wall', 'Wall', 'of', 'the', 'roof', 'roo\u0301f', 'so\u00adft', 'soft', 'ſoft', 'K', 'k', '10 K',
          'straße', 'strasse', 'Å', '“wall”', '—', '…', '½', 'a_b', 'x²', '\u200bwall', 'of\u2028the', '漢字', '№', '™',
          '\ue000', "wall's"]
SENTENCES = st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map(' '.join)

def stored(texts, **kw):
    db = database()
    db.get_tree(**kw)
    for i, t in enumerate(texts): rows(db, 'insert into store(content, node_id) values (?, ?)', (t, f'd#{i}'))
    return db

# --- quotations

@given(st.lists(SENTENCES, min_size=1, max_size=12), st.data())
@settings(max_examples=150, deadline=None)
def test_quotations_are_those_of_all_texts(texts, data):
    db = stored(texts)
    q = data.draw(st.sampled_from(texts) | SENTENCES).replace('“', '').replace('”', '')
    db.t.store.fts_search(q)
    ids, words = np.arange(1, len(texts) + 1), quotation(q)
    found = quoting_rows(db, NAMES, q, question_words(db, 'store', q), ids, met_rows(db, NAMES, ids))
    assert found == {i for i, yes in enumerate(quoting(words, texts) if words else (), 1) if yes}

@pytest.mark.parametrize('tokenize', ["unicode61 tokenchars '-'", 'ascii', 'trigram', 'porter ascii', 'sanskrit'])
def test_quotations_under_other_tokenizers(tokenize):
    text = 'A well-known wall of the old house'
    db, q = stored([text, 'Another wall'], tokenize=tokenize), 'a well known wall of the old house'
    db.t.store.fts_search(q)
    ids = np.array([1, 2])
    assert quoting_rows(db, NAMES, q, question_words(db, 'store', q), ids, met_rows(db, NAMES, ids)) == {1}

def test_plain_texts():
    assert all(is_plain(t) for t in ('', 'a\tb', '“a” – ‘b’ … § 3 €', 'a\xa0b', '→ ≤ ▼'))
    odd = (None, 'é', 'ﬁ', 'ß', '\u00ad', '\u200b', 'o\u0301', '²', 'Ω', 'Ⓐ', '漢', '\ue000', '\ufffd')
    assert not any(is_plain(t) for t in odd)

# --- rows

def test_all_rows_are_met_with_their_sections(monkeypatch):
    monkeypatch.setattr(litesearch.met, 'AT_ONCE', 7)
    db = stored([f'Text {i}' + 'é'*(i % 3 == 0) for i in range(100)])
    rows(db, 'delete from store where rowid in (3, 50)')
    rows(db, 'update store set node_id=null where rowid=4')
    for some in ([1, 2, 3, 4], [90, 5, 5], range(20, 40), range(1, 101), [100], [200]):
        met = met_rows(db, NAMES, np.array(some))
    want = dict(rows(db, 'select rowid, node_id from store'))
    have = {i: met.ids[n] for i, n in enumerate(met.section.tolist()) if n}
    assert have == want and met.whole
    assert [i for i in want if not met.plain[i]] == [i for i in want if (i - 1) % 3 == 0]

def test_rows_that_change():
    db, ids = stored(['one two three four five', 'other']), np.array([1, 2])
    def node():
        met = met_rows(db, NAMES, ids)
        return [met.ids[n] for n in met.section[ids]]
    assert node() == ['d#0', 'd#1']
    rows(db, "update store set node_id='d#7' where rowid=2")
    assert node() == ['d#0', 'd#7']
    with pytest.raises(ZeroDivisionError), write_txn(db):
        rows(db, "update store set node_id='d#9' where rowid=1")
        assert node() == ['d#9', 'd#7']
        1/0
    assert node() == ['d#0', 'd#7']
    assert met_rows(db, NAMES, np.array([2**40])) is None and met_rows(db, NAMES, np.array([-1])) is None
    assert len(met_rows(db, NAMES, np.array([], np.int64)).section) > 0

def test_what_is_remembered_is_small(monkeypatch):
    db, ids = stored([f'Text {i}' for i in range(2000)]), np.arange(1, 2001)
    tracemalloc.start()
    met = met_rows(db, NAMES, ids)
    grown = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert grown < 260*len(ids)   # a section a row
    monkeypatch.setattr(litesearch.met, 'MOST_MET', 1999)
    assert met_rows(db, NAMES, ids) is None and met_rows(db, NAMES, ids[:5]) is met
    assert [h['rowid'] for h in db.doc_search('text 7', limit=3)]

def test_many_rows_are_not_read_in_one_go(monkeypatch):
    monkeypatch.setattr(litesearch.met, 'FEW', 10)
    db = stored([f'Text {i}' for i in range(50)])
    for n in range(2, 40): met = met_rows(db, NAMES, np.arange(1, n))
    assert np.count_nonzero(met.section) == 38 and met.whole < 10

# --- vectors that are compared meanwhile

def test_a_thread_changes_no_answer(monkeypatch):
    db = database()
    for i in range(60): db.add_doc(f'Slate roof {i}, gutter {i % 7}, nail {i % 11}.', title=f'House {i}', emb_fn=embed)
    ask = lambda: [db.doc_search(q, vec(q), limit=20) for q in 2*['slate roof 7', 'gutter of house 3', 'nail']]
    plain = ask()
    monkeypatch.setattr(litesearch.begun, 'LARGE', 1)
    assert ask() == plain
    assert begin_products(db, 'store', vec('nail')) is not None
    rows(db, 'delete from store where rowid=7')
    assert begin_products(db, 'store', vec('nail')) is None   # until the vectors are brought up to date
    assert db.doc_search('nail', vec('nail')) == db.doc_search('nail', vec('nail'))
    begun = begin_products(db, 'store', vec('roof'))
    assert vec_rowids(db, 'store', vec('roof'), 9, begun=begun) == vec_rowids(db, 'store', vec('roof'), 9)
    assert begun.products(store_index(db).clone()) is None

# --- folding

TEXTS = st.lists(st.sampled_from('risk may cause results to differ from those expected in 2019 2018 7 x7 ٣'.split()), max_size=9)

@given(st.lists(TEXTS.map(' '.join), max_size=8))
@settings(max_examples=200, deadline=None)
def test_folding_is_comparing_all(texts):
    kept = []
    for i, t in enumerate(texts):
        if not any(alike(text_runs(t), text_runs(texts[k])) for k in kept): kept.append(i)
    assert [h['rowid'] for h in fold_hits([dict(rowid=i, content=t) for i, t in enumerate(texts)])] == kept
    same = [(a, b) for a in texts for b in texts if alike(text_runs(a), text_runs(b))]
    assert all(_digits(a) == _digits(b) for a, b in same)

# --- tables of contents

def test_large_tables_are_not_kept(monkeypatch):
    db = database()
    for i in range(3): db.add_doc(f'# One\n\nText {i}.\n\n## Two\n\nMore.', title=f'Book {i}')
    first = db.toc()
    monkeypatch.setattr(litesearch.tables, 'MOST_KEPT', 2)
    rows(db, "update docs set title='Tome' where title='Book 1'")
    assert [d['title'] for d in db.toc()] == ['Book 0', 'Book 2', 'Tome'] and len(first) == 3
    assert gc.isenabled()

def test_the_collector_stays_as_it_was():
    gc.disable()
    try:
        database().toc()
        assert not gc.isenabled()
    finally: gc.enable()
    with pytest.raises(ZeroDivisionError), litesearch.tables.no_collection(): 1/0
    assert gc.isenabled()
