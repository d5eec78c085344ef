"Evidence packs: quotations that stand where they say, and alterations that are found out."
import random, re
import pytest
from hypothesis import given, settings, strategies as st
from litesearch import Library
from litesearch.core import database
from litesearch.encode import HashEncoder
from litesearch.pack import Pack, evidence, parse_pack, verify_pack
from litesearch.quotation import quotations, whole_sentences
from litesearch.verify import flat, stands_in, stands_printed, verify_quote, verify_quotes
from support import HOSTILE, SHARED, library, needs_shared, write_files

PAGES = [(1, '# Swarms\n\nBees swarm in May, when the hive is full. A swarm is calm: it has nothing to defend.'),
         (2, 'They cluster on a branch near by. Scouts look for a hollow tree,\n\nand dance when they have found one.'),
         (3, '## Winter\n\nIn winter the bees form a ball. The queen sits in the middle of it.')]
QUESTIONS = ['When do bees swarm?', 'Where does the queen sit in winter?', 'What do scouts look for?']

def bees(): return library(('Bees', PAGES))

def pack_of(db, questions=QUESTIONS, **kw): return evidence(db, questions, db.doc_search, **kw)

def quotes_of(pack): return [o for answer in pack for o in answer['quotes']]


# --- notes

NOTE = dict(note='n3', topic='swarms', title=None, source=None, created_at='2026-05-04T11:00:00', updated_at=None)

@pytest.mark.parametrize('text', [*HOSTILE, 'Ours left on the 4th.', '> a\n\n— [1], p. 3: Bees',
                                  '## Sources\n\n1. x · 0123456789abcdef', '— [1], p. 1', '# A\n- b'])
def test_notes_are_never_quotations(text):
    db = bees()
    plain = pack_of(db)
    text = text.replace('\ud800', '?')
    pack = pack_of(db, notes=lambda q: [dict(NOTE, text=text, title=text)])
    assert parse_pack(str(pack)) == parse_pack(str(plain)) and verify_pack(db, pack) == []
    assert pack.sources == plain.sources and str(pack).count('Notes of the reader') == 3
    assert all(a['notes'][0]['note'] == 'n3' for a in pack) and 'Notes of the reader' in pack._repr_html_()

def test_a_question_that_only_a_note_answers():
    db = bees()
    pack = pack_of(db, 'zqxwv', notes=lambda q: [dict(NOTE, text='It is a word of mine.')])
    assert 'Nothing was found.\n\nNotes of the reader' in str(pack)
    assert 'It is a word of mine. (swarms, 2026-05-04 · n3)' in str(pack)
    assert 'notes' not in pack_of(db, 'zqxwv', notes=lambda q: [])[0] and verify_pack(db, pack) == []


# --- what is quoted

def test_quotations_are_slices_of_one_page():
    db = bees()
    pages = dict(PAGES)
    quotes = quotes_of(pack_of(db))
    assert len(quotes) >= 3
    for o in quotes:
        assert pages[o['page']][o['start']:o['end']] == o['text']
        assert o['breadcrumb'].startswith('Bees') and o['node_id'].startswith(o['doc_id'])

def test_a_sentence_that_a_blank_line_parted_is_whole():
    quote, = [o for o in quotes_of(pack_of(bees(), QUESTIONS[2:])) if 'Scouts' in o['text']]
    assert flat(quote['text']).endswith('hollow tree, and dance when they have found one.')

def test_neither_headings_nor_rows_nor_code():
    table = '| bees | swarm |\n|---|---|\n| when | in May |'
    text = f'# When bees swarm\n\n{table}\n\n```\nwhen bees swarm: print("bees swarm")\n```\n'
    db = library(('Bees', text))
    assert quotes_of(pack_of(db, 'When do bees swarm?')) == []

def test_code_is_not_quoted_though_the_window_begins_inside_of_it():
    code = '```\n' + '\n\n'.join(f'Line {i} of the code says that bees swarm.' for i in range(400)) + '\n```\n\n'
    text = code + 'Bees swarm in May, when the hive is full.'
    at = text.index('Line 200 of')
    assert whole_sentences(text, at, at + 400) == []
    assert [text[a:b] for a, b in whole_sentences(text, len(code))] == ['Bees swarm in May, when the hive is full.']

