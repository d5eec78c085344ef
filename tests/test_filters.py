"Filters: what they select is what the same conditions select in Python, whatever they are made of."
import re
from datetime import date, datetime, timedelta, timezone
import pytest
from hypothesis import example, given, settings, strategies as st
from litesearch.core import bind_where, write_txn
from litesearch.filters import FilterError, MAX_DEPTH, MAX_VALUES, parse_filter, where_of
from litesearch.store import insert_rows
from support import *

KINDS, YEARS = ['pdf', 'html', None], [1999, 2022, '2022', 2023.5, None, True, ['a', 'b'], [2022, 'x'], {'of': 1}, []]

@pytest.fixture(scope='module')
def shelf():
    "Documents of several kinds, with rows of their own columns; the last rows belong to no document."
    db = database()
    db.get_tree(shelf=str, title=str)
    for i in range(30):
        db.add_doc([(p, f'quince {i} {p} {"Slate" if i % 2 else "slate"}') for p in range(3)], title=f'Doc {i:02}',
                   source=f'/a/{"é%_"[i % 3]}/{i}', kind=KINDS[i % 3], emb_fn=embed, meta_fn=lambda t: dict(n=len(t)),
                   meta=dict(year=YEARS[i % 10], author=dict(name=f'A{i % 4}')) if i % 7 else None)
    rows(db, "update docs set added_at='20' || (10 + rowid % 9) || '-05-01 12:00:00'")
    rows(db, "update store set shelf='s' || (rowid % 4), title='T' || (rowid % 5)")
    insert_rows(db, 'store', [dict(content=f'quince of nobody {i}', embedding=embed(['quince'])[0].tobytes(), page=i,
                                   metadata='no json') for i in range(5)])
    return db

def selected(db, where):
    sql, values = where_of(db, 'store', where)
    return {r for r, in rows(db, f'select rowid from store where {sql or 1}', values)}

# --- an oracle
def facts(db):
    "Rows with all their fields, as Python values."
    sql = '''select s.rowid, s.page, s.shelf, s.content, s.metadata, s.doc_id, d.title, d.kind, d.source, d.added_at,
        d.meta from store s left join docs d on d.id=s.doc_id'''
    for rowid, page, shelf, content, facets, doc, title, kind, source, added, meta in rows(db, sql):
        out = dict(page=page, shelf=shelf, content=content, doc_id=doc, kind=kind, source=source, added_at=added)
        flat = json.loads(meta) if meta else {}
        n = json.loads(facets).get('n') if facets and facets != 'no json' else None
        yield rowid, {**out, 'doc.title': title, 'meta.year': flat.get('year'), 'metadata.n': n,
                      'meta.author.name': flat.get('author', {}).get('name')}

def like(pattern, x, flags=0):
    parts = ('.*' if c == '%' else '.' if c == '_' else re.escape(c) for c in pattern)
    return re.fullmatch(''.join(parts), x, flags | re.S)

is_text, is_number = (lambda x: isinstance(x, str)), (lambda x: isinstance(x, (int, float)))
def ordered(op): return lambda x, v: (is_text(x) and is_text(v) or is_number(x) and is_number(v)) and op(x, v)
TESTS = {'$eq': lambda x, v: x is not None and x == v, '$in': lambda x, v: x in v, '$gt': ordered(lambda x, v: x > v),
         '$gte': ordered(lambda x, v: x >= v), '$lt': ordered(lambda x, v: x < v), '$lte': ordered(lambda x, v: x <= v),
         '$contains': lambda x, v: is_text(x) and v in x, '$startswith': lambda x, v: is_text(x) and x.startswith(v),
         '$endswith': lambda x, v: is_text(x) and x.endswith(v), '$like': lambda x, v: is_text(x) and like(v, x),
         '$ilike': lambda x, v: is_text(x) and like(v, x, re.I | re.A)}

def holds(row, cond):
    "Whether a row passes a filter."
    def one(name, op, v):
        x = row[name]
        if op == '$not': return not every(name, v)
        if op in ('$ne', '$nin'): return not one(name, {'$ne': '$eq', '$nin': '$in'}[op], v)
        if op == '$exists': return (x is not None) == v
        if op in ('$eq', '$in') and v is None: return x is None
        if isinstance(x, dict): return False
        if not isinstance(x, list): return bool(TESTS[op](x, v))
        return any(TESTS['$eq' if op == '$contains' else op](o, v) for o in x)   # a list contains its members
    def every(name, v): return all(one(name, op, o) for op, o in (v.items() if isinstance(v, dict) else [('$eq', v)]))
    def part(key, v):
        if key == '$and': return all(holds(row, c) for c in v)
        if key == '$or': return any(holds(row, c) for c in v)
        if key == '$not': return not holds(row, v)
        return every(key, v)
    return all(part(k, v) for k, v in cond.items())

