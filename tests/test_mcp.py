"The library as tools of an agent: every tool, every refusal, and the program as a client starts it."
import json, subprocess, sys
import pytest

from litesearch import Library
from litesearch.mcp import call, parameters, PROTOCOLS, READERS, reply, tool, tool_names, WRITERS
from test_cli import EXE, SAMPLES

@pytest.fixture(scope='module')
def shelf(tmp_path_factory):
    path = tmp_path_factory.mktemp('mcp')/'library.db'
    with Library(path, encoder='hash') as lib: lib.add(SAMPLES)
    return path

@pytest.fixture
def lib(shelf):
    with Library(shelf) as lib: yield lib

def ask(lib, method, write=False, **params):
    return reply(lib, dict(jsonrpc='2.0', id=1, method=method, params=params), write)

def value(res):
    "The JSON document of an answer"
    assert res['isError'] is False, res
    return json.loads(res['content'][0]['text'])

ASKED = dict(search=dict(q='swarm', k=2), research=dict(q='swarm', where={'kind': 'md'}),
             navigate=dict(q='honey'), related=dict(what='apiary › Swarming'), grep=dict(pattern='swarm', k=3),
             toc=dict(doc='apiary', max_depth=1), read=dict(what='apiary › Swarming'), context=dict(q='varroa', k=1),
             notes={}, topics={}, evidence=dict(questions=['When is honey ripe?']),
             cite=dict(what='apiary', style='apa'),
             status={}, report=dict(limit=1))

@pytest.mark.parametrize('name', READERS)
def test_a_tool_that_reads_changes_nothing(lib, name):
    changes = lib.db.conn.execute('pragma data_version').fetchall()
    done = lambda: lib.db.conn.execute('select total_changes(), (select count(*) from meta)').fetchall()
    before = done()
    assert value(call(lib, name, ASKED[name])) is not None
    assert (done(), lib.db.conn.execute('pragma data_version').fetchall()) == (before, changes)

def test_tools_that_write(tmp_path):
    with Library(tmp_path/'w.db', encoder='hash') as lib:
        assert value(call(lib, 'add', dict(what=[str(SAMPLES/'handbook')])))[0]['chunks'] > 0
        assert value(call(lib, 'note', dict(text='Swarms leave in May', key='may')))['note'] == 'n1'
        assert value(call(lib, 'edit_note', dict(note='may', topic='swarms')))['topic'] == 'swarms'
        assert value(call(lib, 'delete_note', dict(note='may')))['note'] == 'n1'
        assert value(call(lib, 'remove', dict(which=['apiary'])))[0]['title'] == 'apiary'
        assert value(call(lib, 'toc', {}))[0]['title'] == 'honey house'

@pytest.mark.parametrize('name', tool_names(write=True))
def test_a_tool_says_what_it_takes(name):
    "Each value with a type and a comment; what is needed is among them; nothing else is let through"
    told = tool(name)
    assert told['description'] and told['inputSchema']['additionalProperties'] is False
    assert set(told['inputSchema']['required']) <= parameters(getattr(Library, name)).keys()
    for o in told['inputSchema']['properties'].values(): assert o['type'] and o['description']
    assert told['annotations']['readOnlyHint'] == (name not in WRITERS)
    json.dumps(told)

@pytest.mark.parametrize('name,values,said', [
    ('search', dict(query='x'), 'takes no query'), ('search', {}, 'needs q'),
    ('search', dict(q=7), 'type string, not 7'),
    ('search', dict(q='x', k=True), 'integer'), ('search', dict(q='x', k=2.5), 'integer'),
    ('search', dict(q='x', k=-1), '-1'), ('search', dict(q='x', where='a=b=('), ''),
    ('research', dict(q='x', rerank=True), 'no rerank'),
    ('read', dict(what='no such thing'), 'closest'), ('toc', dict(doc='apairy'), "'apiary'"),
    ('cite', dict(what='apiary', style='x'), 'apa'), ('evidence', dict(questions='one'), 'array'),
    ('evidence', dict(questions=['x'], out='/tmp/x'), 'no out'), ('read', dict(what='apiary', pages='9-1'), '')])
def test_what_is_wrong_is_told(lib, name, values, said):
    res = call(lib, name, values)
    assert res['isError'] is True and said in res['content'][0]['text']

@pytest.mark.parametrize('name', [*WRITERS, 'close', '_ask', '__init__', 'db', 'export', '', None, ['search']])
def test_no_other_method_can_be_called(lib, name):
    assert ask(lib, 'tools/call', name=name, arguments={})['error']['code'] == -32602

