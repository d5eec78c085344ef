"What stands around a chunk, above it and in the name of its document: against plain computations, and what it does."
import random, warnings
import numpy as np, pytest
from hypothesis import given, settings, strategies as st
from litesearch.core import database, rows, write_txn
from litesearch.evidence import (WEIGHTS, LEAST, PAGE_REACH, held_weight, phrase_scores, question_evidence,
                                 question_words, strongest, surroundings, weighed)
from litesearch.postings import Postings
from litesearch.schema import tree_names
from support import embed, vec

NAMES = tree_names('store', None)
CUT = lambda text: [text[i:i+60] for i in range(0, len(text), 60)]

def candidates(db):
    cols = 'rowid doc_id ord page heading content doc'.split()
    sql = '''select s.rowid, s.doc_id, s.ord, s.page, s.heading, s.content, d.title from store s
        left join docs d on d.id=s.doc_id'''
    return [dict(zip(cols, r)) for r in rows(db, sql)]

def shelf(seed=0, docs=6):
    "Documents with and without pages, of random words."
    r, db = random.Random(seed), database()
    word = lambda: r.choice(['slate', 'roof', 'timber', 'nail', 'beam', 'gutter', 'tile', 'ridge'])
    for i in range(docs):
        text = lambda n: ' '.join(word() for _ in range(n))
        pages = [(p + 1, text(60)) for p in range(3)] if i % 2 else f'# One\n\n{text(50)}\n\n## Two\n\n{text(50)}'
        db.add_doc(pages, title=f'{word()} {i}', source=str(i), chunker=CUT)
    return db


# --- the parts, against plain computations ---

@given(st.lists(st.dictionaries(st.integers(1, 30), st.floats(0.1, 9), max_size=8), min_size=1, max_size=4),
       st.lists(st.integers(1, 30), min_size=1, max_size=9, unique=True))
def test_phrase_scores_are_looked_up(lists, asked):
    none = np.empty(0, np.int64)
    posts = [Postings(np.array(sorted(d), np.int64), np.array([-d[k] for k in sorted(d)]), none) for d in lists]
    assert phrase_scores(posts, np.array(asked)).tolist() == [[d.get(k, 0) for k in asked] for d in lists]

@given(st.data())
def test_strongest_is_the_sum_of_the_best(data):
    lines = st.lists(st.integers(0, 9), min_size=6, max_size=6)
    S = np.array(data.draw(st.lists(lines, min_size=1, max_size=4)), float)
    groups = data.draw(st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=4), min_size=1, max_size=5))
    owner = np.array([i for i, g in enumerate(groups) for _ in g])
    plain = [sum(max(line[j] for j in g) for line in S) for g in groups]
    assert strongest(S, owner, np.concatenate(groups)).tolist() == plain

@pytest.mark.parametrize('seed', range(4))
def test_surroundings_are_those_of_a_plain_look(seed):
    db = shelf(seed)
    db.add_doc('# One\n\n' + 'another text about slate ' * 9, title='slate 0', source='0', chunker=CUT)   # an edit
    rows(db, "insert into store(content) values ('a row without a document')")
    everything = candidates(db)
    hits = random.Random(seed).sample(everything, 25)
    owner, rowid, beside, same = surroundings(db, NAMES, hits)
    assert (np.diff(owner) >= 0).all()
    for i, h in enumerate(hits):
        mine = [o for o in everything if o['doc_id'] == h['doc_id'] and h['ord'] is not None]
        near = {o['rowid'] for o in mine if abs(o['ord'] - h['ord']) <= 1} | {h['rowid']}
        page = {o['rowid'] for o in mine if h['page'] and o['page'] == h['page']
                and abs(o['ord'] - h['ord']) <= PAGE_REACH}
        assert set(rowid[(owner == i) & (beside == 1)]) == near
        assert set(rowid[(owner == i) & (same == 1)]) == page

def test_words_are_those_of_keyword_search():
    db = shelf(1)
    q = 'slate roof gutter'
    scores = dict(rows(db, "select rowid, -bm25(store_fts, 1, 1, 0.5, 1) from store_fts where store_fts match ?",
                       ('slate OR roof OR gutter',)))
    db.t.store.fts_search(q)
    hits = candidates(db)
    parts = question_evidence(db, NAMES, 'store', q, None, hits)
    assert parts['words'] == pytest.approx([scores.get(h['rowid'], 0) for h in hits], abs=1e-9)
    assert (parts['near'] >= parts['words'] - 1e-9).all() and 'meaning' not in parts
    paged = np.array([bool(h['page']) for h in hits])
    assert (parts['page'][paged] >= parts['words'][paged] - 1e-9).all() and not parts['page'][~paged].any()

@given(st.lists(st.text('abc', min_size=1, max_size=3), max_size=5), st.text('abc', min_size=1, max_size=2),
       st.booleans())