TEXTS = ['pdf', 'html', 's1', 'A2', '2022', 'a', 'Doc 07', 'doc 1', '2014-05-01 12:00:00',
         '', '%', 'é', "' or 1=1 --", '*']
TEXT_FIELDS = 'shelf content doc_id kind source added_at doc.title meta.author.name meta.year'.split()
PATTERNS = ['%', 'Doc 0_', 'doc%', '%slate%', '/a/_/%', '*', 's[12]', '']
NUMBERS, NUMBER_FIELDS = [0, 1, 2, 14, 15, 2022, 1999.0, 2023.5, True], ['page', 'metadata.n', 'meta.year']
text, number, one_of = st.sampled_from(TEXTS), st.sampled_from(NUMBERS), lambda *ops: st.sampled_from(ops)
text_field, number_field = st.sampled_from(TEXT_FIELDS), st.sampled_from(NUMBER_FIELDS)
order = one_of('$gt', '$gte', '$lt', '$lte', '$eq', '$ne')
tests = st.one_of(
    st.tuples(text_field, st.tuples(order | one_of('$contains', '$startswith', '$endswith'), text)),
    st.tuples(text_field, st.tuples(one_of('$like', '$ilike'), st.sampled_from(PATTERNS))),
    st.tuples(text_field, st.tuples(one_of('$in', '$nin'), st.lists(text | st.none(), max_size=4))),
    st.tuples(number_field, st.tuples(order, number)),
    st.tuples(number_field, st.tuples(one_of('$in', '$nin'), st.lists(number, max_size=4))),
    st.tuples(text_field | number_field, st.tuples(st.just('$exists'), st.booleans())),
    st.tuples(text_field | number_field, st.tuples(st.just('$eq'), st.none())))
leaves = tests.map(lambda t: {t[0]: {t[1][0]: t[1][1]}}) | tests.map(lambda t: {t[0]: {'$not': {t[1][0]: t[1][1]}}})
some = lambda f: st.lists(f, min_size=1, max_size=3)
filters = st.recursive(leaves, lambda f: st.one_of(
    some(f).map(lambda fs: {'$and': fs}),
    some(f).map(lambda fs: {'$or': fs}), f.map(lambda o: {'$not': o})), max_leaves=6)

@given(cond=filters)
@example(cond={'meta.year': {'$contains': ''}})
@settings(max_examples=400, deadline=None)
def test_rows_that_pass(shelf, cond):
    known = shelf.__dict__.setdefault('_facts', dict(facts(shelf)))
    assert selected(shelf, cond) == {r for r, row in known.items() if holds(row, cond)}

# --- in a search
LONG = dict(limit=200)
CALLS = {'doc_search': lambda db, w: db.doc_search('quince', vec('quince'), where=w, spans=False, fold=False, **LONG),
         'words': lambda db, w: db.doc_search('quince', None, where=w, spans=False, fold=False, **LONG),
         'search': lambda db, w: db.search('quince', vec('quince'), where=w, **LONG),
         'fts_search': lambda db, w: db.t.store.fts_search('quince', where=w, **LONG),
         'vec_search': lambda db, w: db.t.store.vec_search(vec('quince'), where=w, **LONG)}
def found(db, call, where): return {h['rowid'] for h in CALLS[call](db, where)}

SOME = [{'kind': 'pdf'}, {'meta.year': 2022}, {'doc.title': 'Doc 07'}, {'title': 'T3', 'page': {'$lt': 2}},
        {'kind': {'$ne': 'pdf'}}, {'metadata.n': {'$gte': 16}}, {'content': {'$contains': 'Slate'}}, {}]
@pytest.mark.parametrize('cond', SOME, ids=str)
@pytest.mark.parametrize('call', CALLS)
def test_a_search_finds_all_that_passes(shelf, call, cond):
    "Never silently short: every row holds the word, so that the filter alone decides."
    for _ in range(2): assert found(shelf, call, cond) == selected(shelf, cond) != set()

def test_sections_and_context_are_filtered(shelf):
    docs = dict(rows(shelf, 'select id, kind from docs'))
    found = shelf.sections('quince', vec('quince'), limit=50, where={'kind': 'html'})
    assert len(found) == 10 and {docs[s['doc_id']] for s in found} == {'html'}
    around = shelf.context('quince', vec('quince'), where={'kind': 'html'})
    assert {docs[s['doc_id']] for s in around['results'] + around['related']} <= {'html'}

