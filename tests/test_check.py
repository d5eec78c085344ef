"A library that is damaged in one way after the other: named, mended, and no text of a document lost."
import json, os, random, sqlite3
from dataclasses import replace
import apsw, numpy as np, pytest
from litesearch.ann import sidecar_path
from litesearch.check import check_library as check
from litesearch.core import database, DatabaseFileError, get_meta, rows, set_meta, store_info
from litesearch.encode import HashEncoder
from litesearch.library import Library
from litesearch.notes import add_note, list_notes, search_notes
from litesearch.schema import tree_names
from support import *

BOOK = ''.join(f'{"#"*(1 + i % 3)} Jar {i}\n\njar {i} holds quince and {w}. ' + f'Word{i} {w} '*60 + '\n\n'
               for i, w in enumerate('medlar sorb damson plum fig date lime kiwi'.split()))
PAGES = [(n, f'# Page {n}\n\npage {n} on slate roofs, ' + f'row{n} of slates '*30) for n in range(1, 6)]

COPIED = 'content, heading, doc_id, node_id, page, start, page_end, "end", ord'

def shelf(path=':memory:'):
    "Documents on one page and on several, with references, levels and notes."
    db, enc = database(path), HashEncoder(64)
    db.add_doc('Foreword of the book.\n\n' + BOOK, 'Book', source='book.md', kind='md', emb_fn=enc, meta={'by': 'me'})
    db.add_doc(PAGES, 'Roofs', source='roofs.pdf', kind='pdf', emb_fn=enc)
    db.add_doc('\n'.join(f'dharma line {i} // Mn_1.{i}' for i in range(1, 9)), 'Manu', source='manu.txt', emb_fn=enc)
    db.add_doc('Only one line about bees.', 'Bees', emb_fn=enc)
    db.build_sections(emb_fn=enc)
    for i in range(3): add_note(db, f'note {i} on quince', topic='fruit', emb_fn=enc)
    return db

def first(db, sql): return rows(db, sql)[0][0]

def texts(db): return {t: p for t, p in rows(db, '''select d.title, group_concat(p.text, char(12)) from docs d
    join pages p on p.doc_id=d.id group by d.id''')}

def run_all(*statements):
    "A damage: statements in which {Book} and {Bees} are the ids of documents."
    def run(db):
        ids = dict(rows(db, 'select title, id from docs'))
        for s in statements: rows(db, s.format(**ids))
    return run

def recorded(key, **changes):
    "A damage: other values in a record."
    return lambda db: set_meta(db, key, {**get_meta(db, key), **changes})

def vectors(value, table='store'):
    "A damage: other vectors."
    return lambda db: rows(db, f'update {table} set embedding=? where rowid=3', (value,))

