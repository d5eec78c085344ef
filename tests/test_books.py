"""Plain books of every kind. `data/books` has their skeletons: `@2 line` is a heading of level 2, `@+ line` goes on with its
title, `%` stands for prose and `%v` for verse."""
import random
import re
import textwrap
import time
from pathlib import Path

import pytest

from litesearch.chapter import many_candidates
from litesearch.textlines import _blocks, _gap
from litesearch.nesting import _word_levels
from litesearch.numeral import _han, _number, _word_number
from litesearch.outline import build_tree, detect_mode
from litesearch.spelled import _in_words
from support import least

WORDS = '''the pump stood in a yard behind old house where nobody had looked for it since winter and water ran slowly down
    into stone basin that held leaves of last autumn a boy came every morning with two pails filled them without word
    went back along lane past mill which had not turned many years'''.split()

def sentence(r, n): return ' '.join(r.choice(WORDS) for _ in range(n)).capitalize() + r.choice('....?!')

def paragraph(r, n): return '\n'.join(textwrap.wrap(' '.join(sentence(r, r.randint(6, 18)) for _ in range(n)), 72))

def prose(r, n):
    "Paragraphs, some of them one line of speech."
    return '\n\n'.join([paragraph(r, r.randint(2, 7)) if r.random() < .7 else f'“{sentence(r, 5)}”' for _ in range(n)]
                       + [paragraph(r, 3)])

def verse(r, n):
    return '\n\n'.join('\n'.join(sentence(r, 6)[:-1] + ',' for _ in range(4)) for _ in range(n))

def written(skeleton):
    "The text of a skeleton, and its headings as `(level, first line, title)`."
    r, out, gold = random.Random(1), [], []
    make = {'%1': lambda: paragraph(r, 2), '%': lambda: prose(r, r.randint(2, 5)),
            '%%': lambda: prose(r, r.randint(7, 12)), '%v': lambda: verse(r, r.randint(2, 4))}
    for line in skeleton.strip('\n').split('\n'):
        if m := re.match(r'@(\d)( *)(.*)', line):
            gold.append([int(m[1]), m[3].strip(), m[3].strip()])
            out.append(m[2][1:] + m[3])
        elif line.startswith('@+'):
            gold[-1][2] += ' ' + line[2:].strip()
            out.append(line[3:])
        else: out.append(make.get(line, lambda line=line: line)())
    return '\n'.join(out) + '\n', gold

def fold(s): return re.sub(r'[\W_]+', ' ', s.casefold()).strip()

def check(skeleton):
    "Each heading is found, no other is, and each lies in the right one."
    text, gold = written(skeleton)
    tree, above = build_tree(text, max_levels=6)[1:], {}
    assert [fold(nd.title)[:len(fold(g[1]))] for nd, g in zip(tree, gold)] == [fold(g[1]) for g in gold]
    assert len(tree) == len(gold), [nd.title for nd in tree[len(gold):]]
    stack = []
    for i, g in enumerate(gold):
        while stack and gold[stack[-1]][0] >= g[0]: stack.pop()
        above[i] = stack[-1] + 1 if stack else 0
        stack.append(i)
    assert [nd.parent for nd in tree] == list(above.values())
    return tree


# --- kinds of books

BOOKS = {p.stem: p.read_text(encoding='utf-8') for p in sorted((Path(__file__).parent/'data/books').glob('*.txt'))}

@pytest.mark.parametrize('name', BOOKS)
def test_books(name): check(BOOKS[name])

def test_kinds_of_headings():
    kinds = {nd.title: nd.heading_type for nd in check(BOOKS['crime'])}
    assert kinds['PART I'] == kinds['CHAPTER II'] == 'chapter' and kinds['I'] == 'roman'
    assert kinds['EPILOGUE'] == 'unnumbered'
    assert {nd.heading_type for nd in check(BOOKS['manual'])} == {'numbered'}
    assert {nd.heading_type for nd in check(BOOKS['tales_nocontents'])} == {'unnumbered'}
    assert {nd.heading_type for nd in check(BOOKS['novel_german'])} == {'chapter'}

