"`Library`: a day of work with it, what it refuses, and many users at once."
import inspect, json, os, shlex, shutil, signal, subprocess, sys, threading, time
from concurrent.futures import ThreadPoolExecutor

import pytest
from litesearch import add_pdf, add_url, Library
from litesearch.agent import skill_commands
from litesearch.arguments import is_argument, UNSEEN
from litesearch.cli import commands, EXAMPLES, main, NOT_COMMANDS
from litesearch.core import rows, StoreMismatch
from litesearch.lookup import AmbiguousTitle, UnknownDocument, UnknownSection
from litesearch.notes import UnknownNote
from litesearch.opening import NotFound
from support import *
from test_cli import data, EXE, run, SAMPLES

@pytest.fixture(scope='module')
def shelf(tmp_path_factory):
    "The file of a library of the samples"
    path = tmp_path_factory.mktemp('shelf')/'library.db'
    with Library(path, encoder='hash') as lib: lib.add(SAMPLES)
    return path

@pytest.fixture
def lib(shelf, tmp_path):
    "A copy of that library, open"
    shutil.copy(shelf, tmp_path/'library.db')
    with Library(tmp_path/'library.db') as lib: yield lib


# ---- a day of work

def test_quick_start(tmp_path):
    lib = Library(tmp_path/'deep'/'library.db')
    added = add_pdf(lib, SAMPLES/'hive-scale-manual.pdf', title='Alder Bank — Hive Scale')
    assert added['title'] == 'Alder Bank — Hive Scale' and added['kind'] == 'pdf' and len(added['doc_id']) == 16
    again = add_pdf(lib, SAMPLES/'hive-scale-manual.pdf', ocr='auto')
    assert (again['title'], again['skipped']) == (added['title'], 'unchanged')   # a file keeps its title
    hit = lib.search('what does a swarm do to the weight', k=5)[0]
    assert {'content', 'doc', 'breadcrumb', 'page', 'score', 'node_id'} <= set(hit) and hit['page'] == 4
    found = lib.research('how is the scale calibrated', k=3)
    assert 0 < len(found) <= 3
    assert {'title', 'pages', 'score', 'snippets', 'read'} <= set(found[0]) and found[0]['title'] == 'Calibration'
    assert found[0]['read'] == f"read('{found[0]['node_id']}')"
    tree, = lib.toc('Hive Scale', max_depth=2)[:1]
    assert all(o['level'] <= 2 for n in tree['tree']['children'] for o in n['children'])
    section = lib.read(found[0]['node_id'])
    assert {'text', 'breadcrumb', 'children'} <= set(section) and 'Calibrate once a year' in section['text']
    lib.note('A prime swarm weighs 2 to 4 kg', topic='swarms')
    assert 'n1' in [o.get('note') for o in lib.search('weight of a prime swarm', include_notes=True)]
    assert '> A loss of two to four kilograms' in str(lib.evidence(['What is a sudden loss?', 'How is it calibrated?']))

@pytest.mark.parametrize('score', ['sum', 'mean', 'max'])
def test_the_score_of_a_section(lib, score):
    "Sections by all of their passages: scores are those of the passages, in order"
    found = lib.research('when is honey ripe', k=4, score=score, walk=False)
    of_passages = lib.db.sections('when is honey ripe', lib.encoder(['when is honey ripe'])[0], limit=4, score=score, adaptive=True)
    assert [(o['node_id'], o['score']) for o in found] == [(o['node_id'], o['score']) for o in of_passages]
    if score != 'max': assert found == lib.research('when is honey ripe', k=4, score=score)   # without the walk

def commands_of_a_day(folder):
    "The commands of a reader, one after the other, with what each must print"
    yield ['add', SAMPLES], 'added'
    yield ['search', 'swarm seventh day', '--json'], 'content'
    yield ['research', 'timing of the honey harvest'], '1. '
    yield ['toc', 'apiary', '--depth', 2], 'Swarming'
    yield ['read', 'apiary › Swarming'], 'A colony swarms'
    yield ['note', 'Queens leave with the old bees', '--topic', 'queens'], 'queens'
    yield ['evidence', 'When is honey ripe?', 'What is foulbrood?', '--out', folder/'evidence.md'], '> '
    yield ['status'], 'passages'

