"Headings of PDFs without bookmarks: typography, numbers, printed contents."
from hypothesis import given, settings, strategies as st
import pymupdf, pytest

from litesearch.core import database
from litesearch.headings import complete, doubtful, page_headings
from litesearch.bookmarks import Bookmark
from litesearch.label import read_label, roman
from litesearch.lines import Row
from litesearch.pdf import pdf_read
from litesearch.pdfpages import pdf_rows
from litesearch.typography import _caption
from litesearch.underline import strokes

FILLER = 'The kiln is heated slowly over a whole day, and then it cools down again in two nights.'
FONTS = {'': 'helv', 'b': 'hebo', 'i': 'heit', 'bi': 'hebi', 'm': 'cour'}

class Doc:
    "A PDF written line by line."
    def __init__(self): self.doc, self.y = pymupdf.open(), 999

    def page(self):
        self.p, self.y = self.doc.new_page(), 90
        return self

    def line(self, text, size=10, style='', x=72, mid=False, above=0, color=(0, 0, 0)):
        if self.y + above > 760: self.page()
        self.y += above
        if mid: x = 297 - pymupdf.get_text_length(text, FONTS[style], size)/2
        self.p.insert_text((x, self.y), text, fontsize=size, fontname=FONTS[style], color=color)
        self.y += 1.3*size
        return self

    def text(self, n=6, size=10):
        self.y += 6
        for _ in range(n): self.line(FILLER, size)
        self.y += 6
        return self

    def save(self, path):
        self.doc.save(path)
        return path

def outline(doc, tmp_path): return pdf_read(doc.save(tmp_path/'a.pdf'))[1]['outline']
def titles(doc, tmp_path): return [t for _, t, _ in outline(doc, tmp_path)]

# ---- styles and levels

def test_larger_letters(tmp_path):
    d = Doc().page()
    for t in ('Ovens', 'Kilns', 'Glazes'): d.line(t, 20, above=14).text(5, 12)
    assert outline(d, tmp_path) == [(1, 'Ovens', 1), (1, 'Kilns', 1), (1, 'Glazes', 1)]

def test_bold_lines_of_body_size(tmp_path):
    d = Doc()
    for t in ('Pre-Digital Era (19th Century)', 'The Modern Era', 'A Glimpse Into the Future'): d.line(t, style='b', above=12).text(12)
    assert titles(d, tmp_path) == ['Pre-Digital Era (19th Century)', 'The Modern Era', 'A Glimpse Into the Future']

def test_numbers_with_depth(tmp_path):
    d = Doc()
    for t in ('1 Clay', '1.1 Red Clay', '1.1.1 Iron', '1.2 White Clay', '2 Fire', '2.1 Wood', 'References'):
        d.line(t, 14 if t[1:2] == ' ' or t == 'References' else 11, 'b', above=12).text(8)
    assert [l for l, *_ in outline(d, tmp_path)] == [1, 2, 3, 2, 1, 2, 1]

def test_roman_letters_figures(tmp_path):
    d = Doc()
    for t in ('I. Kilns', 'A. Clay', '1. Red', '2. White', 'B. Fire', '1. Wood', '2. Coal', 'II. Ovens', 'A. Bread', 'B. Cake'):
        d.line(t, style='b', above=12).text(8)
    assert [l for l, *_ in outline(d, tmp_path)] == [1, 2, 3, 3, 2, 3, 3, 1, 2, 2]

def test_centered_roman_and_paragraph_signs(tmp_path):
    d = Doc()
    for t in ('I. KINEMATICAL PART', '§ 1. Definition of Time', '§ 2. On Lengths', 'II. DYNAMICAL PART', '§ 3. Forces', '§ 4. Mass'):
        d.line(t, 14 if t[0] == 'I' else 12, 'b', mid=True, above=12).text(9)
    assert [(l, t) for l, t, _ in outline(d, tmp_path)][:3] == [(1, 'I. KINEMATICAL PART'), (2, '§ 1. Definition of Time'),
                                                                (2, '§ 2. On Lengths')]

def test_title_in_two_lines(tmp_path):
    d = Doc()
    for i in (1, 2, 3):
        d.line(f'{i}. The Composition of Clays from the North and', 14, 'b', above=12)
        d.line('of Glazes from the South', 14, 'b', x=90).text(9)
    assert titles(d, tmp_path)[0] == '1. The Composition of Clays from the North and of Glazes from the South'

