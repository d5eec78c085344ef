"Texts whose sections are numbered paragraphs: licenses, contracts, rules."
import pytest
from litesearch.clause import clause_headings
from litesearch.core import database
from litesearch.outline import build_tree, detect_mode

SENTENCE = 'The carrier may refuse a crate that leaks, and tells the owner so before the cart leaves the yard. '

def _rules(firsts, start=1, n=3, indent='  '):
    return '\n\n'.join(f'{indent}{i}. {f} {SENTENCE * n}' for i, f in enumerate(firsts, start))

def _titles(text): return [n.title for n in build_tree(text)[1:]]

FIRSTS = 'You may bring crates.', 'Payment. Coin is taken.', 'Use of the Yard. All may enter.', 'The yard closes at dusk.'

def test_a_license_is_divided_by_its_numbers():
    text = 'THE LICENSE\n\n' + _rules(FIRSTS, 0)
    assert detect_mode(text) == 'chapter'
    titles = _titles(text)
    assert titles[1:3] == ['1. Payment.', '2. Use of the Yard.']
    assert titles[0].startswith('0. You may bring crates. The carrier') and len(titles) == 4

def test_nothing_is_lost_and_run_in_titles_stay_text():
    text = 'THE LICENSE\n\n' + _rules(FIRSTS)
    db = database()
    did = db.add_doc(text, title='License')['doc_id']
    assert '2. Payment. Coin is taken.' in db.read(f'{did}#2')['text']
    whole = db.read(f'{did}#0', max_chars=10**9)['text']
    assert [p.strip() in whole for p in text.split('\n\n')] == [True] * 5

@pytest.mark.parametrize('sep', ['\n\n', '\n\x0c\n', '\r\n\r\n', '\n \n'])
def test_blank_lines_of_every_kind(sep):
    assert len(clause_headings([(0, _rules(FIRSTS).replace('\n\n', sep))])) == 4

def test_a_heading_above_stays():
    text = 'Preamble\n\n' + SENTENCE * 2 + '\n\n' + _rules(FIRSTS)
    assert _titles(text)[0] == 'Preamble' and len(_titles(text)) == 5

@pytest.mark.parametrize('text', [
    _rules(FIRSTS, n=0),                                             # steps of a recipe
    _rules(FIRSTS[:3]),                                              # too few
    _rules(FIRSTS) + '\n\nThe other way:\n\n' + _rules(FIRSTS),      # two lists
    SENTENCE * 40 + '\n\n' + _rules(FIRSTS),                         # an essay with a list in it
    _rules(FIRSTS, 5),                                               # a count that begins in the middle
], ids='short few twice essay middle'.split())
def test_lists_are_no_sections(text): assert clause_headings([(0, text)]) == []

def test_headings_go_first():
    text = '# Yard\n\n' + _rules(FIRSTS) + '\n\n## Hours\n\nAll day.\n'
    assert _titles(text) == ['Yard', 'Hours']

def test_pages_of_a_contract():
    pages = [(i, p) for i, p in enumerate(_rules(FIRSTS).split('\n\n'), 1)]
    assert [(n.title[:2], n.page_start) for n in build_tree(pages)[1:]] == [('1.', 1), ('2.', 2), ('3.', 3), ('4.', 4)]

def test_an_abbreviation_does_not_end_a_title():
    first = ['See Mr. Brown about it', 'St. Louis is where the parties meet', 'No. 5 of the list applies', 'Dr. Smith keeps the keys']
    text = '\n\n'.join(f'{i}. {t}, ' + 'and so it goes on for a while in the usual words of such papers. '*4 for i, t in enumerate(first, 1))
    assert [h.title[:h.title.find(',')] for _, h in clause_headings([(1, text)])] == [f'{i}. {t}' for i, t in enumerate(first, 1)]

# ---- annexes, and numbers written twice

def test_an_annex_counts_for_itself():
    tree = build_tree('CONTRACT\n\n' + _rules(FIRSTS) + '\n\nANNEX B – Tools\n\n1. Hammers\n\n2. Saws\n\n3. Nails')[1:]
    assert [(n.level, n.title) for n in tree][1:] == [(1, '2. Payment.'), (1, '3. Use of the Yard.'), (1, tree[3].title), (1, 'ANNEX B – Tools'),
                                                      (2, '1. Hammers'), (2, '2. Saws'), (2, '3. Nails')]

def test_a_number_written_twice_is_a_slip():
    text = 'CONTRACT\n\n' + _rules(FIRSTS * 2).replace('  5. You', '  4. You')
    assert len(_titles(text)) == 8

def test_lists_that_begin_again_without_an_annex_are_no_sections():
    assert _titles('NOTES\n\n' + _rules(FIRSTS) + '\n\n' + _rules(FIRSTS))[0].startswith('Pages')

# ---- statutes: the sign stands before the number, the sentence right behind it

RULE = 'Den som håller bin ska anmäla antalet kupor till myndigheten inom tre månader, om inte annat följer av lag.'

STATUTES = {
    'Swedish, anew in each chapter': ('{0} kap. Regler', '{1} § ', True), 'Finnish': ('{0} luku\n\nSäännökset', '{1} § ', True),
    'Danish': ('Kapitel {0}\n\nRegler', '§ {1}. ', False), 'German': ('Abschnitt {0}', '§ {1} ', False), 'Polish': ('Rozdział {0}', 'Art. {1}. 1. ', False),
    'Hungarian': ('{2}. FEJEZET', '{1}. § (1) ', False), 'Portuguese': ('CAPÍTULO {2}', 'Artigo {1}.º ', False), 'Brazilian': ('CAPÍTULO {2}', 'Art. {1}º ', False),
    'Dutch': ('Hoofdstuk {0}. Regels', 'Artikel {1} ', False), 'Spanish': ('CAPÍTULO {2}', 'Artículo {1}. ', False), 'Italian': ('CAPO {2}', 'Art. {1}. ', False)}

@pytest.mark.parametrize('name', STATUTES)
def test_sections_of_statutes_are_below_their_chapters(name):
    chapter, sign, anew = STATUTES[name]
    text, n = 'The law\n\n', 0
    for k, roman in (1, 'I'), (2, 'II'), (3, 'III'):
        text += chapter.format(k, '', roman) + '\n\n'
        n = 0 if anew else n
        for _ in range(3):
            n += 1
            text += f'{sign.format("", n)}{RULE}\n\n(2) {RULE}\n\n'
    tree = build_tree(text)[1:]
    wanted = [str(i) for i in ([1, 2, 3]*3 if anew else range(1, 10))]
    assert [''.join(filter(str.isdecimal, n.title))[:1] for n in tree if n.level == 2] == wanted
    assert [n.level for n in tree] == [1, 2, 2, 2]*3

def test_sections_put_in_later_have_letters():
    signs = '1 §', '2 §', '2 a §', '2 b §', '3 §'
    assert _titles('Lag\n\n' + '\n\n'.join(f'{o} {RULE}' for o in signs)) == list(signs)

def test_a_text_about_a_statute_is_not_one():
    text = 'On the law\n\n' + '\n\n'.join(f'§ {n} is of no use here. {RULE}' for n in (4, 1, 7, 2, 3, 9, 1, 2))
    assert _titles(text)[0].startswith('Pages')