def test_a_word_is_found_in_a_name(terms, word, star):
    have = held_weight([(word, word + '\U0010ffff'*star, 2.0)], sorted(terms))
    assert have == 2.0*any(t.startswith(word) if star else t == word for t in terms)

def test_what_a_question_is_made_of_does_not_depend_on_those_before():
    db, told = shelf(2), lambda q: [(p.rowids.tolist(), p.scores.tolist()) for p in question_words(db, 'store', q)[0]]
    new = told('slate')
    db.t.store.fts_search('slate')
    assert told('slate') == new and new[0][0] and told('zebra')[0][0] == []
    with write_txn(db): assert question_words(db, 'store', 'slate') is None
    few = candidates(db)[:LEAST - 1]
    assert question_evidence(db, NAMES, 'store', 'slate', None, few) is None

def test_a_question_without_a_vector_says_nothing_of_meaning():
    "An encoder may make nothing but zeros of it."
    db = database()
    for i in range(LEAST): db.add_doc(f'# A\n\nslate roof {i}', title=f'{i}', emb_fn=embed)
    zero, found = np.zeros(256, np.float32), lambda **kw: [h['rowid'] for h in db.doc_search('slate roof', limit=99, **kw)]
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert found(emb=zero) == found()

@pytest.mark.parametrize('page', [2.5, 'iv', b'x'])
def test_a_page_that_is_no_number_is_none(page):
    "The store is a plain table, into which other programs may write."
    db = shelf(3)
    rows(db, 'update store set page=? where page=2', (page,))
    assert db.doc_search('slate roof', limit=99)
    hits = candidates(db)
    parts = question_evidence(db, NAMES, 'store', 'slate roof', None, hits)
    assert any(parts['page']) and not any(p for p, h in zip(parts['page'], hits) if h['page'] == page)

@pytest.mark.parametrize('name', ['nope', 'title'])
def test_an_unknown_column_is_told(name):
    with pytest.raises(ValueError, match=f"{name}.*content.*heading"): shelf().doc_search('slate', columns=[name])


# --- what it does to a ranking ---

REPAIR = 'Repairs of the roof came to nine thousand crowns in the first year.'

def first(db, q, **kw): return db.doc_search(q, limit=3, **kw)[0]

def test_the_document_that_is_named_comes_first():
    db = database()
    for n in range(40): db.add_doc(f'# Costs\n\n{REPAIR}', title=f'{"Harbor" if n % 2 else "Airport"} report {n}')
    assert first(db, 'cost of roof repairs in harbor report 17')['doc'] == 'Harbor report 17'
    assert first(db, 'cost of roof repairs in airport report 8')['doc'] == 'Airport report 8'

def test_the_chunk_next_to_the_other_words_comes_first():
    db = database()
    chunks = lambda text: text.split('|')
    for n in range(40):
        before = 'The lighthouse was painted by hand.' if n == 23 else f'Nothing of note happened on day {n}.'
        db.add_doc(f'{before}|{REPAIR}', title=f'Log {n}', chunker=chunks)
    for q in ('roof repairs lighthouse painted', 'what did roof repairs at the lighthouse come to'):
        hit = first(db, q, spans=False)
        assert hit['doc'] == 'Log 23'
    hits = db.doc_search('roof repairs lighthouse', limit=9, spans=False)
    assert [h['doc'] for h in hits[:2]] == ['Log 23']*2 and 'crowns' in ' '.join(h['content'] for h in hits[:2])

def test_the_page_with_the_other_words_comes_first():
    db = database()
    chunks = lambda text: text.split('|')
    for n in range(40):
        head = 'Balance of the parish|Assets and debts' if n == 31 else f'List of {n} walls|Doors and windows'
        pages = [(1, 'Cover'), (2, f'{head}|Filler one|Filler two|Filler three|{REPAIR}')]
        db.add_doc(pages, title=f'Book {n}', chunker=chunks)
    hits = db.doc_search('balance of the parish roof repairs in crowns', limit=9, spans=False)
    best = next(h for h in hits if 'crowns' in h['content'])
    assert best['doc'] == 'Book 31' and best['page'] == 2

@pytest.mark.parametrize('q', ['slate roof', 'gutter', 'ridge tile beam nail', 'slate 3 timber'])
def test_scores_are_those_of_rank_fusion_by_place(q):
    db = database()
    for i in range(30):
        text = f'# A {i}\n\nslate roof tile {i}\n\n# B\n\ngutter ridge beam nail timber'
        db.add_doc(text, title=f'slate {i}', emb_fn=embed)
    options = dict(limit=80, spans=False, fold=False)
    plain, judged = db.doc_search(q, vec(q), fuse='rrf', **options), db.doc_search(q, vec(q), **options)
    scores = [h['_rrf_score'] for h in judged]
    assert {h['rowid'] for h in plain} == {h['rowid'] for h in judged}
    assert scores == sorted(scores, reverse=True) and scores[:9] == pytest.approx([h['_rrf_score'] for h in plain[:9]])
    assert not any('embedding' in h for h in judged)
    pages = [h['rowid'] for at in range(0, 80, 7) for h in db.doc_search(q, vec(q), limit=7, offset=at, spans=False, fold=False)]
    assert pages[:len(judged)] == [h['rowid'] for h in judged] and len(set(pages)) == len(pages)

