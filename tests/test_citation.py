"Citations: names taken apart, titles escaped, places told."
import json, re
import pytest
from hypothesis import given, settings, strategies as st
from litesearch.citation import STYLES, cite_doc, cite_hit, cite_key, doc_facts, facts_of, parse_name, place_of
from litesearch.core import database
from support import HOSTILE, library

@pytest.mark.parametrize('name, family, given', [
    ('Mary Shelley', 'Shelley', 'Mary'), ('Shelley, Mary', 'Shelley', 'Mary'), ('W. H. Auden', 'Auden', 'W. H.'),
    ('Ursula K. Le Guin', 'Le Guin', 'Ursula K.'), ('Vincent van Gogh', 'van Gogh', 'Vincent'),
    ('  Ana  de la   Cruz ', 'de la Cruz', 'Ana'), ('Gómez Peña, José Luis', 'Gómez Peña', 'José Luis')])
def test_people(name, family, given): assert parse_name(name) == dict(family=family, given=given)

@pytest.mark.parametrize('name', ['European Parliament', 'The Crane Team', 'Federal Reserve Board', 'OWASP', 'Plato',
                                  '紫式部', ', Mary', ',', 'Council of the European Union', 'one two three four five six'])
def test_institutions_and_single_names(name): assert parse_name(name) == dict(literal=name.strip(', '))

@pytest.mark.parametrize('value, n', [
    ('Ann Lee; Bob Ray', 2), ('Ann Lee and Bob Ray', 2), (['Ann Lee', 'Bob Ray', 'Cy Fox'], 3), ('Lee, Ann', 1),
    ([], 0),
    (None, 0), (7, 0), ([None, 3, ''], 0), ({'family': 'Lee', 'given': 'Ann'}, 1), ([{'name': 'Crane Team'}, {}], 1)])
def test_authors_in_any_form(value, n): assert len(doc_facts(dict(title='T', meta=dict(authors=value)))['authors']) == n

@pytest.mark.parametrize('value, year', [('2021-05-03', '2021'), (1818, '1818'), ('May 3, 1999', '1999'),
                                         ('c. 850', ''), ('123456', ''), (None, ''), ({'a': 1}, '')])
def test_years(value, year): assert doc_facts(dict(title='T', meta=dict(date=value)))['year'] == year

def test_web_pages_and_dois():
    assert doc_facts(dict(title='T', source='https://example.org/a'))['url'] == 'https://example.org/a'
    for doi in ('10.1000/x', 'doi:10.1000/x', 'https://doi.org/10.1000/x'):
        f = doc_facts(dict(title='T', source='/tmp/a.pdf', meta=dict(doi=doi)))
        assert (f['doi'], f['url'], f['file']) == ('10.1000/x', 'https://doi.org/10.1000/x', 'a.pdf')
    assert doc_facts(dict(title='T', source=r'C:\shelf\a.pdf'))['file'] == 'a.pdf'

@pytest.mark.parametrize('meta', [None, '', '{}', '[]', '3', {}, {'authors': None}])
def test_nothing_known(meta):
    f = doc_facts(dict(title='T', source='T', meta=meta))
    assert [cite_doc(f, s) for s in ('plain', 'apa', 'mla', 'chicago')] == ['T.', 'T. (n.d.).', 'T.', 'T.']

def test_the_place_of_hits_and_sections():
    assert place_of(dict(breadcrumb='A › B › C', page=3, page_end=3)) == ('B › C', '3')
    assert place_of(dict(breadcrumb='A', pages=(3, 5))) == ('', '3–5')
    assert place_of({}) == place_of(dict(page=None)) == ('', '')

@pytest.mark.parametrize('style', STYLES)
@pytest.mark.parametrize('title', HOSTILE + ['a\nTY  - BOOK', 'x}\n@book{y', '\x1b[31m', 'Ünïcode 蜂'])
def test_any_title_in_every_style(style, title):
    hit = dict(doc=title, source=title, breadcrumb=f'{title} › {title}', page=2)
    told = cite_hit(hit, style=style)
    assert '\x1b' not in told and '\x00' not in told
    if style == 'csl-json': assert json.loads(told)['id']
    elif style == 'ris': assert all(re.match(r'[A-Z]{2}  - ', line) for line in told.split('\n'))
    elif style == 'bibtex': assert all(re.match(r'  \w+ = \{', line) for line in told.split('\n')[1:-1])
    else: assert '\n' not in told

@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=20))
def test_bibtex_braces_are_balanced(title, author, publisher):
    told = cite_doc(doc_facts(dict(title=title, meta=dict(author=[author], publisher=publisher, year=2000))), 'bibtex')
    bare = re.sub(r'\\.', '', told)
    assert bare.count('{') == bare.count('}') and re.match(r'@\w+\{[a-z0-9]+,\n', told)

def test_keys_of_different_documents():
    keys = [cite_key(doc_facts(dict(title=t, meta=dict(author=a, year=y)))) for t, a, y in
            [('The Whale', 'Herman Melville', 1851), ('Émile', 'Jean-Jacques Rousseau', 1762), ('蜂', '', ''),
             ('', '', '')]]
    assert keys == ['melville1851whale', 'rousseau1762emile', 'document86f27f10', 'document']
    bare = [cite_key(doc_facts(dict(title=t, meta={}))) for t in ('pep 0008', 'pep 0484', 'The annual report 2023')]
    assert bare == ['pep0008', 'pep0484', 'annualreport2023']