def test_what_a_page_break_cut_is_not_quoted():
    first, second = 'Every year in May the bees of this hive swarm, and they', 'swarm again in June. So they go.'
    db = library(('Bees', [(1, first), (2, second)]))
    assert all(o['text'] == 'So they go.' for o in quotes_of(pack_of(db, 'When do bees swarm?')))

@pytest.mark.parametrize('text', ['', ' ', '\n\n', 'x', '。', '> quoted', '- ', '```', '|'])
def test_odd_pages_have_no_sentences(text): assert whole_sentences(text) == []

@settings(max_examples=60, deadline=None)
@given(st.text(alphabet='aB .!?\n-`#>|蜂。1', max_size=400), st.integers(0, 400), st.integers(0, 400))
def test_sentences_lie_in_the_page_and_do_not_overlap(text, a, b):
    found = whole_sentences(text, min(a, b), max(a, b))
    assert all(0 <= s < e <= len(text) and text[s:e] == text[s:e].strip() for s, e in found)
    assert all(x[1] <= y[0] for x, y in zip(found, found[1:]))

def test_an_endless_line_takes_no_time():
    text = 'The bees swarm in May. ' * 100_000
    assert len(whole_sentences(text, 1_000_000, 1_000_200)) in range(5, 12)

def test_notes_and_hits_without_a_place_are_passed_over():
    db, odd = bees(), [dict(content='Bees swarm.', note='n1'), dict(doc_id='x', content='no place')]
    hits = odd + db.doc_search(QUESTIONS[0])
    assert quotations(db, [(QUESTIONS[0], hits)]) == quotations(db, [(QUESTIONS[0], hits[2:])]) != [[]]

def test_a_hit_of_a_document_that_is_gone():
    db = bees()
    hits = db.doc_search(QUESTIONS[0])
    db.delete_doc(hits[0]['doc_id'])
    assert quotations(db, [(QUESTIONS[0], hits)]) == [[]]

def test_meaning_chooses_where_words_do_not():
    db, enc = bees(), HashEncoder()
    assert quotes_of(pack_of(db, 'swarming', emb_fn=enc))
    assert len(pack_of(db, QUESTIONS, emb_fn=enc)) == 3

def test_chinese_and_arabic():
    db = library(('蜂', '# 分蜂\n\n蜜蜂在五月分蜂，那时蜂巢已满。老蜂王和一半的蜜蜂一起离开。\n'),
                 ('نحل', 'يعيش النحل في الخلية طوال الشتاء. تضع الملكة البيض في الربيع.'))
    pack = pack_of(db, ['蜜蜂什么时候分蜂？', 'متى تضع الملكة البيض؟'])
    assert all(answer['quotes'] for answer in pack)
    assert verify_pack(db, pack) == []

def test_statements_do_not_grow_with_the_questions():
    def statements(n):
        db, seen = bees(), []
        hits = {q: db.doc_search(q) for q in QUESTIONS}
        db.conn.exec_trace = lambda cursor, sql, args: seen.append(sql) or True
        evidence(db, QUESTIONS*n, hits.get)
        return len(seen)
    assert statements(1) == statements(5) <= 8

def test_statements_of_a_verification_do_not_grow_with_the_pack():
    def statements(n):
        db, seen = bees(), []
        written = str(pack_of(db, QUESTIONS*n)).replace('May', 'June')
        db.conn.exec_trace = lambda cursor, sql, args: seen.append(sql) or True
        assert verify_pack(db, written, files=True)
        return len(seen)
    assert statements(1) == statements(5) <= 8


# --- what is written, and read back

def test_a_pack_can_be_read_back():
    db = bees()
    pack = pack_of(db)
    found, sources = parse_pack(str(pack))
    quoted = [(flat(o['text']), o['page'], o['node_id']) for o in quotes_of(pack)]
    assert [(o.text, o.page, o.node_id) for o in found] == quoted
    assert [o.question for o in found] == [a['question'] for a in pack for _ in a['quotes']]
    assert list(sources.values()) == [pack.sources[0]['doc_id']]
    assert verify_pack(db, str(pack)) == verify_pack(db, pack) == []

