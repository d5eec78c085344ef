"One test for each kind of fault that users of such libraries have reported, on texts of our own."
import json, os, sys, zipfile
import numpy as np
import pytest
import kinds
from litesearch.core import database, ReadError, rows
from litesearch.outline import build_tree
from support import *


# --- headings

@pytest.mark.parametrize('text,want', [
    pytest.param('# Bread\n\n```sh\n# mix\n## knead\n```\n\n# Cake\n\nx\n', 'Bread, Cake', id='comment in a fence'),
    pytest.param('# Loaf\n\n~~~~\n~~~\n## inner\n~~~\n# code\n~~~~\n\n## Crust\n\nx\n', 'Loaf(Crust)',
                 id='longer fence'),
    pytest.param('# Loaf\n\n```py\nx = 1\n```py\n# still code\n```\n\n## Crust\n\nx\n', 'Loaf(Crust)',
                 id='info string does not close'),
    pytest.param('# Loaf\n\nx\n\n~~~\ncode\n\n# Crust\n\ny\n', 'Loaf', id='unclosed fence'),
    pytest.param('Oven\n====\n\nx\n\nHeat\n----\n\ny\n\nTwo line\ntitle\n---\n\nz\n', 'Oven(Heat, Two line title)',
                 id='underlined'),
    pytest.param('# Oven\n\nOne.\n\n***\n\nTwo.\n\n---\n\nThree.\n\n## Door\n\nx\n', 'Oven(Door)', id='thematic break'),
    pytest.param('# Week\n\n#baking #sourdough\n\nx\n\n## Sunday\n\n#rest\n', 'Week(Sunday)', id='hashtag'),
    pytest.param('# Rye #\n\na\n\n## Starter ###\n\nb\n\n### Feeding #  \n\nc\n', 'Rye(Starter(Feeding))',
                 id='closing hashes'),
    pytest.param('# C#\n\na\n\n## F#\n\nb\n', 'C#(F#)', id='a hash that belongs to the title'),
    pytest.param('# Rye\n\n\\# 1 loaf\n\n\\### 3 rolls\n\n## Oats\n\nx\n', 'Rye(Oats)', id='escaped'),
    pytest.param('  # Rye\n\nx\n\n   ## Oats\n\ny\n\n ## Wheat\n\nz\n', 'Rye(Oats, Wheat)',
                 id='indented by up to three'),
    pytest.param('# Rye\n\nx\n\n    ## code\n\n## Oats\n\ny\n', 'Rye(Oats)', id='indented by four is code'),
    pytest.param('# Stock {#stock}\n\n## Flour {#flour .dry}\n\nx\n', 'Stock(Flour)', id='id attribute'),
    pytest.param('#### deep\n\n1\n\n##### deeper\n\n2\n\n#### beside\n\n3\n\n# top\n\n4\n', 'deep(deeper), beside, top',
                 id='starts deep'),
    pytest.param('Just a note on yeast.\n', 'Pages 1–1: Just a note on yeast.', id='no heading'),
    pytest.param('Before.\n\n# Alone\n\nIt rises.\n', 'Alone', id='one heading'),
    pytest.param('#\u00a0Not one\n\n# Flour\n\nx\n\n## Rye\n\ny\n', 'Flour(Rye)', id='no-break space'),
    pytest.param('# Flour\n\n> ## Quoted\n> ~~~\n> # code\n> ~~~\n\nafter\n\n## Rye\n\nx\n', 'Flour(Rye)',
                 id='in a quote'),
    pytest.param('# Flour\n\n- # listed\n  text\n\n## Rye\n\nx\n', 'Flour(Rye)', id='in a list'),
    pytest.param('---\ntitle: x\n# a comment\n---\n\n# Flour\n\nx\n\n## Rye\n\ny\n', 'Flour(Rye)', id='front matter'),
    pytest.param('# Flour\n\n<!--\n# hidden\n-->\n\n## Rye\n\nx\n', 'Flour(Rye)', id='html comment'),
    pytest.param('# Flour\r\n\r\nx\r\n\r\n## Rye\r\n\r\ny\r\n', 'Flour(Rye)', id='crlf'),
])
def test_headings(text, want): assert outline(text) == want

SIX = ''.join(f'{"#"*i} {t}\n\nx\n\n' for i, t in enumerate(['one', 'two', 'three', 'four', 'five', 'six'], 1))