def test_titles_on_the_lines_below():
    tree = check(BOOKS['centered'])
    assert tree[0].title == 'CHAPTER I. IN WHICH THE MILL IS SEEN'
    assert check(BOOKS['wealth'])[2].title == 'CHAPTER I. OF THE DIVISION OF WATER.'


# --- what is no heading

BODY = prose(random.Random(3), 6)

@pytest.mark.parametrize('text', [
    f'{BODY}\n\n12\n\n{BODY}\n\n13\n\n{BODY}\n\n14\n\n{BODY}', # page numbers
    f'{BODY}\n\nSTOP!\n\n{BODY}\n\nMILLER & SONS,\n12 High Street.\n\n{BODY}\n\nTHE END\n', # capitals in the text
    'ANNA.\n\nYes.\n\n\nPETER.\n\nNo, and no again.\n\n\n' * 12, # speakers
    f'{BODY}\n\nChapter 2 shows how it ran. Of these\nChapter 1 had nothing to say, but\nArticle 5 of the act did.\n\n{BODY}',
    f'1. Open the gate.\n\n2. Let the water in.\n\n3. Close the gate, and wait.\n\n{BODY}', # a list
    f'{BODY}\n\n- 3 -\n\n{BODY}\n\n[12]\n\n{BODY}\n\n§ 5 of the act\n\n{BODY}',
    '    # make\n    # test\nfirst line\n' * 20,
    f'First test:\n\n    run a\n\nSecond test:\n\n    run b\n\nThird test:\n\n    run c\n\n{BODY}', # what a listing shows
    '\n\n'.join(f'{n}. Select the gate that comes close. Open it and let\nthe water in. Then wait for me.' for n in (1, 2, 3)),
])
def test_no_headings(text):
    assert detect_mode(text) == 'window'

def test_wrapping_of_an_e_book():
    text, gold = written(BOOKS['novel_french'])
    wrapped = (f'Head\n\nSection 1. Terms\n\n*** START OF THE E-BOOK X ***\n\n{text}\n\n*** END OF THE E-BOOK X ***\n\n'
               + ''.join(f'Section {i}. Terms of use\n\n{BODY}\n\n' for i in range(1, 6)))
    tree = build_tree(wrapped, max_levels=6)
    assert len(tree) - 1 == len(gold) and 'Terms of use' in tree[-1].text()

def test_comments_of_a_listing_are_no_headings():
    text, gold = written(BOOKS['manual'])
    listing = ''.join(f'run step {i}\n# comment of step {i}\nmore\n' for i in range(30))
    tree = build_tree(text.replace('3. Repair\n', f'3. Repair\n\n{listing}', 1))
    assert ' '.join(nd.title.split()[0] for nd in tree[1:]) == '1. 1.1. 1.2. 2. 2.1. 2.1.1. 2.1.2. 2.2. 3.'

def test_explained():
    why = detect_mode(written(BOOKS['tales_nocontents'])[0], explain=True)
    assert why['mode'] == 'chapter' and '5 titles without a number' in why['reason']
    assert many_candidates([(0, 'Chapter 1\n\nChapter 2\n')], 2) and not many_candidates([(0, 'Chapter 1\n')], 2)


# --- numbers and words

@pytest.mark.parametrize('word, n', [('twenty-third', 23), ('neunundzwanzigste', 29), ('siebtes', 7), ('dernier', 10_000),
    ('vingt-deuxieme', 22), ('trigesimo primero', 31), ('ventesimo', 20), ('decimus', 10), ('тридцать третья', 33),
    ('twaalfde', 12), ('tredje', 3), ('quattro', 4), ('uno', 1), ('dieci', 10), ('quatro', 4), ('tres', 3), ('dez', 10),
    ('twentyone', 21), ('ninetyninth', 99), ('thirty\u2011two', 32), ('mill', None), ('', None), ('et', None)])
def test_numbers_in_words(word, n): assert _word_number(word) == n

@pytest.mark.parametrize('s, n', [('十', 10), ('二十', 20), ('一百零八', 108), ('三千', 3000), ('水', None), ('', None)])
def test_chinese_numbers(s, n): assert _han(s) == n

