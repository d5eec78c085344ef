"Documents of one title: told apart wherever a person reads, and found by what is shown."
import json, re
import pytest
from hypothesis import given, strategies as st

from litesearch import Library
from litesearch.lookup import AmbiguousTitle, told_apart
from litesearch.pack import verify_pack
from test_cli import data, run

PACKAGES = 'flask', 'click', 'jinja'

@pytest.fixture
def src(tmp_path):
    "Three packages, with a README and a guide each, and a file that is the only one of its name."
    for o in PACKAGES:
        (tmp_path/'src'/o/'docs').mkdir(parents=True)
        (tmp_path/'src'/o/'README.md').write_text(f'# Installation\n\nInstall {o} with pip.\n\n# Usage\n\nRun {o}.')
        (tmp_path/'src'/o/'docs'/'index.md').write_text(f'# Guide\n\nThe guide to {o}.')
    (tmp_path/'src'/'license.md').write_text('# License\n\nRun it as you please.')
    return tmp_path/'src'

@pytest.fixture
def lib(src, tmp_path):
    with Library(tmp_path/'l.db', encoder='hash:64') as lib:
        lib.add(src)
        yield lib

SHOWN = [f'README ({o}) › Usage' for o in PACKAGES]

def test_what_tells_paths_apart():
    same = lambda *paths: [*told_apart(dict(enumerate(paths))).values()]
    assert same('/a/x.md', '/b/x.md') == ['a', 'b']
    assert same('/p/a/docs/x.md', '/p/b/docs/x.md', '/p/x.md') == ['a/docs', 'b/docs', 'p']
    assert same('/x/a/r.md', '/y/a/r.md', '/a/r.md') == ['x/a', 'y/a', '/a']
    assert same('/a/x.md', '/a/x.txt') == ['x.md', 'x.txt']
    assert same(r'D:\a\x.md', r'D:\b\x.md') == ['a', 'b']
    assert same('https://a.org/x', 'https://b.org/x/') == ['a.org', 'b.org']
    assert same(None, '', '/a/x.md') == ['a']

@given(st.lists(st.lists(st.sampled_from('abc'), min_size=1, max_size=4), min_size=2, max_size=6, unique_by=tuple))
def test_any_two_paths_are_told_apart(paths):
    found = told_apart({i: '/top/' + '/'.join(p) + '/x.md' for i, p in enumerate(paths)})
    assert len({*found.values()}) == len(paths)
    assert all(f"/top/{'/'.join(p)}".endswith(f'/{found[i]}') for i, p in enumerate(paths))

def test_wherever_a_person_reads(lib):
    for found in (lib.search('run'), lib.research('run usage'), lib.navigate('usage'), lib.grep('Run'), lib.related('license'),
                  lib.context('run usage')):
        for shown in (str(found), re.sub('<[^>]*>', '', found._repr_html_())):
            assert sum(o in shown for o in SHOWN) >= 2, shown
            assert 'license (' not in shown
    assert 'README (click)' in str(lib.toc()) and 'index (flask/docs)' in str(lib.toc(max_depth=0))
    assert 'README (jinja)' in str(lib.toc('readme')) and 'README (jinja)' in lib.toc('readme')._repr_html_()
    assert str(lib.read(lib.grep('Run flask')[0])).startswith('README (flask) › Usage')
    assert 'README (flask) › Usage' in lib.prompt('run flask') and 'index (jinja/docs)' in str(lib.report())
    pack = lib.evidence('Install with pip', k=3)
    for shown in (str(pack), re.sub('<[^>]*>', '', pack._repr_html_())):
        assert all(f'README ({o}) › Installation' in shown and f'{o}/README.md' in shown for o in PACKAGES)
    assert {o['folder'] for o in pack[0]['quotes']} == {*PACKAGES} and verify_pack(lib.db, pack) == []
    moved = str(pack).replace('README (flask) › Installation', 'README (flask) › Usage')
    assert 'is called' in verify_pack(lib.db, moved)[0]['why']
    assert verify_pack(lib.db, str(pack).replace(' (click)', '')) == []   # as it was written when it was the only one