@pytest.mark.parametrize('style, upper', [('', True), ('i', False)])
def test_capitals_or_italics_that_recur(tmp_path, style, upper):
    "Letters of the text's size and weight: lines with room around them, each with other words."
    d, want = Doc(), []
    for k, t in enumerate(('Digging', 'Drying', 'Firing', 'Selling'), 1):
        d.page().line(f'Item {k}. {t}', style='b', above=12).text(6)
        for w in (f'Overview of {t}', f'Seasons of {t}'):
            want.append(w.upper() if upper else w)
            d.line(want[-1], style=style, above=14).text(5)
    assert [t for l, t, _ in outline(d, tmp_path) if l == 2] == want

def test_numbered_lists_in_the_look_of_the_text(tmp_path):
    d = Doc()
    for t in ('1.1 Clay', '1.2 Fire', '1.3 Ash'):
        d.line(t, 13, 'b', above=12).text(5)
        for k, w in enumerate(('Dig the pit', 'Wash the clay', 'Wait for a night'), 1): d.line(f'{k}. {w}', above=10)
    assert titles(d, tmp_path) == ['1.1 Clay', '1.2 Fire', '1.3 Ash']

def test_words_above_remarks(tmp_path):
    d = Doc()
    for k, t in enumerate(('Clay', 'Fire', 'Ash'), 1):
        d.line(f'{k} {t}', 14, 'b', above=12).text(5)
        d.line('WARNING', style='b', above=10).text(3)
    assert titles(d, tmp_path) == ['1 Clay', '2 Fire', '3 Ash']

def test_a_numbered_title_may_end_with_a_stop(tmp_path):
    d, want = Doc(), ['1. Required tools.', '2. Building the kiln and its chimney.', '3. Use of it.']
    for t in want: d.line(t, 14, 'b', above=12).text(8)
    assert titles(d, tmp_path) == want

def test_running_titles_with_the_number_of_the_page(tmp_path):
    d = Doc()
    for n, t in ((2, 'Ovens of Brick'), (3, 'Kilns of Stone'), (4, 'Glazes')):
        for k in range(3):
            left = f'{d.doc.page_count + 11} {n}. {t.upper()}', f'CHAPTER {n}. {t.upper()} {d.doc.page_count + 11}'
            d.page().line(left[k % 2], 9)
            if not k: d.line(f'Chapter {n}. {t}', 16, 'b', above=60)
            d.line(f'{n}.{k + 1} Clay of kind {k}', 12, 'b', above=14).text(20)
    assert [t for l, t, _ in outline(d, tmp_path)][:4] == ['Chapter 2. Ovens of Brick', '2.1 Clay of kind 0', '2.2 Clay of kind 1', '2.3 Clay of kind 2']
    assert len(titles(d, tmp_path)) == 12

def test_chapter_openings(tmp_path):
    d = Doc()
    for n, t in (('ONE', 'THE KILN'), ('TWO', 'CLAYS OF THE NORTH AND'), ('THREE', 'ASH')):
        d.page()
        for w, size in (('CHAPTER', 10), (n, 14), (t, 14), *([('OF THE SOUTH', 14)] if t[-3:] == 'AND' else ())):
            gap = 40 if w == t else 6*(size == 14 and w == n)
            d.line(w, size, 'b', x=500 - pymupdf.get_text_length(w, FONTS['b'], size), above=gap)
        d.text(9)
    assert titles(d, tmp_path) == ['CHAPTER ONE THE KILN', 'CHAPTER TWO CLAYS OF THE NORTH AND OF THE SOUTH', 'CHAPTER THREE ASH']

# ---- law and forms

def test_hyphens_at_the_end_of_a_title_line(tmp_path):
    d = Doc().page().text().line('Debian-based systems and a text-to-speech engine.').text()
    cut = ('Installing a Debian-', 'based system'), ('A text-to-', 'speech engine'), ('The prepa-', 'ration of clay'), ('A self-', 'made kiln')
    for a, b in cut: d.line(a, 16, 'b', above=12).line(b, 16, 'b').text()
    assert titles(d, tmp_path) == ['Installing a Debian-based system', 'A text-to-speech engine', 'The preparation of clay', 'A self-made kiln']