DAMAGE = {
    'words: rows lacking': ('words', run_all('delete from store_fts_docsize where id<4')),
    'words: other words': ('words', run_all("insert into store_fts(rowid, content) values(9, 'other words')")),
    'words: lost pages': ('words', run_all('delete from store_fts_data where id>10')),
    'words: no table': ('parts', run_all('drop table store_fts')),
    'words: no view': ('parts', run_all('drop view store_text')),
    'words: of notes': ('words', run_all('delete from notes_fts_docsize')),
    'parts: a trigger': ('parts', run_all('drop trigger store_replaced')),
    'parts: an index': ('parts', run_all('drop index store_doc')),
    'parts: a column': ('parts', run_all('drop index store_bare', 'drop index store_doc',
                                           'alter table store drop column ord')),
    'parts: the table of chunks': ('parts', run_all('drop table store')),
    'tables: pages': ('tables', run_all('drop table pages')),
    'tables: sections': ('tables', run_all('drop table nodes')),
    'tables: documents': ('tables', run_all('drop table docs')),
    'record: of a graph': ('record', lambda db: rows(db, "insert into meta values('ann:store', '{')")),
    'record: of a move': ('record', lambda db: set_meta(db, 'reindex:store', dict(encoder='x'))),
    'record: schema': ('record', run_all("delete from meta where key='schema'")),
    'record: notes': ('record', run_all("delete from meta where key='notes'")),
    'record: size': ('record', recorded('store:store', ndim=None)),
    'record: of a store': ('record', run_all("update meta set value='no' where key='store:store'")),
    'record: no store': ('record', run_all("delete from meta where key='store:store'")),
    'record: no store of notes': ('record', run_all("delete from meta where key='store:notes'")),
    'record: prefix': ('record', lambda db: set_meta(db, 'tree:store', 7)),
    'record: no tree': ('record', run_all("delete from meta where key='tree:store'")),
    'record: of nothing': ('record', lambda db: set_meta(db, 'store:store', dict(nam=1))),
    'record: none': ('record', run_all('delete from meta')),
    'record: no table': ('record', run_all('drop trigger store_replaced', 'drop trigger notes_replaced', 'drop table meta')),
    'record: of a level': ('levels', run_all("delete from meta where key='store:store_documents'")),
    'types: no number': ('types', run_all("update store set start='first' where rowid=2")),
    'types: no text': ('types', run_all("update store set heading=x'ff' where rowid=2")),
    'types: a title': ('types', run_all("update nodes set title=x'ff00' where seq=1")),
    'types: a turned bit': ('types', run_all(
        "update pages set text=cast(replace(cast(text as blob), x'73', x'f3') as text)")),
    'types: a turned bit in a chunk': ('types', run_all(
        "update store set content=cast(x'f3' || substr(cast(content as blob), 2) as text) where rowid=2")),
    'types: a page': ('types', run_all("update pages set page='one' where page=1")),
    'types: a reference': ('types', run_all("update refs set start='here' where seq=1")),
    'types: no id': ('types', run_all("update nodes set id=null where id='{Book}#2'")),
    'notes: no time': ('notes', run_all('update notes set updated_at=null')),
    'notes: no id': ('notes', run_all('update notes set id=null where rowid=2')),
    'vectors: size': ('vectors', run_all("update store set embedding=x'0102' where rowid in (2, 3)")),
    'vectors: NaN': ('vectors', vectors(np.full(64, np.nan, np.float16).tobytes())),
    'vectors: zeros': ('vectors', vectors(bytes(128))),
    'vectors: text': ('vectors', vectors('vector')),
    'vectors: of notes': ('vectors', run_all('update notes set embedding=zeroblob(128)')),
    'level: size': ('level', run_all("update store_sections set embedding=x'0102' where rowid=1")),
    'level: zeros': ('level', run_all('update store_documents set embedding=zeroblob(128) where rowid=1')),
    'level: of nothing': ('orphans', run_all("update store_sections set node_id='x#1' where rowid=1")),
    'levels: a trigger': ('levels', run_all('drop trigger store_sections_moved')),
    'levels: a table': ('levels', run_all('drop table store_documents')),
    'levels: encoder': ('levels', recorded('store:store_sections', encoder='x')),
    'lost: a document': ('lost', run_all("delete from docs where title='Book'")),
    'lost: a document and its pages': ('lost', run_all(
        "delete from docs where id='{Roofs}'", "delete from pages where doc_id='{Roofs}'")),
    'orphans: sections': ('orphans', run_all(
        "insert into nodes(id, doc_id, level, seq, last, title) values('x#1', 'x', 1, 1, 1, 'X')")),
    'orphans: chunks': ('orphans', run_all("insert into store(doc_id, node_id, content) values('x', 'x#1', 'text')")),
    'orphans: chunks of a section': ('orphans', run_all("update store set node_id='{Book}#77' where rowid=2")),
    'orphans: references': ('orphans', run_all("update refs set page=9 where seq=1")),
    'orphans: references beyond the end': ('orphans', run_all('update refs set "end"=99999 where seq=2')),
    'pages: a word': ('pages', run_all("update pages set text=replace(text, 'holds', 'grows')")),
    'pages: one lost': ('pages', run_all('delete from pages where page=3')),
    'pages: all of a document': ('pages', run_all("delete from pages where doc_id='{Book}'")),
    'pages: cut off': ('pages', run_all("update pages set text=substr(text, 1, 99) where page=0")),
    'tree: no root': ('tree', run_all('delete from nodes where seq=0')),
    'tree: a section': ('tree', run_all('delete from nodes where seq=2')),
    'tree: all': ('tree', run_all('delete from nodes')),
    'tree: upside down': ('tree', run_all('update nodes set seq=-seq - 1', 'update nodes set seq=4 - seq')),
    'tree: under another': ('tree', run_all("update nodes set parent_id='{Bees}#0' where seq=2")),
    'tree: no place': ('tree', run_all('update nodes set start=99999 where seq=1')),
    'tree: an odd id': ('tree', run_all("update nodes set id='odd' where id='{Book}#2'")),
    'unfinished': ('unfinished', run_all("update docs set hash=null where title='Book'")),
    'unfinished: no chunks': ('unfinished', run_all("update docs set hash=null", 'delete from store')),
    'chunks: another text': ('chunks', run_all("update store set content='other text' where rowid=2")),
    'chunks: another place': ('chunks', run_all("update store set start=start + 1 where rowid=2")),
    'chunks: nowhere': ('chunks', run_all("update store set page=77 where rowid=2")),
    'chunks: another path': ('chunks', run_all("update store set heading='Here' where rowid=2")),
    'chunks: blank': ('chunks', run_all("update store set content=' ' where rowid=2")),
    'chunks: some gone': ('chunks', run_all("delete from store where rowid in (2, 3, 5)")),
    'chunks: all gone': ('chunks', run_all("delete from store")),
    'chunks: twice': ('chunks', run_all(f'insert into store({COPIED}) select {COPIED} from store where rowid=2')),
    'numbers: last': ('numbers', run_all('update nodes set last=1 where seq=0')),
    'numbers: chunks': ('numbers', run_all('update nodes set nchunks=9')),
    'numbers: order': ('numbers', run_all('update store set ord=99 - ord')),
    'numbers: pages': ('numbers', run_all('update docs set pages=7')),
    'numbers: next section': ('numbers', run_all('update docs set next_node=1')),
}

