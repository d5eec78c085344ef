"What files say about themselves, and what people say of them."
import json, zipfile
import pytest
from hypothesis import given, settings, strategies as st
from litesearch.citation import cite_doc, doc_facts, facts_of
from litesearch.core import database, rows
from litesearch.data import read_file
from litesearch.facts import front_matter, head_lines, heading_title, real_names, real_title, split_names, text_facts
from litesearch.library import Library
import litesearch.tree
from support import HOSTILE, SHARED, needs_shared, write_files

# ---- titles and names

@pytest.mark.parametrize('title', ['', None, ' \n', '12-34', '***', 'Untitled', 'untitled document', 'Document1', 'Slide 1',
    'Microsoft Word - a b.doc', 'PowerPoint Presentation', 'Page 1', 'report final.docx', 'file:///C|/x.htm', 'report',
    'zen_of_python.txt'])
def test_no_title(title): assert real_title(title, '/x/report.pdf') == ''

@pytest.mark.parametrize('title', ['Free Culture', 'Node.js', 'Report', '蜂', 'Über Bienen', 'Document management', 'C',
                                   'A page 1'])
def test_titles(title): assert real_title(title, '/x/report.pdf') == title

@pytest.mark.parametrize('text, names', [('Mary Shelley', ['Mary Shelley']), ('Shelley, Mary', ['Shelley, Mary']),
    ('', []), ('Plato', ['Plato']),
    ('Ann Lee and Bo Ray', ['Ann Lee', 'Bo Ray']), ('Ann Lee, Bo Ray, and Cy Young', ['Ann Lee', 'Bo Ray', 'Cy Young']),
    ('Lee, Ann & Ray, Bo', ['Lee, Ann', 'Ray, Bo']), ('Lee, A.; Ray, B.', ['Lee, A.', 'Ray, B.']),
    ('Lee, Ann', ['Lee, Ann']),
    ('Aahz <a@b.org>, Tim <t@b.org>', ['Aahz', 'Tim']), ('ann at python.org (Ann Lee)', ['(Ann Lee)']),
    ('U.S. Securities and Exchange Commission', ['U.S. Securities and Exchange Commission'])])
def test_names(text, names): assert split_names(text) == names

@pytest.mark.parametrize('name', ['anonymous', 'jsmith', 'root', 'vyv03354', 'Administrator', 'python-docx', '', '-', 'N/A',
                                  'Kaleidoscope - kscope.io'])
def test_nobody(name): assert real_names(name) == real_names([name]) == []

@given(st.text(max_size=60))
@settings(max_examples=200, deadline=None)
def test_any_value_is_taken(s):
    assert isinstance(real_title(s, s.replace('\0', '') or 'x'), str) and all(isinstance(o, str) for o in real_names(s))
    for text in (s, f'---\n{s}\n---\n\nx', f'+++\n{s}\n+++\n', f'Title: {s}\nAuthor: {s}\n\n# {s}\n'):
        facts = text_facts(text, 'a.md')
        assert all(v for v in facts.values()) and json.dumps(facts)

@pytest.mark.parametrize('value', [*HOSTILE, None, 3, [], {}, ['a', None, 3], [['x']], {'name': 'Ann Lee'},
                                   {'family': 'Lee'}])
def test_facts_of_any_kind_can_be_cited(value):
    for key in ('title', 'authors', 'author', 'date', 'publisher', 'url', 'doi', 'isbn', 'language', 'given'):
        for style in ('plain', 'apa', 'mla', 'chicago', 'bibtex', 'csl-json', 'ris'):
            assert cite_doc(doc_facts(dict(title='T', meta={key: value, 'given': [key, 'title']})), style)


# ---- texts

