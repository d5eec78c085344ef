"The installed command as a shell sees it."
import json, os, re, shutil, signal, subprocess, sys, time
from importlib.util import find_spec
from pathlib import Path

import pytest
from litesearch.cli import main
from litesearch.library import Library

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = ['add', 'sync', 'remove', 'search', 'research', 'navigate', 'toc', 'read', 'context', 'note', 'notes', 'topics', 'edit-note',
            'delete-note', 'evidence', 'cite', 'status', 'report', 'reindex', 'check', 'export', 'sections']
SAMPLES = ROOT/'samples'
EXE = shutil.which('litesearch', path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get('PATH', '')]))

def run(*args, cwd=None, env=None, text=True, **kw):
    env = {k: v for k,v in os.environ.items() if k != 'LITESEARCH_DB'} | (env or {})
    kw = dict(capture_output=True, timeout=120, stdin=subprocess.DEVNULL) | kw
    if text: kw['encoding'] = 'utf-8'
    return subprocess.run([EXE, *map(str, args)], cwd=cwd, env=env, **kw)

def data(res, code=0):
    "The one JSON document that a command printed"
    assert res.returncode == code, res.stderr
    return json.loads(res.stdout)

def error(res, code=1):
    "The error in the one JSON document of a command without a result"
    found = data(res, code)
    assert set(found) == {'error'} and set(found['error']) == {'type', 'message'} and found['error']['message']
    return found['error']

def one_line(err):
    "The error line of a command that failed without a traceback"
    assert 'Traceback' not in err
    assert len(err.strip().splitlines()) == 1, err
    return err.strip()

@pytest.fixture(scope='module')
def lib(tmp_path_factory):
    "A library of the sample files"
    path = tmp_path_factory.mktemp('lib')/'deep'/'library.db'
    res = run('add', SAMPLES, '--lib', path)
    assert res.returncode == 0, res.stderr
    return path

@pytest.fixture
def notes(tmp_path):
    "A folder with two small files"
    folder = tmp_path/'notes'
    folder.mkdir()
    (folder/'a.md').write_text('# A\n\n## Tea\n\nGreen tea is steeped at eighty degrees for two minutes.\n')
    (folder/'b.txt').write_text('Coffee beans are roasted until the second crack is heard.\n')
    return folder


# ---- help and wrong use

def test_help_names_every_command():
    res = run('--help')
    assert res.returncode == 0 and res.stderr == ''
    for name in COMMANDS: assert f'\n  {name}' in res.stdout

@pytest.mark.parametrize('name', COMMANDS)
def test_help_of_a_command(name, capsys):
    assert main([name, '--help']) == 0
    shown = capsys.readouterr().out
    assert '--json' in shown and '--lib FILE' in shown
    assert not [o for o in ('positive_int', 'str', '(default: None)', '--pdb', '--xtra') if o in shown]

@pytest.mark.parametrize('name, usage', [
    ('search', '[--limit N]'), ('search', 'QUERY [QUERY ...]'), ('sections', 'QUERY [QUERY ...]'), ('toc', '[DOC ...]'),
    ('toc', '[--depth N]'), ('read', '[--max-chars N]'), ('read', ' ID'), ('add', 'PATH [PATH ...]'),
    ('read', '[--pages PAGES]'), ('report', '[DOC ...]'),
    ('add', '[--types EXTENSIONS]'), ('remove', 'DOC_OR_PATH [DOC_OR_PATH ...]')])
def test_usage(name, usage, capsys):
    main([name, '--help'])
    assert usage in ' '.join(capsys.readouterr().out.split())

def test_options_have_dashes():
    shown = run('read', '--help').stdout
    assert '--max-chars' in shown and '--max_chars' not in shown

def test_the_package_is_the_command_line(lib):
    "`python -m litesearch`, from any folder."
    for args in (['status', '--json', '--lib', lib], ['serch'], ['--version'], ['read', 'nothing of the kind', '--lib', lib]):
        res, same = (subprocess.run([*map(str, [*start, *args])], capture_output=True, text=True, cwd=lib.parent)
                     for start in ([sys.executable, '-m', 'litesearch'], [EXE]))
        assert (res.returncode, res.stdout, res.stderr) == (same.returncode, same.stdout, same.stderr)

def test_version():
    import importlib.metadata as md
    assert run('--version').stdout.strip() == f"litesearch {md.version('litesearch')}"

@pytest.mark.parametrize('args', [(), ('serch', 'x'), ('search',), ('read',), ('add',), ('search', 'x', '--limit', '0'),
    ('search', 'x', '--limit', 'many'), ('toc', '--depth', '-1'), ('search', 'x', '--nonsense'), ('status', 'extra'),
    ('search', ''), ('sections', ' ', ''), ('search', '--'), ('add', ''), ('read', ''), ('toc', ' '), ('remove',),
    ('search', 'x', '--limit', '9' * 30), ('search', '-x'), ('status', 'b'), ('read', 'a', '--pages', '3-1')])