def test_every_command_of_a_day_by_environment(tmp_path):
    env = dict(LITESEARCH_DB=str(tmp_path/'lib.db'))
    for args, told in commands_of_a_day(tmp_path):
        res = run(*args, env=env, cwd=tmp_path)
        assert res.returncode == 0 and told in res.stdout and res.stderr == ''
    assert (tmp_path/'evidence.md').read_text().count('\n> ') >= 2

@pytest.mark.parametrize('args', [['search', 'swarm'], ['research', 'swarm'], ['navigate', 'swarm'], ['toc'], ['read', 'apiary'],
    ['context', 'swarm'], ['note', 'x'], ['notes'], ['topics'], ['evidence', 'swarm?'], ['cite', 'apiary'], ['status'], ['report'],
    ['check'], ['reindex'], ['add', SAMPLES], ['sync', SAMPLES], ['edit-note', 'n1', '--text', 'y'], ['delete-note', 'n1'],
    ['remove', 'apiary'], ['completion'], ['demo']])
def test_every_command_prints_one_json_document(lib, tmp_path, args, capsys):
    lib.note('first')
    more = [] if args[0] in ('completion', 'demo') else ['--lib', str(tmp_path/'library.db')]
    assert main([*map(str, args), '--json', *more]) == 0
    told = capsys.readouterr()
    json.loads(told.out)
    assert told.err == ''

def words_of(line, folder):
    "The words of a command line that a page shows, with the samples in the place of books"
    name, *words = shlex.split(line.split(' > ')[0].split('#')[0])
    assert name == 'litesearch'
    return words

def test_every_command_of_the_page_for_agents(tmp_path):
    shutil.copytree(SAMPLES, tmp_path/'books')
    for line in skill_commands():
        res = run(*words_of(line, tmp_path), cwd=tmp_path)
        assert res.returncode == 0 and res.stdout and res.stderr == '', line
        if '--json' in line: assert json.loads(res.stdout), line

def test_every_example_of_the_help(tmp_path):
    shutil.copytree(SAMPLES, tmp_path/'samples')
    (tmp_path/'books').mkdir()
    shutil.copy(SAMPLES/'hive-scale-manual.pdf', tmp_path/'books'/'weights.pdf')
    (tmp_path/'notes.md').write_text('# Hives\n\nTen frames each.')
    later = [line for name in ('remove',) for line in EXAMPLES[name]]
    for line in [o for lines in EXAMPLES.values() for o in lines if o not in later and '--watch' not in o] + later:
        res = run(*words_of(line, tmp_path), cwd=tmp_path)
        silent = line.startswith('litesearch mcp')   # nobody asks it anything
        assert res.returncode == 0 and bool(res.stdout) != silent and 'Traceback' not in res.stderr, (line, res.stderr)