def test_six_levels():
    assert outline(SIX, max_levels=6) == 'one(two(three(four(five(six)))))'
    assert [n.title for n in build_tree(SIX, max_levels=4)][1:] == ['one', 'two', 'three', 'four', 'five', 'six']

def test_an_open_fence_loses_nothing():
    db = library(('Doc', '# Loaf\n\nx\n\n~~~\ncode\n\n# Crust\n\nthe end\n'))
    assert text_of(db, section(db, 'Loaf')['id']).endswith('# Crust\n\nthe end')

def test_code_stays_text_of_its_section():
    db = library(('Doc', '# Bread\n\n```sh\n# mix\n## knead\n```\n\n# Cake\n\nx\n'))
    assert {'# mix', '## knead'} <= set(text_of(db, section(db, 'Bread')['id']).split('\n'))

def test_headings_without_text_between_keep_their_levels():
    db = library(('Doc', '# Kitchen\n\n## Oven\n\n### Thermostat\n\nThe bimetal bends.\n'), emb_fn=embed)
    hit = db.doc_search('bimetal', vec('bimetal'))[0]
    assert outline('# Kitchen\n\n## Oven\n\n### Thermostat\n\nx\n') == 'Kitchen(Oven(Thermostat))'
    assert hit['breadcrumb'] == 'Doc › Kitchen › Oven › Thermostat'

def test_equal_titles_are_sections_of_their_own():
    text = '# May\n\n## Baked\n\nrye\n\n# June\n\n## Baked\n\noats\n\n# July\n\n## Baked\n\nrye\n'
    db = library(('Doc', text), emb_fn=embed)
    same = [n for n in sections_of(db) if n['title'] == 'Baked']
    assert len({n['id'] for n in same}) == 3 and [text_of(db, n['id']) for n in same] == ['rye', 'oats', 'rye']

def test_all_words_of_a_title_with_markup():
    db = library(('Doc', '# Log\n\n## [2.1](https://example.org) — **hot** `oven` *fixed*\n\nx\n'))
    title = sections_of(db)[1]['title']
    assert all(w in title for w in ('2.1', 'hot', 'oven', 'fixed'))

def test_one_heading_with_text_before_it():
    db = library(('Doc', 'Before.\n\n# Alone\n\nIt rises overnight.\n'))
    assert words(db, 'overnight')[0]['breadcrumb'] == 'Doc › Alone'
    assert text_of(db, db.toc()[0]['tree']['id'], children=False).strip() == 'Before.'

def test_a_note_without_headings_is_found():
    db = library(('Doc', 'Just a note on yeast.\n'))
    assert found(db, 'yeast') == ['Just a note on yeast.']

def test_no_word_of_a_long_title_is_lost():
    title = 'On the keeping of a leaven in a winter without frost ' + 'and a summer without rain '*4 + 'in a cellar'
    db = library(('Doc', f'# Rules\n\nx\n\n## {title}\n\nbody\n'))
    node = sections_of(db)[1]
    assert len(node['title']) <= 100 and words(db, 'cellar')
    assert 'cellar' in node['title'] + text_of(db, node['id'])

def test_a_printed_table_of_contents():
    "Its dotted lines are no sections."
    text = ('CONTENTS\nChapter I Dough ...... 1\nChapter II Proof ..... 12\nChapter III Heat ..... 30\n\n'
            'Chapter I Dough\nFlour and water.\n\nChapter II Proof\nWait a night.\n\n'
            'Chapter III Heat\nFire the oven.\n')
    db = library(('Doc', text))
    assert nested(db.toc()[0]['tree']) == 'Chapter I Dough, Chapter II Proof, Chapter III Heat'
    assert [text_of(db, n['id']) for n in sections_of(db)] == ['Flour and water.', 'Wait a night.', 'Fire the oven.']

def test_a_sentence_that_wraps_onto_a_chapter_word():
    "`Article 5` at the beginning of a line is no heading when a sentence goes on there."
    wrapped = ('The baker may refuse a loaf under the conditions that are laid down in\nArticle 2 and in the second '
               'paragraph of\nArticle 3, unless the loaf is whole.')
    text = '\n\n'.join(f'Article {i}\n\nOn {w}\n\n{wrapped}' for i, w in zip('1234', ['flour', 'rye', 'salt', 'heat']))
    tree = build_tree(text, title='Code')
    assert [n.title.split()[:2] for n in tree[1:]] == [['Article', str(i)] for i in (1, 2, 3, 4)]


# --- chunks