# what does not follow from the rest, and can only be had back in part
LOSSY = {'tables: pages', 'types: a page', 'pages: one lost', 'pages: all of a document', 'pages: cut off',
         'lost: a document and its pages'}

NO_CHUNKS = {'parts: the table of chunks', 'chunks: all gone', 'unfinished: no chunks'}
NO_PAGES = {'tables: pages', 'lost: a document and its pages', 'pages: all of a document'}

@pytest.mark.parametrize('name', DAMAGE)
def test_damage_is_named_and_mended(name):
    (kind, damage), db, enc = DAMAGE[name], shelf(), HashEncoder(64)
    before, count = texts(db), first(db, 'select count(*) from store')
    assert check(db) == {**check(db), 'ok': True, 'problems': []}
    damage(db)
    found = check(db)
    assert kind in {p['kind'] for p in found['problems']} and not found['ok'], found
    assert not any(p['repaired'] for p in found['problems']) and json.dumps(found)
    mended = check(db, repair=True, emb_fn=enc)
    assert mended['ok'] and all(p['repaired'] for p in mended['problems']), mended
    assert {(p['kind'], p['where']) for p in found['problems']} <= {(p['kind'], p['where']) for p in mended['problems']}
    assert check(db)['problems'] == []
    check_library(db)
    if name not in LOSSY: assert texts(db) == before
    assert {*texts(db)} == {*before}
    for title, text in before.items():
        for word in ('Word7 kiwi', 'row3 of slates', 'line 8', 'about bees'):
            assert (word in text) == (word in texts(db)[title]), 'text was lost'
    assert first(db, 'select count(*) from store') == count or name in LOSSY
    assert words(db, 'quince damson')[0]['doc'] == 'Book' and nearest_note(db)

def nearest_note(db): return len(list_notes(db)) == len(search_notes(db, 'quince')) == 3