def test_pages_of_filtered_hits_join(shelf):
    cond = {'meta.year': {'$exists': True}}
    hits = lambda **kw: shelf.doc_search('quince slate', vec('quince'), where=cond, spans=False, **kw)
    ask = lambda **kw: [h['rowid'] for h in hits(**kw)]
    assert sum((ask(limit=7, offset=i) for i in range(0, 70, 7)), []) == ask(limit=70)

def test_the_filter_sees_every_change(shelf):
    db = library(emb_fn=embed)
    for i in range(4):
        db.add_doc('quince', title=f'D{i}', kind='ab'[i % 2], emb_fn=embed)
        assert len(found(db, 'doc_search', {'kind': 'a'})) == i//2 + 1
    rows(db, "update docs set kind='a'")
    assert len(found(db, 'doc_search', {'kind': 'a'})) == 4
    db.delete_doc(db.toc('D2')[0]['doc_id'])
    assert len(found(db, 'search', {'kind': 'a'})) == 3

def test_another_connection_is_seen(tmp_path):
    one, two = library(path=tmp_path/'x.db'), database(tmp_path/'x.db')
    for i in range(4):
        two.add_doc('quince', title=f'D{i}', kind='a', emb_fn=embed)
        assert len(found(one, 'doc_search', {'kind': 'a'})) == i + 1

def test_a_write_that_is_undone_is_forgotten(tmp_path):
    db = library('quince', path=tmp_path/'x.db', emb_fn=embed)
    cond = {'content': {'$contains': 'quince'}}
    with pytest.raises(KeyError), write_txn(db):
        insert_rows(db, 'store', [dict(content='quince two')])
        assert len(found(db, 'words', cond)) == 2
        raise KeyError
    assert len(found(db, 'words', cond)) == 1

def test_stores_with_other_names():
    db = database()
    db.add_doc('quince', title='T', kind='a', store='it"s', emb_fn=embed)
    assert [len(db.doc_search('quince', store='it"s', where={'kind': kind})) for kind in 'ab'] == [1, 0]
    db.add_doc('quince', title='T', kind='a', store='other', prefix='p_', emb_fn=embed)
    assert len(db.doc_search('quince', store='other', prefix='p_', where={'kind': 'a'})) == 1

def test_statements(shelf):
    for cond in ({'kind': 'pdf'}, {'$or': [{'meta.year': 2022}, {'page': 1}]}):
        for call in ('doc_search', 'sections', 'context'):
            said = []
            for _ in range(2):
                said.clear()
                shelf.conn.exec_trace = lambda cursor, sql, args: said.append(sql) or True
                getattr(shelf, call)('quince', vec('quince'), where=cond)
                shelf.conn.exec_trace = None
            assert len(said) <= 8, said

# --- what is refused
BAD = [({'kindd': 1}, 'there is no field.*kind'), ({'embedding': 1}, 'no field'), ({'aaaaa': 1}, 'no field'),
       ({'page': {'$near': 1}}, 'no operator.*eq'), ({'$nor': [{}]}, 'no operator'),
       ({'page': {'a': 1}}, 'no operator'), ({'page': [1]}, 'in'), ({'page': {}}, 'no value'),
       ({'page': float('inf')}, 'no value'),
       ({'page': object()}, 'no value'), ({'$and': []}, 'list'), ({'$or': {'page': 1}}, 'list'),
       ({'kind': {'$in': 'pdf'}}, 'list'), ({'page': {'$gt': None}}, 'exists'), ({'$not': 7}, 'no filter'),
       ([1], 'no filter'), ({1: 2}, 'no operator'), ({'content': {'$like': '%'*1001}}, 'pattern'),
       ({'kind': {'$exists': 1}}, 'true or false'), ({'page': {'$type': 'int'}}, 'integer'),
       ({'page': {'$like': 7}}, 'no text'), ({'meta.': 1}, 'no key'), ({'meta.a"b': 1}, 'no key')]
@pytest.mark.parametrize('cond,why', BAD, ids=str)
def test_what_is_refused(shelf, cond, why):
    with pytest.raises(ValueError, match=f'(?s){why}'): shelf.search('quince', None, where=cond)

def test_hostile_text_is_a_value(shelf):
    before = rows(shelf, 'select count(*) from store, docs')
    for text in HOSTILE:
        for cond in ({'kind': text}, {'meta.year': {'$in': [text]}}, {'content': {'$contains': text or 'x'*20_000}},
                     {'title': {'$like': text}}):
            try: assert len(selected(shelf, cond)) in (0, 95) or text in ('%', '_')
            except FilterError: assert len(text) > 1000   # as a pattern
        for name in (text, f'meta.{text}', f'metadata.{text}', f'doc.{text}'):
            try: assert selected(shelf, {name: 1}) == set()
            except ValueError: pass
    assert rows(shelf, 'select count(*) from store, docs') == before