def test_marks_of_notes_are_no_part_of_a_title(tmp_path):
    d = Doc()
    for word, mark in (('Scope', '1'), ('Payment', '12'), ('Area in m', '2'), ('Notes on ash', '')):
        d.line(word, 16, 'b', above=12)
        d.p.insert_text((72 + pymupdf.get_text_length(word, 'hebo', 16), d.y - 1.3*16 - 6), mark, fontsize=9, fontname='hebo')
        d.text()
    assert titles(d, tmp_path) == ['Scope', 'Payment', 'Area in m²', 'Notes on ash']

def test_raised_figures_do_not_run_into_words(tmp_path):
    d = Doc().page()
    for y, pieces in ((100, ('The emissions', '^12', ' were 10', '^−3', ' g per m', '^2', '.', '^4', ' Later')),):
        x = 72
        for o in pieces:
            high = o[0] == '^'
            text, size = (o[1:], 6) if high else (o, 10)
            d.p.insert_text((x, y - 4*high), text.replace('−', '-'), fontsize=size, fontname='helv')
            x += pymupdf.get_text_length(text.replace('−', '-'), 'helv', size)
    got = pdf_read(d.save(tmp_path/'a.pdf'))[0][0][1]
    assert 'The emissions^12 were 10⁻³ g per m².⁴ Later' in got

@pytest.mark.parametrize('title', 'Tables|Charter of the Guild|Plateau Clay|MAP OF THE PITS|Exhibits|Graphics|Illustrations'.split('|'))
def test_words_that_begin_like_a_caption(tmp_path, title):
    d = Doc()
    for t in ('Kilns', title, 'Glazes'): d.line(t, 16, 'b', above=12).text()
    assert titles(d, tmp_path) == ['Kilns', title, 'Glazes']

@pytest.mark.parametrize('caption', 'Table 3|Figure B2|Fig. 4a|Map IV|Exhibit 21.1|Tabelle 3: Ton|図3 窯'.split('|'))
def test_captions(caption): assert _caption.match(caption)

@pytest.mark.parametrize('line,num', [('CHAPTER TWENTY-ONE', 21), ('Chapter Thirty Two', 32), ('CHAPTER TWENTYTHREE. Ash', 23), ('第十三章 概要', 13),
                                      ('Book the Second', 2), ('THE THIRD PART', 3), ('Part the Fourth: Of Ash', 4)])
def test_numbers_in_words(line, num): assert read_label(line).num == (num,)

@pytest.mark.parametrize('line', ['Part the horse', 'The second part of the day was dry', 'Book the ferry'])
def test_words_without_a_number(line): assert read_label(line) is None

def test_bold_questions(tmp_path):
    d, asked = Doc().page(), ('What is a kiln?', 'How long does it burn?', 'Who pays for the wood?')
    for t in asked: d.line(t, style='b', above=10).text(8)
    assert titles(d, tmp_path) == list(asked)

def test_capitals_on_a_single_page(tmp_path):
    d, heads = Doc().page(), ('SCOPE OF WORK', 'PAYMENT TERMS', 'TERMINATION', 'GENERAL')
    for t in heads: d.line(t, above=14).text(9)
    assert titles(d, tmp_path) == list(heads)

def test_annexes_do_not_hide_the_chapters(tmp_path):
    d, heads = Doc().page(), ('1 Clay', '2 Fire', '3 Ash', 'Appendix A: Tables', 'Appendix B: Maps')
    for t in heads: d.line(t, 16, 'b', above=12).text()
    assert outline(d, tmp_path) == [(1, t, 1) for t in heads]

def test_references_of_a_paper(tmp_path):
    d = Doc().page()
    for t in ('I. INTRODUCTION', 'A. Kilns', 'B. Ovens', 'II. METHOD', 'III. RESULTS', 'REFERENCES'):
        d.line(t, 10, 'i' if t[:2] in ('A.', 'B.') else '', mid=t[:2] not in ('A.', 'B.'), above=10).text(6)
    assert [(l, t) for l, t, _ in outline(d, tmp_path)] == [(1, 'I. INTRODUCTION'), (2, 'A. Kilns'), (2, 'B. Ovens'), (1, 'II. METHOD'),
                                                            (1, 'III. RESULTS'), (1, 'REFERENCES')]