@pytest.mark.parametrize('yaml, told', [('title: A', dict(title='A')), ("title: 'It''s'", dict(title="It's")),
    ('title: "A: b" ', dict(title='A: b')), ('authors: [Ann Lee, "Bo Ray"]', dict(authors=['Ann Lee', 'Bo Ray'])),
    ('authors:\n- Ann Lee\n- name: Bo Ray\n  x: y', dict(authors=['Ann Lee', 'Bo Ray'])),
    ('a: 1\n# note\nb: two\n\nc: |\n  x\n  y', dict(a='1', b='two', c='x y')),
    ('a:\n  b: c\n  d: e', dict(a=dict(b='c', d='e'))), ('a:\n  two words:\n  of text', dict(a='two words: of text')),
    ('# note\na: b', dict(a='b')), ('a: b\n  c', dict(a='b c')), ('x: {"y": [1]}', dict(x={'y': [1]}))])
def test_yaml(yaml, told): assert front_matter(f'---\n{yaml}\n---\n\n# T\n') == told

def test_front_matter_goes_first():
    text = '---\ntitle: Front\ndate: 2020\n---\n\n# Heading\n\nAuthor: no\n'
    assert text_facts(text) == dict(title='Front', date='2020')
    assert text_facts('\ufeff# Heading\n\nText.\n') == dict(title='Heading')

def test_lines_in_the_middle_of_a_text_say_nothing():
    assert head_lines('A letter.\n\nTitle: x\nAuthor: y\n') == {} and head_lines('# A\n\nAuthor: y\n') == {}

@pytest.mark.parametrize('text', ['# A b\n\n# C\n', 'Text\n\n# A\n', '# Introduction\n\nx', '', '#\n\nx',
                                  'A\n=\n\nB\n=\n', '## A\n\n# B\n'])
def test_no_heading_above_all(text): assert heading_title(text) == ''

def test_a_long_text_is_looked_through_quickly():
    import time
    text = '# Title\n\n' + '```\n# code\n' * 40_000 + '`' * 50_000 + 'x <!-- ' * 50_000
    t = time.process_time()
    text_facts(text, 'a.md')
    head_lines('Title: x\n' + ' y\n' * 200_000)
    for value in ('a.' * 500_000, ['a.' * 500_000], '(' * 500_000, 'a at ' * 200_000, '<' * 500_000): real_names(value)
    real_title('a. ' * 300_000)
    assert time.process_time() - t < 3


# ---- files

PAGE = ('<html lang="de"><head><title>Bienen | Garten</title><meta name="author" content="Ann Lee"></head>'
        '<body><h1>Bienen</h1><p>Text.</p></body></html>')

def office(path, part, xml, more):
    with zipfile.ZipFile(path, 'w') as z:
        z.writestr(part, f'<x xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:meta="m">{xml}</x>')
        for name, text in more.items(): z.writestr(name, text)

W = ('<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r>'
     '<w:t>Text.</w:t></w:r></w:p></w:body></w:document>')

def test_files_tell_who_wrote_them(tmp_path):
    import pymupdf
    doc = pymupdf.open()
    doc.new_page().insert_text((72, 72), 'Text.')
    doc.set_metadata(dict(title='Bees of the coast', author='Ann Lee'))
    doc.save(tmp_path/'a.pdf')
    told = '<dc:title>Bees</dc:title><dc:creator>Ann Lee</dc:creator>'
    office(tmp_path/'b.docx', 'docProps/core.xml', told, {'word/document.xml': W})
    write_files(tmp_path, {'c.html': PAGE, 'd.md': '---\nauthor: Ann Lee\n---\n\n# Bees\n',
                           'e.rst': 'Bees\n====\n\n:Author: Ann Lee\n\nText.\n',
                           'f.txt': 'Title: Bees\nAuthor: Ann Lee\n\nText.\n'})
    found = {p.name: read_file(p) for p in sorted(tmp_path.iterdir())}
    assert [o.title for o in found.values()] == ['Bees of the coast', 'Bees', 'Bienen', 'Bees', 'Bees', 'Bees']
    assert all(o.meta['authors'] == ['Ann Lee'] for o in found.values())

