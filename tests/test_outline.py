"Trees of sections: exact slices for any text, the kinds of chapter lines, contents lists, real books, linear time."
import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings, strategies as st

from litesearch.candidate import _cands, _number
from litesearch.chapter import chapter_headings, struct_levels
from litesearch.label import read_label
from litesearch.outline import MODES, build_tree, clean_title, detect_mode, heading_path, summarize_extractive, _marks
from litesearch.section import scan_headings
from support import least

BOOKS = Path(__file__).parents[2]/'shared'/'corpora'/'books'
BODY = ('It was a long day on the road, and the men who had set out early with mules\nsaid little until the fog came '
        'down upon the pass. Nobody sang.\n\nThey slept in the yard.\n\n"Well," said the elder, "we are nearly '
        'there; II. or III. makes\nno matter."\n\n')
ROMAN = ['', 'I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX', 'X']


def shape(pages, **kw):
    "The tree as `parent(child, child), sibling`."
    tree = build_tree(pages, max_levels=6, **kw)
    def one(nd): return nd.title + (f'({show(nd)})' if nd.children else '')
    def show(nd): return ', '.join(one(tree[c]) for c in nd.children)
    return show(tree[0])

def heads(*lines, body=BODY): return ''.join(f'{ln}\n\n{body}' for ln in lines)


# --- any text

def check(pages, tree, max_levels, marks):
    "The promises of a tree, whatever the text."
    texts = dict(pages)
    for i, nd in enumerate(tree):
        assert nd.seq == i and len(nd.segments) == len(nd.offsets)
        for (no, seg), o in zip(nd.segments, nd.offsets):
            assert texts[no][o:o + len(seg)] == seg and seg.strip()
            assert seg.split('\n', 1)[0].strip() and seg.rsplit('\n', 1)[-1].strip()
        assert nd.level <= max_levels and (i == 0) == (nd.level == 0) == (nd.parent is None)
        for c in nd.children: assert tree[c].parent == i and tree[c].level > nd.level
        assert nd.children == [c.seq for c in tree if c.parent == i]
        assert nd.last == max([i] + [tree[c].last for c in nd.children])
        if i: assert nd.page_end == (nd.segments[-1][0] if nd.segments else nd.page_start)
        if i and nd.segments: assert nd.end == nd.offsets[-1] + len(nd.segments[-1][1])
    # every line that is not blank, and no heading, stands in one node, in order
    inside = [(p, h.start, h.end) for p, h in marks]
    want, got = [], []
    for p, (no, text) in enumerate(pages):
        at = 0
        for line in text.split('\n'):
            if line.strip() and not any(q == p and a <= at < b for q, a, b in inside): want.append((no, line.strip()))
            at += len(line) + 1
    for nd in tree:
        for no, seg in nd.segments: got += [(no, line.strip()) for line in seg.split('\n') if line.strip()]
    extra = {(pages[p][0], ln.strip()) for p, a, b in inside for ln in pages[p][1][a:b].split('\n')}
    assert [g for g in got if g not in extra] == [w for w in want if w not in extra]
    assert len(got) >= len(want)

LINE = st.sampled_from([
    '# A', '## b', '### Deep', '#### D4', '##### D5', '###### D6', 'Title', '===', '---', '```', '~~~', 'text',
    '  indented', '', '', '', '   ', 'CHAPTER 1', 'CHAPTER 2', 'CHAPTER III', 'Article 5 of the', 'I', 'II', 'III',
    'BOOK I', '1. Scope', '2. Use', 'THE TITLE', 'Contents', 'Chapter 1 .... 3', '# doc', '> # q', '\tx',
    '\u2028', '\x0c', 'a' * 130, '# ' + 'word ' * 40])
PAGE = st.one_of(st.lists(LINE, max_size=14).map('\n'.join), st.text(max_size=60))

@settings(max_examples=250, deadline=None)
@given(st.lists(PAGE, max_size=5), st.integers(1, 6), st.sampled_from([None, *MODES]), st.integers(0, 1))
@example(['# a\n', '', '\n'], 4, None, 1)
@example(['CHAPTER 1\n\nTHE TITLE\n\ntext\n\nCHAPTER 2\n\nTHE END\n\ntext\n\nCHAPTER 3\n\nTHE TITLE\n\ntext'], 4,
    None, 0)
def test_any_text(texts, max_levels, mode, first):
    pages = [(i + first, t.replace('\r', '\n')) for i, t in enumerate(texts)]
    tree = build_tree(pages, title='doc', max_levels=max_levels, mode=mode)
    check(pages, tree, max_levels, _marks(pages, mode, 'doc', 8))