def _underlined(tmp_path, *titles, words=None):
    "The headings of a file whose titles are set like the text, with a stroke below them or only their first words."
    d = Doc().page()
    for t in titles:
        d.line(t, above=14)
        d.p.draw_line((72, d.y - 11), (72 + pymupdf.get_text_length(t[:words], 'helv', 10), d.y - 11), width=.6)
        d.text(8)
    db = database()
    tree = db.toc(db.add_file(d.save(tmp_path/'a.pdf'))['doc_id'])[0]['tree']
    return [n['title'] for n in tree.get('children', ()) if not n['title'].startswith('Page')]

UNDERLINED = 'Scope of the rules', 'Payment of fees', 'Final provisions'

def test_underlined_titles(tmp_path): assert _underlined(tmp_path, *UNDERLINED) == list(UNDERLINED)

def test_underlined_words(tmp_path): assert _underlined(tmp_path, *UNDERLINED, words=5) == []

def test_strokes():
    parts = [('l', (0, 9), (50, 9)), ('re', (0, 20, 50, 21), 1), ('re', (0, 20, 50, 40), 1), ('c', (0, 0), (1, 1), (2, 2), (3, 3)),
             ('l', (5, 0), (5, 90)), ('qu', None)]
    assert strokes([dict(items=parts), {}]) == [(9, 0, 50), (20.5, 0, 50)]

def test_law(tmp_path):
    d = Doc()
    for c in (1, 2, 3):
        d.line(f'CHAPTER {"I"*c}', 8, mid=True, above=14).line('OF KILNS', 8, 'b', mid=True, above=4)
        for a in (2*c - 1, 2*c): d.line(f'Article {a}', style='i', mid=True, above=12).line('Firing', style='b', mid=True, above=4).text(7)
        d.line('Article 2 of this law applies to kilns of that kind as well as to others of this sort.')
    d.line('ANNEX', 8, mid=True, above=14).text(6)
    got = [(l, t) for l, t, _ in outline(d, tmp_path)]
    assert got[:3] == [(1, 'CHAPTER I OF KILNS'), (2, 'Article 1 Firing'), (2, 'Article 2 Firing')]
    assert len(got) == 10 and got[-1][0] == 1

def filing(parts=True):
    "A filing in small: an index of items, items in parts, bold lines in items, a running head."
    items = [('PART I', ['Item 1. Business', 'Item 1A. Risk Factors', 'Item 2. Properties']),
             ('PART II', ['Item 5. Market', 'Item 7. Discussion']), ('PART III', ['Item 10. Directors', 'Item 11. Compensation'])]
    d, n = Doc().page(), 1
    d.line('KILNS INC.', 20, 'b', mid=True).line('FORM 10-K', 14, 'b', mid=True).page().line('INDEX', style='b', mid=True)
    for part, its in items:
        d.line(part, style='b', above=8)
        for it in its:
            d.line(it)
            d.p.insert_text((500, d.y - 13), str(n), fontsize=10, fontname='helv')
            n += 1
    for k, (part, its) in enumerate(items):
        for i, it in enumerate(its):
            d.page()
            d.p.insert_text((270, 40), f'{part}, {it.split(".")[0]}', fontsize=7, fontname='helv')
            d.p.insert_text((300, 800), str(d.doc.page_count - 2), fontsize=8, fontname='helv')
            if not i and (parts or k): d.line(part, style='b', mid=True)
            d.line(it, style='b', above=8).text(5)
            d.line('see Item 7 of this report, which tells more about kilns and about ovens of all sizes and ages.')
            for t in (f'Overview of {it[5:]}', f'Seasons of {it[5:]}'): d.line(t, style='bi', above=10).text(4)
    return d

@pytest.mark.parametrize('parts', [True, False])
def test_filing(tmp_path, parts):
    got = outline(filing(parts), tmp_path)
    assert [(t, p) for l, t, p in got if l == 2] == [('Item 1. Business', 3), ('Item 1A. Risk Factors', 4), ('Item 2. Properties', 5),
        ('Item 5. Market', 6), ('Item 7. Discussion', 7), ('Item 10. Directors', 8), ('Item 11. Compensation', 9)]
    assert [(t, p) for l, t, p in got if l == 1] == [('PART I', 3), ('PART II', 6), ('PART III', 8)] # one of them only in the index
    assert [t.split()[0] for l, t, _ in got if l == 3] == ['Overview', 'Seasons']*7