@pytest.mark.parametrize('text', ['ß—'*800 + 'fin', '😀é'*700 + ' fin', 'x'*3000 + ' fin', 'e\u0301'*1500 + ' fin'],
                         ids=['two bytes and three', 'four bytes', 'ascii', 'combining'])
def test_a_text_without_places_to_cut(text): kinds.cut_anywhere(text, 'fin')

def test_a_blank_document(): kinds.blank_then_real('\n\n \t\n', 'Words about marl.', 'marl')

def test_equal_chunks():
    line = 'Weight: ______ Time: ______ Baker: ______'
    kinds.repeated_lines(f'# Head\n\nfirst\n\n# Sheet\n\n{line}\n' + f'{line}\n'*149, 'Sheet', line, 150)

def test_two_sources_of_one_text(): kinds.twins('# Oven\n\nThe damper sticks.\n\n# End\n\nx\n', 'damper')

def test_short_sections_are_not_put_together():
    kinds.kept_apart('# Flours\n\n## Rye\n\nrye is gray.\n\n## Oats\n\noats are pale.\n\n## Maize\n\nmaize is gold.\n',
                     {'gray': 'Rye', 'pale': 'Oats', 'gold': 'Maize'})

def test_reading_after_an_edit():
    paras = [' '.join(f'{w}{i}' for i in range(70)) + '.' for w in ('dough', 'proof', 'oven')]
    body = '\n\n'.join(paras)
    for i in range(3):
        new = '\n\n'.join([*paras[:i], paras[i].replace('1', 'one'), *paras[i + 1:]])
        kinds.edited_in_order(f'# Steps\n\n{body}\n\n# Rest\n\nx\n', f'# Steps\n\n{new}\n\n# Rest\n\nx\n', 'Steps', new)

def test_the_title_once():
    kinds.title_once('# Manual\n\nx\n\n## Dampers\n\nPull the damper.\n', 'damper', 'Manual', 'Manual › Dampers')

def test_every_line_of_a_document():
    kinds.every_line('ahead\n\n# A\n\n* one\n* two\n\n> said\n\n### A3\n\n```\nx = 1\n```\n\n'
                     '| a | b |\n|---|---|\n| 1 | 2 |\n\n## A2\n\n1. p\n2. q\n\n# B\n\nlast')

def test_hits_of_one_page_that_are_no_neighbors_stay_apart():
    "And neighbors come in the order of the text, whatever their rank."
    paras = [f'Paragraph {i} ' + ('about the sluice. ' if i in (0, 1, 7) else 'of other things. ') + f'filler{i} '*45
             for i in range(9)]
    db = library(('Doc', '# One\n\n' + '\n\n'.join(paras)))
    hits = words(db, 'sluice')
    assert len(hits) == 2 and {h['_nspan'] for h in hits} == {1, 2}
    two = next(h for h in hits if h['_nspan'] == 2)['content']
    assert 0 <= two.index('Paragraph 0') < two.index('Paragraph 1')


# --- words

SHOP = ["The baker's peel hasn't come back.", 'Ticket OVEN-3391 was closed on 2024-02-29.',
        'FIXME: grease the bolt in door::open today.',
        'Needs yeast 7.31 and flour 550.25 since v1.12.3.', 'Call get_loaf_weight or night-shift-7 in dev/oven-check.']

@pytest.mark.parametrize('queries,i', [
    (["baker's peel", "hasn't", "baker's"], 0), (['FIXME: grease', 'door::open', 'door:open'], 2),
    (['yeast 7.31', '550.25', 'v1.12.3'], 3), (['OVEN-3391', '2024-02-29'], 1),
    (['get_loaf_weight', 'night-shift-7', 'dev/oven-check'], 4)],
    ids=['apostrophe', 'colon', 'dotted number', 'code', 'identifier'])
def test_words_with_marks(queries, i): kinds.comes_first(SHOP, queries, SHOP[i])

@pytest.mark.parametrize('queries', [
    ["'", "o'", "''", "n't'"], ['title : x', 'content:', 'a:b:c', '-content : y'],
    ['"', '"half', 'half"', '"--flag"', '""', '" a " b " c', '“curly', '""""'],
    ['*', 'pe*', '*peel', '^peel', '(peel', 'peel)', '{p q}', 'p+q', '10%', 'p/q?', "';--", '\\', '#',
     '`~!@$%^&*()_+-={}[]|;<>,./?'],
    ['--', '?!?', '…', '『』', '- - -', '.', '\u3000', ' \n\t'], ['AND', 'OR NOT', 'NEAR(a b)', 'NOT', 'a AND', 'NEAR/2'],
    ['peel\x00bolt', '\x00', '\x1b[0m\x08', 'pe\u200bel', '\ufeffpeel', '\u202epeel', 'peel\x7f'],
    ['x'*100_000, 'word '*5000, '漢'*3000]],
    ids=['apostrophes', 'colons', 'quotes', 'specials', 'punctuation', 'operators', 'control', 'long'])