def nest(n): return {'$not': nest(n - 1)} if n else {'page': 1}

def test_how_much_is_asked_for_is_bounded(shelf):
    assert selected(shelf, nest(MAX_DEPTH)) == selected(shelf, {'page': 1})
    for bad in (nest(MAX_DEPTH + 1), {'$or': [{'page': i} for i in range(5_000)]}):
        with pytest.raises(ValueError, match='more than'): selected(shelf, bad)
    wide = {'$or': [{'meta.year': 3000 + i} for i in range(MAX_VALUES//3)]}
    assert selected(shelf, wide) == set() and selected(shelf, {'page': {'$in': list(range(100_000))}})

def test_numbers_beyond_those_of_sqlite(shelf):
    for n in (10**30, 10**400): assert selected(shelf, {'page': {'$lt': n}}) == selected(shelf, {'page': {'$exists': True}})
    assert selected(shelf, {'page': {'$in': [10**30]}}) == selected(shelf, {'page': {'$lt': -10**30}}) == set()

def test_args_go_with_sql_only(shelf):
    with pytest.raises(ValueError, match='where_args'): shelf.search('quince', where={'page': 1}, where_args=[1])
    assert bind_where('page > ?', [1]) == where_of(shelf, 'store', 'page > ?', [1])

# --- moments
def test_moments_in_any_form(shelf):
    noon = selected(shelf, {'added_at': '2014-05-01 12:00:00'})
    east = timezone(timedelta(hours=2))
    for same in ('2014-05-01T12:00:00', '2014-05-01T12:00:00Z', '2014-05-01T14:00+02:00', datetime(2014, 5, 1, 12),
                 datetime(2014, 5, 1, 14, tzinfo=east)):
        assert selected(shelf, {'added_at': same}) == noon != set()
    assert selected(shelf, {'added_at': {'$gte': date(2014, 5, 1), '$lt': '2014-05-02'}}) == noon

# --- typed on a command line
TYPED = {'kind=pdf': {'kind': 'pdf'}, 'page>=1,page<2': {'page': 1}, 'page==1': {'page': 1},
         'meta.year=2022': {'meta.year': {'$in': [2022, '2022']}}, 'kind!=pdf': {'kind': {'$ne': 'pdf'}},
         'content~Slate': {'content': {'$contains': 'Slate'}}, ' doc.title = Doc 07 ': {'doc.title': 'Doc 07'},
         'added_at>=2014,added_at<2015': {'added_at': {'$gte': '2014', '$lt': '2015'}},
         '{"page": {"$gt": 1}}': {'page': {'$gt': 1}}, 'content~a, b': {'content': {'$contains': 'a, b'}}}
@pytest.mark.parametrize('text', TYPED)
def test_typed_filters(shelf, text): assert selected(shelf, parse_filter(text)) == selected(shelf, TYPED[text])

@pytest.mark.parametrize('text', ['', 'kind', '=pdf', '{', '{"a": 1', '[1]', '{'*50_000, 'a='*10_000])
def test_typed_nonsense(shelf, text):
    with pytest.raises(ValueError): selected(shelf, parse_filter(text))

def test_a_key_with_a_period_in_its_name():
    db = database()
    metas = {'a.b': 5}, {'a': {'b': 5}}, {'a': {'b': 6}, 'a.b': 5}, {'a': {'b': 6}}
    for i, meta in enumerate(metas): db.add_doc(f'bees {i}', title=f'D{i}', meta=meta)
    found = lambda where: sorted(h['doc'] for h in db.doc_search('bees', where=where))
    assert found({'meta.a.b': 5}) == found({'meta.a.b': {'$lt': 6}}) == found({'meta.a.b': {'$in': [5, 7]}}) == ['D0', 'D1', 'D2']
    assert found({'meta.a.b': 6}) == ['D3'] and found({'meta.a.b': {'$exists': True}}) == ['D0', 'D1', 'D2', 'D3']

@pytest.mark.parametrize('text, want', [
    ("title='Bees'", 'Bees'), ('title="Bees"', 'Bees'), ('meta.code="007"', 'Bees'), ("title='Bees',meta.code='007'", 'Bees')])
def test_values_in_quotation_marks(text, want):
    db = database()
    db.add_doc('bees fly', title='Bees', meta=dict(code='007'))
    db.add_doc('bees fly', title='Other', meta=dict(code='7'))
    assert {h['doc'] for h in db.doc_search('bees', where=parse_filter(text))} == {want}