def test_a_damaged_property_is_no_reason_not_to_read(tmp_path):
    office(tmp_path/'b.docx', 'docProps/core.xml', '<dc:title', {'word/document.xml': W})
    assert read_file(tmp_path/'b.docx').meta == {}


# ---- what people say

def meta_of(db): return json.loads(rows(db, 'select meta from docs')[0][0])

@pytest.mark.parametrize('odd', [float('nan'), -float('inf'), {1, 2}, b'a', object(), '\ud800'])
def test_what_json_has_no_word_for_is_refused(odd):
    lib = Library(':memory:', encoder='hash')
    for meta in dict(x=odd), dict(x=[{'y': odd}]):
        with pytest.raises(ValueError, match='^meta: .*; give texts'): lib.add({'A': 'Some text.'}, meta=meta)
    assert lib.status()['documents'] == 0

def test_what_is_given_stays_when_the_file_changes(tmp_path):
    folder = write_files(tmp_path/'f', {'log.md': '---\nauthor: Bo Ray\n---\n\n# Log\n\nCalm.\n'})
    lib = Library(tmp_path/'a.db', encoder='hash')
    lib.add(folder/'log.md', meta=dict(author='Ann Lee', year=1818, tags=['a', 'b']))
    for text, how in [('Gale.', lambda: lib.add(folder)), ('Fog.', lambda: lib.sync(folder)),
                      ('Rain.', lambda: lib.add(folder/'log.md')), ('Snow.', lambda: lib.db.add_file(folder/'log.md')),
                      ('Hail.', lambda: lib.add(folder, force=True, n_workers=2))]:
        (folder/'log.md').write_text(f'---\nauthor: Cy Young\n---\n\n# Log\n\n{text}\n')
        assert 'skipped' not in how()
        known = meta_of(lib.db)
        assert (known['author'], known['year'], known['tags']) == ('Ann Lee', 1818, ['a', 'b']), text
        assert known['authors'] == ['Cy Young']
        assert lib.cite('log', 'apa') == 'Lee, A. (1818). Log.' and lib.search(text[:-1])
    (folder/'log.md').rename(folder/'diary.md')
    lib.sync(folder)
    (folder/'diary.md').write_text('# Log\n\nStorm.\n')
    lib.sync(folder)
    assert meta_of(lib.db)['year'] == 1818 and lib.cite('diary', 'apa') == 'Lee, A. (1818). Log.' and lib.check()['ok']

def test_new_facts_of_an_unchanged_file_are_news(tmp_path):
    path = write_files(tmp_path/'f', {'log.md': '# Log\n\nCalm.\n'})/'log.md'
    db = database(tmp_path/'a.db')
    db.add_file(path)
    assert db.add_file(path)['skipped'] and 'skipped' not in db.add_file(path, meta=dict(year=1818))
    assert db.add_file(path)['skipped'] and db.add_file(path, meta=dict(year=1818))['skipped']
    assert [r.get('skipped') for r in db.add_dir(tmp_path/'f', meta=dict(year=1831))] == [None]
    assert meta_of(db)['year'] == 1831
    assert db.add_dir(tmp_path/'f', meta=dict(year=1831))[0]['skipped']
    assert meta_of(db) == dict(title='Log', year=1831, given=['year'])

def test_a_name_that_somebody_chose_is_cited(tmp_path):
    path = write_files(tmp_path/'f', {'log.md': '# The log of the sea\n\nCalm.\n'})/'log.md'
    db = database()
    told = {}, dict(title='My log'), dict(title='Other', meta=dict(title='The log'))
    ids = [db.add_file(path, **kw)['doc_id'] for kw in told]
    assert [facts_of(db, ids)[i]['title'] for i in ids] == ['The log of the sea', 'My log', 'The log']