def test_every_version_is_spoken(lib):
    for v in PROTOCOLS: assert ask(lib, 'initialize', protocolVersion=v)['result']['protocolVersion'] == v
    for v in (None, 7, 'x', []):
        assert ask(lib, 'initialize', protocolVersion=v)['result']['protocolVersion'] == PROTOCOLS[0]

@pytest.mark.parametrize('message', [[], 'x', 1, None, {}, {'id': 1}, {'id': 1, 'method': 5},
                                     {'id': 1, 'method': 'ping', 'params': 'x'}, [{'id': 1, 'method': 'ping'}]])
def test_no_request(lib, message): assert reply(lib, message)['error']['code'] == -32600

def test_what_gets_no_answer(lib):
    for o in (dict(method='notifications/cancelled'), dict(id=3, result={}), dict(id=3, error={})):
        assert reply(lib, o) is None

def talk(lines, *args):
    "What the program answers, a JSON document a line"
    as_line = lambda o: json.dumps(dict(o, jsonrpc='2.0'), ensure_ascii=False) + '\n'
    sent = ''.join(o if isinstance(o, str) else as_line(o) for o in lines)
    res = subprocess.run([EXE, 'mcp', *map(str, args)], input=sent.encode(), capture_output=True, timeout=120)
    return res, [json.loads(o) for o in res.stdout.decode().splitlines()]

def test_the_program(shelf, tmp_path):
    use = lambda id, name, **values: dict(id=id, method='tools/call', params=dict(name=name, arguments=values))
    res, got = talk([dict(id='a', method='initialize', params={}), dict(method='notifications/initialized'), '\n',
                     '{"half\n', use(2, 'search', q='schwärmen › 蜂\u2028 swarm'), use(3, 'note', text='x')],
                    '--lib', shelf)
    assert res.returncode == 0 and [o['id'] for o in got] == ['a', None, 2, 3]
    assert got[1]['error']['code'] == -32700 and got[2]['result']['isError'] is False
    assert '--write' in got[3]['error']['message']
    res, got = talk([use(1, 'note', text='x')], '--write', '--lib', tmp_path/'new.db')
    assert json.loads(got[0]['result']['content'][0]['text'])['note'] == 'n1'
    res, got = talk([dict(id=1, method='ping')], '--lib', tmp_path/'none.db')
    assert (res.returncode, got) == (1, []) and b'none.db' in res.stderr and not (tmp_path/'none.db').exists()

def test_several_messages_in_one(shelf):
    "A list of messages gets a list of answers; one of notifications alone gets none"
    ping = dict(jsonrpc='2.0', id=1, method='ping')
    res, got = talk([json.dumps([ping, dict(ping, id='b'), dict(jsonrpc='2.0', method='notifications/initialized')]) + '\n',
                     json.dumps([dict(jsonrpc='2.0', method='notifications/initialized')]) + '\n', dict(id=2, method='ping')], '--lib', shelf)
    assert res.returncode == 0 and [[o['id'] for o in got[0]], got[1]['id']] == [[1, 'b'], 2] and len(got) == 2

def test_whole_numbers_may_have_a_point(lib):
    assert call(lib, 'search', dict(q='swarm', k=2.0)) == call(lib, 'search', dict(q='swarm', k=2))

def test_what_a_fetcher_prints_is_no_answer(tmp_path):
    "Standard output is for answers alone, on the command line and in the server"
    code = '''import sys
from litesearch import intake
from litesearch.cli import main
def fetch(url):
    print('fetching', url)
    return dict(pages='Bees swarm.', title='Bees')
intake.FETCHERS['bee'] = fetch
sys.exit(main(sys.argv[1:]))'''
    lib = str(tmp_path/'l.db')
    start = lambda *args, **kw: subprocess.run([sys.executable, '-c', code, *args, '--lib', lib], capture_output=True, text=True, **kw)
    res = start('add', 'bee://hive', '--json')
    assert json.loads(res.stdout)[0]['title'] == 'Bees' and 'fetching bee://hive' in res.stderr
    asked = dict(jsonrpc='2.0', id=1, method='tools/call', params=dict(name='add', arguments=dict(what=['bee://wax'])))
    res = start('mcp', '--write', input=json.dumps(asked) + '\n')
    assert json.loads(res.stdout)['result']['isError'] is False and 'fetching bee://wax' in res.stderr
