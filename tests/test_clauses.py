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