class Watch:
    "`sync --watch` of a folder in a process of its own, ended by an interrupt."
    def __init__(self, folder):
        self.folder, self.db = folder/'notes', folder/'l.db'
        self.folder.mkdir()

    def __enter__(self):
        line = [EXE, 'sync', self.folder, '--watch', '--every', '0.1', '--json', '--lib', self.db]
        self.proc = subprocess.Popen(list(map(str, line)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return self

    def write(self, name): (self.folder/f'{name}.md').write_text(f'# {name}\n\nAbout {name}.')

    def wait(self, *wanted):
        "Wait until the library has just these documents."
        limit, titles = time.monotonic() + 60, ()
        while time.monotonic() < limit:
            found = run('toc', '--json', '--lib', self.db) if self.db.exists() else None
            titles = [o['title'] for o in json.loads(found.stdout)] if found and not found.returncode else None
            if titles == [*wanted]: return
            time.sleep(0.2)
        raise AssertionError(f'{titles} is not {wanted}')

    def __exit__(self, *args):
        self.proc.send_signal(signal.SIGINT)
        self.out, self.err = self.proc.communicate(timeout=120)

def test_a_folder_is_watched_until_it_is_interrupted(tmp_path):
    with Watch(tmp_path) as w:
        w.write('a')
        w.wait('a')
        w.write('b')
        w.wait('a', 'b')
    assert 'Traceback' not in w.err and isinstance(json.loads(w.out), list)

@pytest.mark.skipif(os.name == 'nt', reason='an open file can not be replaced there')
@pytest.mark.parametrize('how', ['restored', 'deleted'])
def test_a_watch_follows_with_the_library_that_took_the_place(tmp_path, how):
    "A copy that is restored, or a library that is begun anew: the folder is in it, and the watch goes on"
    with Library(tmp_path/'copy.db', encoder='hash:64') as lib: lib.add({'z': '# z\n\nAbout z.'})
    with Watch(tmp_path) as w:
        w.write('a')
        w.wait('a')
        with Library(w.db) as lib: rows(lib.db, 'pragma wal_checkpoint(truncate)')
        if how == 'restored': os.replace(tmp_path/'copy.db', w.db)
        else: w.db.unlink()
        w.write('b')
        kept = ['z']*(how == 'restored')
        w.wait('a', 'b', *kept)
        w.write('c')
        w.wait('a', 'b', 'c', *kept)
    assert 'Traceback' not in w.err and 'another file took its place' in w.err
    with Library(w.db) as lib:
        assert lib.check()['ok'] and lib.status()['encoder'].startswith('hash') == (how == 'restored')


# ---- signatures

def test_every_public_method_is_a_command():
    methods = {n.replace('_', '-') for n, f in vars(Library).items() if inspect.isfunction(f) and n[0] != '_'}
    assert methods - set(NOT_COMMANDS) <= set(commands())

def test_every_parameter_is_an_option_with_help(capsys):
    for name, f in commands().items():
        assert main([name, '--help']) == 0
        shown = capsys.readouterr().out
        for p in inspect.signature(f).parameters.values():
            if p.name in UNSEEN or p.kind is p.VAR_KEYWORD or is_argument(p): continue
            flag = dict(k='--limit', max_depth='--depth').get(p.name, f"--{p.name.replace('_', '-')}")
            assert flag in shown, (name, p.name)


# ---- what is not there

@pytest.mark.parametrize('call, error, told', [
    (lambda l: l.toc('hive skale'), UnknownDocument, 'hive scale manual'),
    (lambda l: l.report('hive skale'), UnknownDocument, 'hive scale manual'),
    (lambda l: l.remove('hive skale'), UnknownDocument, 'hive scale manual'),
    (lambda l: l.read('Taking the swarm'), UnknownSection, 'Taking a swarm'),
    (lambda l: l.read('apiary › Wax'), UnknownSection, 'closest'),
    (lambda l: l.cite('Prevent a swarm'), UnknownSection, 'Preventing a swarm'),
    (lambda l: l.read('CHAPTER I'), AmbiguousTitle, 'BOOK'),
    (lambda l: l.edit_note('n9', 'x'), UnknownNote, 'none yet'), (lambda l: l.delete_note('gate'), UnknownNote, 'none yet')])
def test_unknown_names_tell_the_closest(lib, call, error, told):
    with pytest.raises(error, match=told) as e: call(lib)
    assert isinstance(e.value, LookupError)

@pytest.mark.parametrize('bad', [o for o in HOSTILE if len(o) < 100])
def test_hostile_names(lib, bad):
    for call in (lib.read, lib.toc, lib.report, lib.cite, lib.delete_note, lib.remove):
        try: call(bad)
        except LookupError: pass
    assert lib.check()['ok'] and len(lib.toc()) >= 0
    assert isinstance(lib.search(bad), list) and isinstance(lib.research(bad), list)

def test_refused(lib, tmp_path):
    with pytest.raises(NotFound): Library(tmp_path/'no.db', create=False)
    with pytest.raises(StoreMismatch): Library(lib.path, encoder='hash:64')
    with pytest.raises(ValueError, match='allowed|use one of'): lib.export(tmp_path/'x', format='docx')
    with pytest.raises(ValueError, match='plain'): lib.cite('apiary', style='harvard')
    with pytest.raises(ValueError, match='text'): lib.note('  ')
    assert not (tmp_path/'no.db').exists() and not (tmp_path/'x').exists()

def test_failures_are_results_and_the_rest_goes_on(lib, tmp_path):
    (tmp_path/'bad.pdf').write_bytes(b'%PDF-1.4 nothing')
    (tmp_path/'good.md').write_text('# Good\n\nA heron.')
    results = lib.add(tmp_path/'bad.pdf', 'https://example.org/x', tmp_path/'good.md', tmp_path/'gone.txt')
    assert ['error' in o for o in results] == [True, True, False, True]
    assert lib.search('heron')[0]['doc'] == 'good'
    with pytest.raises(ValueError, match='one document'): lib.add(tmp_path, title='One')


# ---- reading on

def test_an_encrypted_pdf_opens_with_its_password(tmp_path, capsys):
    pymupdf = pytest.importorskip('pymupdf')
    pdf = pymupdf.open()
    pdf.new_page().insert_text((72, 72), 'The combination of the honey house is 4711.')
    pdf.save(tmp_path/'locked.pdf', encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw='sesame')
    (tmp_path/'open.md').write_text('# Open\n\nNothing is locked here.\n')
    add = ['add', tmp_path, '--lib', tmp_path/'l.db', '--encoder', 'hash']
    assert main([str(o) for o in add]) == 0 and '--password' in capsys.readouterr().err
    assert main([str(o) for o in [*add, '--password', 'sesame']]) == 0 and not capsys.readouterr().err
    with Library(tmp_path/'l.db') as lib: assert '4711' in lib.search('combination')[0]['content']

def test_reading_from_section_to_section_reads_the_whole_book(lib):
    for doc in lib.toc():
        at, seen = f"{doc['doc_id']}#0", []
        at = (lib.read(at, children=False)['next'] or {}).get('id')
        while at:
            section = lib.read(at, children=False)
            seen.append(section['id'])
            at = (section['next'] or {}).get('id')
        whole = [i for i, in rows(lib.db, 'select id from nodes where doc_id=? and parent_id is not null order by seq', (doc['doc_id'],))]
        assert seen == whole
        for a, b in zip(seen, seen[1:]): assert lib.read(b, children=False)['previous']['id'] == a

def test_snippets_stand_on_the_pages_that_are_told(lib):
    flat = lambda t: ' '.join(t.split())
    found = [o for q in ('weight of a swarm', 'batteries of the scale', 'set the zero') for o in lib.research(q, where='kind=pdf')]
    assert len({p for o in found for p in o['snippet_pages']}) > 2
    for o in found:
        assert len(o['snippets']) == len(o['snippet_pages'])
        for text, page in zip(o['snippets'], o['snippet_pages']):
            assert o['pages'][0] <= page <= o['pages'][1]
            assert flat(text)[:40] in flat(lib.read(o['doc_id'], pages=str(page))['text'])

def test_context_reads_what_research_finds(lib):
    for q in ('how do I take a swarm?', 'when is honey ripe?', 'the reading drifts'):
        best = [o['node_id'] for o in lib.research(q, 12) if '›' in o['breadcrumb']]
        assert [o['node_id'] for o in lib.context(q, 3)['results']] == best[:3]

def test_a_long_text_in_pieces(lib):
    whole, at, got = lib.read('the keepers year')['text'], 0, ''
    while at < len(whole):
        piece = lib.read('the keepers year', max_chars=1000, offset=at)
        got, at = got + piece['text'], at + 1000
        assert ('truncated' in piece) == (at < len(whole)) and piece.get('truncated', len(whole)) == len(whole)
    assert got == whole

def test_titles_of_sections_and_documents(lib):
    assert lib.read('apiary')['id'].endswith('#0') and lib.read('  apiary ')['title'] == 'apiary'
    one = lib.read('preventing a swarm')
    assert one['title'] == 'Preventing a swarm' and lib.read('apiary > Swarming > Preventing')['id'] == one['id']
    assert lib.read(one['breadcrumb'])['id'] == one['id']


# ---- many at once

def test_threads_share_a_library(lib):
    def work(i):
        if i % 3 == 0: return lib.add({f'Paper {i}': f'# Title {i}\n\nThe otter number{i} swims.'})[0]['chunks']
        if i % 3 == 1: return lib.note(f'thought {i}', topic='t')['note']
        return len(lib.search('otter swarm honey')) + len(lib.research('swarm'))
    with ThreadPoolExecutor(8) as pool: done = list(pool.map(work, range(60)))
    assert len(done) == 60 and len(lib.notes()) == 20 and len({o['note'] for o in lib.notes()}) == 20
    assert len([o for o in lib.toc() if o['title'].startswith('Paper')]) == 20 and lib.check()['ok']

WORKER = """
import sys
from litesearch import Library
path, me = sys.argv[1:]
lib = Library(path)
for i in range(8):
    lib.add({f'Paper {me}.{i}': f'# T\\n\\nThe otter number{me}x{i} swims.'})
    lib.note(f'thought {me} {i}', topic='t', key='shared')
    assert lib.search(f'number{me}x{i}')[0]['doc'] == f'Paper {me}.{i}'
"""

def test_processes_share_a_library(lib, tmp_path):
    procs = [subprocess.Popen([sys.executable, '-c', WORKER, str(lib.path), str(i)], stderr=subprocess.PIPE, text=True) for i in range(4)]
    for p in procs: assert p.communicate(timeout=240)[1] == '' and p.returncode == 0
    assert len([o for o in lib.toc() if o['title'].startswith('Paper')]) == 32 and len(lib.notes()) == 1
    assert lib.check()['ok']

def test_another_connection_sees_what_is_new(lib):
    with Library(lib.path) as other:
        assert lib.search('zeppelin') == []
        other.add({'Airships': 'The zeppelin rises.'})
        assert lib.search('zeppelin')[0]['doc'] == 'Airships'
        other.remove('Airships')
        assert lib.search('zeppelin') == []


# ---- what a shell and a newcomer meet

def test_completion_offers_files_and_few_words(tmp_path):
    (tmp_path/'c.sh').write_text(run('completion', 'bash').stdout)
    (tmp_path/'shelf').mkdir()
    (tmp_path/'shelf.db').touch()
    def offered(*words):
        sh = f'''source ./c.sh; COMP_WORDS=({' '.join(map(shlex.quote, ('litesearch', *words)))}); COMP_CWORD={len(words)}
            _shtab_litesearch; echo "${{COMPREPLY[*]}}"'''
        return set(subprocess.run(['bash', '-c', sh], cwd=tmp_path, capture_output=True, text=True).stdout.split())
    assert offered('add', 'she') == {'shelf', 'shelf.db'} == offered('search', 'x', '--lib', 'she')
    assert offered('sync', 'she') == {'shelf'}
    assert offered('cite', 'x', '--style', 'b') == {'bibtex'} and offered('export', 'x', '--format', 'm') == {'markdown'}
    assert offered('na') == {'navigate'}

@pytest.mark.parametrize('words', [['sync', 'a', 'b'], ['export', 'a', 'b'], ['sync', '']])
def test_one_folder_is_one(tmp_path, words):
    assert run(*words, '--lib', 'x.db', cwd=tmp_path).returncode == 2
    assert list(tmp_path.iterdir()) == []

def test_install_says_what_it_did(tmp_path):
    assert [run('install', tmp_path).stdout.split(': ')[1].strip() for _ in 'ab'] == ['written', 'is up to date']

@pytest.mark.parametrize('odd', [None, 3, b'swarm', ['swarm'], {'q': 1}])
def test_a_question_is_a_text(lib, odd):
    for ask in (lib.search, lib.research, lib.navigate, lib.context):
        with pytest.raises(TypeError, match='a question is a text, not'): ask(odd)
    with pytest.raises(TypeError, match='a question is a text, not'): lib.evidence([odd])
    with pytest.raises(TypeError, match='an id or a title is needed, not'): lib.read(odd)

@pytest.mark.parametrize('call', [lambda lib: lib.research('swarm', offset=-1), lambda lib: lib.read('apiary', offset=-3),
                                  lambda lib: lib.read('apiary', max_chars='x'), lambda lib: lib.toc(offset=-1),
                                  lambda lib: lib.toc(limit=-1), lambda lib: lib.toc(max_depth='x')])
def test_numbers_are_0_or_more(lib, call):
    with pytest.raises(ValueError, match='must be 0 or more'): call(lib)

def test_a_section_of_an_empty_library():
    with pytest.raises(UnknownSection, match="no section 'x'; the library is empty"): Library(':memory:').read('x')

def test_notes_before_documents_decide_on_the_encoder(tmp_path):
    path = tmp_path/'n.db'
    with Library(path, encoder='hash:64') as lib: lib.note('The first swarm came in May')
    with Library(path) as lib:
        lib.note('The second swarm came in June')
        lib.add({'Bees': '# Swarms\n\nA swarm leaves at noon.'})
        assert lib.status()['encoder'] == 'hash-64' and len(lib.notes()) == 2 and lib.check()['ok']
        assert {'note' in o for o in lib.search('swarm', include_notes=True)} == {True, False}
    with Library(tmp_path/'only.db', encoder='hash:64') as lib: lib.note('The first swarm came in May')
    with pytest.raises(StoreMismatch): Library(tmp_path/'only.db', encoder='hash:128')

def test_no_encoder_is_the_best_there_is(tmp_path):
    with Library(tmp_path/'n.db', encoder=None) as lib:
        lib.add({'Bees': '# Swarms\n\nA swarm leaves at noon.'})
        assert lib.search('swarm')[0]['doc'] == 'Bees' and lib.status()['encoder']

def test_evidence_lists_notes_apart(lib):
    lib.note('Our first swarm left on the 4th of May.', topic='swarms')
    lib.note('The gate code is 4711.', key='gate')
    pack = lib.evidence(['When does a swarm leave?', 'How is foulbrood treated?', 'gate code'])
    assert [[o['text'] for o in a.get('notes', [])] for a in pack] == [['Our first swarm left on the 4th of May.'], [],
                                                                       ['The gate code is 4711.']]
    assert not any('4th of May' in o['text'] for a in pack for o in a['quotes']) and '4711' in str(pack)
    assert not any('notes' in a for a in lib.evidence(['gate code'], notes=False))

def test_context_tells_what_is_cut(lib):
    short, whole = (lib.context('queen cells', k=2, max_chars=n)['results'] for n in (20, 10**6))
    assert [o['truncated'] for o in short] == [len(o['text']) for o in whole] and not any('truncated' in o for o in whole)


@pytest.mark.parametrize('n_workers', [0, 2])
def test_a_button_to_stop(tmp_path, n_workers):
    "What was read is stored and whole, the rest is told apart and comes the next time"
    for i in range(6): (tmp_path/f'{i}.md').write_text(f'# Part {i}\n\nThe heron of part {i}.')
    with Library(tmp_path/'l.db', encoder='hash') as lib:
        seen = iter([False]*2)
        got = lib.add(tmp_path, n_workers=n_workers, stop=lambda: next(seen, True))
        assert ['unread' in o for o in got] == [False]*2 + [True]*4 and 'left out   5' in str(got)
        assert lib.status()['documents'] == 2 and lib.check()['ok'] and len(lib.search('heron')) == 2
        again = lib.add(tmp_path, stop=lambda: False)
        assert [sorted(o.keys() & {'skipped', 'chunks'}) for o in again] == [['skipped']]*2 + [['chunks']]*4

def test_a_pattern_that_no_shell_has_expanded(tmp_path):
    for name in 'a.md', 'b.md', 'c.txt', '[d].md': (tmp_path/name).write_text(f'# {name}\n\nText of {name}.')
    with Library(':memory:', encoder='hash:64') as lib:
        assert [o['title'] for o in lib.add(str(tmp_path/'[ab].md'))] == ['a', 'b']
        assert [o['title'] for o in lib.add(tmp_path/'[d].md')] == ['[d]']   # a file that is really called so
        assert 'No such file' in lib.add(str(tmp_path/'*.pdf'))[0]['error']
        with pytest.raises(ValueError, match='one document'): lib.add(str(tmp_path/'*.md'), title='T')
        assert 'by its path' in lib.add(f'file://{tmp_path}/a.md')[0]['error']

def test_odd_arguments_are_told():
    with Library(':memory:', encoder='hash:64') as lib:
        lib.add('# A\n\nThe heron waits by the weir.\n\n# B\n\nOtters swim.', title='T')
        for call in (lambda: lib.search('heron', spans=-1), lambda: lib.search('heron', max_chars=-3), lambda: lib.research('heron', k=None)):
            with pytest.raises(ValueError, match='0 or more'): call()
        for call, told in ((lambda: lib.grep(None), 'a pattern'), (lambda: lib.remove(None), 'a path is needed'), (lambda: lib.cite({}), 'a hit'),
                           (lambda: lib.add('a\nb', title=5), 'title=5'), (lambda: lib.add({5: 'x'}), 'title=5')):
            with pytest.raises(TypeError, match=told): call()
        for texts in {' ': 'Words.'}, {'': None}: assert 'needs a title' in lib.add(texts)[0]['error']
        assert lib.add('# Owl\n\nIt hoots.', title=' ')[0]['title'] == 'Owl'
        for found in lib.research('heron', per=0), lib.navigate('heron', per=0)['sections']: assert found[0]['title'] == 'A' and found[0]['snippets'] == []
        assert [o['title'] for o in lib.remove(['T', 'Owl'])] == ['T', 'Owl'] or lib.status()['documents'] == 0