def test_heading_type(tmp_path):
    db = database()
    doc = db.add_file(filing().save(tmp_path/'a.pdf'))['doc_id']
    kinds = dict(db.q('select title, heading_type from nodes where doc_id=?', [doc]) and
                 [(r['title'], r['heading_type']) for r in db.q('select title, heading_type from nodes where doc_id=?', [doc])])
    assert kinds['PART I'] == 'part' and kinds['Item 1A. Risk Factors'] == 'item' and kinds['Overview of 2. Properties'] == 'typography'

# ---- printed contents

def test_contents_with_leaders(tmp_path):
    "Titles that look like nothing are headings because the table names them; printed pages are not those of the file."
    d = Doc().page().line('A Book of Kilns', 24).page().page()
    d.line('Contents', 16)
    names = [('Clay', 1), ('Fire', 2), ('Ash', 4), ('Glaze', 5)]
    for t, n in names: d.line(f'{t} {". "*40}{n}')
    for t, n in names:
        while d.doc.page_count < n + 3: d.page().text(20)
        d.line(t, above=20).text(12)
    assert outline(d, tmp_path) == [(1, 'Clay', 4), (1, 'Fire', 5), (1, 'Ash', 7), (1, 'Glaze', 8)]

def test_contents_that_lie(tmp_path):
    d = Doc().page().line('Contents', 16)
    for i in range(9): d.line(f'Story {"ABCDEFGHI"[i]}nna {". "*30}{i + 1}')
    for _ in range(9): d.page().text(30)
    assert outline(d, tmp_path) == []

def test_indented_contents_give_levels(tmp_path):
    d = Doc().page().line('Contents', 16, 'b')
    names = [('Clay', 0), ('Red', 1), ('White', 1), ('Fire', 0), ('Wood', 1), ('Coal', 1)]
    for i, (t, l) in enumerate(names): d.line(f'{t} {". "*30}{i + 2}', x=72 + 20*l)
    for t, _ in names: d.page().line(t, 12, 'b').text(20)
    assert [l for l, *_ in outline(d, tmp_path)] == [1 + l for _, l in names]

# ---- what is no heading

NOT = ['Figure 3. A kiln of the north', 'Table 2: Prices of clay', '• Clay', 'Note: kilns are hot', '12.5 13.7 15.9', 'a = b + c',
       '(in thousands of kilns)', 'and the ovens of the']

@pytest.mark.parametrize('text', NOT)
def test_no_heading(tmp_path, text):
    d = Doc()
    for t in ('Clay', 'Fire', 'Ash'): d.line(t, style='b', above=12).text(8).line(text, style='b', above=12).text(8)
    assert titles(d, tmp_path) == ['Clay', 'Fire', 'Ash']

def test_plain_text_has_none(tmp_path):
    d = Doc()
    for i in range(6): d.page().text(30)
    assert outline(d, tmp_path) == []

def test_emphasis_and_run_in_words(tmp_path):
    d = Doc()
    for i in range(6):
        d.page().text(5)
        d.p.insert_text((72, d.y), 'Scope.', fontsize=10, fontname='hebo')
        d.line(FILLER, x=110).line('very hot indeed and slowly', style='b').text(5)
    assert outline(d, tmp_path) == []

def test_table_cells(tmp_path):
    d = Doc()
    for t in ('Clay', 'Fire', 'Ash'):
        d.line(t, 14, 'b', above=12).text(5)
        for k in range(5):
            for j in range(4): d.p.insert_text((72 + 110*j, d.y), f'Cell {"abcde"[k]}{"wxyz"[j]}', fontsize=10, fontname='hebo')
            d.y += 14
    assert titles(d, tmp_path) == ['Clay', 'Fire', 'Ash']

def test_letters_of_an_index_and_leaders(tmp_path):
    d = Doc()
    for t in ('1 Ovens', '2 Kilns', '3 Glazes'): d.line(t, 16, 'b', above=12).text(9)
    for c in 'BCDGILMV': d.line(c, 12, 'b', above=14).line('Clay, 3').line('Fire, 5')
    d.page()
    for n, t in enumerate(('Ovens', 'Kilns', 'Glazes'), 1): d.line(f'{n} {t} . . . . . . . . .', style='b', above=8)
    assert titles(d, tmp_path) == ['1 Ovens', '2 Kilns', '3 Glazes']