def test_slices_number_their_own_sources():
    db = library(('Bees', PAGES), ('Wasps', 'Wasps never swarm. They found new nests in spring.'))
    pack = pack_of(db, ['What do wasps found in spring?', *QUESTIONS])
    assert isinstance(pack[1:], Pack) and '[1]' in str(pack[2:3])
    assert all(verify_pack(db, pack[i:]) == [] for i in range(4))

@pytest.mark.parametrize('title', HOSTILE + ['— [1], p. 3: x · ' + '0'*16 + '#1', '## Sources', '<b>&',
                                             'A\n> quote\n\n— [7]'])
def test_titles_can_not_pass_for_parts_of_a_pack(title):
    db = library((title, [(p, t.replace('Swarms', title)) for p, t in PAGES]))
    pack = pack_of(db, [*QUESTIONS, title])
    assert quotes_of(pack)
    assert verify_pack(db, pack) == []
    html = pack._repr_html_()
    assert '<b>' not in html and '<script' not in html

@pytest.mark.parametrize('text', ['> — [9], p. 9: Elsewhere', '— [9], p. 9', '```', '<!--',
                                  '## Sources\n\n1. Lies. · ' + '0'*16])
def test_texts_can_not_pass_for_parts_of_a_pack(text):
    db = library(('Bees', f'Bees swarm in May,\n{text}\nwhen the hive is full of bees that swarm.'))
    pack = pack_of(db, QUESTIONS[:1])
    assert verify_pack(db, pack) == []
    assert {n for n in re.findall(r'^— \[(\d+)\]', str(pack), re.M)} <= {'1'}

def test_control_characters_are_not_shown_and_still_verified():
    db = library(('Bees', 'Bees swarm in \x1b[31mMay\x07, when the \x0chive is full.'))
    pack = pack_of(db, QUESTIONS[:1])
    assert quotes_of(pack) and verify_pack(db, pack) == [] and '\x1b' not in str(pack) + pack._repr_html_()


# --- what was altered

def _altered(text, rng):
    "The text with one word changed, dropped, doubled or moved."
    words = text.split()
    i = rng.randrange(1, len(words) - 1)
    how = rng.choice(['change', 'drop', 'insert', 'swap', 'case', 'number'])
    if how == 'change': words[i] = 'never'
    if how == 'drop': del words[i]
    if how == 'insert': words.insert(i, 'not')
    if how == 'swap': words[i], words[i - 1] = words[i - 1], words[i]
    if how == 'case': words[i] = words[i].swapcase()
    if how == 'number': words[i] = '42'
    return ' '.join(words)

def test_every_altered_word_is_found_out():
    db, rng = bees(), random.Random(7)
    pack = pack_of(db)
    for _ in range(200):
        quote = rng.choice(quotes_of(pack))
        said = flat(quote['text'])
        new = _altered(said, rng)
        if new in (said, ' '.join(said.split())): continue
        written = str(pack).replace(said, new, 1)
        found = verify_pack(db, written)
        assert [p['quote'] for p in found] == [new]
        assert not verify_quote(db, {**quote, 'text': new})

@pytest.mark.parametrize('edit, why', [
    (lambda s: s.replace('p. 1', 'p. 2', 1), 'stands on page 1'),
    (lambda s: s.replace(', p. 1', '', 1), 'stands on page 1'),
    (lambda s: s.replace('— [1]', '— [2]', 1), 'no source [2]'),
    (lambda s: re.sub('\n— .*\n', '', s, count=1), 'no citation'),
    (lambda s: re.sub('(?m)^> .*\n', '', s, count=1), 'no quotation'),
    (lambda s: re.sub('(?m)^(> .*)$', r'\1\nIt never does.', s, count=1), "not 'It never does.'"),
    (lambda s: re.sub('(?m)^(> .*)$', r'\1\n>\n> It never does.', s, count=1), "not 'It never does.'"),
    (lambda s: s.replace('Bees › Swarms', 'Bees › Winter', 1), "is called 'Bees › Swarms'"),
    (lambda s: s.replace('## Sources', '## Ends'), 'no evidence pack'),
    (lambda s: re.sub('(1[.] .*· )[0-9a-f]{16}', r'\g<1>' + '0'*16, s), 'has no page'),
    (lambda s: s.replace('## Sources', '> Bees live on the moon.\n\n— [1], p. 1\n\n## Sources'), 'not stand there')])
