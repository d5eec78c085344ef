"Places that are named by their number come first, whatever else holds the words."
import pytest
from hypothesis import given, strategies as st

from litesearch import Library
from litesearch.lookup import AmbiguousTitle
from litesearch.reference import passages_named, read_figure, read_reference, title_divisions
from litesearch.schema import tree_names
from support import needs_shared, SHARED

NOVEL = '\n\n'.join(f'# {part}\n\n' + '\n\n'.join(f'## {n}. {t}\n\nThe {t.lower()} of chapter two and book one.' for n, t in chapters)
                    for part, chapters in (('Book the First--Recalled', [('I', 'Period'), ('II', 'Mail')]),
                                           ('Book the Second--Thread', [('I', 'Years'), ('II', 'Sight')])))
LAW = '\n\n'.join(f'# Article {n} {t}\n\n1. {t} is meant by Article {n + 1}.\n\n2. See Article {n} of this Directive.'
                  for n, t in enumerate('Scope Terms Rights Duties Penalties Repeal'.split(), 1))
BIBLE = '# Genesis\n\n## Chapter 1\n\n1 In the beginning.\n\n3 Let there be light.\n\n# Exodus\n\n## Chapter 1\n\n1 These are the names.'
DOCS = {'Two Cities': NOVEL, 'Directive 93/13 on Fair Trade Contracts': LAW, 'BGB': '# § 11\n\nWohnsitz.\n\n# § 12 Namensrecht\n\nDer Name.',
        'The Play': '# ACT I. SCENE I.\n\nA ship.\n\n# ACT I. SCENE II.\n\nA storm in scene 1.\n\n# ACT II. SCENE I.\n\nAn island.',
        'The Bible': BIBLE, 'Faust': '# Erster Akt\n\n## 1. Szene\n\nNacht.\n\n## 2. Szene\n\nTag.\n\n# Zweiter Akt\n\n## 1. Szene\n\nMarkt.',
        'Notes': '# All sorts\n\nIn chapter 2 of book 2 of Two Cities, in Article 5(2) of directive 93/13, in act 1 scene 2 of the play.'}

@pytest.fixture(scope='module')
def lib():
    with Library(':memory:', encoder='hash:64') as lib:
        lib.add(DOCS)
        yield lib

ASKED = [
    ('two cities book 2 chapter 2', 'Two Cities › Book the Second--Thread › II. Sight'),
    ('Chapter II, book the first', 'Two Cities › Book the First--Recalled › II. Mail'),
    ('what happens in the second chapter of book one of Two Cities?', 'Two Cities › Book the First--Recalled › II. Mail'),
    ('Article 5(2) of directive 93/13', 'Directive 93/13 on Fair Trade Contracts › Article 5 Penalties'),
    ('Art. 3 of the FTC directive', 'Directive 93/13 on Fair Trade Contracts › Article 3 Rights'),
    ('article 6', 'Directive 93/13 on Fair Trade Contracts › Article 6 Repeal'),
    ('article 4, paragraph 2, point (a)', 'Directive 93/13 on Fair Trade Contracts › Article 4 Duties'),
    ('§ 12 BGB', 'BGB › § 12 Namensrecht'), ('§12 Abs. 1 Satz 2 BGB', 'BGB › § 12 Namensrecht'),
    ('the play, act one scene two', 'The Play › ACT I. SCENE II.'), ('the play, II. Akt, 1. Szene', 'The Play › ACT II. SCENE I.'),
    ('Genesis 1:3', 'The Bible › Genesis › Chapter 1'), ('exodus chapter 1', 'The Bible › Exodus › Chapter 1'),
    ('Faust erster Akt zweite Szene', 'Faust › Erster Akt › 2. Szene'), ('Faust act 2 scene 1', 'Faust › Zweiter Akt › 1. Szene')]

@pytest.mark.parametrize('q,place', ASKED)
def test_the_place_comes_first(lib, q, place):
    way = lib.navigate(q)
    for found in lib.search(q), lib.research(q), way['sections'], lib.research(q, walk=False), lib.search(q, k=1), lib.research(q, k=1):
        assert found[0]['breadcrumb'] == place
        assert [o['score'] for o in found] == sorted((o['score'] for o in found), reverse=True)
    assert way['trace'][0]['id'] == way['sections'][0]['node_id'] and way['trace'][0]['taken']
    assert lib.read(q)['breadcrumb'] == place

@pytest.mark.parametrize('q', ['penalties meant by article 5', 'a storm in scene 1', 'chapter 99', 'act 9 scene 9', 'article', 'the name of act 1', 'book',
                               'two cities', 'in article 5 of the law of another land', '12', 'part 1', 'scene', '', ' '])
def test_other_questions_are_answered_as_before(lib, q):
    plain = lib.db.doc_search(q, lib.encoder([q])[0] if q.strip() else None, limit=10, spans=True, pad=1, fold=True, adaptive=True)
    found = lib.search(q)
    assert [o['node_id'] for o in found] == [o['node_id'] for o in plain if o['node_id'] in {o['node_id'] for o in found}]

def test_filters_and_pages_hold(lib):
    assert 'BGB' not in {o['doc'] for o in lib.search('§ 12 BGB', where='title=Notes')}
    assert lib.research('§ 12 BGB', where='title=Notes') == [] or lib.research('§ 12 BGB', where='title=Notes')[0]['doc'] == 'Notes'
    for ask in lib.search, lib.research:
        whole = ask('act 1 scene 2', k=6)
        parts = [o for i in range(6) for o in ask('act 1 scene 2', k=1, offset=i)]
        assert [o['node_id'] for o in parts] == [o['node_id'] for o in whole]
    assert lib.search('act 1 scene 2', explain=True)[0]['explain']['reference']
    assert len(lib.search('article 5', max_chars=9)[0]['content']) == 9