def test_names_of_columns(tmp_path):
    d = Doc()
    for n, t in enumerate(('Ovens', 'Kilns', 'Glazes')):
        d.line(t, style='b', above=12).text(5)
        for row, style in (('Year', 'Pots', 'Cost'), 'b'), ((str(2020 + n), '120', '3%'), ''), (('2024', '140', '17%'), ''):
            d.y += 4
            for i, cell in enumerate(row): d.line(cell, style=style, x=72 + 42*i).y -= 13
            d.y += 13
        d.text(5)
    assert titles(d, tmp_path) == ['Ovens', 'Kilns', 'Glazes']

def test_quotations_addresses_and_items_of_lists(tmp_path):
    d = Doc()
    for n, t in enumerate(('Ovens', 'Kilns', 'Glazes'), 1):
        d.line(t, 16, 'b', above=12).text(5)
        d.line(f'"We never once let the fire go out, not in {n} years"', 14, 'i', above=14).text(3)
        for k, w in enumerate(('lay the fire', 'shut the door', 'wait for the night'), 1): d.line(f'{k}. {w}', above=12)
        d.line(f'{n}. https://kilns.org/{n}', style='b', above=14).text(3)
    assert titles(d, tmp_path) == ['Ovens', 'Kilns', 'Glazes']

def test_short_running_titles(tmp_path):
    d = Doc()
    for t in ('1 Ovens', '2 Kilns', '3 Glazes'):
        for k in range(2):
            d.page().line(t, 10, 'bi', mid=True)
            if not k: d.line(t, 16, 'b', above=60)
            d.text(20)
    assert titles(d, tmp_path) == ['1 Ovens', '2 Kilns', '3 Glazes']

LAWS = [('TITRE Ier', 'TITRE II', 'Article 1er', 'Article 2'), ('Erster Abschnitt', 'Zweiter Abschnitt', '§ 1', '§ 2'),
        ('CAPÍTULO PRIMERO', 'CAPÍTULO SEGUNDO', 'Artículo 1.º', 'Artículo 2.º'), ('1 kap.', '2 kap.', '1 §', '2 §'),
        ('Capo I', 'Capo II', 'Art. 1', 'Art. 2'), ('I. FEJEZET', 'II. FEJEZET', '1. cikk', '2. cikk'),
        ('SUBCHAPTER A.', 'SUBCHAPTER B.', 'Sec. 101.', 'Sec. 102.')]

@pytest.mark.parametrize('law', LAWS, ids=[o[0] for o in LAWS])
def test_laws_of_many_languages(tmp_path, law):
    a, b, one, two = law
    def number(n): return one if n == 1 else two.replace('2', str(n)) if '102' not in two else two.replace('102', str(100 + n))
    d, want = Doc(), []
    for k, part in enumerate((a, b)):
        d.line(part, 11, 'b', mid=True, above=14)
        want.append((1, part))
        for n in range(4*k + 1, 4*k + 5):
            d.line(number(n), 11, 'b', above=10).text(3, 11)
            want.append((2, number(n)))
    assert [(l, t) for l, t, _ in outline(d, tmp_path)] == want

def test_listings(tmp_path):
    d = Doc()
    for t in ('1 Clay', '2 Fire', '3 Ash'):
        d.line(t, 14, 'b', above=12).text(5)
        for c in ('configure', 'kiln 5', 'no shutdown', 'EXIT'): d.line(c, 9, 'm')
    assert titles(d, tmp_path) == ['1 Clay', '2 Fire', '3 Ash']

def test_title_page(tmp_path):
    d = Doc().page().line('On the Firing of Kilns', 20, 'b', mid=True).line('Ada Potter', 12, 'b', mid=True, above=8)
    for t in ('1 Introduction', '2 Clay', '3 Fire', '4 Ash'): d.line(t, 13, 'b', above=12).text(12)
    assert titles(d, tmp_path) == ['1 Introduction', '2 Clay', '3 Fire', '4 Ash']