def test_title_cut_keeps_its_line():
    text = '# T\n\n## ' + 'word ' * 30 + 'wolfram\n\nbody\n'
    nd = build_tree(text)[2]
    assert len(nd.title) <= 100 and 'wolfram' in nd.text() and nd.text().endswith('body')
    assert text[nd.start:nd.end].startswith('## word')

def test_a_section_over_pages():
    tree = build_tree([(5, '# A\none'), (6, 'two\n'), (7, '\n\n'), (8, '# B\nthree')], mode='markdown')
    assert tree[1].segments == [(5, 'one'), (6, 'two')] and (tree[1].page_start, tree[1].page_end) == (5, 6)
    assert tree[1].text() == 'one\n\ntwo' and tree[2].page_start == 8
    assert (tree[0].page_start, tree[0].page_end, tree[0].end) == (5, 8, len('# B\nthree'))

def test_no_text():
    for pages in ([], '', [(0, '')], [(3, ' \n'), (4, '\n')]):
        tree = build_tree(pages)
        assert len(tree) == 1 and tree[0].heading_type == 'root' and tree[0].summary == ''

def test_windows_count_as_people_do():
    assert build_tree([(i, 'p') for i in range(3)])[1].title == 'Pages 1–3: p'
    assert build_tree([(i, 'p') for i in range(1, 4)], window=2)[2].title == 'Pages 3–3: p'
    with pytest.raises(ValueError): build_tree('x', window=0)

def test_unknown_mode():
    with pytest.raises(ValueError, match='chapter'): build_tree('x', mode='sections')

def test_summaries():
    calls = []
    def summarize(text): return calls.append(text) or text.upper()
    tree = build_tree('# A\n\nx\n\n# B\n\n## C\n\n', title='T', summarize=summarize)
    assert [n.summary for n in tree] == ['A / B', 'X', 'C', '']
    assert calls == ['A / B', 'x', 'C']
    assert summarize_extractive('x' * 400) == 'x' * 300 + '…'

def test_paths():
    tree = build_tree('# Doc\n\n## doc\n\n### Part\n', title='DOC')
    assert heading_path(tree, tree[3], 'DOC') == 'DOC › Part'
    assert heading_path(tree, tree[3], 'X' * 300) == 'X' * 200
    assert heading_path(tree, tree[0], 'Doc') == 'Doc'


# --- the choice

def some(n, pages, text='# a'): return [(i, text if i < n else 'x') for i in range(pages)]

@pytest.mark.parametrize('pages, mode', [
    ('# One\n\n## Two\n', 'markdown'), ('text\n\n# Only\n\ntext', 'markdown'), ('text', 'window'), ([], 'window'),
    (some(1, 9), 'window'), (some(3, 9), 'markdown'), (some(3, 100), 'window'), (some(4, 100), 'markdown'),
    (some(4, 4, '# a\n' * 5), 'window'), (some(4, 4, '## b\n' + '# a\n' * 5), 'markdown'), ('# a\n' * 40, 'markdown'),
    (heads('CHAPTER 1', 'CHAPTER 2'), 'window'), (heads('CHAPTER 1', 'CHAPTER 2', 'CHAPTER 3'), 'chapter'),
    (heads(*(f'CHAPTER {i}' for i in range(1, 20))) + 'A sign said\n====\n\n# 1 POST\n', 'chapter'),
    ('# Book\n\n## Part\n\n' + heads(*(f'CHAPTER {i}' for i in range(1, 5))), 'markdown'),
    ('# Book\n\n' + heads(*(f'## Chapter {i}' for i in range(1, 15))), 'markdown')])
def test_detect_mode(pages, mode):
    assert detect_mode(pages) == mode
    why = detect_mode(pages, explain=True)
    assert why['mode'] == mode and why['reason'] and why['pages'] == (1 if isinstance(pages, str) else len(pages))
    if why['headings']: assert str(why['headings']) in why['reason'] or 'one markdown heading' in why['reason']

def test_forced_mode():
    text = heads('CHAPTER 1', 'CHAPTER 2') + '# M\n\n'
    assert shape(text, mode='chapter') == 'CHAPTER 1, CHAPTER 2'
    assert shape(text, mode='markdown') == 'M' and shape('x', mode='chapter').startswith('Pages 1–1')


# --- chapter lines