@pytest.mark.parametrize('author', ['Guido van Rossum', '李白', ''])
def test_two_documents_of_one_author_and_year_have_two_keys(author):
    "BibTeX drops the second of two entries with one key"
    titles = 'PEP 252', 'PEP 253', 'Swarm control in spring', 'Swarm signs', '蜂', '巣箱', 'Пчёлы', 'Ульи'
    keys = [cite_key(doc_facts(dict(title=t, meta=dict(author=author, year=2001)))) for t in titles]
    assert len({*keys}) == len(titles) and all(re.fullmatch('[a-z0-9]*[a-z][a-z0-9]*', k) for k in keys), keys

def test_facts_of_many_documents_take_one_statement():
    db, seen = library(('A', 'x'), ('B', 'y')), []
    ids = [d['doc_id'] for d in db.toc()]
    db.conn.exec_trace = lambda cursor, sql, args: seen.append(sql) or True
    assert sorted(f['title'] for f in facts_of(db, [*ids, 'unknown']).values()) == ['A', 'B']
    assert len([s for s in seen if s.startswith('select id, title')]) == 1
    assert facts_of(database(), ['x']) == {}

def test_damaged_meta_is_no_error():
    db = library(('A', 'x'))
    db.conn.execute("update docs set meta='{broken'")
    assert [f['title'] for f in facts_of(db, [db.toc()[0]['doc_id']]).values()] == ['A']

def test_an_unknown_style_lists_the_known_ones():
    with pytest.raises(ValueError, match="'plain', 'apa', 'mla'"): cite_hit(dict(doc='T'), style='harvard')

@pytest.mark.parametrize('name,family,given,suffix', [
    ('Martin Luther King, Jr.', 'King', 'Martin Luther', 'Jr.'), ('King, Martin Luther, Jr.', 'King', 'Martin Luther', 'Jr.'),
    ('King, Jr., Martin Luther', 'King', 'Martin Luther', 'Jr.'), ('John Rockefeller III', 'Rockefeller', 'John', 'III'),
    ('Ann Lee, PhD', 'Lee', 'Ann', None), ('Ann Lee Ph.D.', 'Lee', 'Ann', None), ('Lee, Ann, M.D.', 'Lee', 'Ann', None),
    ('Agatha Christie (ed.)', 'Christie', 'Agatha', None), ('Christie, Agatha [editor]', 'Christie', 'Agatha', None),
    ('Senior, Olive', 'Senior', 'Olive', None), ('Ivo Andrić', 'Andrić', 'Ivo', None)])
def test_what_stands_behind_a_name(name, family, given, suffix):
    assert parse_name(name) == dict(family=family, given=given, **(dict(suffix=suffix) if suffix else {}))

def test_kings_have_one_name():
    for name in ('Henry IV', 'Elizabeth II'): assert parse_name(name) == dict(literal=name)

def test_a_suffix_in_each_style():
    facts = doc_facts(dict(title='Strength to Love', meta=dict(author='Martin Luther King, Jr.', year=1963)))
    cited = {style: cite_hit({}, facts, style) for style in STYLES}
    assert cited['plain'].startswith('Martin Luther King Jr.: ') and cited['apa'].startswith('King, M. L., Jr. (1963)')
    assert cited['mla'].startswith('King, Martin Luther, Jr. ') and 'author = {King, Jr., Martin Luther}' in cited['bibtex']
    assert json.loads(cited['csl-json'])['author'] == [dict(family='King', given='Martin Luther', suffix='Jr.')]
    assert 'AU  - King, Martin Luther, Jr.' in cited['ris']

def test_initials_keep_their_hyphen():
    facts = doc_facts(dict(title='No Exit', meta=dict(author=["Jean-Paul Sartre", "Anne-Marie D'Arcy Brown", 'R.-J. Roe'], year=1944)))
    assert cite_hit({}, facts, 'apa').startswith('Sartre, J.-P., Brown, A.-M. D., & Roe, R.-J. (1944)')

@pytest.mark.parametrize('text,families', [
    ('Lee, A., Ek, B., & Oz, C.', ['Lee', 'Ek', 'Oz']), ('Lee, A. B. and Ek, C.-D.', ['Lee', 'Ek']), ('Lee, A.', ['Lee']),
    ('van der Berg, J., Müller, A.', ['van der Berg', 'Müller']), ('Ann Lee, Bo Ek', ['Lee', 'Ek']), ("O'Brien, F.; Lee, A.", ["O'Brien", 'Lee'])])
def test_names_as_a_list_of_references_has_them(text, families):
    assert [a['family'] for a in doc_facts(dict(title='T', meta=dict(author=text)))['authors']] == families

@pytest.mark.parametrize('more', ['Smith, John and others', 'John Smith et al.', ['John Smith', 'et al.']])
def test_and_others(more):
    facts = doc_facts(dict(title='T', meta=dict(author=more, year=2001)))
    assert [cite_hit({}, facts, s).split('T')[0] for s in ('plain', 'apa', 'mla')] == \
        ['John Smith et al.: ', 'Smith, J., et al. (2001). ', 'Smith, John, et al. ']
    assert 'author = {Smith, John and others}' in cite_hit({}, facts, 'bibtex')
    assert [a['family'] for a in json.loads(cite_hit({}, facts, 'csl-json'))['author']] == ['Smith']