def test_any_query(queries): kinds.survives(SHOP, queries)

def test_nul_bytes():
    kinds.nul_bytes('dough ' + '\x00'*5000 + ' resting', 'resting', 'A page on chestnuts.', 'chestnuts')

def test_substrings_of_scripts_without_spaces():
    kinds.only_its_own(['窯の温度を確認する手順', '面粉需要过筛两次', '반죽을 밤새 발효시켰다', 'แป้งต้องพักค้างคืน'],
                       ['温度', '过筛', '발효', 'ค้างคืน'])

def test_accents_and_normal_forms():
    queries = ['naive', 'naïve', 'nai\u0308ve', 'patissier', 'Zürich', 'ZURICH', 'fête', 'fe\u0302te']
    kinds.all_find('A naïve pâtissier at the Zürich fête.', queries, ['other'])

def test_words_that_were_edited_away(): kinds.stale_words('On quernstones.', 'On rollers.', 'quernstones', 'rollers')

def test_after_vacuum(tmp_path): kinds.vacuumed(tmp_path, [f'batch {i} loaf b{i}x' for i in range(12)], [0, 3, 4, 9], 8,
                                                'b8x')

def test_a_word_of_a_heading():
    kinds.heading_word('# Care\n\nx\n\n## Descaling the boiler\n\nPour in vinegar and wait.\n\n## Else\n\ny\n',
                       'descaling', 'Descaling the boiler')

def test_a_quoted_phrase():
    kinds.phrase(['brass hinge on the door', 'a hinge that is not brass', 'brass day without a hinge'], 'brass hinge')

def test_words_apart():
    kinds.comes_first(['rising of the cold dough in winter kitchens', 'painting with egg'],
                      ['rising kitchens', 'why is the rising of dough slow in kitchens?'],
                      'rising of the cold dough in winter kitchens')


# --- vectors

NOTES = [f'loaf {i}: ' + (w + ' ')*3 for i, w in enumerate('barley chickpea durum einkorn farro'.split())]
NOTES = [n.strip() for n in NOTES]

def test_an_encoder_of_another_size(tmp_path): kinds.other_size(tmp_path, 'page about spelt', 'spelt', 192, 64)