def test_several_places_are_all_first(lib):
    found = lib.research('chapter one')
    assert [o['breadcrumb'].split(' › ')[0] for o in found[:2]] == ['The Bible']*2
    with pytest.raises(AmbiguousTitle, match='2 sections are called'): lib.read('bible chapter 1')

def test_evidence_and_context_of_a_named_place(lib):
    assert lib.evidence('Article 5(2) of directive 93/13', k=1)[0]['quotes'][0]['breadcrumb'].endswith('Article 5 Penalties')
    for q, place in ASKED:
        found = lib.context(q, k=2)['results']
        assert found[0]['breadcrumb'] == place and found[0]['text'] == lib.read(q)['text'] and found[0]['tree']['parent'], q
        assert len({o['node_id'] for o in found}) == len(found)
    whole = lib.context('Faust, first act', k=1, max_chars=20)['results'][0]
    assert (whole['title'], len(whole['text']), whole['truncated'] > 20) == ('Erster Akt', 20, True)

@given(st.text(max_size=80))
def test_any_text_may_be_asked_and_be_a_title(text):
    steps, rest = read_reference(text)
    assert all(n for _, n in steps) and all(rest)
    assert all(n for _, n in title_divisions(text)) and (read_figure(text) or ('', 1))[1]

def test_pages_figures_and_tables():
    report = [(1, '# Sales\n\nSee Figure 2 and Table 2.\n\n' + 'Oil was sold. '*60 + '\n\n**Table 2:** Sales of oil'), (2, '# Costs\n\nFig. 2 – Costs.\n\nTable IV. More.')]
    with Library(':memory:', encoder='hash:64') as lib:
        lib.db.add_doc(report, 'Annual Report', emb_fn=lib.encoder)
        assert lib.search('page 2')[0]['page'] == 2 and lib.research('p. 2')[0]['title'] == 'Costs'   # of the only document
        lib.add({'Other': '# Tables\n\nTable 2 and figure 2 are in the annual report, table 2 is long.'})
        assert '**Table 2:**' in lib.search('table 2')[0]['content'] and lib.search('Figure 2')[0]['breadcrumb'].endswith('Costs')
        assert lib.research('table IV of the annual report')[0]['title'] == lib.research('annual report, p. 2')[0]['title'] == 'Costs'
        assert lib.research('annual report p. 2', where='title=Other') == lib.research('annual report p. 2', where=dict(title='Other'))
        assert not passages_named(lib.db, tree_names(), 'page 2') and not passages_named(lib.db, tree_names(), 'table 3')
        assert not passages_named(lib.db, tree_names(), 'why are the figures of table 2 wrong')

def test_an_empty_library():
    with Library(':memory:') as empty: assert empty.search('chapter 1') == empty.research('chapter 1') == []

@needs_shared
def test_real_books(tmp_path):
    with Library(tmp_path/'l.db', encoder='hash:64') as lib:
        lib.add(SHARED/'corpora'/'books', SHARED/'corpora'/'verse', types='.txt,.xml,.md')
        for q, end in (('moby dick chapter thirteen', 'CHAPTER 13. Wheelbarrow.'), ('act 3 scene 1', 'Act 3 › Scene 1'), ('Hamlet 3.1', 'Act 3 › Scene 1'),
                       ('frankenstein letter 2', 'Letter 2'), ('A Tale of Two Cities, Book the Third, Chapter IX', 'IX. The Game Made'),
                       ('gallic war book 4 chapter 2', 'chapter 2')):
            for found in lib.research(q), lib.search(q): assert found[0]['breadcrumb'].endswith(end), q

@pytest.mark.parametrize('encoder', ['hash', 'wordllama'])
def test_nonsense_has_no_answer_in_any_way(encoder):
    if encoder == 'wordllama': pytest.importorskip('wordllama')
    with Library(':memory:', encoder=encoder) as shelf:
        shelf.add({'Two Cities': NOVEL, 'Law': LAW, 'Farm': '# Fields\n\nThe plough turns the soil in spring.'})
        for q in 'zqxwv', 'flurbo gribbit snazzle', '?!', '…', ' ':
            way = shelf.navigate(q)
            assert (shelf.search(q), shelf.research(q), way['sections'], way['trace'], shelf.context(q)['results']) == ([], [], [], [], [])
            assert shelf.evidence([q])[0]['quotes'] == []
        assert shelf.navigate('plugh')['sections'][0]['title'] == shelf.research('plugh')[0]['title'] == 'Fields'   # mistyped
        assert shelf.navigate('zqxwv', choose=lambda q, nodes: [0])['sections']   # a chooser may know better

def test_a_folder_of_chapters(tmp_path):
    for name, text in (('ch03-01-types', '# Types\n\nOf things.'), ('ch03-00-common', '# Common concepts\n\nAll of them.'), ('Chapter 4', '# Chapter 4\n\nOwnership.'),
                       ('pep-0008', '# Style\n\nFour blanks, see PEP 9.'), ('pep-0009', '# Template\n\nAs in PEP 8.')): (tmp_path/f'{name}.md').write_text(text)
    with Library(':memory:', encoder='hash:64') as lib:
        lib.add(tmp_path)
        assert [o['doc'] for o in lib.research('chapter 3')[:2]] == ['ch03 00 common', 'ch03 01 types']
        assert [lib.read(q)['breadcrumb'] for q in ('chapter four', 'PEP 8', 'chapter 3 types')] == ['Chapter 4', 'pep 0008', 'ch03 01 types']
        assert lib.search('pep 9')[0]['doc'] == 'pep 0009' and lib.navigate('PEP 8')['sections'][0]['doc'] == 'pep 0008'