def test_numbers():
    assert [_number(s) for s in ('A.1.2', '10.2', 'XIX', '五', 'é', '²')] == [(1, 1, 2), (10, 2), (19,), (5,), None, None]

@pytest.mark.parametrize('line', ['', '§', 'The book', 'erste', 'Kapitel', 'la le les il lo', 'x' * 200, '1 2 3 4 5 6 7',
    'Ende des Buches'])
def test_words_without_a_number(line): assert _in_words(line) is None

@pytest.mark.parametrize('names', ['CHAPTER TWENTY CHAPTER TWENTYONE CHAPTER TWENTYTWO', 'Capitolo tre Capitolo quattro Capitolo cinque',
    'Capítulo três Capítulo quatro Capítulo cinco', 'CHAPTER TWENTY CHAPTER TWENTY\u2013ONE CHAPTER TWENTY\u2011TWO'])
def test_chapters_in_words(names):
    first, *rest = re.split(r' (?=C)', names)
    text = '\n\n'.join(f'{n}\n\n{BODY}' for n in (first, *rest))
    assert [n.title for n in build_tree(text)[1:]] == [first, *rest]

@pytest.mark.parametrize('heads,tree', [
    ('TITRE PREMIER|Chapitre Ier|Article 1er|Article 2|Chapitre II|Article 3|TITRE II|Chapitre Ier|Article 4', '123323123'),
    ('Capo I|Art. 1 - Oggetto|Art. 2 - Ambito|Capo II|Art. 3 - Doveri|Art. 4-bis - Sanzioni', '122122'),
    ('Rozdział 1|Art. 1.|Art. 2.|Rozdział 2|Art. 3.|Art. 3a.|Art. 4.', '1221222'),
    ('Article. I.|Section. 1.|Section. 2.|Article. II.|Section. 1.|Section. 2.|Section. 3.', '1221222'),
    ('TITLE I\u2014GENERAL|PART 1\u2014CRATES|SEC. 101. PURPOSE.|SEC. 102. FEES.|PART 2\u2014CARTS|SEC. 111. LIGHTS.|TITLE II\u2014FINES|SEC. 201. SUMS.',
     '12332313'),
    ('Module 1: Clay|Lesson 1.1: Red|Lesson 1.2: White|Module 2: Fire|Lesson 2.1: Wood', '12212'),
    ('TÍTULO PRELIMINAR|TÍTULO I|CAPÍTULO PRIMERO|Artículo 3. Fines.|CAPÍTULO II|Artículo 4. Medios.|TÍTULO II|CAPÍTULO ÚNICO|Artículo 5.',
     '112323123'),
    ('TÍTULO I|CAPÍTULO I|Art. 1º Objeto|Art. 2º Fins|CAPÍTULO II|Art. 3º Meios', '123323'),
    ('1 kap. Inledning|1 §|2 §|2 kap. Rättigheter|1 §|2 §', '122122'), ('I. FEJEZET|1. §|2. §|II. FEJEZET|3. §', '12212'),
    ('BİRİNCİ BÖLÜM|Madde 1 - Amaç|Madde 2 - Kapsam|İKİNCİ BÖLÜM|Madde 3 - Tanım', '12212'),
    ('CAPITOLUL I|Art. 1|Art. 2|CAPITOLUL II|Art. 3', '12212'), ('Глава първа|Чл. 1.|Чл. 2.|Глава втора|Чл. 3.', '12212'),
    ('Розділ I|Стаття 1. Предмет|Стаття 2. Поняття|Розділ II|Стаття 3. Право', '12212'),
    ('Chương I|Điều 1. Phạm vi|Điều 2. Quyền|Chương II|Điều 3. Phạt', '12212'), ('BAB I|Pasal 1|Pasal 2|BAB II|Pasal 3', '12212'),
    ('POGLAVLJE I|Članak 1.|Članak 2.|POGLAVLJE II|Članak 3.', '12212'), ('HLAVA I|Čl. 1|Čl. 2|HLAVA II|Čl. 3', '12212'),
    ('Prologue|Chapter 1|Chapter 2|Chapter 3|Epilogue|Acknowledgments|About the Author', '1111111')])