@pytest.mark.parametrize('text, expected', [
    (heads(*(f'STAVE {w}' for w in ('ONE', 'TWO', 'THREE'))), 'STAVE ONE, STAVE TWO, STAVE THREE'),
    (heads('BOOK THE FIRST\n\nCHAPTER I', 'CHAPTER THE LAST', 'BOOK THE SECOND\n\nCHAPTER I'),
     'BOOK THE FIRST(CHAPTER I, CHAPTER THE LAST), BOOK THE SECOND(CHAPTER I)'),
    (heads('VOLUME I\n\nChapter 1', 'Chapter 2', 'VOLUME II\n\nChapter 1', 'Chapter 2'),
        'VOLUME I(Chapter 1, Chapter 2), VOLUME II(Chapter 1, Chapter 2)'),
    (heads('ACT I.\n\nSCENE I. A Street.', 'SCENE II. A Hall.', 'ACT II.\n\nSCENE I. A Wood.', 'SCENE II. A Street.'),
     'ACT I.(SCENE I. A Street., SCENE II. A Hall.), ACT II.(SCENE I. A Wood., SCENE II. A Street.)'),
    (heads('PREFACE', 'PART ONE\n\nI', 'II', 'PART TWO\n\nIII', 'IV', 'EPILOGUE'),
        'PREFACE, PART ONE(I, II), PART TWO(III, IV), EPILOGUE'),
    (heads('Letter 1', 'Letter 2', 'Chapter 1', 'Chapter 2'), 'Letter 1, Letter 2, Chapter 1, Chapter 2'),
    (heads('Kapitel 1', 'Kapitel 2', 'Kapitel 3'), 'Kapitel 1, Kapitel 2, Kapitel 3'),
    (heads('Глава I', 'Глава II', 'Глава III'), 'Глава I, Глава II, Глава III'),
    (heads('CHAP. I.', 'CHAP. II.', 'CHAP. III.'), 'CHAP. I., CHAP. II., CHAP. III.'),
    (heads('CHAPTER I: A BED', 'CHAPTER II: A BATH', 'CHAPTER III: A WALK'),
        'CHAPTER I: A BED, CHAPTER II: A BATH, CHAPTER III: A WALK'),
    (heads('I. The Mail', 'II. A Sight', 'III. A Plea'), 'I. The Mail, II. A Sight, III. A Plea'),
    (heads('I\n\nTHE ORIGIN OF MUSIC', 'II\n\nTHE MUSIC OF THE HEBREWS\nAND THE HINDUS', 'III\n\nOPERA (Continued)'),
     'I THE ORIGIN OF MUSIC, II THE MUSIC OF THE HEBREWS AND THE HINDUS, III OPERA (Continued)'),
    (heads('CHAPTER I.\n\nThe Widow and her Child.', 'CHAPTER II.\n\nThe Old Mint.', 'CHAPTER III.\n\nThe Storm.'),
     'CHAPTER I. The Widow and her Child., CHAPTER II. The Old Mint., CHAPTER III. The Storm.'),
    (heads('THE FIRST BOOK', 'THE SECOND BOOK', 'THE THIRD BOOK'), 'THE FIRST BOOK, THE SECOND BOOK, THE THIRD BOOK'),
    (heads('1. Scope of Work', '1.1 Terms used', '1.2 Limits', '2. Method', '2.1 Pumps'),
     '1. Scope of Work(1.1 Terms used, 1.2 Limits), 2. Method(2.1 Pumps)'),
    (heads('CHAPTER 1', 'I', 'II', 'III', 'CHAPTER 2', 'I', 'II', 'III', 'CHAPTER 3'),
        'CHAPTER 1(I, II, III), CHAPTER 2(I, II, III), CHAPTER 3'),
    (heads('CHAPTER 1', 'CHAPTER 2', 'CHAPTER 3').replace('\n', '\r\n'), 'CHAPTER 1, CHAPTER 2, CHAPTER 3'),
    (heads('CHAPTER 3. Of the Pump and of the Yard it Stands in; and Who Looked\nfor it.',
           'CHAPTER 4. The Well.', 'CHAPTER 5.'),
     'CHAPTER 3. Of the Pump and of the Yard it Stands in; and Who Looked for it., CHAPTER 4. The Well., CHAPTER 5.'),
    (heads('CHAPTER 1', 'CHAPTER 2', 'CHAPTER 3', 'INDEX\n\nC.\n\n  Cello, 12\n\nI.\n\n  Ictus, 9\n\nV.'),
        'CHAPTER 1, CHAPTER 2, CHAPTER 3, INDEX')])
def test_chapter_lines(text, expected): assert shape(text) == expected