def test_vectors_are_asked_as_well():
    db = database()
    for i in range(40): db.add_doc(f'{REPAIR} Number {i}.', title=f'Log {i}', emb_fn=embed)
    q = 'roof repairs'
    like = rows(db, 'select embedding from store where rowid=17')[0][0]
    assert first(db, q, emb=like, weights=(0.001, 1))['rowid'] == 17
    assert [h['rowid'] for h in db.doc_search(q, like, weights=(1, 0))] == [h['rowid'] for h in db.doc_search(q)]

def test_columns_that_are_asked_for_come_along():
    db = database()
    for i in range(40): db.add_doc(f'{REPAIR} Number {i}.', title=f'Log {i}', emb_fn=embed)
    assert isinstance(db.doc_search('roof', vec('roof'), columns=['embedding'])[0]['embedding'], bytes)

def test_unknown_fusion_is_refused():
    db = shelf()
    for call in (db.doc_search, db.sections, db.context):
        with pytest.raises(ValueError, match="'evidence', 'rrf', 'relative'"): call('slate', fuse='magic')

def test_a_transaction_can_be_searched():
    db = shelf()
    with db.conn:
        rows(db, "insert into store(content) values ('slate in a transaction')")
        assert any('transaction' in h['content'] for h in db.doc_search('slate transaction', limit=50))

def test_weights_and_parts_have_the_same_names():
    db = database()
    for i in range(40): db.add_doc([(1, f'{REPAIR} Number {i}.')], title=f'Log {i}', emb_fn=embed)
    db.doc_search('roof repairs', vec('roof repairs'))
    cols = dict(zip((r[0] for r in rows(db, 'select rowid from store')), rows(db, 'select embedding from store')))
    hits = [{**h, 'embedding': cols[h['rowid']][0]} for h in candidates(db)]
    parts = question_evidence(db, NAMES, 'store', 'roof repairs', vec('roof repairs'), hits)
    assert parts.keys() == WEIGHTS.keys() and all(len(v) == 40 and (v >= 0).all() for v in parts.values())
    assert weighed(parts).max() <= sum(WEIGHTS.values()) + 1e-9

def test_explain_tells_the_evidence():
    db = database()
    for n in range(40): db.add_doc(f'# Costs\n\n{REPAIR}', title=f'{"Harbor" if n % 2 else "Airport"} report {n}', emb_fn=embed)
    q = 'roof repairs in harbor report 17'
    plain, told = db.doc_search(q, vec(q), fold=False), db.doc_search(q, vec(q), explain=True, fold=False)
    assert [h['rowid'] for h in plain] == [h['rowid'] for h in told]
    assert not any('_evidence' in h or 'embedding' in h for h in plain + told)
    shown = [h['_explain']['evidence'] for h in told]
    assert all(e.keys() == WEIGHTS.keys() for e in shown) and shown[0]['title'] == WEIGHTS['title'] > shown[5]['title']
    assert 'evidence' not in db.doc_search(q, vec(q), explain=True, fuse='rrf')[0]['_explain']

@pytest.mark.parametrize('weights', ['ab', (1,), (1, 2, 3), (None, 1)])
def test_weights_are_two_numbers(weights):
    with pytest.raises(ValueError, match='two numbers'): shelf().doc_search('slate', vec('slate'), weights=weights)

def test_a_title_is_text():
    for title in (None, 7):
        with pytest.raises(TypeError, match='must be text'): database().add_doc('text', title=title)

@pytest.mark.parametrize('opts', [dict(fts_pre=False), dict(fts_pre=False, quote=False), dict(fts_pre=False, spell=False)])
def test_answers_do_not_depend_on_the_questions_before(tmp_path, opts):
    db = database(tmp_path/'l.db')
    for i in range(2*LEAST): db.add_doc(f'# Roof {i%7}\n\nslate roof {"tile "*(i%5)}\n\n# {i}\n\nold roof', title=f'{i}', emb_fn=embed)
    asked = lambda db, **kw: [h['rowid'] for h in db.doc_search('slate roof', vec('slate roof'), limit=99, spans=False, **kw)]
    first = asked(db, **opts)
    asked(db)
    assert asked(db, **opts) == first and len(first) > 3
    assert asked(database(tmp_path/'l.db'), **opts) == first