def test_what_is_shown_may_be_typed(lib, src):
    for o, shown in zip(PACKAGES, SHOWN):
        id = lib.read(shown)['id']
        assert f'Run {o}.' in lib.read(shown)['text'] and id == lib.read(shown.replace(' › ', ' > '))['id']
        for name in (f'README ({o})', str(src/o/'README.md')):
            doc, = lib.toc(name)
            assert doc['doc_id'] == id[:-2] == lib.read(name)['id'][:-2]
        assert lib.cite(shown) == f'README, Usage. {o}/README.md.'
    with pytest.raises(AmbiguousTitle, match=r'README \(flask\)'): lib.read('README')
    with pytest.raises(LookupError, match='closest'): lib.read('README (django)')

def test_titles_that_stand_alone_stay_as_they_are(lib, src):
    assert 'folder' not in lib.search('please')[0] and 'folder' not in lib.read('license')
    assert lib.search('Run flask')[0]['breadcrumb'].startswith('README › ')   # data are as they were
    lib.remove(*(str(src/o) for o in ('flask', 'jinja')))
    assert 'README › Usage' in str(lib.search('run')) and not any('folder' in o for o in lib.toc())

def test_removing_by_a_title_that_several_have(lib, src):
    ids = {o['doc_id'] for o in lib.toc('readme')}
    with pytest.raises(AmbiguousTitle, match='3 documents are called') as e: lib.remove('README')
    assert all(o in str(e.value) for o in (*ids, *PACKAGES, 'all=True', '--all'))
    with pytest.raises(AmbiguousTitle): lib.remove('license', 'README')
    with pytest.raises(LookupError, match='closest'): lib.remove('license', 'README (django)')
    assert lib.status()['documents'] == 7   # nothing goes when anything is in doubt
    assert [o['removed'] for o in lib.remove('README (click)')] == [str(src/'click'/'README.md')]
    assert len(lib.remove('license', src/'license.md')) == 1   # named twice
    assert {o['title'] for o in lib.remove('README', all=True)} == {'README'} and lib.status()['documents'] == 3

def test_removing_a_text_that_shares_its_title_with_a_file(lib, src):
    lib.add('A text.', title='README')
    with pytest.raises(AmbiguousTitle, match='4 documents'): lib.remove('README')
    assert len(lib.remove(src)) == 7 and [o['title'] for o in lib.remove('README')] == ['README']

def test_removing_on_the_command_line(src, tmp_path):
    db = tmp_path/'l.db'
    run('add', src, '--lib', db)
    res = run('remove', 'README', '--lib', db)
    assert res.returncode == 1 and 'README' in res.stderr and '(flask)' in res.stderr and not res.stdout
    assert run('remove', 'README (flask)', '--lib', db).stdout.split() == ['removed', 'README']
    assert len(data(run('remove', 'README', '--all', '--json', '--lib', db))) == 2

def test_texts_of_one_title_that_came_from_nowhere(tmp_path):
    with Library(':memory:', encoder='hash:64') as lib:
        lib.add('Oak is hard.', title='Wood')
        lib.db.add_doc('Pine is soft wood.', 'Wood', source='b')
        assert {o.get('folder') for o in lib.search('wood')} == {None, 'b'} and 'Wood (b)' in str(lib.search('wood'))

def test_on_the_command_line(src, tmp_path):
    assert run('add', src, '--lib', tmp_path/'l.db').returncode == 0
    shown = run('search', 'run', '--lib', tmp_path/'l.db').stdout
    assert all(o in shown for o in SHOWN)
    hit = data(run('search', 'run', 'click', '--json', '--lib', tmp_path/'l.db'))[0]
    assert (hit['folder'], hit['breadcrumb']) == ('click', 'README › Usage')
    assert 'Run jinja.' in run('read', 'README (jinja) > Usage', '--lib', tmp_path/'l.db').stdout
    assert json.loads(run('toc', src/'click'/'README.md', '--json', '--lib', tmp_path/'l.db').stdout)[0]['folder'] == 'click'
