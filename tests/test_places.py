"What a connection keeps to answer faster is never older than the file, and gives what a plain look gives."
import random
import numpy as np, pytest
from hypothesis import given, strategies as st
from litesearch.base import smallest
from litesearch.core import database, rows, state, write_txn
from litesearch.places import around, PAGE_REACH, places_of, read_places
from litesearch.postings import alternatives, postings_of
from litesearch.ranking import filled, ranked_hits
from litesearch.retrieve import merge_spans
from litesearch.schema import tree_names
from litesearch.vector import vectors_of
from support import embed, vec

NAMES, Q = tree_names('store', None), 'slate roof gutter'
WORDS = 'slate roof timber nail beam gutter tile ridge'.split()
CUT = lambda text: [text[i:i+60] for i in range(0, len(text), 60)]

def add(db, i, seed=0, **kw):
    "A document of random words, every second one with pages."
    r = random.Random(seed*1000 + i)
    text = lambda n: ' '.join(r.choice(WORDS) for _ in range(n))
    pages = [(p + 1, text(60)) for p in range(3)] if i % 2 else f'# One {r.choice(WORDS)}\n\n{text(50)}\n\n## Two\n\n{text(50)}'
    return db.add_doc(pages, title=f'{r.choice(WORDS)} {i}', source=str(i), chunker=CUT, emb_fn=embed, **kw)['doc_id']

def answers(db):
    "All that may come from memory."
    return [db.doc_search(Q, vec(Q)), db.sections(Q, vec(Q)), db.context(Q, vec(Q)), db.toc(), db.toc(summaries=False)]

def delete(db):
    db.delete_doc(rows(db, 'select id from docs order by added_at, id limit 1')[0][0])

CHANGES = dict(add=lambda db: add(db, 90), edit=lambda db: add(db, 2, seed=1, force=True), delete=delete,
               title=lambda db: rows(db, "update docs set title='gutter' where id=(select max(id) from docs)"),
               page=lambda db: rows(db, 'update store set page=9 where page=2'),
               place=lambda db: rows(db, 'update store set ord=ord+100 where rowid%3=0'),
               section=lambda db: rows(db, "update nodes set title='beam' where seq=1"))

@pytest.mark.parametrize('mine', [True, False], ids=['same connection', 'another'])
@pytest.mark.parametrize('change', CHANGES)
def test_what_is_kept_is_as_new_as_the_file(tmp_path, change, mine):
    db, other = database(tmp_path/'x.db'), database(tmp_path/'x.db')
    for i in range(12): add(db, i)
    before = answers(db)
    CHANGES[change](db if mine else other)
    after = answers(db)
    assert after == answers(database(tmp_path/'x.db')) and after != before

@pytest.mark.parametrize('change', CHANGES)
def test_what_is_undone_is_not_kept(tmp_path, change):
    db = database(tmp_path/'x.db')
    for i in range(12): add(db, i)
    before = answers(db)
    with pytest.raises(ZeroDivisionError), write_txn(db):
        CHANGES[change](db)
        answers(db)
        1/0
    assert answers(db) == before

def test_a_table_of_contents_is_its_callers_own():
    db = database()
    for i in range(3): add(db, i)
    first = db.toc()
    first[0]['tree']['children'].clear()
    first[1]['title'] = 'mine'
    first.pop()
    assert [d['title'] for d in db.toc()] == [r[0] for r in rows(db, 'select title from docs order by title')]
    assert all(d['tree']['children'] for d in db.toc())

@pytest.mark.parametrize('seed', range(3))
@pytest.mark.parametrize('n,offset', [(1, 0), (5, 0), (10, 3), (60, 0), (500, 0)])
def test_what_is_not_fetched_would_not_have_been_shown(seed, n, offset):
    db = database()
    for i in range(25): add(db, i, seed)
    ranked, _ = ranked_hits(db, NAMES, 'store', Q, vec(Q), 3*(n + offset), whole=True)
    whole = sum((merge_spans(stage) for stage in ranked), [])[offset:offset + n]
    assert [{k: v for k, v in h.items() if k != '_rank'} for h in db.doc_search(Q, vec(Q), limit=n, offset=offset)] == whole