def test_laws_and_courses(heads, tree):
    text = '\n\n'.join(f'{h}\n\n{BODY}\n\n{BODY}' for h in heads.split('|'))
    assert [(n.title, n.level) for n in build_tree(text)[1:]] == [(h, int(l)) for h, l in zip(heads.split('|'), tree)]

def test_room():
    text = 'A\n\n\n\nB\nb\n\nC'
    assert [(b.lines, b.above, b.below) for b in _blocks([(0, text)])] == [(['A'], 99, 3), (['B', 'b'], 3, 1), (['C'], 1, 99)]
    assert _gap([(0, 'a\n\nb\n\nc\n\n\n\nd')]) == 1 and _blocks([(0, ' \n')]) == []
    assert _word_levels([]) == {}

@pytest.mark.parametrize('make', [
    lambda n: ''.join(f'W{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{chr(97 + i // 676)} {k}\n\n{sentence(random.Random(i), 9)}\n\n'
                      for i in range(n // 4) for k in (1, 2, 3, 4)), # many words that count up
    lambda n: 'CONTENTS\n\n' * n, lambda n: 'PREFACE\n\n' * n, lambda n: '\n\n\n'.join(f'TITLE OF {i}' for i in range(n)),
    lambda n: '\n\n\n\n'.join(f'[ {i} ]' for i in range(n))], ids=['words', 'contents', 'names', 'titles', 'figures'])
def test_linear_time(make):
    def seconds(n):
        text, t = make(n), time.thread_time()
        build_tree(text)
        return time.thread_time() - t
    small, large = least(seconds, 1000), least(seconds, 8000, 2)
    assert large < 24 * small + .3

BODY = 'Some words stand here, and more of them follow.\nThe next line goes on with it.\n\nAnd a last one.'

def divided(*heads): return ''.join(f'\n\n{h}\n\n{BODY}\n' for h in heads)

@pytest.mark.parametrize('heads,tree', [
    ('الباب الأول|الفصل الأول: في السفر|الفصل الثاني|الباب الثاني|الفصل الأول', '1 2 2 1 2'),
    ('الفصل الأول|الفصل الثاني|الفصل الثالث|الفصل الرابع|الفصل الخامس|الفصل السادس|الفصل السابع|الفصل الثامن|الفصل التاسع|'
     'الفصل العاشر|الفصل الحادي عشر|الفصل الثاني عشر', ' '.join('1'*12)), ('فصل ۱|فصل ۲|فصل ۳', '1 1 1'),
    ('فصل اول|فصل دوم|فصل سوم', '1 1 1'), ('پہلا باب|دوسرا باب|تیسرا باب', '1 1 1'), ('פרק א|פרק ב: הדרך|פרק ג', '1 1 1'),
    ('חלק ראשון|פרק 1|פרק 2|חלק שני|פרק 1', '1 2 2 1 2'), ('अध्याय १|अध्याय २|अध्याय ३', '1 1 1'),
    ('पहला अध्याय|दूसरा अध्याय|तीसरा अध्याय', '1 1 1'), ('প্রথম অধ্যায়|দ্বিতীয় অধ্যায়|তৃতীয় অধ্যায়', '1 1 1'),
    ('บทที่ ๑ การเดินทาง|บทที่ ๒|บทที่ ๓', '1 1 1'), ('卷一|第一章|第二章|卷二|第一章', '1 2 2 1 2'), ('上卷|中卷|下卷', '1 1 1'),
    ('المادة 1|المادة 2|المادة 3', '1 1 1')])
def test_scripts_without_capitals(heads, tree):
    heads = heads.split('|')
    nodes = build_tree(divided(*heads))[1:]
    assert [n.title for n in nodes] == heads and [str(n.level) for n in nodes] == tree.split()
    assert all(n.text() == BODY for n in nodes)

def test_sentences_in_scripts_without_capitals():
    text = 'كان يقرأ\nالفصل الثاني من الكتاب\nوينام.\n\n'*5 + 'הוא קרא\nפרק ב של הספר\nוישן.\n\n'*5
    assert [n.title for n in build_tree(text)[1:] if n.title[:5] != 'Pages'] == []