def test_wrong_use_exits_2(args, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(list(args)) == 2
    told = capsys.readouterr()
    assert told.out == '' and told.err
    assert not list(tmp_path.iterdir())

@pytest.mark.parametrize('args, told', [
    (('search', 'x', '--limit', '0'), "argument --limit/-k: '0' is not a number from 1 to 999999999"),
    (('toc', '--depth', 'all'), "argument --depth: 'all' is not a number from 0 to 999999999"),
    (('search',), 'the following arguments are required: QUERY'),
    (('add',), 'the following arguments are required: PATH'),
    (('search', ''), 'the argument is empty'),
    (('search', 'swarm', '-x'), 'unrecognized arguments: -x; what begins with a dash and is no option goes after --'),
    (('search', '-x', '--limit=3'), 'required: QUERY; what begins with a dash and is no option goes after --'),
    (('status', 'b', '--json'), 'unrecognized arguments: b')])
def test_wrong_use_is_explained(args, told, capsys):
    assert main(list(args)) == 2
    assert capsys.readouterr().err.endswith(told + '\n')

@pytest.mark.parametrize('args, kind, code', [
    (('serch', 'x', '--json'), 'WrongUse', 2), (('search', '--json'), 'WrongUse', 2), (('--json',), 'WrongUse', 2),
    (('search', 'x', '--limit', '0', '--json'), 'WrongUse', 2), (('search', ' ', '--json'), 'WrongUse', 2),
    (('toc', '--json', '--nonsense'), 'WrongUse', 2), (('search', 'x', '--where', 'kind', '--json'), 'WrongUse', 2),
    (('status', '--json', '--lib', '.'), 'DatabaseFileError', 1), (('status', '--json'), 'NotFound', 1),
    (('install', 'file', '--json'), 'NotADirectoryError', 1), (('add', 'a\nb', 'c', '--title', 't', '--json'), 'ValueError', 1)])
def test_json_is_one_document_whatever_happens(args, kind, code, tmp_path):
    (tmp_path/'file').write_text('')
    res = run(*args, cwd=tmp_path)
    assert error(res, code)['type'] == kind and 'Traceback' not in res.stderr and res.stderr
    assert ' '.join(res.stderr.split()).endswith(error(res, code)['message'])

def test_json_after_two_dashes_is_a_word(tmp_path):
    res = run('search', '--lib', tmp_path/'none.db', '--', '--json')
    assert (res.returncode, res.stdout) == (1, '')

HELP_WORDS = r'\b(True|False|None|dict|list|tuple|str|int|callable|lambda|kwargs|positive_int)\b|->|=\.\.\.|`'

@pytest.mark.parametrize('name', ['', *COMMANDS, 'demo', 'install', 'completion'])
def test_help_is_for_people_who_do_not_know_python(name, capsys, monkeypatch):
    monkeypatch.setenv('COLUMNS', '80')
    assert main([*[name]*bool(name), '--help']) == 0
    shown = capsys.readouterr().out
    assert not re.search(HELP_WORDS, shown), re.search(HELP_WORDS, shown)
    assert all(len(line) < 80 for line in shown.splitlines())

def test_a_mistyped_file_with_a_title_is_no_text(tmp_path):
    res = run('add', 'nots.md', '--title', 'Notes', '--lib', tmp_path/'l.db')
    assert res.returncode == 1 and 'No such file' in res.stderr
    assert run('add', 'Tea is green.', '--title', 'Tea', '--lib', tmp_path/'l.db').returncode == 0

def test_wrong_use_as_a_shell_sees_it(tmp_path):
    res = run('serch', 'x', cwd=tmp_path)
    assert (res.returncode, res.stdout) == (2, '')
    assert 'the closest: search, ' in one_line(res.stderr)


# ---- the main job

def test_add_reports_each_file(tmp_path, notes):
    res = data(run('add', notes, '--lib', tmp_path/'l.db', '--json'))
    assert [o['title'] for o in res] == ['a', 'b']
    assert all(o['chunks'] > 0 for o in res)

def test_add_again_skips(tmp_path, notes):
    run('add', notes, '--lib', tmp_path/'l.db')
    res = data(run('add', notes, '--lib', tmp_path/'l.db', '--json'))
    assert all('skipped' in o for o in res)

def test_add_takes_files_and_folders(tmp_path, notes):
    res = data(run('add', notes/'b.txt', SAMPLES/'handbook', '--lib', tmp_path/'l.db', '--json'))
    assert [o['title'] for o in res] == ['b', 'apiary', 'honey house']

def test_types(tmp_path, notes):
    res = data(run('add', notes, '--types', '.md', '--lib', tmp_path/'l.db', '--json'))
    assert [o['title'] for o in res] == ['a']

def test_sync_forgets_what_is_gone(tmp_path, notes):
    db = tmp_path/'l.db'
    run('add', notes, '--lib', db)
    (notes/'b.txt').unlink()
    def sources(q): return [Path(o['source']).name for o in data(run('search', q, '--json', '--lib', db))]
    assert sources('coffee')[0] == 'b.txt'
    assert run('add', notes, '--sync', '--lib', db).returncode == 0
    assert (sources('coffee'), sources('tea')) == ([], ['a.md'])

def test_a_bad_file_is_named_and_the_rest_goes_on(tmp_path, notes):
    (notes/'broken.pdf').write_bytes(b'%PDF-1.4 nothing more')
    res = run('add', notes, tmp_path/'nowhere.md', '--lib', tmp_path/'l.db', '--json')
    results = data(res)
    assert [o.get('title') for o in results if 'error' not in o] == ['a', 'b']
    assert 'broken.pdf' in res.stderr and 'nowhere.md' in res.stderr and 'Traceback' not in res.stderr

def test_failures_show_path_and_reason(tmp_path, notes):
    res = run('add', notes, tmp_path/'nowhere.md', '--lib', tmp_path/'l.db')
    assert res.returncode == 0
    assert res.stdout.splitlines()[-1] == f"failed     {tmp_path/'nowhere.md'}"
    assert one_line(res.stderr) == f"litesearch: {tmp_path/'nowhere.md'}: No such file or directory"

def test_an_empty_folder_is_told_what_is_looked_for(tmp_path):
    (tmp_path/'empty').mkdir()
    (tmp_path/'empty'/'a.jpeg').write_text('')
    told = one_line(run('add', tmp_path/'empty', '--lib', tmp_path/'l.db').stderr)
    assert 'nothing was added' in told and '.pdf,.md' in told and '.html' in told
    told = one_line(run('add', tmp_path/'empty', '--types', '.png', '--lib', tmp_path/'l.db').stderr)
    assert told.endswith('end in .png')

@pytest.mark.skipif(not hasattr(os, 'mkfifo'), reason='named pipes')
def test_pipes_and_devices_are_refused(tmp_path, notes):
    os.mkfifo(tmp_path/'pipe.md')
    res = run('add', tmp_path/'pipe.md', '/dev/null', notes, '--json', '--lib', tmp_path/'l.db', timeout=240)
    results = data(res)
    assert [o['title'] for o in results if 'error' not in o] == ['a', 'b']
    assert [o['source'] for o in results if 'error' in o] == [str(tmp_path/'pipe.md'), '/dev/null']
    assert 'neither a file nor a folder' in res.stderr

def test_sync_forgets_a_folder_that_is_gone(tmp_path, notes):
    db, other = tmp_path/'l.db', tmp_path/'notes and more'
    shutil.copytree(notes, other)
    run('add', notes, other, '--lib', db)
    shutil.rmtree(notes)
    assert 'No such file' in run('add', notes, '--lib', db).stderr
    assert len(data(run('toc', '--json', '--lib', db))) == 4
    res = run('add', notes, '--sync', '--json', '--lib', db)
    assert [(o['title'], o['removed']) for o in data(res)] == [('a', str(notes/'a.md')), ('b', str(notes/'b.txt'))]
    assert [o['source'] for o in data(run('toc', '--json', '--lib', db))] == [str(other/'a.md'), str(other/'b.txt')]
    assert 'No such file' in one_line(run('add', notes, '--sync', '--json', '--lib', db).stderr.splitlines()[0])

def test_sync_forgets_a_file_that_is_gone(tmp_path, notes):
    db = tmp_path/'l.db'
    run('add', notes, '--lib', db)
    (notes/'b.txt').unlink()
    res = run('add', notes/'b.txt', notes/'a.md', '--sync', '--lib', db)
    assert (res.returncode, res.stderr) == (0, '')
    assert [o.split() for o in res.stdout.splitlines()] == [['removed', 'b'], ['unchanged', 'a']]

def test_remove(tmp_path, notes):
    db = tmp_path/'l.db'
    ids = [o['doc_id'] for o in data(run('add', notes, '--json', '--lib', db))]
    assert [o['title'] for o in data(run('remove', ids[0], '--json', '--lib', db))] == ['a']
    res = run('remove', ids[0], '--json', '--lib', db)
    assert error(res)['type'] == 'UnknownDocument' and ids[0] in one_line(res.stderr)
    assert run('remove', tmp_path, '--lib', db).stdout.split() == ['removed', 'b']
    assert (notes/'a.md').exists() and (notes/'b.txt').exists()
    assert data(run('status', '--json', '--lib', db))['passages'] == 0

def test_facts_are_given_with_a_file(tmp_path, notes):
    lib = ['--lib', tmp_path/'l.db']
    assert run('add', notes/'a.md', '--meta', 'author=Lee, A.,date=1818', '--meta', 'isbn=9780131103627', *lib).returncode == 0
    assert 'Lee' in run('cite', 'a', *lib).stdout and '1818' in run('cite', 'a', *lib).stdout
    for where, found in ('meta.date>=1818', 1), ('meta.date<1818', 0), ('meta.isbn=9780131103627', 1), ('meta.author~Lee', 1):
        assert len(data(run('search', 'tea', '--where', where, '--json', *lib))) == found, where
    run('add', notes/'b.txt', '--meta', '{"tags": ["hot", "black"]}', *lib)
    assert [o['doc'] for o in data(run('search', 'coffee', 'tea', '--where', 'meta.tags=hot', '--json', *lib))] == ['b']
    assert data(run('add', notes/'a.md', '--json', *lib))[0]['skipped']
    run('add', notes/'a.md', '--meta', 'author=Ann', '--meta', 'author=Bo', '--force', *lib)
    assert {'Ann', 'Bo'} <= {*re.findall(r'\w+', run('cite', 'a', '--style', 'ris', *lib).stdout)}
    run('add', notes/'a.md', '--meta', 'title="Tea, its leaf=one",author=Ann', '--force', *lib)
    assert 'Tea, its leaf=one' in run('cite', 'a', *lib).stdout

@pytest.mark.parametrize('told', ['author', '=x', 'date=', '', '[1]', '{"a"', '"a"'])
def test_facts_that_are_none(tmp_path, notes, told):
    res = run('add', notes/'a.md', '--meta', told, '--lib', tmp_path/'l.db', '--json')
    assert error(res, 2)['type'] == 'WrongUse' and 'write author=A. Writer,date=2020' in res.stderr
    assert not (tmp_path/'l.db').exists()

@pytest.mark.parametrize('told', ['{"a": NaN}', '{"a": 1e999}', r'{"a": "\ud800"}'])
def test_facts_that_json_has_no_word_for(tmp_path, notes, told):
    res = run('add', notes/'a.md', '--meta', told, '--lib', tmp_path/'l.db', '--json')
    assert 'finite numbers' in error(res)['message']

def test_a_name_with_a_dash(tmp_path, notes):
    (notes/'-rf.md').write_text('# Dash\n\nThe dashing marmot.\n')
    run('add', '--lib', tmp_path/'l.db', '--', '-rf.md', cwd=notes)
    assert [o['source'] for o in data(run('toc', '--json', '--lib', tmp_path/'l.db'))] == [str(notes/'-rf.md')]

def test_nothing_added_exits_1(tmp_path):
    res = run('add', tmp_path/'nowhere', '--lib', tmp_path/'l.db', '--json')
    assert [o['error'] for o in data(res, 1)]
    (tmp_path/'empty').mkdir()
    assert data(run('add', tmp_path/'empty', '--lib', tmp_path/'l.db', '--json'), 1) == []

def test_search_tells_where(lib):
    hits = data(run('search', 'how', 'do', 'I', 'prevent', 'a', 'swarm', '--limit', 3, '--json', '--lib', lib))
    assert 1 <= len(hits) <= 3
    for hit in hits: assert {'breadcrumb', 'node_id', 'doc_id', 'content', 'page', 'start', 'end', 'score'} <= set(hit)
    assert any('Preventing a swarm' in o['breadcrumb'] for o in hits)

def test_words_or_one_query(lib):
    one, many = (run('search', *q, '--json', '--lib', lib).stdout for q in (['oxalic acid'], ['oxalic', 'acid']))
    assert one == many

@pytest.mark.parametrize('command', ['search', 'sections'])
@pytest.mark.parametrize('where, kinds', [('kind=pdf', {'pdf'}), ('kind=pdf,page>=1', {'pdf'}),
                                          ('{"kind": {"$ne": "pdf"}}', None)])
def test_where(lib, command, where, kinds):
    hits = data(run(command, 'bees', 'honey', 'water', '--where', where, '--json', '--lib', lib))
    found = {Path(o['source']).suffix[1:] for o in hits}
    assert found == kinds if kinds else found and 'pdf' not in found

def test_the_same_text_is_shown_once(tmp_path, notes):
    (notes/'c.txt').write_text((notes/'b.txt').read_text())
    run('add', notes, '--lib', tmp_path/'l.db')
    hits = data(run('search', 'roasted', 'beans', '--json', '--lib', tmp_path/'l.db'))
    assert [len(h.get('also', ())) for h in hits if 'Coffee' in h['content']] == [1]

@pytest.mark.parametrize('command', ['search', 'sections'])
def test_a_misspelled_word_is_told(lib, command):
    said = run(command, 'preventing', 'swwarms', '--lib', lib)
    assert said.returncode == 0 and one_line(said.stderr) == 'litesearch: searched for swarms in place of swwarms'
    assert data(run(command, 'swwarms', '--json', '--lib', lib))[0]['spelling'] == dict(swwarms='swarms')

@pytest.mark.parametrize('where, code, told', [('kind', 2, 'is no filter'), ('colour=red', 1, 'are: id, content')])
def test_a_filter_that_is_none(lib, where, code, told):
    res = run('search', 'bees', '--where', where, '--lib', lib)
    assert res.returncode == code and told in res.stderr and 'Traceback' not in res.stderr

@pytest.mark.parametrize('query, section', [
    ('oxalic acid', 'Treating with oxalic acid'), ('notifiable foulbrood', 'Foulbrood'),
    ('lot number label', 'What the label must say'), ('reading drifts', 'The reading drifts'),
    ('goat willow', 'Of Willows and Water')])
def test_sections_of_each_kind_of_file(lib, query, section):
    found = data(run('sections', query, '--json', '--lib', lib))
    assert section in found[0]['breadcrumb']

def test_pdf_sections_have_pages(lib):
    found = data(run('sections', 'temperature probe brood nest', '--limit', 1, '--json', '--lib', lib))
    assert found[0]['pages'] == [3, 3]
    assert ', p. 3' in run('sections', 'temperature probe brood nest', '--limit', 1, '--lib', lib).stdout

def test_toc_and_read(lib):
    docs = data(run('toc', '--json', '--lib', lib))
    assert len(docs) == 4
    book = data(run('toc', 'keepers', 'year', '--json', '--lib', lib))[0]
    titles = [o['title'] for o in book['tree']['children']]
    assert [t for t in titles if t.startswith('BOOK')] and len([t for t in titles if t.startswith('BOOK')]) == 3
    nd = data(run('toc', 'hive scale', '--json', '--lib', lib))[0]['tree']['children'][0]
    section = data(run('read', nd['id'], '--json', '--lib', lib))
    assert section['id'] == nd['id'] and 'weighs a beehive day and night' in section['text']
    assert len(data(run('read', nd['id'], '--max-chars', 50, '--json', '--lib', lib))['text']) <= 51

def test_toc_depth(lib):
    deep, flat = (run('toc', 'apiary', '--depth', n, '--lib', lib).stdout for n in (3, 1))
    assert 'The smoker' in deep and 'The smoker' not in flat

def test_toc_of_no_depth_lists_documents(lib):
    found = data(run('toc', '--depth', 0, '--limit', 2, '--json', '--lib', lib))
    assert len(found) == 2 and list(found[0]) == ['doc_id', 'title', 'source', 'kind', 'pages', 'sections']
    assert data(run('toc', found[0]['doc_id'], '--depth', 0, '--json', '--lib', lib)) == found[:1]
    lines = run('toc', '--depth', 0, '--lib', lib).stdout.splitlines()
    assert len(lines) == 4 and lines[0].startswith(found[0]['doc_id']) and {len(l) for l in lines} == {80}

def test_toc_as_an_outline(lib):
    lines = run('toc', 'hive scale', '--lib', lib).stdout.splitlines()
    assert lines[0].split()[-1] == 'pages' and lines[1].strip().startswith('read ')
    assert {len(l) for l in [lines[0], *lines[2:]]} == {80} and all(l[-1].isdigit() for l in lines[2:])

def test_read_some_pages(lib):
    doc = data(run('toc', 'hive scale', '--json', '--lib', lib))[0]
    got = data(run('read', doc['doc_id'], '--pages', '2-3', '--json', '--lib', lib))
    assert got['pages'] == [2, 3] and [p['page'] for p in got['by_page']] == [2, 3]
    assert 'pp. 2–3' in run('read', doc['doc_id'], '--pages', '2-3', '--lib', lib).stdout
    res = run('read', doc['doc_id'], '--pages', '90', '--lib', lib)
    assert res.returncode == 1 and 'has no such page; it has 1-' in one_line(res.stderr)

def test_report(lib):
    docs = data(run('report', '--json', '--lib', lib))
    assert len(docs) == 4 and [o['score'] for o in docs] == sorted(o['score'] for o in docs)
    assert all(o['titles_found'] in (1.0, None) and o['sections'] for o in docs)
    lines = run('report', '--lib', lib, '--limit', 2).stdout.splitlines()
    assert len(lines) == 3 and lines[0].split()[0] == 'score' and all(len(l) <= 80 for l in lines)
    assert docs[0]['title'][:20] in lines[1]
    assert len(data(run('report', 'hive', 'scale', '--json', '--lib', lib))) == 1
    res = run('report', 'no such title', '--lib', lib)
    assert res.returncode == 1 and "there is no document 'no such title'; the closest: " in one_line(res.stderr)

def test_report_tells_what_is_wrong(tmp_path):
    (tmp_path/'a.md').write_text('# One\n\n# Two\n\ntext\n\n# Three\n')
    run('add', tmp_path/'a.md', '--lib', tmp_path/'l.db')
    lines = run('report', 'a', '--lib', tmp_path/'l.db').stdout.splitlines()
    assert len(lines) == 4 and lines[2].endswith('#1: empty: One') and lines[3].endswith('#3: empty: Three')

def test_read_a_whole_document(lib):
    doc = data(run('toc', 'honey house', '--json', '--lib', lib))[0]
    assert 'solar melter' in data(run('read', doc['doc_id'], '--json', '--lib', lib))['text']

def test_what_read_prints(tmp_path):
    (tmp_path/'a.md').write_text('\n\n    indented\n\ntext\n\n\n')
    doc, = data(run('add', tmp_path/'a.md', '--json', '--lib', tmp_path/'l.db'))
    assert run('read', doc['doc_id'], '--lib', tmp_path/'l.db').stdout == 'a\n\n    indented\n\ntext\n'
    res = run('read', doc['doc_id'], '--max-chars', 10, '--lib', tmp_path/'l.db')
    assert res.returncode == 0 and '10 of ' in one_line(res.stderr) and '--max-chars' in res.stderr
    assert run('read', doc['doc_id'], '--max-chars', 10, '--json', '--lib', tmp_path/'l.db').stderr == ''

def test_a_long_table_of_contents_hints_how_to_see_less(tmp_path):
    for i in range(21): (tmp_path/f'{i}.md').write_text(f'# Note {i}\n\nText of it.\n')
    run('add', tmp_path, '--lib', tmp_path/'l.db')
    res = run('toc', '--lib', tmp_path/'l.db')
    assert res.returncode == 0 and res.stdout
    told = one_line(res.stderr)
    assert '21 documents' in told and '--depth 0' in told
    assert run('toc', '--json', '--lib', tmp_path/'l.db').stderr == ''
    assert run('toc', '1', '--lib', tmp_path/'l.db').stderr == ''

def test_status(lib):
    info = data(run('status', '--json', '--lib', lib))
    assert info['documents'] == 4 and info['passages'] > 40 and info['encoder'].startswith(('hash-256', 'wordllama-256'))
    assert Path(info['library']) == lib

def test_text_fits_80_columns(lib):
    for args in (['search', 'swarm'], ['sections', 'swarm'], ['toc'], ['status']):
        out = run(*args, '--lib', lib, env={'COLUMNS': '200'}).stdout
        too_long = [o for o in out.splitlines() if len(o) > 80 and ' ' in o.strip() and str(lib) not in o]
        assert not too_long

def test_the_library_from_the_environment_and_the_folder(tmp_path, notes):
    assert run('add', notes, cwd=tmp_path).returncode == 0
    assert (tmp_path/'.litesearch/library.db').exists()
    assert run('search', 'tea', cwd=tmp_path).returncode == 0
    other = tmp_path/'other.db'
    assert run('search', 'tea', cwd=tmp_path, env={'LITESEARCH_DB': str(other)}).returncode == 1
    assert run('add', notes/'b.txt', cwd=tmp_path, env={'LITESEARCH_DB': str(other)}).returncode == 0
    assert data(run('status', '--json', env={'LITESEARCH_DB': str(other)}))['documents'] == 1


# ---- nothing found

@pytest.mark.parametrize('args', [('search', 'zeppelin'), ('research', 'zeppelin'), ('sections', 'zqxwv'), ('search', '!?')])
def test_no_hits_are_an_answer(lib, args, capsys):
    res = run(*args, '--json', '--lib', lib)
    assert data(res) == [] and one_line(res.stderr) == 'litesearch: nothing found'
    assert main([*args, '--lib', str(lib)]) == 0
    assert capsys.readouterr().out == ''

@pytest.mark.parametrize('args, told', [
    (('toc', 'hive scal manual'), "there is no document 'hive scal manual'; the closest: 'hive scale manual', "),
    (('report', 'no such title'), "there is no document 'no such title'; the closest: "),
    (('remove', 'gone.md'), "there is no document 'gone.md'"),
    (('cite', 'no such title'), "there is no section 'no such title'; the closest: "),
    (('read', 'Preventing swarms'), "there is no section 'Preventing swarms'; the closest: 'Preventing a swarm', "),
    (('read', '0123456789abcdef#3'), "there is no section '0123456789abcdef#3'"),
    (('edit-note', 'n7', '--text', 'x'), "there is no note 'n7'"), (('delete-note', 'n7'), "there is no note 'n7'"),
    (('read', "x' or 1=1 --#1"), 'there is no section "x\' or 1=1 --#1"')])
def test_what_is_not_there_exits_1_with_an_error_document(lib, args, told, capsys):
    res = run(*args, '--json', '--lib', lib)
    assert told in error(res)['message'] and told in one_line(res.stderr)
    assert main([*args, '--lib', str(lib)]) == 1
    assert capsys.readouterr().out == ''


# ---- citations

@pytest.mark.parametrize('style', ['plain', 'apa', 'mla', 'chicago', 'bibtex', 'ris', 'csl-json'])
def test_a_citation_as_json(lib, style):
    told = data(run('cite', 'hive scale manual', '--style', style, '--json', '--lib', lib))
    plain = run('cite', 'hive scale manual', '--style', style, '--lib', lib).stdout
    if style == 'csl-json': assert told == json.loads(plain) and told['id'] and told['title'] == 'Alder Scale 2: Operating Manual'
    else: assert told == plain.rstrip('\n')


# ---- errors

@pytest.mark.parametrize('args', [('search', 'x'), ('sections', 'x'), ('toc',), ('read', 'x#1'), ('status',)])
def test_a_missing_library_is_not_made(tmp_path, args):
    path = tmp_path/'none'/'library.db'
    res = run(*args, '--json', '--lib', path)
    assert error(res)['type'] == 'NotFound' and str(path) in error(res)['message']
    assert str(path) in one_line(res.stderr) and 'litesearch add' in res.stderr
    assert run(*args, '--lib', path).stdout == ''
    assert not path.parent.exists()

def test_a_file_that_is_no_database(tmp_path):
    path = tmp_path/'letter.txt'
    path.write_text('Dear Nell,\n' * 400)
    for args in (('search', 'x'), ('add', SAMPLES/'handbook')):
        res = run(*args, '--lib', path)
        assert (res.returncode, res.stdout) == (1, '')
        assert str(path) in one_line(res.stderr)
    assert path.read_text().startswith('Dear Nell')

def test_a_database_that_is_no_library(tmp_path):
    import sqlite3
    path = tmp_path/'other.db'
    with sqlite3.connect(path) as con: con.execute('create table t(x)')
    con.close()
    for args in (('search', 'x'), ('toc',), ('read', 'x#1')):
        res = run(*args, '--lib', path)
        assert (res.returncode, res.stdout) == (1, '')
        one_line(res.stderr)

def test_a_folder_that_can_not_be_written(tmp_path):
    (tmp_path/'file').write_text('')
    res = run('add', SAMPLES/'handbook', '--lib', tmp_path/'file'/'library.db')
    assert (res.returncode, res.stdout) == (1, '')
    assert 'library.db' in one_line(res.stderr)

@pytest.mark.skipif(not hasattr(os, 'geteuid') or os.geteuid() == 0, reason='root may write everywhere')
def test_a_read_only_folder(tmp_path, notes):
    folder = tmp_path/'locked'
    folder.mkdir()
    run('add', notes, '--lib', folder/'library.db')
    for o in (*folder.iterdir(), folder): o.chmod(0o555 if o.is_dir() else 0o444)
    try:
        res = run('add', SAMPLES/'handbook', '--lib', folder/'library.db')
        assert res.returncode == 1 and 'library.db' in one_line(res.stderr)
        res = run('add', notes, '--lib', folder/'new.db')
        assert res.returncode == 1 and 'new.db' in one_line(res.stderr)
        res = run('search', 'tea', '--lib', folder/'library.db')
        assert res.returncode == 0 or 'library.db' in one_line(res.stderr)
    finally: folder.chmod(0o755)


def test_the_encoder_of_a_new_library(tmp_path, notes):
    path = tmp_path/'small.db'
    assert [o['chunks'] for o in data(run('add', notes, '--encoder', 'hash:64', '--json', '--lib', path))] == [1, 1]
    def encoder(): return data(run('status', '--json', '--lib', path))['encoder']
    assert encoder() == 'hash-64'
    (notes/'c.md').write_text('Cocoa beans are dried in the sun.')
    res = run('add', notes, '--encoder', 'hash', '--lib', path)
    assert res.returncode == 1 and 'hash-64' in one_line(res.stderr) and 'hash-256' in res.stderr
    assert data(run('search', 'cocoa', '--json', '--lib', path)) == []
    added = data(run('add', notes, '--encoder', 'auto', '--json', '--lib', path))   # keeps its own
    assert [o.get('skipped') for o in added] == ['unchanged', 'unchanged', None]
    assert encoder() == 'hash-64' and len(data(run('search', 'cocoa', '--json', '--lib', path))) == 1
    for bad in ('word2vec', 'hash:0', 'model2vec:/tmp', ''):
        res = run('add', notes, '--encoder', bad, '--lib', tmp_path/'none.db')
        assert res.returncode == 2 and 'Traceback' not in res.stderr and not (tmp_path/'none.db').exists()

@pytest.mark.parametrize('name,kept', [('auto', 'wordllama-256-'), ('wordllama:64', 'wordllama-64-')])
def test_a_library_with_vectors_of_words(tmp_path, notes, name, kept):
    if not all(map(find_spec, ('wordllama', 'tokenizers', 'safetensors'))): pytest.skip('needs wordllama')
    path = tmp_path/'words.db'
    assert [o['chunks'] for o in data(run('add', notes, '--encoder', name, '--json', '--lib', path))] == [1, 1]
    assert data(run('status', '--json', '--lib', path))['encoder'].startswith(kept)
    (notes/'c.md').write_text('Cocoa beans are dried in the sun.')
    assert [o.get('chunks') for o in data(run('add', notes, '--json', '--lib', path))] == [None, None, 1]
    assert 'Cocoa' in data(run('search', 'dried beans', '--json', '--lib', path))[0]['content']
    assert data(run('sections', 'dried beans', '--json', '--lib', path))[0]['doc'] == 'c'
    assert data(run('search', 'zqxwv', '--json', '--lib', path)) == []
    block = tmp_path/'block'   # the package is gone
    block.mkdir()
    (block/'tokenizers.py').write_text('raise ImportError("gone")')
    res = run('search', 'beans', '--lib', path, env=dict(PYTHONPATH=os.pathsep.join([str(block), str(ROOT)])))
    assert res.returncode == 1 and 'pip install' in one_line(res.stderr)


def test_a_library_of_another_encoder(tmp_path, notes):
    from litesearch.core import database
    path = tmp_path/'other.db'
    db = database(path)
    def enc(texts): return [[1.0, 0.5, 0.2]]*len(texts)
    db.add_doc('# T\n\nThe heron stands in the shallow water.', title='T', emb_fn=enc)
    res = run('add', notes, '--lib', path)
    assert (res.returncode, res.stdout) == (1, '')
    assert 'another encoder' in one_line(res.stderr)
    assert [o['doc'] for o in data(run('search', 'heron', '--json', '--lib', path))] == ['T']
    assert data(run('search', 'coffee', '--json', '--lib', path)) == []
    assert data(run('status', '--json', '--lib', path))['documents'] == 1

def test_an_empty_library(tmp_path):
    (tmp_path/'empty').mkdir()
    path = tmp_path/'l.db'
    assert run('add', tmp_path/'empty', '--lib', path).returncode == 1
    for args in (['search', 'x'], ['sections', 'x'], ['toc'], ['toc', 'x'], ['read', 'x']):
        res = run(*args, '--json', '--lib', path)
        if 'x' in args and args[0] in ('toc', 'read'): assert error(res)['type'] == 'NotFound'
        else: assert data(res) == []
        advice = f'add files with: litesearch add PATH --lib {path}'
        assert one_line(res.stderr) == f'litesearch: the library is empty; {advice}'
    assert data(run('status', '--json', '--lib', path))['documents'] == 0


# ---- the world outside

@pytest.mark.skipif(os.name != 'posix', reason='pipes of a POSIX shell')
@pytest.mark.parametrize('args', ['toc', 'toc --json', 'search swarm --limit 100 --json'])
def test_the_reader_goes_away(lib, args):
    script = f'"{EXE}" {args} --lib "{lib}" | head -c 20 >/dev/null; exit ${{PIPESTATUS[0]}}'
    res = subprocess.run(['bash', '-c', script], capture_output=True, text=True, timeout=120)
    assert res.stderr == '' and res.returncode in (0, 141)

def test_closed_pipe_before_anything_is_written(lib):
    read, write = os.pipe()
    os.close(read)
    res = run('toc', '--lib', lib, capture_output=False, stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert (res.returncode, res.stderr) == (141, '')

@pytest.mark.parametrize('env', [{'LC_ALL': 'C'}, {'LC_ALL': 'C', 'PYTHONCOERCECLOCALE': '0', 'PYTHONUTF8': '0'},
                                 {'PYTHONIOENCODING': 'ascii'}, {'PYTHONIOENCODING': 'latin-1'}])
def test_other_locales(lib, env):
    res = run('search', 'swarm', '--json', '--lib', lib, env=env, text=False)
    hits = json.loads(res.stdout.decode('utf-8'))
    assert res.returncode == 0 and any('›' in o['breadcrumb'] for o in hits)
    res = run('search', 'swarm', '--lib', lib, env=env, text=False)
    assert res.returncode == 0 and b'Traceback' not in res.stderr

@pytest.mark.skipif(sys.platform != 'linux', reason='file names of any bytes')
def test_names_and_queries_of_any_bytes(tmp_path):
    folder = os.fsencode(tmp_path)+b'/odd'
    os.mkdir(folder)
    with open(folder+b'/caf\xe9 \xff.md', 'wb') as f: f.write('# Café\n\nThe old harbor opens at seven.\n'.encode())
    for args in ([b'add', folder, b'--json'], [b'search', b'harbor', b'\xff', b'--json'], [b'toc']):
        command = [os.fsencode(EXE), *args, b'--lib', os.fsencode(tmp_path)+b'/l.db']
        res = subprocess.run(command, capture_output=True, timeout=120)
        assert res.returncode == 0, res.stderr
        if b'--json' in args: assert json.loads(res.stdout.decode('utf-8'))

def test_text_can_not_command_the_terminal(tmp_path):
    text = '# Evil \x1b]0;owned\x07\n\nDo not \x1b[2J believe \x9b31m in it.\n'
    (tmp_path/'evil.md').write_text(text, encoding='utf-8')
    run('add', tmp_path/'evil.md', '--lib', tmp_path/'l.db')
    for args in (['search', 'believe'], ['sections', 'believe'], ['toc']):
        out = run(*args, '--lib', tmp_path/'l.db').stdout
        assert out and not set(out) & {'\x1b', '\x07', '\x9b'}

@pytest.mark.parametrize('query', [
    '"', '"unbalanced', "'; drop table store; --", 'a AND', 'NEAR(', '*', '-', 'heading:x', '\u200b',
    '\ud800', 'ü'*5000])
def test_any_query_is_a_query(lib, query, capsys):
    assert main(['search', '--json', '--lib', str(lib), '--', query]) in (0, 1)
    assert isinstance(json.loads(capsys.readouterr().out), list)

def test_a_query_may_begin_with_a_dash(lib):
    assert run('search', '--lib', lib, '--', '-20 and +40 degrees').returncode == 0
    for args in (['--', '-swarm'], ['--', 'swarm', '-x'], ['the', '--', '--swarm'], ['--', '--', 'swarm']):
        assert data(run('search', '--json', '--lib', lib, *args))


def test_options_of_all_commands_in_front(tmp_path):
    "A library that is named first, as with other programs"
    lib = str(tmp_path/'l.db')
    assert main(['--lib', lib, 'add', str(SAMPLES/'handbook')]) == 0
    assert main([f'--lib={lib}', '--json', 'toc', 'apiary']) == 0
    assert main(['--lib', lib]) == main(['--json']) == 2   # and no command
    assert main(['--library', lib, 'toc']) == 2


# ---- streams and signals

@pytest.mark.skipif(os.name != 'posix', reason='streams of a POSIX shell')
@pytest.mark.parametrize('args, to, code', [
    ('status', '>&-', 1), ('search zqxwv --json', '2>&-', 0), ('read nothing --json', '2>&-', 1),
    ('toc --json', '>/dev/full', 1), ('toc', '>/dev/full', 1)])
def test_closed_and_full_streams(lib, args, to, code):
    "No traceback, no message in the wrong stream, and standard output that can not be written is an error."
    if 'full' in to and not os.path.exists('/dev/full'): pytest.skip('there is no /dev/full')
    script = f'"{EXE}" {args} --lib "{lib}" {to}'
    res = subprocess.run(['bash', '-c', script], capture_output=True, text=True, timeout=120)
    assert res.returncode == code and 'Traceback' not in res.stderr
    if to == '2>&-': json.loads(res.stdout)
    else: one_line(res.stderr)

@pytest.mark.parametrize('path, told', [('.', 'is a folder'), ('~nobody of that name/l.db', 'there is no library')])
def test_a_path_that_can_be_no_library(tmp_path, path, told):
    for args in (['status'], ['search', 'x']): assert told in one_line(run(*args, '--lib', path, cwd=tmp_path).stderr)

def test_an_export_tells_how_many_files_it_wrote(tmp_path):
    (tmp_path/'n').mkdir()
    for i in range(8): (tmp_path/'n'/f'{i}.md').write_text(f'# N{i}\n\nText {i}.\n')
    lib = ['--lib', tmp_path/'l.db']
    run('add', tmp_path/'n', *lib)
    assert 'files      8' in run('export', tmp_path/'out', *lib).stdout.splitlines()
    assert len(data(run('export', tmp_path/'out', '--json', *lib))['files']) == 8
    assert run('export', tmp_path/'out.json', *lib).stdout.startswith('format     json') and (tmp_path/'out.json').is_file()

def test_an_export_spares_the_files_that_were_added(tmp_path, notes):
    lib, before = tmp_path/'l.db', (notes/'a.md').read_bytes()
    run('add', notes, '--lib', lib)
    res = run('export', notes, '--lib', lib)
    assert res.returncode == 1 and 'a.md' in one_line(res.stderr) and (notes/'a.md').read_bytes() == before
    assert {f.name for f in notes.iterdir()} == {'a.md', 'b.txt'}
    for _ in range(2): assert run('export', tmp_path/'out', '--lib', lib).returncode == 0

@pytest.mark.skipif(not hasattr(os, 'killpg'), reason='signals of a POSIX shell')
@pytest.mark.parametrize('args', [['add', 'in'], ['sync', 'in', '--watch'], ['add', 'in', '--json']])
def test_an_interrupt_leaves_a_whole_library(tmp_path, args):
    "As Ctrl-C on a terminal, which reaches all processes of a command."
    (tmp_path/'in').mkdir()
    for i in range(400): (tmp_path/'in'/f'{i}.md').write_text(f'# Jar {i}\n\nIt holds quince.\n\n# Lid\n\nOf cork.\n' * 9)
    command = [EXE, *args, '--encoder', 'hash:64', '--lib', str(tmp_path/'l.db')]
    proc = subprocess.Popen(command, cwd=tmp_path, start_new_session=True, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)
    while not (tmp_path/'l.db').exists() and proc.poll() is None: time.sleep(0.01)
    os.killpg(proc.pid, signal.SIGINT)
    out, err = proc.communicate(timeout=120)
    assert proc.returncode == 130 and one_line(err) == 'litesearch: interrupted; what was stored before is whole'
    assert json.loads(out)['error']['type'] == 'Interrupted' if '--json' in args else out == ''
    with Library(tmp_path/'l.db') as made: assert made.check()['ok']
    assert run('add', 'in', '--lib', tmp_path/'l.db', cwd=tmp_path).returncode == 0

@pytest.mark.skipif(os.name == 'nt', reason='signals of a POSIX process')
@pytest.mark.parametrize('args', [['status'], ['status', '--json']])
def test_an_interrupt_while_modules_are_loaded(tmp_path, args):
    naps = 'for _ in range(600): time.sleep(0.1)'   # a signal that comes just before a sleep is only seen after it
    (tmp_path/'fastlite.py').write_text(f'import time\nopen({str(tmp_path/"there")!r}, "w").close()\n{naps}\n')
    path = os.pathsep.join(filter(None, [str(tmp_path), str(ROOT), os.environ.get('PYTHONPATH')]))
    proc = subprocess.Popen([sys.executable, '-m', 'litesearch', *args], env={**os.environ, 'PYTHONPATH': path},
                            cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not (tmp_path/'there').exists() and proc.poll() is None: time.sleep(0.01)
    proc.send_signal(signal.SIGINT)
    out, err = proc.communicate(timeout=30)
    assert proc.returncode == 130 and one_line(err) == 'litesearch: interrupted; what was stored before is whole'
    assert json.loads(out)['error']['type'] == 'Interrupted' if '--json' in args else out == ''

@pytest.mark.skipif(not hasattr(os, 'fork'), reason='limits of a POSIX process')
def test_a_file_that_may_not_grow(tmp_path, notes):
    "The library stays what it was, and the error names it."
    import resource
    lib = tmp_path/'l.db'
    run('add', notes, '--encoder', 'hash:64', '--lib', lib)
    (notes/'long.md').write_text(''.join(f'# Jar {i}\n\n' + f'quince{i} ' * 300 + '\n\n' for i in range(300)))
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
    res = run('add', notes, '--lib', lib, preexec_fn=limit)
    assert res.returncode == 1 and 'l.db' in one_line(res.stderr)
    assert len(data(run('toc', '--json', '--lib', lib))) == 2
    with Library(lib) as made: assert made.check()['ok']
    assert run('add', notes, '--lib', lib).returncode == 0 and len(data(run('toc', '--json', '--lib', lib))) == 3


# ---- what is piped in

def pipe(raw, *args):
    "Run a command with bytes on its standard input"
    res = run(*args, text=False, stdin=None, input=raw)
    return subprocess.CompletedProcess(args, res.returncode, res.stdout.decode(), res.stderr.decode())

@pytest.mark.parametrize('raw', ['Die Königin\nlegt Eier.\n'.encode(), 'Die Königin\r\nlegt Eier.\r\n'.encode('utf-16'),
                                 b'\xef\xbb\xbfDie K\xc3\xb6nigin\nlegt Eier.', 'Die Königin\nlegt Eier.\n'.encode('cp1252')])
def test_a_text_out_of_a_pipe(tmp_path, raw):
    "In whatever encoding a shell pipes it, as a note, a document, an edit"
    lib = ['--json', '--lib', tmp_path/'l.db']
    note = data(pipe(raw, 'note', '-', '--topic', 'bees', *lib))
    assert note['text'] == 'Die Königin\nlegt Eier.'
    assert data(pipe(raw, 'edit-note', note['note'], '--text', '-', *lib))['text'] == note['text']
    added, = data(pipe(raw, 'add', '-', '--title', 'Bees', *lib))
    assert data(pipe(b'bees\n', 'read', '-', *lib))['text'].strip() == note['text'] and added['title'] == 'Bees'

@pytest.mark.parametrize('raw,title', [
    (b'# Moss\n\nIt is green.', 'Moss'), (b'It is green.\n\nMoss\n====\n\nIt grows.\n\n# Fern\n\nTall.', 'Moss'),
    (b'---\ntitle: The Book of Moss\n---\n\n# One\n\nIt is green.', 'The Book of Moss'), (b'\xef\xbb\xbf# Moss\r\n\r\nGreen.', 'Moss')])
def test_a_piped_text_has_the_title_that_it_tells(tmp_path, raw, title):
    lib = ['--json', '--lib', tmp_path/'l.db']
    assert [o['title'] for o in data(pipe(raw, 'add', '-', *lib))] == [title]
    assert data(pipe(raw, 'add', '-', *lib))[0]['skipped'] == 'unchanged'
    assert [o['title'] for o in data(pipe(raw, 'add', '-', '--title', 'Mine', *lib))] == ['Mine']
    assert [o['title'] for o in data(run('toc', *lib))] == sorted([title, 'Mine'])

def test_what_else_is_piped(lib, tmp_path):
    found = data(pipe(b'how do I\nprevent a swarm\n', 'search', '-', '--json', '--lib', lib))
    assert found == data(run('search', 'how do I prevent a swarm', '--json', '--lib', lib))
    pack = data(pipe(b'When is honey ripe?\r\n\r\nWhat is foulbrood?\r\n', 'evidence', '-', '--json', '--lib', lib))
    assert [o['question'] for o in pack] == ['When is honey ripe?', 'What is foulbrood?']
    assert data(pipe(found[0]['node_id'].encode() + b'\n', 'read', '-', '--json', '--lib', lib))['id'] == found[0]['node_id']
    for line in data(pipe(b'honey', 'grep', '-', '-k', '3', '--json', '--lib', lib)): assert '-' in line['content']
    assert data(run('note', '--json', '--lib', tmp_path/'n.db', '--', '-'))['text'] == '-'

@pytest.mark.parametrize('raw,args,code,told', [
    (b'', ('note', '-'), 2, 'the argument is empty'), (b' \n', ('search', '-'), 2, 'the argument is empty'),
    (b'\0\1\2'*99, ('note', '-'), 1, 'is not text'), (b'/etc/hostname', ('add', '-'), 1, 'give one with --title'),
    (b'# Introduction\n\nBees.', ('add', '-'), 1, 'needs a title')])
def test_what_can_not_be_piped(tmp_path, raw, args, code, told):
    "A text is never taken for a path"
    res = pipe(raw, *args, '--lib', tmp_path/'l.db')
    assert (res.returncode, res.stdout) == (code, '' if args[0] != 'add' else res.stdout) and told in res.stderr, res

def test_a_text_that_begins_with_an_address(tmp_path):
    "It is no address to be fetched"
    added, = data(pipe(b'https://example.org is a page.', 'add', '-', '--title', 'T', '--json', '--lib', tmp_path/'l.db'))
    assert added['chunks'] == 1


# ---- notes alone

def test_a_library_of_notes_alone(tmp_path):
    "What there is, is named; what is missing is told"
    lib = ['--lib', tmp_path/'my notes.db']
    run('note', 'The gate code is 4711.', '--key', 'gate', *lib)
    for command in ['delete-note', 'n99'], ['edit-note', 'n99', '--text', 'x'], ['read', 'n99'], ['cite', 'n99']:
        assert one_line(run(*command, *lib).stderr) == "litesearch: there is no note 'n99'; the closest: n1 (gate)"
    told = run('search', 'gate', *lib).stderr
    assert one_line(told).startswith('litesearch: the library holds notes alone, which search finds with --include-notes; add files with')
    assert told.strip().endswith(f"litesearch add PATH --lib '{tmp_path}/my notes.db'")
    assert 'The gate code is 4711.' in run('search', 'gate', '--include-notes', *lib).stdout

def test_a_path_with_spaces_is_quoted_in_advice(tmp_path):
    told = one_line(run('toc', '--lib', tmp_path/'no such.db').stderr)
    assert told.endswith(f"litesearch add PATH --lib '{tmp_path}/no such.db'")