def test_documents_answer_to_the_title_in_their_file(tmp_path):
    sea = '# The log of the sea\n\n## Calm\n\nNo wind.\n'
    folder = write_files(tmp_path/'f', {'log.md': sea, 'b.md': '# B\n\nText.\n'})
    with Library(tmp_path/'a.db', encoder='hash') as lib:
        lib.add(folder)
        assert lib.toc('the log of the SEA')[0]['title'] == 'log'
        assert lib.read('The log of the sea › Calm')['text'] == 'No wind.'
        assert lib.cite('log › Calm') == 'The log of the sea, Calm. log.md.'
        with pytest.raises(LookupError, match='closest'): lib.read('The log of the sea › Gale')

def test_names_of_files_stay_the_names_of_documents(tmp_path):
    folder = write_files(tmp_path/'f', {'log_1.md': '---\ntitle: The log\n---\n\n# Sea\n\nNo wind.\n'})
    db = database()
    db.add_dir(folder)
    assert [d['title'] for d in db.toc()] == ['log 1'] and db.doc_search('wind')[0]['breadcrumb'] == 'log 1 › Sea'

@needs_shared
@pytest.mark.parametrize('file, told', [
    ('books/docs/frankenstein.txt', dict(title='Frankenstein; or The Modern Prometheus', year='2008')),
    ('office-formats/docs/epub/childrens-literature.epub', dict(year='2008', authors=[
        dict(family='Curry', given='Charles Madison'), dict(family='Clippinger', given='Erle Elsworth')])),
    ('financebench/docs/AMAZON_2017_10K.pdf', dict(title='AMAZON 2017 10K', authors=[])),
    ('long-reports/docs/fed-annual-report-2023.pdf', dict(title='Annual Report, 2023', authors=[
        dict(literal='Federal Reserve Board')])),
    ('docs-trees/docs/peps/pep-0008.rst', dict(title='Style Guide for Python Code', year='2001')),
    ('office-formats/docs/html/wiki_duck.html', dict(title='Duck', url='https://en.wikipedia.org/wiki/Duck'))])
def test_real_files(file, told):
    db = database()
    did = db.add_file(SHARED/'corpora'/file)['doc_id']
    facts = facts_of(db, [did])[did]
    assert {k: facts[k] for k in told} == told

@pytest.mark.parametrize('above', ['.. _hives:\n\n', ':orphan:\n\n', '.. This is a comment\n   that goes on.\n\n',
                                   '.. contents::\n    :local:\n\n    :depth: 2\n\n', '..\n\n.. module:: hives\n\n'])
def test_title_below_marks_of_restructuredtext(tmp_path, above):
    write_files(tmp_path, {'a.rst': f'{above}Hives and Frames\n================\n\nText.\n'})
    assert read_file(tmp_path/'a.rst').title == 'Hives and Frames'

def test_no_title_below_text(tmp_path):
    write_files(tmp_path, {'a.rst': '.. note\n\nText.\n\nHives and Frames\n================\n\nText.\n'})
    assert not read_file(tmp_path/'a.rst').title

@pytest.mark.parametrize('told,authors', [
    ('author:\n  name: Ann Lee\n  email: a@b.org', [{'name': 'Ann Lee'}]), ('author:\n- family: Lee\n  given: Ann', [{'family': 'Lee', 'given': 'Ann'}]),
    ('authors:\n  - name: Ann Lee\n    affiliation: Hive\n  - Bo Ray', ['Ann Lee', 'Bo Ray']), ('author: [Ann Lee, Bo Ray]', ['Ann Lee', 'Bo Ray']),
    ('author:\n  family: Lee\n  given: Ann', [{'family': 'Lee', 'given': 'Ann'}])])
def test_authors_in_front_matter(told, authors):
    assert text_facts(f'---\ntitle: Bees\n{told}\ndate: 2020\n---\ntext', 'a.md') == dict(title='Bees', authors=authors, date='2020')