def test_each_kind_of_edit_is_told(edit, why):
    db = bees()
    written = str(pack_of(db, QUESTIONS[:1], k=1, per=1))
    found = verify_pack(db, edit(written))
    assert found and all(why in p['why'] for p in found), found

def test_a_pack_that_was_only_wrapped_is_whole():
    db = bees()
    wrapped = re.sub('(?m)^(> .{20,30}) ', r'\1\n> ', str(pack_of(db)))
    lazy = re.sub('(?m)^(> .{20,30}) ', r'\1\n', str(pack_of(db)))
    for text in (wrapped, lazy, wrapped.replace('\n', '\r\n'), '\n\n' + wrapped): assert verify_pack(db, text) == []

def test_a_document_that_changed_meanwhile():
    db = bees()
    pack = pack_of(db, QUESTIONS[:1])
    db.add_doc([(p, t.replace('May', 'June')) for p, t in PAGES], title='Bees')
    assert any("the page has 'June, when the'" in p['why'] for p in verify_pack(db, pack))

def test_quotations_do_not_cut_words():
    assert stands_in('swarm in May', 'Bees swarm in May.') and not stands_in('warm in Ma', 'Bees swarm in May.')
    assert not stands_in('', 'anything') and stands_in('五月分蜂', '蜜蜂在五月分蜂')

def test_an_empty_library_and_an_empty_pack():
    assert verify_pack(database(), Pack()) == [] == verify_quotes(database(), [])
    assert not verify_quote(database(), dict(text='x', doc_id='0'*16, page=0))
    assert verify_pack(database(), '')[0]['why'].startswith('this is no evidence pack')


# --- in the files themselves

def test_the_file_is_asked(tmp_path):
    db = database()
    write_files(tmp_path, {'bees.txt': PAGES[0][1], 'wasps.md': 'Wasps never swarm. They found new nests in spring.'})
    db.add_dir(tmp_path, n_workers=0)
    pack = pack_of(db, ['When do bees swarm?', 'What do wasps found in spring?'])
    assert len(pack.sources) == 2 and verify_pack(db, pack, files=True) == []
    write_files(tmp_path, {'bees.txt': PAGES[0][1].replace('May', 'June')})
    assert verify_pack(db, pack) == []
    assert ['file itself' in p['why'] for p in verify_pack(db, pack, files=True)] == [True]
    (tmp_path/'bees.txt').unlink()
    assert verify_pack(db, pack, files=True) == []

def test_what_the_file_does_not_have_is_left_out(tmp_path):
    db = database()
    db.add_file(write_files(tmp_path, {'bees.txt': PAGES[0][1]})/'bees.txt')
    assert len(quotes_of(pack_of(db, QUESTIONS[:1], files=True))) == 1
    write_files(tmp_path, {'bees.txt': 'Bees swarm in June.'})
    assert quotes_of(pack_of(db, QUESTIONS[:1], files=True)) == [] != quotes_of(pack_of(db, QUESTIONS[:1]))

def test_only_spaces_and_hyphens_at_line_ends_are_forgiven():
    page = 'The well-\nknown bee-keeper noti-\nced that\u00adhoney'
    assert stands_printed('The well-known bee-keeper noticed', page) and stands_printed('The wellknown', page)
    assert not stands_printed('beekeeper', page) and not stands_printed('The well known', page.replace('-', '–'))
    assert not stands_printed('', page) and not stands_printed('noticed the', page)


# --- real documents