@pytest.mark.parametrize('name', DAMAGE)
def test_the_next_add_completes_what_was_mended(name):
    "Without an encoder vectors are missing; an `add` of the same documents brings them."
    (_, damage), db, enc = DAMAGE[name], shelf(), HashEncoder(64)
    damage(db)
    assert check(db, repair=True)['ok']
    db.add_doc('Foreword of the book.\n\n' + BOOK, 'Book', source='book.md', kind='md', emb_fn=enc, meta={'by': 'me'})
    db.add_doc(PAGES, 'Roofs', source='roofs.pdf', kind='pdf', emb_fn=enc)
    got = check(db)
    assert got['ok'] and not got['problems'], got
    sql = """select count(*) from store s join docs d on d.id=s.doc_id
        where embedding is null and source in ('book.md', 'roofs.pdf')"""
    assert first(db, sql) == 0
    assert texts(db)['Book'] == texts(shelf())['Book']

@pytest.mark.parametrize('name', DAMAGE)
def test_a_damaged_library_can_be_opened_to_be_checked(tmp_path, name):
    db = shelf(tmp_path/'x.db')
    DAMAGE[name][1](db)
    db.conn.close()
    with Library(tmp_path/'x.db') as lib:
        found = lib.check()
        assert not found['ok'] and DAMAGE[name][0] in {p['kind'] for p in found['problems']} and str(found)
        assert lib.check(repair=True)['ok'] and lib.check()['problems'] == []
    with Library(tmp_path/'x.db') as lib: assert {d['title'] for d in lib.toc()} == {'Book', 'Roofs', 'Manu', 'Bees'}

def test_two_damages_at_once():
    "Every pair would take long; some of them, chosen by chance."
    rng, names = np.random.default_rng(7), [*DAMAGE]
    for _ in range(25*int(os.environ.get('EXAMPLES', 1))):
        db, pair = shelf(), rng.choice(names, 2, replace=False)
        try:
            for name in pair: DAMAGE[name][1](db)
        except (apsw.Error, IndexError): continue    # the first took away what the second would damage
        got = check(db, repair=True, emb_fn=HashEncoder(64))
        assert got['ok'] and all(p['repaired'] for p in got['problems']), (pair, got)
        assert check(db)['problems'] == [], pair
        assert {*texts(db)} >= {'Roofs'} or {*pair} & NO_CHUNKS and {*pair} & NO_PAGES, pair

def test_nothing_to_check():
    assert check(database()) == dict(ok=True, problems=[], counts={})
    db = database()
    db.get_tree()
    assert check(db)['ok'] and check(db, repair=True)['problems'] == []

def test_an_empty_document_and_a_store_without_documents():
    db = library('', ('Blank', ' \n\n '), ('Only a heading', '# Quince\n\n# Medlar'))
    db.get_store('loose', hash=True)
    db.t.loose.insert_all([dict(content='a'), dict(content='b', doc_id='x')])
    assert check(db)['problems'] == [] and check(db)['counts']['chunks'] == 4
    assert check(db, store='loose')['counts'] == dict(chunks=2, vectors=0)

def test_another_prefix_and_odd_names():
    db = database()
    for store, prefix in (('law', None), ('a"b c', None), ("it's", 'x-')):
        db.add_doc(BOOK, 'Book', store=store, prefix=prefix, emb_fn=embed)
        assert check(db)['ok'], store
        names = tree_names(store, prefix)
        rows(db, f'update {names.store} set content=? where rowid=2', ('x',))
        rows(db, f'delete from {names.nodes} where seq=3')
        assert not check(db)['ok'] and check(db, repair=True)['ok'] and check(db)['problems'] == []

def test_all_of_the_statements_are_constant():
    def count(db):
        seen = []
        db.conn.exec_trace = lambda c, sql, values: seen.append(sql) or True
        assert check(db)['ok']
        db.conn.exec_trace = None
        return len(seen)
    small, large = library(BOOK, emb_fn=embed), library(*[BOOK + f'{i}' for i in range(40)], emb_fn=embed)
    assert count(small) == count(large) < 40

def on_disk(path):
    db = shelf(path)
    db.conn.execute('pragma wal_checkpoint(truncate)')
    return db

