"Another chunker, or other facets, for a text that is the same: what is asked for is done, and nothing else."
import json
import pytest
from litesearch import Library
from litesearch.core import database
from litesearch.cut import cuts_of, maker_name
from litesearch.schema import tree_names
from litesearch.semantic import named_chunker
from test_cli import data, run

TEXT = '# Tea\n\n' + ' '.join(f'Leaf {i} is picked by hand in the morning.' for i in range(40)) + '\n\n# Coffee\n\nBeans.'

def counted(calls):
    def embed(texts):
        calls.extend(texts)
        return [[1.0, 2.0, 3.0]]*len(texts)
    return embed

class Halves:
    "A chunker of one's own."
    def __init__(self, n=2): self.n = n
    def chunk(self, text): return [text[i:i + len(text)//self.n + 1] for i in range(0, len(text), len(text)//self.n + 1)]

@pytest.fixture(params=['text', 'file', 'folder'])
def put(request, tmp_path):
    "Adds the same text in one of three ways; returns its result and the texts that were embedded."
    db, calls = database(tmp_path/'l.db'), []
    (tmp_path/'in').mkdir()
    (tmp_path/'in'/'tea.md').write_text(TEXT)
    def add(**kw):
        calls.clear()
        kw['emb_fn'] = counted(calls)
        if request.param == 'text': return db.add_doc(TEXT, 'tea', **kw), list(calls)
        if request.param == 'file': return db.add_file(tmp_path/'in'/'tea.md', **kw), list(calls)
        return db.add_dir(tmp_path/'in', **kw)[0], list(calls)
    add.db = db
    return add

def test_another_chunker_cuts_anew(put):
    first, _ = put()
    assert put()[0]['skipped'] == 'unchanged'
    fine, embedded = put(chunker=named_chunker('plain:128'))
    assert fine['chunks'] > first['chunks'] and len(embedded) == fine['chunks'] - fine['kept']
    assert fine['kept'] == 1   # `Beans.` is the same in both
    assert put(chunker=named_chunker('plain:128')) == (dict(doc_id=first['doc_id'], title='tea', kind=first['kind'], skipped='unchanged'), [])
    assert put()[0]['skipped'] == 'unchanged'   # who wishes for nothing takes it as it is
    assert put(chunker=named_chunker('plain'))[0]['chunks'] == first['chunks']   # the usual one, by its name
    assert cuts_of(put.db, tree_names()) == {}

def test_a_chunker_of_ones_own(put):
    put()
    assert put(chunker=Halves())[0]['chunks'] == 3 or put(chunker=Halves())[0]['skipped']
    assert put(chunker=Halves())[0]['skipped'] == 'unchanged'
    assert put(chunker=Halves(3))[0]['chunks'] > 3

def test_other_facets_are_found(put):
    put()
    facets = lambda: [json.loads(m) for m, in put.db.conn.execute('select metadata from store order by ord') if m]
    assert put(meta_fn=lambda s: dict(n=len(s)))[0]['chunks'] and all('n' in o for o in facets())
    assert put(meta_fn=lambda s: dict(m=len(s)))[0]['chunks'] and all('m' in o for o in facets())
    assert put()[0]['skipped'] and all('m' in o for o in facets())

def test_what_is_noted_goes_with_the_document(put):
    id = put(chunker=Halves())[0]['doc_id']
    assert [*cuts_of(put.db, tree_names())] == [id]
    put.db.delete_doc(id)
    assert cuts_of(put.db, tree_names()) == {}
    assert put(chunker=Halves())[0]['chunks'] == 3

def test_names_of_makers():
    assert maker_name(Halves()) == maker_name(Halves()) != maker_name(Halves(3))
    assert maker_name(lambda s: s[:1]) != maker_name(lambda s: s[:2])
    assert maker_name(named_chunker('semantic', lambda texts: texts)) != maker_name(named_chunker('semantic'))

def test_a_library_and_the_command_line(tmp_path):
    (tmp_path/'tea.md').write_text(TEXT)
    with Library(tmp_path/'l.db', encoder='hash:64') as lib:
        plain = lib.add(tmp_path/'tea.md')[0]['chunks']
        assert lib.add(tmp_path/'tea.md', chunker='sentences:200')[0]['chunks'] > plain
        assert lib.add(tmp_path/'tea.md')[0]['skipped'] == lib.sync(tmp_path)[0]['skipped'] == 'unchanged'
        assert lib.check()['ok']
    args = 'add', tmp_path/'tea.md', '--lib', tmp_path/'l.db', '--json'
    assert data(run(*args, '--chunker', 'sentences:200'))[0]['skipped'] == 'unchanged'
    assert data(run(*args, '--chunker', 'plain'))[0]['chunks'] == plain