def test_contents_of_a_bound_book(tmp_path):
    "The lines of a left page stand further out than those of a right one."
    d, chapters = Doc(), [(f'Chapter {n}', f'{w} and Things', [f'{n}.{k} {w} of Kind {k}' for k in (1, 2, 3)])
                          for n, w in enumerate(('Ovens', 'Kilns', 'Glazes', 'Ashes', 'Bricks', 'Clays'), 1)]
    listed = [e for n, t, subs in chapters for e in ((f'{n} {t}', 0), *((s, 15) for s in subs))]
    for half, x in ((listed[:12], 72), (listed[12:], 100)):
        d.page().line('Contents', 16, 'b', x=x)
        for t, indent in half:
            page = 3 + [n for n, _, _ in chapters].index(t[:9]) if not indent else 3 + int(t[0]) - 1
            d.line(t, style='' if indent else 'b', x=x + indent)
            d.p.insert_text((x + 380, d.y - 13), str(page), fontsize=10, fontname='helv')
    for n, t, subs in chapters:
        d.page().line(n, 14, 'b').line(t, 18, 'b', above=12)
        for s in subs: d.line(s, 12, 'b', above=10).text(9)
    assert [l for l, *_ in outline(d, tmp_path)] == [1, 2, 2, 2]*6

# ---- bookmarks that cover a part

def test_bookmarks_of_exhibits_only(tmp_path):
    d = filing()
    d.page().line('Exhibit 21', 9, 'i').text(10)
    d.doc.set_toc([[1, 'Exhibit 21', d.doc.page_count]])
    got = titles(d, tmp_path)
    assert 'Item 1A. Risk Factors' in got and got[-1] == 'Exhibit 21'

def test_good_bookmarks_are_enough():
    marks = [Bookmark(1, f'Part {i}', 10*i + 1) for i in range(9)]
    assert not doubtful(marks, 95)
    assert doubtful(marks[:1], 95) and doubtful(marks[:4], 95)
    assert complete(marks, []) == marks

def report(chapters=('Clay', 'Fire', 'Ash')):
    "Chapters of twelve pages with printed headings; the bookmarks know the chapters alone."
    d, toc = Doc(), []
    for n, t in enumerate(chapters, 1):
        d.page().line(f'{n}. {t}', 18, 'b')
        toc.append([1, f'{n}. {t}', d.doc.page_count])
        for k in range(4):
            d.line(f'{t} of Kind {k}', 13, 'b', above=14).text(60).line('Old Ways', style='bi', above=14).text(40)
    d.doc.set_toc(toc)
    return d

def test_printed_headings_divide_a_long_bookmarked_section(tmp_path):
    got = outline(report(), tmp_path)
    assert [t for l, t, _ in got if l == 1] == ['1. Clay', '2. Fire', '3. Ash']
    assert [t for l, t, _ in got if l == 2] == [f'{t} of Kind {k}' for t in ('Clay', 'Fire', 'Ash') for k in range(4)]

def test_short_bookmarked_sections_stay(tmp_path):
    d = report()
    d.doc.set_toc([[1, f'Part {p}', p] for p in range(1, d.doc.page_count, 4)])
    assert {l for l, *_ in outline(d, tmp_path)} == {1}

def test_bookmarks_in_other_words_than_the_headings_stay(tmp_path):
    d = report()
    d.doc.set_toc([[1, f'Volume {k}', p] for k, (_, _, p) in enumerate(d.doc.get_toc())])
    assert [t for _, t, _ in outline(d, tmp_path)] == ['Volume 0', 'Volume 1', 'Volume 2']

# ---- labels

@given(st.text(max_size=60))
def test_any_line_has_a_label_or_none(s):
    l = read_label(s)
    assert l is None or 0 < l.end <= len(s) and l.num

def test_roman(): assert [roman(s) for s in ('i', 'iv', 'XIV', 'xl', 'XCIX', 'CC')] == [1, 4, 14, 40, 99, 200]

# ---- anything

rows = st.builds(lambda t, x, y, w, s, b, f: Row(t, x, y, x + w, y + s, s, b, x + w, look=(round(s, 1), f, 'Times', 0)),
                 st.text('aA1.I §()-•', min_size=1, max_size=12), st.floats(0, 500), st.floats(0, 800), st.floats(1, 300),
                 st.floats(4, 30), st.integers(0, 5), st.integers(0, 7))

@settings(deadline=None, max_examples=150)
@given(st.lists(st.lists(rows, max_size=15), max_size=6))
def test_any_rows(pages):
    for m in page_headings(pages):
        a, b = m.at
        assert 1 <= m.page <= len(pages) and 0 <= a <= b <= len(pages[m.page - 1]) and 1 <= m.level <= 6