def _half(p): os.truncate(p, p.stat().st_size//2)
def _header(p): p.write_bytes(b'\xff'*8 + p.read_bytes()[8:])
def _empty(p): os.truncate(p, 0)
def _tail(p): p.write_bytes(p.read_bytes()[:-7] + b'\x80'*7)
def _noise(p): p.write_bytes(bytes(range(256))*40)

@pytest.mark.parametrize('damage', [_half, _header, _empty, _tail, _noise, os.unlink])
def test_a_damaged_graph(tmp_path, damage): kinds.damaged_sidecar(tmp_path, NOTES, damage, 2, 'durum')

def test_an_older_graph(tmp_path): kinds.older_sidecar(tmp_path, NOTES)

def test_removing_and_adding(): kinds.removed_and_added(NOTES, [4, 0, 2, 1, 3])

@pytest.mark.parametrize('value', [np.nan, np.inf, 0.0])
def test_vectors_that_are_none(value):
    db = library(*NOTES, emb_fn=embed)
    with pytest.raises(ValueError, match='Broken one'):
        db.add_doc('bad', title='Broken one', emb_fn=lambda ts: np.full((len(ts), 256), value, np.float16))
    check_library(db)

def test_not_a_number(): kinds.not_a_number(NOTES, 'broken', 'durum', 2)

def test_results_are_plain_data(): kinds.as_json(NOTES, 'durum')

def test_too_few_vectors(): kinds.one_too_few('# A\n\none\n\n# B\n\ntwo\n\n# C\n\nthree\n\n# D\n\nfour\n', 4)

def test_vectors_that_come_later(): kinds.vectors_later('page about durum', 'durum')


# --- files and folders

PAGE = '# Oven\n\nThe damper sticks.\n\n# Door\n\nThe hinge squeaks.\n'

def test_spellings_of_a_path(tmp_path, monkeypatch): kinds.spellings(tmp_path, monkeypatch, PAGE, 'damper')

def test_links_in_a_circle(tmp_path): kinds.linked_in_a_circle(tmp_path, PAGE, 'below: a note on yeast')

def test_a_link_out_of_the_folder(tmp_path):
    write_files(tmp_path, {'in/a.md': PAGE, 'out/secret.md': 'the safe code'})
    (tmp_path/'in/away.md').symlink_to(tmp_path/'out/secret.md')
    (tmp_path/'in/far').symlink_to(tmp_path/'out')
    db = library()
    db.add_dir(tmp_path/'in')
    assert [d['title'] for d in db.toc()] == ['a']

def test_decomposed_names(tmp_path): kinds.normal_forms(tmp_path, 'Bäckerei.md', PAGE, 'damper')

@pytest.mark.parametrize('name', ['a #2 10% dir?cache=x/lib %20.db', 'file:x.db', "it's \"so\".db", 'ünï/ж.db'])
def test_odd_paths(tmp_path, name): kinds.odd_path(tmp_path, name, PAGE, 'damper')

def test_a_file_that_is_gone(tmp_path): kinds.vanished(tmp_path, PAGE, 'The peel is ash.', 'peel')

def test_same_size_and_time(tmp_path): kinds.same_size_same_time(tmp_path, 'The peel is ash.', 'The peel is oak.',
                                                                 'ash', 'oak')

def test_a_file_that_shrank(tmp_path):
    kinds.shrunk(tmp_path, '# A\n\nearly words\n\n# B\n\nlater words\n\n# C\n\nlast words\n', '# A\n\nearly words\n',
                 'later words', 1)

def test_an_endless_line(tmp_path): kinds.endless_line(tmp_path, ';'.join(f'v{i}=1' for i in range(350_000)), 'v349999')

@pytest.mark.skipif(sys.platform in ('darwin', 'win32'), reason='the file system takes UTF-8 names only')
def test_a_name_that_is_not_utf8(tmp_path): kinds.undecodable(tmp_path, b'p\xe2te.txt', 'Of pastry.', PAGE, 'damper')

def test_hidden_folders(tmp_path):
    nb = lambda word: json.dumps(dict(cells=[dict(cell_type='markdown', metadata={}, source=f'# T\n\n{word} text')],
                                      metadata={},
                                      nbformat=4, nbformat_minor=5))
    kinds.hidden_copies(tmp_path, {'x.ipynb': nb('fresh'), '.ipynb_checkpoints/x-checkpoint.ipynb': nb('stale'),
                                   '.venv/n.md': 'vendored',
                                   'sub/.hidden/y.md': 'secret', 'node_modules/p/readme.md': 'packaged'}, 1,
                        ['stale', 'vendored', 'secret', 'packaged'])

BAD_FILES = {'zero.md': b'', 'blank.txt': b' \n\n ', 'noise.txt': bytes(range(256))*8, 'broken.ipynb': b'{"cells": [',
             'not.pdf': b'not a pdf',
             'cut.pdf': b'%PDF-1.7\n1 0 obj\n<<', 'list.ipynb': b'[1, 2]', 'empty.html': b'<html></html>'}

def test_bad_files_are_reported_and_the_rest_goes_on(tmp_path):
    write_files(tmp_path, {**BAD_FILES, 'zz.md': PAGE.encode()})
    db = library()
    results = db.add_dir(tmp_path)
    for name in BAD_FILES: assert [r for r in results if name in r.get('error', '')], name
    assert [d['title'] for d in db.toc()] == ['zz'] and words(db, 'damper')
    check_library(db)

@pytest.mark.parametrize('name', BAD_FILES)
def test_a_bad_file_by_itself(tmp_path, name):
    db = library()
    with pytest.raises(ReadError, match=name): db.add_file(write_files(tmp_path, BAD_FILES)/name)
    assert db.toc() == []

def test_a_file_that_is_filled_later(tmp_path):
    path, db = write_files(tmp_path, {'later.md': ''})/'later.md', library()
    with pytest.raises(ReadError): db.add_file(path)
    path.write_text(PAGE)
    db.add_file(path)
    assert len(words(db, 'damper')) == 1

def test_an_encrypted_pdf(tmp_path):
    pymupdf = pytest.importorskip('pymupdf')
    with pymupdf.open() as doc:
        doc.new_page().insert_text((72, 72), 'secret')
        doc.save(tmp_path/'locked.pdf', encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw='u', owner_pw='o')
    with pytest.raises(ReadError, match='locked.pdf'): library().add_file(tmp_path/'locked.pdf')


# --- hostile values

def test_ids_that_are_sql(): kinds.hostile_ids('# Oven\n\nhot\n\n# Cellar\n\ncold\n')

def test_quotes_in_titles(): kinds.quotes_in_titles(["Baker's", 'The "peel"', "A 'b' and \"c\"", 'Plain'], "'", '"')

def test_wildcards_in_titles_are_letters():
    db = library(('100% rye', 'x'), ('100 rye', 'y'), ('a_b', 'z'), ('acb', 'w'))
    assert [d['title'] for d in db.toc('100%')] == ['100% rye'] and [d['title'] for d in db.toc('a_b')] == ['a_b']

def entities(n): return '<!DOCTYPE TEI [<!ENTITY e0 "spam">' + ''.join(f'<!ENTITY e{i} "{f"&e{i-1};"*10}">'
                                                                       for i in range(1, n)) + ']>'

EXPANDING = '''
db, t = database(), time.time()
try: n = sum(len(p) for p, in rows(db, 'select text from pages')) if db.add_file(sys.argv[1]) else 0
except ValueError as e: n = 0 if 'bomb.tei' in str(e) else -1
print(json.dumps([n, time.time() - t, peak_megabytes()]))
'''

def test_entities_that_expand_without_end(tmp_path):
    body = '<TEI><text><body><p>Hello &e9;</p></body></text></TEI>'
    d = write_files(tmp_path, {'bomb.tei': f'<?xml version="1.0"?>{entities(10)}{body}'})
    n, took, used = json.loads(run(EXPANDING, d/'bomb.tei'))
    assert 0 <= n < 100_000 and took < 10 and used < 500

def test_entities_that_name_a_file(tmp_path):
    write_files(tmp_path, {'secret.txt': 'the safe code'})
    xml = (f'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY x SYSTEM "file://{tmp_path}/secret.txt">]>'
           '<TEI><text><body><p>Hello &x;</p></body></text></TEI>')
    db = library()
    try: db.add_file(write_files(tmp_path, {'reads.tei': xml})/'reads.tei')
    except ReadError: pass
    assert not words(db, 'safe')

def test_an_archive_that_wants_out(tmp_path):
    "Nothing is written beside the archive, whether it can be read or not."
    (tmp_path/'in').mkdir()
    with zipfile.ZipFile(tmp_path/'in'/'book.epub', 'w') as z:
        z.writestr('mimetype', 'application/epub+zip')
        for name in ('../../out.txt', '/out.txt', 'OEBPS/../../../out.txt'): z.writestr(name, 'out')
    with pytest.raises(ReadError, match='book.epub'): library().add_file(tmp_path/'in'/'book.epub')
    assert [p.name for p in tmp_path.rglob('*') if p.is_file()] == ['book.epub']

def test_ids_that_would_meet(): kinds.ids_do_not_meet('text on ovens', 'text on cellars', 'ovens', 'cellars')


# --- characters

def test_half_an_emoji(): kinds.half_an_emoji('sound text about rye', 'broken \udcff text about oats', 'rye', 'oats')

def test_invisible_marks_in_words():
    kinds.all_find('The fer\u00admentation room. A sour\u200bdough jar. They re\u2060knead it. Then \ufeffbake.',
                   ['fermentation', 'sourdough', 'reknead', 'bake', 'fer\u00admentation'], ['other'])

def test_words_of_many_scripts():
    kinds.only_its_own(['Хлеб уже готов.', 'Το ψωμί είναι ζεστό.', 'الخبز ساخن جدا.', 'הלחם טרי מאוד.', 'रोटी गरम है।',
                        'ขนมปัง ร้อนมาก', 'ሰላም ዳቦ'],
                       ['готов', 'ψωμί', 'الخبز', 'הלחם', 'रोटी', 'ขนมปัง', 'ዳቦ'])

def test_separators_that_end_no_line():
    marks = '\u2028 \u2029 \x85 \x0b \x0c \x1c \x1d \x1e'.split(' ')
    text = '# A\n\nstart' + ''.join(f'{m}# no{i}' for i, m in enumerate(marks)) + '\n\n# B\n\nend\n'
    assert outline(text) == 'A, B'
    db = library(('Doc', text))
    assert all(f'# no{i}' in text_of(db, section(db, 'A')['id']) for i in range(len(marks)))