@pytest.mark.parametrize('text', [
    'as shown in\nChapter 2 Shows how the pump runs, and where\nit stands.\n\nChapter 3 shows that.\n\n'
    'Article 5 of the Treaty says so.\n\n',
    heads('Figure 1', 'Figure 2', 'Figure 3'), heads('May 1', 'May 2', 'May 3'), heads('1', '2', '3', '4'),
    '\n\n'.join(f'{ROMAN[i]}. That all men are created equal by nature.' for i in range(1, 9)),
    '\n\n'.join(f'{i}. We bought the apples and went home.' for i in range(1, 9)),
    'I. had collected his forces\n\nI. had gone\n\nI have\n\nII\n',
    'He read\nArticle 1\nof it, and\nArticle 2\nof it, and\nArticle 3\nof it.'])
def test_no_chapter_lines(text): assert detect_mode(BODY + text + BODY) == 'window'

def test_articles_without_blank_lines():
    odd = 'Subject matter and scope\n1. This Regulation lays down rules, as referred to in\nArticle 5 of the Treaty, '
    odd += 'and in\nArticle 6\nof the same.\n'
    pages = [(i, f'Article {i}\n{odd}Article {i+1}\nDefinitions\nFor its purposes,\nit applies.') for i in (1, 3, 5)]
    both = [f'Article {i} Subject matter and scope, Article {i+1} Definitions' for i in (1, 3, 5)]
    assert shape(pages) == ', '.join(both)

def test_running_heads():
    pages = [(i, f'Chapter {i//3+1}  The Road\n\n{BODY*3}\n\n{i+1}') for i in range(9)]
    assert [n.page_start for n in build_tree(pages)[1:]] == [0, 3, 6]

@pytest.mark.parametrize('contents', [
    'CONTENTS\n\nChapter 1 The Start\nChapter 2 The Turn\nChapter 3 The End\n\n\n',
    'CONTENTS\n\nChapter 1\n\nChapter 2\n\nChapter 3\n\n\n',
    'Contents\nChapter 1 The Start ........ 3\nChapter 2 The Turn ........ 9\nChapter 3 The End ....... 15\n\n',
    'TABLE OF CONTENTS\n\nChapter 1   The Start          3\nChapter 2   The Turn          12\n'
    'Chapter 3   The End          xv\n\n',
    'Chapter 1\nOf the road and of the men who went on it\n\nChapter 2\nOf the fog\n\nChapter 3\nOf the return\n\n'])
def test_printed_contents(contents):
    text = 'THE BOOK\n\n' + contents + heads('Chapter 1 The Start', 'Chapter 2 The Turn', 'Chapter 3 The End')
    tree = build_tree(text)
    assert [n.title for n in tree[1:]] == ['Chapter 1 The Start', 'Chapter 2 The Turn', 'Chapter 3 The End']
    assert contents.strip() in tree[0].text() and all('mules' in n.text() for n in tree[1:])

def test_contents_name_what_has_no_number():
    text = 'CONTENTS\n\nOverture\n\nChapter 1\n\nChapter 2\n\nChapter 3\n\nLast Words\n\n\n\n' + heads('Overture',
        'Chapter 1', 'Chapter 2', 'Chapter 3', 'Last Words')
    assert shape(text) == 'Overture, Chapter 1, Chapter 2, Chapter 3, Last Words'

def test_contents_with_restarting_numbers():
    parts = ['BOOK I', 'CHAPTER 1', 'CHAPTER 2', 'BOOK II', 'CHAPTER 1']
    text = 'CONTENTS\n\n' + '\n'.join(parts) + '\n\n\n'
    text += ''.join(heads(p, body=BODY if 'CH' in p else '') for p in parts)
    assert shape(text) == 'BOOK I(CHAPTER 1, CHAPTER 2), BOOK II(CHAPTER 1)'

def test_the_frame_of_an_ebook():
    text = '*** START OF THE EBOOK X ***\n\n' + heads('Chapter 1', 'Chapter 2',
        'Chapter 3') + '*** END OF THE EBOOK X ***\n\n' + heads('Section 1. Terms', 'Section 2. More')
    assert shape(text) == 'Chapter 1, Chapter 2, Chapter 3'

def test_struct_levels():
    def levels(*lines, **kw): return struct_levels([(i, f'{ln}\n\nbody') for i, ln in enumerate(lines)], **kw)
    assert levels('Article 1', 'Article 2') == {'article': 1} and levels('prose') == {}
    assert levels('BOOK I', 'CHAPTER 1', 'SECTION 1', 'Article 3') == {'book': 1, 'chapter': 2, 'section': 3,
        'article': 4}
    assert levels('BOOK I', 'CHAPTER 1', 'SECTION 1', 'Article 3', max_levels=2) == {'book': 1, 'chapter': 2,
        'section': 2, 'article': 2}
    assert levels('PART 1', 'ANNEX I', 'Rule 1', 'Clause 2') == {'part': 1, 'annex': 1, 'rule': 2, 'clause': 2}