def test_a_hit_that_is_gone_is_not_filled_in():
    db = database()
    for i in range(4): add(db, i)
    (hits,), _ = ranked_hits(db, NAMES, 'store', Q, n=6, only=('node_id',))
    assert len(hits) == 6 and not any('content' in h for h in hits)
    rows(db, 'delete from store where rowid=?', (hits[2]['rowid'],))
    assert [h['rowid'] for h in filled(db, NAMES, [hits])[0]] == [h['rowid'] for h in hits[:2] + hits[3:]]

def test_rows_that_are_nowhere_are_alone():
    db = database()
    add(db, 1)
    for sql in ("insert into store(content, page) values ('no document', 3)",
                "insert into store(content, doc_id, ord) select 'no place', id, 'x' from docs",
                "insert into store(content, doc_id, ord, page) select 'no page', id, 999, 'iv' from docs"): rows(db, sql)
    ids = [r for r, in rows(db, "select rowid from store where content like 'no %' order by rowid")]
    owner, found, beside, same = around(places_of(db, NAMES), ids + [10**6])
    assert [set(found[owner == i]) for i in range(4)] == [{i} for i in ids + [10**6]]
    assert [bool(same[owner == i].any()) for i in range(4)] == [True, False, False, False] and beside.all()
    assert places_of(db, NAMES).titles[places_of(db, NAMES).docs([ids[1]])[0]] == rows(db, 'select title from docs')[0][0]

def test_an_empty_store_has_no_places():
    db = database()
    db.get_tree()
    places = read_places(db, NAMES)
    assert places.find([1, 2]).tolist() == [-1, -1] and around(places, [5])[1].tolist() == [5]
    assert places.titles[places.docs([1])[0]] == ''

def test_places_are_small():
    db = database()
    for i in range(30): add(db, i)
    places = places_of(db, NAMES)
    arrays = [places.rowids, places.place, places.pages, places.by_rowid]
    assert sum(a.nbytes for a in arrays) == 20*len(places.rowids) and PAGE_REACH < places.stride

@given(st.lists(st.integers(0, 50), min_size=1, max_size=300), st.integers(1, 300), st.integers(0, 5))
def test_smallest_numbers(numbers, count, off):
    d, count = np.array(numbers, float), min(count, len(numbers))
    limit = np.sort(d)[count - 1] + off
    assert smallest(d, count, off).tolist() == np.flatnonzero(d <= limit).tolist()

def test_vectors_are_the_same_from_memory_and_from_the_file():
    db = database()
    for i in range(6): add(db, i)
    rows(db, 'update store set embedding=null where rowid=4')
    db.doc_search(Q, vec(Q))
    ids = np.array([9, 4, 2, 777, 30])
    kept = vectors_of(db, 'store', ids, 256)
    state(db).cache.clear()
    read = vectors_of(db, 'store', ids, 256)
    assert kept[0].tolist() == read[0].tolist() == [0, 2, 4] and (kept[1] == read[1].astype(np.float32)).all()

@pytest.mark.parametrize('q', ['"roof"', '"ro" *', '"slate" OR "tile" OR "absent"'])
def test_postings_tell_headings(q):
    db = database()
    for i in range(9): add(db, i)
    texts = dict(rows(db, "select rowid, lower(coalesce(heading, '')) from store"))
    for p, phrase in zip(postings_of(db, 'store', alternatives(q)), alternatives(q)):
        word, star = phrase.split('"')[1], '*' in phrase
        holds = lambda t: any(w.startswith(word) if star else w == word for w in t.split())
        assert p.headed.tolist() == sorted(r for r, t in texts.items() if holds(t)) and p.word[0] == word