def test_an_index_that_does_not_fit_its_table(tmp_path):
    db = on_disk(tmp_path/'x.db')
    db.conn.close()
    with sqlite3.connect(tmp_path/'x.db') as conn:
        conn.execute('pragma writable_schema=1')
        other = 'create index store_doc on store(page, doc_id, ord)'
        conn.execute("update sqlite_master set sql=? where name='store_doc'", (other,))
    db = database(tmp_path/'x.db')
    found = check(db)
    assert not found['ok'] and ('index', 'store_doc') in {(p['kind'], p['where']) for p in found['problems']}
    assert check(db, repair=True)['ok'] and check(db)['problems'] == []

def test_a_damaged_file_is_named_and_left_alone(tmp_path):
    on_disk(tmp_path/'x.db').conn.close()
    raw = bytearray((tmp_path/'x.db').read_bytes())
    for at in range(20*4096, len(raw), 3*4096): raw[at:at + 2048] = b'\xa5'*2048
    (tmp_path/'x.db').write_bytes(raw)
    db = database(tmp_path/'x.db')
    got = check(db, repair=True)
    assert not got['ok'] and {p['kind'] for p in got['problems']} == {'file'} and not got['problems'][0]['repaired']
    db.conn.close()
    assert (tmp_path/'x.db').read_bytes() == raw

@pytest.mark.parametrize('damage', [lambda p: p.write_bytes(p.read_bytes()[::-1]), lambda p: p.write_bytes(b''),
                                    lambda p: p.write_bytes(p.read_bytes()[:-9])], ids=['turned', 'empty', 'cut'])
def test_a_damaged_graph_is_no_danger(tmp_path, damage):
    db = on_disk(tmp_path/'x.db')
    db.t.store.rebuild_index()
    side = sidecar_path(db)
    assert check(db)['problems'] == []
    damage(side)
    got = check(db)
    assert got['ok'] and [p['kind'] for p in got['problems']] == ['graph'] and not got['problems'][0]['repaired']
    assert check(db, repair=True)['problems'][0]['repaired'] and not side.exists() and check(db)['problems'] == []
    assert db.t.store.rebuild_index() == got['counts']['vectors'] - 3    # without those of notes

def test_a_graph_that_was_deleted_is_no_fault(tmp_path):
    db = on_disk(tmp_path/'x.db')
    db.t.store.rebuild_index()
    sidecar_path(db).unlink()
    assert check(db)['problems'] == []

def test_a_file_that_may_only_be_read(tmp_path):
    db = on_disk(tmp_path/'x.db')
    db.conn.execute('pragma query_only=1')
    assert check(db)['ok']
    db.conn.execute('pragma query_only=0')
    rows(db, 'update nodes set last=9')
    db.conn.execute('pragma query_only=1')
    assert [p['kind'] for p in check(db)['problems']].count('numbers') > 1
    with pytest.raises(OSError, match='read-only'): check(db, repair=True)

def test_vectors_are_left_to_the_next_add_or_made_at_once():
    db = shelf()
    rows(db, "update store set content='other' where rowid in (2, 3)")
    assert check(db, repair=True)['ok'] and first(db, 'select count(*) from store where embedding is null') == 2
    db = shelf()
    kept = rows(db, 'select rowid, embedding from store where rowid not in (2, 3)')
    rows(db, "update store set content='other' where rowid in (2, 3)")
    assert check(db, repair=True, emb_fn=HashEncoder(64))['ok']
    assert first(db, 'select count(*) from store where embedding is null') == 0
    assert {*kept} <= {*rows(db, 'select rowid, embedding from store')}

def test_metadata_stays_with_its_place():
    db = library()
    db.add_doc(BOOK, 'Book', meta_fn=lambda text: dict(length=len(text)), emb_fn=embed)
    before = rows(db, 'select start, metadata from store order by ord')
    rows(db, "update store set content='other' where rowid in (2, 3)")
    assert check(db, repair=True)['ok'] and rows(db, 'select start, metadata from store order by ord') == before

def test_checking_while_others_write(tmp_path):
    "No process is told of faults that are none."
    on_disk(tmp_path/'x.db').conn.close()
    writer = start(WRITE, tmp_path/'x.db')
    db, seen = database(tmp_path/'x.db'), 0
    while writer.poll() is None:
        got = check(db, deep=seen % 2 == 0)
        assert got['ok'] and not got['problems'], got
        seen += 1
    finish(writer)
    assert seen > 2 and check(db)['counts']['documents'] == 44