@pytest.mark.parametrize('s, n', [('XIV', (14,)), ('xlii', (42,)), ('MCMXC', (1990,)), ('3b', (3, 2)), ('1.2.3', (1,
    2, 3)), ('thirty-second', (32,)),
                                  ('NINETEEN', (19,)), ('fortieth', (40,)), ('IIX', None), ('', None)])
def test_numbers(s, n): assert _number(s) == n

@settings(max_examples=150, deadline=None)
@given(st.text(alphabet='Chapter IVX1.23—\n\t #*_abc', max_size=200))
def test_headings_lie_in_their_lines(text):
    last = 0
    for p, h in chapter_headings([(0, text)]):
        assert p == 0 and last <= h.start < h.end <= len(text) and h.level >= 1
        assert h.start == 0 or text[h.start - 1] == '\n'
        assert h.end == len(text) or text[h.end - 1] == '\n'
        last = h.end
    for c in _cands([(0, text)]): assert text[c.start:c.end].strip()


# --- real books

def gold():
    if not BOOKS.exists(): return []
    return [json.loads(ln) for ln in (BOOKS/'tree.jsonl').read_text(encoding='utf-8').splitlines()]

def fold(s): return re.sub(r'[\W_]+', ' ', s.casefold()).strip()

@pytest.mark.skipif(not BOOKS.exists(), reason='needs the shared corpora')
@pytest.mark.parametrize('g', gold(), ids=lambda g: g['doc'])
def test_real_books(g):
    text = (BOOKS/'docs'/g['doc']).read_text(encoding='utf-8-sig')
    tree, i, hits, parents = build_tree(text), 0, 0, 0
    for h in g['headings']:
        at = next((j for j in range(i + 1, len(tree)) if fold(tree[j].title).startswith(fold(h['first_line']))), None)
        if at is None: continue
        i, hits = at, hits + 1
        above = tree[tree[at].parent]
        parents += fold(above.title) == fold(h['parent']) if h['parent'] else above.level == 0
    assert hits >= .97 * len(g['headings']) and hits >= .97 * (len(tree) - 1) and parents == hits
    check([(0, text)], tree, 4, _marks([(0, text)], None, 'Document', 8)) if len(text) < 500_000 else None


# --- linear time

@pytest.mark.parametrize('make', [
    lambda n: ''.join(f'{"#" * (1 + i % 6)} Heading {i}\n\nbody of it\n\n' for i in range(n)),
    lambda n: ''.join(f'CHAPTER {i}\n\nbody of the chapter\n\n' for i in range(n)),
    lambda n: ''.join(f'CHAPTER {i % 50}\n\n' for i in range(n)), lambda n: 'I\n\nII\n\nbody of it\n\n' * n,
    lambda n: heads('Chapter 1', 'Chapter 2',
        'Chapter 3') + 'A line alone\n\n' * 2 * n, lambda n: 'word ' * 100 * n, lambda n: ' ' * 100 * n + 'x',
    lambda n: 'Chapter 1 Start ........ 3\n' * n + heads('Chapter 1', 'Chapter 2', 'Chapter 3')],
    ids=['markdown', 'chapters', 'repeated', 'roman', 'lines alone', 'one line', 'blanks', 'leaders'])
def test_linear_time(make):
    def seconds(n):
        text = make(n)
        t = time.thread_time()
        build_tree(text)
        return time.thread_time() - t
    small, large = least(seconds, 1500), least(seconds, 12_000, 2)
    assert large < 24 * small + .3

def test_counts_agree_with_the_scanner():
    text = '# A\n\n```\n# no\n```\n\n> # no\n\nB\n=\n\n<!--\n# no\n-->\n\n## C {#c}\n'
    assert [clean_title(h.title) for h in scan_headings(text)] == [n.title for n in build_tree(text)[1:]] == ['A',
        'B', 'C']

@pytest.mark.parametrize('line', ['İ', 'İ. Giriş', 'Chapter İ', 'BÖLÜM İ', '(İ) Giriş', '5.İ', '5İ Giriş', 'İİ. Giriş', 'Xİ', 'Article ſ'])
def test_letters_that_change_their_length_with_their_case(line):
    label = read_label(line)
    assert label is None or all(isinstance(n, (int, float)) for n in label.num)
    assert build_tree([(1, f'{line}\n\n{BODY}{line}\n\n{BODY}')])[0].level == 0
