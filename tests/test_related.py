"Sections near another one: never itself, by meaning alone, and whatever the library lacks."
import pytest
from litesearch import Library
from litesearch.core import database
from litesearch.lookup import UnknownSection
from litesearch.related import mean_vector
from support import embed
from test_cli import SAMPLES

@pytest.fixture(scope='module')
def lib():
    with Library(':memory:', encoder='hash') as lib:
        lib.add(SAMPLES)
        yield lib

def nodes(lib): return [o for o, in lib.db.conn.execute('select id from nodes order by id')]

def test_never_itself(lib):
    "Neither the section nor what is inside; for a document, none of it"
    for id in nodes(lib):
        got = lib.related(id, k=5)
        inside = {id} | {c['id'] for c in lib.read(id, max_chars=1)['children']}
        assert got and not inside & {o['node_id'] for o in got}
        if id.endswith('#0'): assert id[:-2] not in {o['doc_id'] for o in got}
        assert len({o['node_id'] for o in got}) == len(got)

def test_by_name_hit_and_condition(lib):
    by_name = lib.related('apiary › Swarming', k=3)
    hit = dict(lib.research('swarming', k=1)[0], node_id=lib.read('apiary › Swarming')['id'])
    assert by_name == lib.related(hit, k=3)
    assert {o['doc'] for o in lib.related('apiary › Swarming', where='kind=pdf')} == {'hive scale manual'}
    with pytest.raises(UnknownSection, match='closest'): lib.related('no such thing')

def test_statements(lib):
    seen, id = [], lib.read('apiary › Swarming')['id']
    lib.db.related(id)
    lib.db.conn.exec_trace = lambda cursor, sql, args: seen.append(sql) or True
    try: lib.db.related(id)
    finally: lib.db.conn.exec_trace = None
    assert len(seen) <= 8

def test_without_vectors_the_title_has_to_do():
    db = database()
    a = db.add_doc('# Slate roofs\n\nNails and hooks.', 'A')['doc_id']
    db.add_doc('# Thatch\n\nReed.\n\n# Repair of slate\n\nOne by one.', 'B')
    assert mean_vector(db, [f'{a}#1']) is None
    assert [o['title'] for o in db.related(f'{a}#1')] == ['Repair of slate']

def test_equal_texts_are_nearest():
    db = database()
    text = '# One\n\nThe moor is wet.\n\n# Two\n\nQuartz glitters, '
    for name in 'AB': did = db.add_doc(f'{text}{name}.', name, emb_fn=embed)['doc_id']
    assert db.related(f'{did}#1')[0]['breadcrumb'] == 'A › One'

def test_the_only_section_is_the_document():
    "Below one heading is all of the document: its title and the lines above are nothing new"
    db, text = database(), '---\nauthor: A\n---\n\nOf bees.\n\n# Bees\n\nBees fly.\n\n## Queens\n\nA queen of bees.'
    one = db.add_doc(text, 'One', emb_fn=embed)['doc_id']
    two = db.add_doc('Of bees.\n\n# Bees\n\nBees.\n\n# Wax\n\nOf bees, too.', 'Two', emb_fn=embed)['doc_id']
    for id in (f'{one}#0', f'{one}#1'): assert {o['doc_id'] for o in db.related(id)} == {two}
    assert one in {o['doc_id'] for o in db.related(f'{one}#2')}
    assert {o['doc_id'] for o in db.related(f'{two}#1')} == {one, two}