WRITE = '''
from litesearch.encode import HashEncoder
from litesearch.notes import add_note
db = database(sys.argv[1])
for i in range(40):
    db.add_doc(f'# A\\n\\ntext {i}\\n\\n# B\\n\\nmore {i}', f'New {i}', emb_fn=HashEncoder(64))
    add_note(db, f'note {i}', key=f'k{i % 7}', emb_fn=HashEncoder(64))
'''

@pytest.mark.parametrize('meta', [{}, {10: 'a', 9: 'b'}, {'b': (1, 2), 'a': None}, {'é': 0.1}], ids=str)
def test_the_hash_of_a_document_can_be_told_from_what_is_stored(meta):
    db = library()
    db.add_doc('quince', 'T', meta=meta)
    assert check(db)['problems'] == [] and db.add_doc('quince', 'T', meta=meta)['skipped']

def test_every_store_gets_vectors_of_its_own_encoder_only():
    db = library(BOOK, emb_fn=HashEncoder(64))
    db.add_doc(BOOK, 'Doc 0', store='law', emb_fn=HashEncoder(32))
    for store in ('store', 'law'): rows(db, f"update {store} set content='other' where rowid in (2, 3)")
    assert check(db, repair=True, emb_fn=HashEncoder(32))['ok']
    bare = lambda store: first(db, f'select count(*) from {store} where embedding is null')
    assert (bare('store'), bare('law')) == (2, 0)

@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
@pytest.mark.parametrize('ndim', [7, 64])
def test_what_a_store_is_made_of_is_told_from_its_rows(dtype, ndim):
    db, enc = database(), HashEncoder(ndim, np.dtype(dtype))
    db.get_store('loose', hash=True, tokenize='trigram')
    db.add_doc(BOOK, 'Book', emb_fn=enc)
    infos = store_info(db), store_info(db, 'loose')
    rows(db, "update meta set value='no' where key glob 'store:*'")
    assert check(db, repair=True)['ok'] and check(db)['problems'] == []
    got = store_info(db, fresh=True), store_info(db, 'loose', fresh=True)
    assert got == (replace(infos[0], ann=False), infos[1])
    assert db.add_doc(BOOK + ' more', 'Book', emb_fn=enc)['kept'] and store_info(db).encoder == enc.encoder_id

def test_an_encoder_that_nobody_knows_is_told():
    db, enc = database(), lambda texts: [[len(t), t.count('a'), 1.0] for t in texts]
    db.add_doc(BOOK, 'Book', emb_fn=enc)
    rows(db, 'delete from meta')
    told = [p for p in check(db, repair=True)['problems'] if p['where'] == 'store:store']
    assert told[0]['repaired'] and 'reindex --encoder' in told[0]['what'] and '3 numbers of float16' in told[0]['what']
    assert store_info(db, fresh=True).encoder is None and check(db)['ok']
    db.reindex('hash:32')
    assert store_info(db).encoder == 'hash-32' and words(db, 'quince')

@pytest.mark.parametrize('key', ['schema', 'store:store', 'tree:store', 'notes', 'store:notes', None])
def test_a_library_without_records_says_what_to_do_or_goes_on(tmp_path, key):
    "Whatever is asked of it is answered as before, or is an error that names the file and the repair; never an empty answer."
    shelf(tmp_path/'x.db').conn.close()
    db = database(tmp_path/'x.db')
    rows(db, 'delete from meta where key=ifnull(?, key)', (key,))
    db.conn.close()
    for ask in (lambda lib: lib.search('quince'), lambda lib: lib.toc(), lambda lib: lib.read('Book'), Library.status,
                lambda lib: lib.context('quince'), lambda lib: lib.add('Bees fly.', title='New')):
        with Library(tmp_path/'x.db') as lib:
            try: assert ask(lib)
            except DatabaseFileError as e: assert str(tmp_path/'x.db') in str(e) and 'litesearch check --repair' in str(e)
    with Library(tmp_path/'x.db') as lib:
        assert lib.check(repair=True)['ok'] and lib.search('quince') and lib.notes() and lib.status()['encoder'] == 'hash-64'