TEN = dict([
    ('eu-legislation', ['Are lessons from a private tutor or care by a hospital free of VAT?',
                        'Someone printed VAT on a bill although none was due. Is he liable for it anyway?',
                        'May a supplier send e-invoices without asking the customer?']),
    ('long-reports', ['Into how many districts is the central bank split, and when was it founded?',
                      'How many court cases was the Board involved in?',
                      'How many banks were members at the end of the year?']),
    ('books', ["What does the explorer's crew see travelling over the ice far from land?",
               "Who is wrongly found guilty of the child's murder?",
               'Which famous cobbler belonged to the German guild of singers?',
               'How does the story open - good times or bad?'])])

def _squeezed(s): return ''.join(s.replace('\xad', '').split())

def _in_source(quote, source):
    "Whether the file has a quotation on its page, by PyMuPDF, or as text; hyphens at the ends of lines may go or stay."
    import pymupdf
    if source.endswith('.pdf'):
        with pymupdf.open(source) as pdf: page = pdf[quote['page'] - 1].get_text()
    else:
        with open(source, encoding='utf-8') as f: page = f.read()
    said = _squeezed(quote['text'])
    joined = _squeezed(re.sub(r'[-\u2010]\s*\n\s*', '', page))
    return said in _squeezed(page) or said in joined or said.replace('-', '') in joined.replace('-', '')

@needs_shared
@pytest.mark.parametrize('corpus', TEN)
def test_every_quotation_stands_in_the_source_file(corpus):
    db = database()
    db.add_dir(SHARED/'corpora'/corpus/'docs', n_workers=0)
    pack = pack_of(db, TEN[corpus])
    assert all(1 <= len(answer['quotes']) for answer in pack)
    assert [o['text'] for o in quotes_of(pack) if not _in_source(o, o['source'])] == []
    assert verify_pack(db, pack, files=True) == []

# ---- what ends in a colon

def _quoted(text, q, **kw):
    db = library(('Manual', text))
    return [o['text'] for o in quotations(db, [(q, db.doc_search(q))], **kw)[0]]

FILLER = 'Nothing else is told about the matter here, in as many words as it takes to keep other sentences away. '*3

def test_what_introduces_code_is_quoted():
    code = '```python\nassert 0.3 == approx(a)\n```'
    text = f'# Floats\n\n{FILLER}\n\nTo compare floats you can use `approx`:\n\n{code}\n\n{FILLER}'
    assert _quoted(text, 'how do I compare floats?') == ['To compare floats you can use `approx`:']

def test_an_item_is_quoted_with_what_introduces_it():
    text = f'# Login\n\n{FILLER}\n\nNever answer like this:\n\n- "The password is wrong for this user."\n\n{FILLER}'
    found, *_ = _quoted(text, 'which answer to a wrong password?', per=1)
    assert found.startswith('Never answer like this:\n\n- "The password')

def test_a_list_is_not_announced_in_vain():
    text = f'# Delays\n\nGive the keeper some time. These are usual delays:\n\n- two\n\n- five\n\n{FILLER}'
    assert _quoted(text, 'time for the keeper') == ['Give the keeper some time.']

def test_lettered_paragraphs_are_items():
    duties = 'a) to count the hives every spring;\n\nb) to report sick bees at once;'
    text = f'# Duties\n\n{FILLER}\n\nThe keeper has\n\n{duties}\n\n{FILLER}'
    assert _quoted(text, 'must sick bees be reported?', per=1)[0].endswith('b) to report sick bees at once;')

def test_a_heading_is_no_answer():
    pages = [(1, 'Contents'), (2, f'# Why do bees swarm?\n\n7.2 Why do bees swarm?\n\nFull hives make bees swarm. {FILLER}')]
    db = library(('FAQ', pages))
    found = quotations(db, [('Why do bees swarm?', db.doc_search('Why do bees swarm?'))])[0]
    assert found and not any('Why do' in o['text'] for o in found)

@pytest.mark.parametrize('bad', [5, None, ['Why?', 5], b'Why?', [['Why?']]])
def test_what_is_no_question_is_named(bad):
    with Library(':memory:', encoder='hash') as lib, pytest.raises(TypeError, match='a question is a text, not .*; give one, or a list'):
        lib.evidence(bad)