def test_trees_of_other_names_find_their_stores():
    db = database()
    for store, prefix in (('law', None), ('loose', 'x-')):
        db.add_doc(BOOK, 'Book', store=store, prefix=prefix, emb_fn=embed)
    rows(db, 'delete from meta')
    assert check(db, repair=True)['ok'] and check(db)['counts']['documents'] == 2
    assert {s: get_meta(db, f'tree:{s}') for s in ('law', 'loose')} == {'law': 'law_', 'loose': 'x-'}
    db.add_doc(BOOK, 'Book', store='third', prefix='y-', emb_fn=embed)
    rows(db, "delete from meta where key in ('tree:loose', 'tree:third')")
    got = check(db, repair=True)
    assert not got['ok'] and {p['where'] for p in got['problems']} == {'x-docs', 'y-docs'}
    for p in got['problems']: assert not p['repaired'] and 'set_meta(db' in p['what']
    for store, prefix in (('loose', 'x-'), ('third', 'y-')): set_meta(db, f'tree:{store}', prefix)
    assert check(db)['ok'] and check(db)['counts']['documents'] == 3

VALUES = [None, '', ' ', 'x', "x'y", 0, -1, 3, 10**6, 2**40, 1.5, b'', b'\xff\xfe', b'abc', 'é'*3, '{', '[]', '#0']

def test_any_value_in_any_cell():
    "Whatever stands in a table, it is mended, and no page is lost but the one that was overwritten."
    rng = random.Random(11)
    for _ in range(60*int(os.environ.get('EXAMPLES', 1))):
        db, table = shelf(), rng.choice('docs pages nodes store notes refs meta store_sections store_documents'.split())
        before = {t for t, in rows(db, 'select text from pages')}
        key = dict(refs='doc_id', meta='key').get(table, 'rowid')
        column = rng.choice([r[1] for r in rows(db, f'pragma table_info({table})')])
        where, value = rng.choice(rows(db, f'select {key} from {table}'))[0], rng.choice(VALUES)
        try: rows(db, f'update {table} set "{column}"=? where {key}=?', (value, where))
        except apsw.Error: continue    # SQLite does not allow it
        got = check(db, repair=True, emb_fn=HashEncoder(64))
        assert got['ok'] and check(db)['problems'] == [], (table, column, value, got)
        after = {t for t, in rows(db, 'select text from pages')}
        assert len(before - after) <= (table == 'pages'), (table, column, value)

def test_bytes_that_turn(tmp_path):
    "A file with some other bytes is refused, or its faults are named; nothing else is raised."
    on_disk(tmp_path/'x.db').conn.close()
    raw, rng, before = (tmp_path/'x.db').read_bytes(), random.Random(5), texts(shelf())
    for i in range(40*int(os.environ.get('EXAMPLES', 1))):
        bad, at, path = bytearray(raw), rng.randrange(100, len(raw) - 64), tmp_path/f'{i}.db'
        bad[at:at + 64] = rng.randbytes(64)
        path.write_bytes(bad)
        try: db = database(path)
        except DatabaseFileError: continue
        if not check(db)['problems']: assert texts(db) == before
        db.conn.close()

@pytest.mark.parametrize('damage', ['drop table notes', 'drop table notes; drop table notes_fts', 'drop index notes_key; drop table notes_fts'])
def test_a_store_of_notes_is_made_whole(damage):
    db, enc = shelf(), HashEncoder(64)
    add_note(db, 'A swarm came in May', topic='swarms', key='may', emb_fn=enc)
    run_all(*damage.split('; '))(db)
    assert not check(db)['ok'] and check(db, repair=True, emb_fn=enc)['ok'] and check(db)['ok']
    add_note(db, 'A swarm came in June', topic='swarms', key='may', emb_fn=enc)
    assert [o['text'] for o in list_notes(db, 'swarms')] == ['A swarm came in June']
