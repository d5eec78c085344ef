"Reading PDFs: small files made here, and the shared corpora where they are at hand."
import json, os, pickle, re, subprocess, sys, threading
from pathlib import Path

import pytest

pymupdf = pytest.importorskip('pymupdf')
from hypothesis import given, settings, strategies as st

from litesearch.bookmarks import Bookmark, page_markdown, place_bookmarks, squeeze
from litesearch.core import ReadError
from litesearch.layout import defuse, flow, mark_running, vocabulary
from litesearch.lines import Row, plain_line
from litesearch.pdf import pdf_meta, pdf_parse, pdf_read
from litesearch.pdfpages import n_readers, pdf_rows

SHARED = Path(__file__).parents[2]/'shared'
CORPORA = SHARED/'corpora'
CASES = SHARED/'cases'/'files'
needs_corpora = pytest.mark.skipif(not CORPORA.exists(), reason='shared corpora not at hand')


def make(path, pages, toc=(), meta=None, step=14, size=11, **save):
    "A PDF of pages given as lines, or as `(y, line)` or `(x, y, line)`."
    doc = pymupdf.open()
    for lines in pages:
        page, y = doc.new_page(), 100
        for l in lines:
            x, y, text = (72, y + step, l) if isinstance(l, str) else (72, *l) if len(l) == 2 else l
            if text: page.insert_text((x, y), text, fontsize=size)
    if toc: doc.set_toc([list(t) for t in toc])
    if meta: doc.set_metadata(meta)
    doc.save(path, **save)
    return path


def headings(pages): return [(no, len(m[1]), m[2]) for no, t in pages for m in re.finditer(r'^(#{1,6}) (.+)$', t, re.M)]
def letters(s): return re.sub(r'[\W_]+', '', s.casefold())


# ---- bookmarks

def test_bookmark_replaces_its_line(tmp_path):
    p = make(tmp_path/'a.pdf', [['before it', '', 'Fees and Dues', '', 'A fee is due.']], [(1, 'Fees and dues', 1)])
    assert pdf_parse(p) == [(1, 'before it\n\n# Fees and dues\n\nA fee is due.')]

def test_levels_are_depths_and_stop_at_six(tmp_path):
    toc = [(i, f'Part {"abcdefgh"[i - 1]}', 1) for i in range(1, 9)]
    p = make(tmp_path/'a.pdf', [[t for _, t, _ in toc]], toc)
    assert headings(pdf_parse(p)) == [(1, min(l, 6), t) for l, t, _ in toc]

def test_title_over_several_lines_and_marks(tmp_path):
    lines = [(100, 'text'), (200, 'CHAPTER II'), (240, 'GENERAL'), (280, 'PROVISIONS'), (330, 'more')]
    p = make(tmp_path/'a.pdf', [lines], [(1, 'Chapter II: General provisions', 1)])
    assert pdf_parse(p) == [(1, 'text\n\n# Chapter II: General provisions\n\nmore')]

def test_letter_spaced_title(tmp_path):
    doc = pymupdf.open()
    page, x = doc.new_page(), 72
    for word in ('Section', '1'):
        for c in word:
            page.insert_text((x, 200), c, fontsize=10)
            x += pymupdf.get_text_length(c, fontsize=10) + 2
        x += 5
    page.insert_text((72, 240), 'The text of it.', fontsize=10)
    doc.save(tmp_path/'plain.pdf')
    assert pdf_parse(tmp_path/'plain.pdf') == [(1, 'Section 1\n\nThe text of it.')]
    doc.set_toc([[1, 'Section 1', 1]])
    doc.save(tmp_path/'a.pdf')
    assert pdf_parse(tmp_path/'a.pdf') == [(1, '# Section 1\n\nThe text of it.')]

def test_unfindable_title_stands_at_the_top_or_after_the_one_before(tmp_path):
    toc = [(1, 'Nowhere', 1), (1, 'Fees', 1), (1, 'Nor here', 1)]
    p = make(tmp_path/'a.pdf', [['one', '', 'Fees', '', 'two']], toc)
    assert pdf_parse(p) == [(1, '# Nowhere\n\none\n\n# Fees\n\n# Nor here\n\ntwo')]

def test_only_the_own_page_is_searched(tmp_path):
    pages = [['Contents', '', 'Fees', '', 'Fines'], ['Fees', '', 'a'], ['b', '', 'Fines', '', 'c']]
    p = make(tmp_path/'a.pdf', pages, [(1, 'Fees', 2), (1, 'Fines', 3)])
    assert headings(pdf_parse(p)) == [(2, 1, 'Fees'), (3, 1, 'Fines')]
    assert pdf_parse(p)[0][1] == 'Contents\n\nFees\n\nFines'

def test_contents_on_the_same_page(tmp_path):
    lines = ['Table of Contents', '', 'Fees', '', 'Fines', '', 'Fees', '', 'the text']
    p = make(tmp_path/'a.pdf', [lines], [(1, 'Fees', 1)])
    assert pdf_parse(p)[0][1].endswith('Fines\n\n# Fees\n\nthe text')

def test_contents_with_leaders_do_not_attract(tmp_path):
    p = make(tmp_path/'a.pdf', [['Fees . . . . . . . . . . . . . 7', '', 'Fees', '', 'the text']], [(1, 'Fees', 1)])
    assert pdf_parse(p)[0][1].endswith('7\n\n# Fees\n\nthe text')

def test_number_is_no_longer_number(tmp_path):
    "`Article 1` is the beginning of `Article 11`, and not its place."
    p = make(tmp_path/'a.pdf', [['Article 11 Ships', '', 'a', '', 'Article 1 Boats', '', 'b']], [(1, 'Article 1', 1)])
    assert '# Article 1\n\nArticle 1 Boats' in pdf_parse(p)[0][1]

def test_equal_titles_keep_their_order(tmp_path):
    p = make(tmp_path/'a.pdf', [['Summary', '', 'a', '', 'Summary', '', 'b']], [(1, 'Summary', 1), (1, 'Summary', 1)])
    assert pdf_parse(p) == [(1, '# Summary\n\na\n\n# Summary\n\nb')]

def test_bookmarks_to_nowhere_take_no_text(tmp_path):
    doc = pymupdf.open()
    for t in ('first', 'second'): doc.new_page().insert_text((72, 200), t)
    site = dict(kind=pymupdf.LINK_URI, uri='https://example.org', page=-1)
    doc.set_toc([[1, 'A', 1], [1, 'site', -1, site], [1, 'B', 2], [1, 'nothing', -1]])
    doc.save(tmp_path/'a.pdf')
    assert pdf_parse(tmp_path/'a.pdf') == [(1, '# A\n\nfirst'), (2, '# site\n\n# B\n\nsecond\n\n# nothing')]

def test_outline_that_is_the_title_only(tmp_path):
    p = make(tmp_path/'rules.pdf', [['Harbor Rules', '', 'text']], [(1, 'Harbor rules', 1)], dict(title='Harbor Rules'))
    assert headings(pdf_parse(p)) == [] and 'Harbor Rules' in pdf_parse(p)[0][1]
    p = make(tmp_path/'more.pdf', [['Harbor Rules', '', 'Fees', '', 'text']], [(1, 'Harbor rules', 1), (2, 'Fees', 1)],
             dict(title='Harbor Rules'))
    assert headings(pdf_parse(p)) == [(1, 1, 'Fees')]

def test_titles_are_cleaned(tmp_path):
    p = make(tmp_path/'a.pdf', [['The EEC of', '', 'text']], [(1, 'The\tEECof  now', 1)])
    assert headings(pdf_parse(p)) == [(1, 1, 'The EEC of now')]

def test_many_bookmarks_on_one_page_take_linear_time():
    rows = [Row('line of text', 72, 100 + i, 200, 110 + i, 10, i, 200) for i in range(60)]
    marks = [Bookmark(1, f'Nowhere {i}', 1) for i in range(3000)]
    out = place_bookmarks(marks, rows)
    assert [m for m, *_ in out] == marks and all(a == b for _, a, b in out)


# ---- lines

def test_page_text_without_bookmarks_has_no_heading(tmp_path):
    lines = ['# 5 of them', '```', 'Price', '-----', '=====', '<!-- x', '~~~', '+++', '####### seven', '#tag']
    p = make(tmp_path/'a.pdf', [[(100 + 40*i, l) for i, l in enumerate(lines)]])
    got = pdf_parse(p)[0][1].split('\n\n')
    assert got == ['\\# 5 of them', '\\```', 'Price', '\\-----', '\\=====', '\\<!-- x', '\\~~~', '\\+++',
                   '####### seven', '#tag']

def test_chapter_lines_stand_alone(tmp_path):
    lines = ['ARTICLE 5', 'Every vessel that enters the harbor by night shows a light at the bow, as in',
             'Article 7 of these rules, and another one at the stern of the vessel.', 'ARTICLE 6', 'No.']
    p = make(tmp_path/'a.pdf', [lines])
    lines = pdf_parse(p)[0][1].split('\n')
    assert {'# ARTICLE 5', '# ARTICLE 6'} < set(lines) and not any(l.startswith('Article 7') for l in lines)

def test_cut_words(tmp_path):
    lines = ['Visitors who need direc-', 'tions ask at the well-', 'known desk, which is a', 'well-known one.']
    p = make(tmp_path/'a.pdf', [lines])
    text = ' '.join(pdf_parse(p)[0][1].split())
    assert text == 'Visitors who need directions ask at the well-known desk, which is a well-known one.'

def test_words_of_a_justified_line(tmp_path):
    words = 'Where goods are supplied'.split()
    p = make(tmp_path/'a.pdf', [[(72 + 60*i, 200, w) for i, w in enumerate(words)]])
    assert pdf_parse(p) == [(1, 'Where goods are supplied')]

def test_running_heads_and_page_numbers(tmp_path):
    def head(i): return f'Left head {i}' if i % 2 else f'{i} Right head'
    pages = [[(40, head(i)), (300, f'Words of page {c}.'), (800, f'- {i} -')] for i, c in enumerate('abcdefghijkl', 11)]
    assert [t for _, t in pdf_parse(make(tmp_path/'a.pdf', pages))] == [f'Words of page {c}.' for c in 'abcdefghijkl']

def test_captions_and_one_line_pages_are_no_running_heads(tmp_path):
    pages = [[(40, f'Figure {n}'), (300, 'words')] for n in (1, 2, 9, 11, 30, 31)]
    assert all('Figure' in t for _, t in pdf_parse(make(tmp_path/'a.pdf', pages)))
    pages = [[(40, f'Chapter {n}'), (300, 'words')] for n in range(1, 9)]
    assert all('Chapter' in t for _, t in pdf_parse(make(tmp_path/'b.pdf', pages)))
    pages = [[(40, 'the same line')] for _ in range(6)]
    assert all(t == 'the same line' for _, t in pdf_parse(make(tmp_path/'c.pdf', pages)))

def test_two_columns_come_one_after_the_other(tmp_path):
    left, right = [[f'{side} {w} goes on and on' for w in 'abcdef'] for side in ('left', 'right')]
    def column(x, lines): return [(x, 100 + 14*i, t) for i, t in enumerate(lines)]
    t = pdf_parse(make(tmp_path/'a.pdf', [column(60, left) + column(330, right)]))[0][1]
    assert max(t.index(l) for l in left) < min(t.index(r) for r in right)

LEFT = '''The harbor master keeps a book in
which every vessel that enters the
port is written with its name and
its master, and the day on which it
came. The book is open to all who
ask for it, and a copy is sent to the'''.splitlines()
RIGHT = '''A fee is due on arrival, and must
be paid in coin before the cargo is
brought ashore. Whoever pays late
owes a tenth more for every week.
Fishing boats of the town pay no
fee, but give a basket of fish to'''.splitlines()

def columns(*texts): return [[(60 + 240*i, 100 + 14*j, t) for j, t in enumerate(ts)] for i, ts in enumerate(texts)]

@pytest.mark.parametrize('way', ['across', 'right first', 'upward', 'backward'])
def test_columns_are_read_one_after_the_other_however_drawn(tmp_path, way):
    left, right = columns(LEFT, RIGHT)
    across = [l for pair in zip(left, right) for l in pair]
    drawn = dict(across=across, upward=left[::-1] + right[::-1], backward=across[::-1]).get(way, right + left)
    title = (60, 60, 'A title that stands above both of the columns of the page')
    t = pdf_parse(make(tmp_path/'a.pdf', [[title, *drawn]]))[0][1]
    if way == 'right first': return  # as good an order as any: no sentence is torn
    assert ' '.join(LEFT) in ' '.join(t.split()) and ' '.join(RIGHT) in ' '.join(t.split())
    assert t.index('A title') < t.index(LEFT[0]) < t.index(RIGHT[0])

def test_cells_of_a_table_stay_in_their_row(tmp_path):
    cells = [('pier', 'a quay for fishing boats'), ('oar', 'moves a boat'), ('keel', 'the spine of a ship'),
             ('net', 'for fish'), ('anchor', 'holds a ship to the ground'), ('buoy', 'marks a channel'),
             ('sail', 'catches the wind'), ('crane', 'lifts')]
    drawn = [(x, 100 + 14*i, t) for i, row in enumerate(cells) for x, t in zip((60, 300), row)]
    t = pdf_parse(make(tmp_path/'a.pdf', [drawn]))[0][1]
    assert all(f'{a} {b}' in t for a, b in cells)

def test_a_title_drawn_last_is_read_first(tmp_path):
    lines = [(200, 'The text of the page, which is long enough.'), (214, 'It goes on here.'), (120, 'The title of it')]
    assert pdf_parse(make(tmp_path/'a.pdf', [lines]))[0][1].startswith('The title of it')

@pytest.mark.parametrize('turn', [0, 90, 180, 270])
@pytest.mark.parametrize('page_turn', [0, 90, 180, 270])
def test_turned_pages_read_like_upright_ones(tmp_path, turn, page_turn):
    doc = pymupdf.open()
    page = doc.new_page(width=600, height=600)
    for i, t in enumerate(['The words of this paragraph go on from', 'line to line, whichever way they stand.']):
        places = [(100, 200 + 14*i), (200 + 14*i, 500), (500, 400 - 14*i), (400 - 14*i, 100)]
        x, y = places[turn//90]
        page.insert_text((x, y), t, rotate=turn)
    page.set_rotation(page_turn)
    doc.save(tmp_path/'a.pdf')
    text = 'The words of this paragraph go on from line to line, whichever way they stand.'
    assert pdf_parse(tmp_path/'a.pdf') == [(1, text)]

def test_a_stamp_on_the_margin_tears_no_sentence(tmp_path):
    doc = pymupdf.open()
    page = doc.new_page()
    page.insert_text((72, 100), 'The words of this paragraph go on from')
    page.insert_text((30, 500), 'received on the tenth', rotate=90)
    page.insert_text((72, 114), 'line to line, whatever is stamped beside.')
    doc.save(tmp_path/'a.pdf')
    text = pdf_parse(tmp_path/'a.pdf')[0][1]
    words = 'The words of this paragraph go on from line to line, whatever is stamped beside.'
    assert text == words + '\n\nreceived on the tenth'

@pytest.mark.parametrize('picture', [False, True])
def test_hidden_text_counts_over_a_picture_only(tmp_path, picture):
    doc = pymupdf.open()
    page = doc.new_page()
    if picture:
        pic = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 8, 8))
        pic.clear_with(250)
        page.insert_image(page.rect, pixmap=pic)
    page.insert_text((72, 100), 'seen')
    page.insert_text((72, 200), 'hidden', render_mode=3)
    doc.save(tmp_path/'a.pdf')
    assert pdf_parse(tmp_path/'a.pdf')[0][1].split() == ['seen'] + ['hidden']*picture

@pytest.mark.parametrize('mode', range(8))
@pytest.mark.parametrize('picture', [False, True])
def test_every_way_to_paint_letters_gives_them_once(tmp_path, mode, picture):
    doc = pymupdf.open()
    page = doc.new_page()
    pic = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 8, 8))
    pic.clear_with(250)
    if picture: page.insert_image(page.rect, pixmap=pic)
    page.insert_text((72, 200), 'The title of it', fontsize=30, render_mode=mode)
    page.insert_text((72, 400), 'The text of it')
    doc.save(tmp_path/'a.pdf')
    words = ['The title of it']*(mode != 3 or picture) + ['The text of it']
    assert pdf_parse(tmp_path/'a.pdf')[0][1].replace('# ', '').split('\n\n') == words

@pytest.mark.parametrize('dx,dy', [(0, 0), (.3, 0), (1, 1), (2, 1)])
def test_shadows_and_second_strokes_are_one_line(tmp_path, dx, dy):
    twice = [(72, 100, 'Annual Report'), (72 + dx, 100 + dy, 'Annual Report'), (72, 130, 'ditto'), (72, 160, 'ditto')]
    p = make(tmp_path/'a.pdf', [twice], size=14)
    assert pdf_parse(p)[0][1].replace('# ', '').split() == ['Annual', 'Report', 'ditto', 'ditto']

def test_values_of_a_form_stand_behind_their_labels(tmp_path):
    doc = pymupdf.open()
    page = doc.new_page()
    for i, (label, value) in enumerate([('Name of the ship:', 'Albatross'), ('Port:', ''), ('Paid in:', 'coin')]):
        page.insert_text((72, 100 + 40*i), label)
        w = pymupdf.Widget()
        w.field_type, w.field_name, w.field_value = pymupdf.PDF_WIDGET_TYPE_TEXT, f'f{i}', value
        w.rect = pymupdf.Rect(200, 88 + 40*i, 400, 106 + 40*i)
        page.add_widget(w)
    doc.save(tmp_path/'a.pdf')
    assert pdf_parse(tmp_path/'a.pdf')[0][1].split('\n\n') == ['Name of the ship: Albatross', 'Port:', 'Paid in: coin']

def test_accents_and_korean_line_ends():
    assert plain_line('Barlas O˘guz, M¨uller, na¨ıve') == 'Barlas Oğuz, Müller, naïve'
    assert plain_line('a ˘ b ¨') == 'a ˘ b ¨'
    rows = [Row(t, 72, 100 + 12*i, 200, 110 + 12*i, 10, 0, 200, spaced=e) for i, (t, e) in
            enumerate([('국내 확', False), ('진자는', True), ('모두', True), ('아홉', False)])]
    assert flow(rows, {}, vocabulary([rows])) == '국내 확진자는 모두 아홉'

def test_ligatures_and_soft_hyphens():
    assert plain_line('o\ufb03ce implemen\xadting \xa0 it\x0b') == 'office implementing it'
    assert plain_line('½ x²') == '½ x²'


# ---- files

def test_errors_name_the_file_and_the_reason(tmp_path):
    (tmp_path/'zero.pdf').write_bytes(b'')
    (tmp_path/'text.pdf').write_text('no PDF')
    good = make(tmp_path/'good.pdf', [['text']])
    (tmp_path/'half.pdf').write_bytes(good.read_bytes()[:200])
    make(tmp_path/'blank.pdf', [[], []])
    make(tmp_path/'locked.pdf', [['text']], encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw='sesame')
    reasons = dict(zero='0 bytes', text='not a readable PDF', half='', blank='no text on 2 of 2 pages',
                   locked='password is needed')
    for name, why in reasons.items():
        with pytest.raises(ReadError) as e: pdf_parse(tmp_path/f'{name}.pdf')
        assert f'{name}.pdf' in str(e.value) and why in str(e.value)
    with pytest.raises(ReadError, match='wrong'): pdf_parse(tmp_path/'locked.pdf', password='open')
    assert pdf_parse(tmp_path/'locked.pdf', password='sesame') == [(1, 'text')]
    assert pdf_parse(tmp_path/'blank.pdf', ocr_selection='off') == [(1, ''), (2, '')]
    with pytest.raises(ReadError): pdf_parse(tmp_path/'blank.pdf', ocr_selection='force')
    with pytest.raises(FileNotFoundError): pdf_parse(tmp_path/'absent.pdf')
    with pytest.raises(ValueError, match='auto'): pdf_parse(good, ocr_selection='always')

def test_empty_page_keeps_its_number(tmp_path):
    assert pdf_parse(make(tmp_path/'a.pdf', [['one'], [], ['three']])) == [(1, 'one'), (2, ''), (3, 'three')]

@pytest.mark.parametrize('listed', [True, False])
def test_pages_of_a_cut_file_are_read(tmp_path, listed):
    doc = pymupdf.open()
    for i in range(40): doc.new_page().insert_text((72, 100), f'Words of page {i + 1}, which nobody wants to lose.')
    raw = doc.tobytes()
    if not listed: raw = raw.replace(b'/Type/Pages', b'/Type/Lost_').replace(b'/Type/Catalog', b'/Type/Lost____')
    (tmp_path/'a.pdf').write_bytes(raw[:len(raw)//2])
    pages, info = pdf_read(tmp_path/'a.pdf')
    assert 'damaged' in info['warnings'][0]
    numbers = [(no, int(re.search(r'page (\d+)', t)[1])) for no, t in pages if t]
    assert 5 < len(numbers) < 40 and numbers == sorted(numbers)
    assert all(a == b for a, b in numbers)

def test_damage_is_on_record(tmp_path):
    good = make(tmp_path/'good.pdf', [['Some text that will survive']])
    assert pdf_read(good)[1]['warnings'] == []
    (tmp_path/'bad.pdf').write_bytes(good.read_bytes().replace(b'xref', b'xxxx'))
    assert 'damaged' in pdf_read(tmp_path/'bad.pdf')[1]['warnings'][0]

def test_ranges_of_pages_add_up(tmp_path):
    p = make(tmp_path/'a.pdf', [[f'page {i}'] for i in range(7)])
    parts = pickle.loads(pickle.dumps([pdf_rows(p, a, a + 3) for a in (0, 3, 6)]))
    assert pdf_read(p, pages=parts[0] + parts[1] + parts[2]) == pdf_read(p)

@pytest.mark.skipif(sys.platform != 'linux', reason='processes are forked on Linux only')
def test_long_files_are_read_by_several_processes(tmp_path, monkeypatch):
    p = make(tmp_path/'a.pdf', [[f'Words of page {i}'] if i % 7 else [] for i in range(50)])
    alone = pdf_read(p, n_workers=1, ocr='off')
    assert pdf_read(p, n_workers=3, ocr='off') == alone
    monkeypatch.setattr('litesearch.pdfpages.pdf_rows', lambda *a: os._exit(1))  # the child dies
    assert pdf_read(p, n_workers=3, ocr='off') == alone
    monkeypatch.setattr(threading, 'active_count', lambda: 2)
    assert n_readers(1000) == 1

def test_damage_makes_no_noise(tmp_path):
    good = make(tmp_path/'good.pdf', [['Some text that will survive']]).read_bytes()
    (tmp_path/'bad.pdf').write_bytes(good.replace(b'xref', b'xxxx'))
    code = 'import sys; from litesearch.pdf import pdf_parse; print(pdf_parse(sys.argv[1]))'
    r = subprocess.run([sys.executable, '-c', code, tmp_path/'bad.pdf'], capture_output=True, text=True)
    assert r.stderr == '' and 'survive' in r.stdout

def test_undecodable_file_name(tmp_path):
    good = make(tmp_path/'good.pdf', [['text']])
    p = Path(str(tmp_path)) / b'caf\xe9.pdf'.decode('utf-8', 'surrogateescape')
    try: p.write_bytes(good.read_bytes())
    except OSError: pytest.skip('the file system refuses such names')
    assert pdf_parse(p) == [(1, 'text')]
    p.write_bytes(b'x')
    with pytest.raises(ReadError, match=r'caf\\xe9'): pdf_parse(p)

def test_meta(tmp_path):
    toc = [(1, 'Fees', 1), (2, 'More', 2)]
    p = make(tmp_path/'a.pdf', [['Fees', '', 'text'], ['more']], toc, dict(title='Harbor Rules'))
    assert pdf_meta(p) == dict(title='Harbor Rules', outline=[(1, 'Fees', 1), (2, 'More', 2)], page_count=2)
    pages, info = pdf_read(p)
    del info['kinds']
    assert (pages, info) == (pdf_parse(p), dict(pdf_meta(p), warnings=[], ocr=[]))
    assert pdf_meta(make(tmp_path/'b.pdf', [['x']], meta=dict(title='draft_7.docx')))['title'] is None

def test_images_on_request_only(tmp_path):
    doc, pic = pymupdf.open(), pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 4, 4))
    pic.clear_with(90)
    for _ in range(2):
        page = doc.new_page()
        page.insert_image((72, 300, 100, 330), pixmap=pic)
        page.insert_text((72, 200), 'text')
    doc.save(tmp_path/'a.pdf')
    assert [t for _, t in pdf_parse(tmp_path/'a.pdf')] == ['text', 'text']
    out = tmp_path/'out'
    pages = pdf_parse(tmp_path/'a.pdf', out, 'pics')
    files = list((out/'pics').iterdir())
    assert len(files) == 1 and all(f'(pics/{files[0].name})' in t for _, t in pages)


def test_pictures_go_to_the_assets_of_the_library(tmp_path):
    from litesearch.core import database
    import litesearch.tree
    doc, pic = pymupdf.open(), pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 4, 4))
    pic.clear_with(90)
    for side in 'ab':
        doc.new_page().insert_image((72, 300, 100, 330), pixmap=pic)
        doc[-1].insert_text((72, 200), f'text of page {side}')
        (tmp_path/side).mkdir()
        doc.save(tmp_path/side/'ship.pdf')
    db = database(tmp_path/'lib.db')
    db.add_file(tmp_path/'a'/'ship.pdf')
    assert not (tmp_path/'assets').exists()
    results = [db.add_file(tmp_path/'a'/'ship.pdf', images=True, force=True), *db.add_dir(tmp_path/'b', images=True)]
    folders = sorted((tmp_path/'assets').iterdir())
    assert len(folders) == 2 and all(f.name.startswith('ship-') for f in folders)
    for r in results:
        link, = set(re.findall(r'\]\((.+?)\)', db.read(r['doc_id'] + '#0')['text']))
        assert (db.assets()/link).read_bytes()


# ---- properties

lines = st.lists(st.text(st.characters(blacklist_categories=('Cs', 'Cc')), min_size=1, max_size=30), max_size=12)

def as_rows(texts):
    rows = [plain_line(t) for t in texts]
    return [Row(t, 72, 100 + 12*i, 72 + 5*len(t), 110 + 12*i, 10, i//3, 230) for i, t in enumerate(rows) if t]

@settings(max_examples=150, deadline=None)
@given(lines)
def test_flow_loses_no_letter(texts):
    rows = as_rows(texts)
    assert letters(flow(rows, {}, vocabulary([rows]))) == letters(''.join(r.text for r in rows))

@settings(max_examples=150, deadline=None)
@given(lines, st.lists(st.text('abc #-1', min_size=1, max_size=8), max_size=5))
def test_every_bookmark_stands_in_the_text_in_order(texts, titles):
    rows = as_rows(texts + titles)
    marks = [Bookmark(1, t, 1) for t in map(plain_line, titles) if t]
    text = page_markdown(rows, marks)
    got = [l[2:] for l in text.split('\n') if l.startswith('# ')]
    assert got == [m.title for m in marks]
    kept = squeeze(text)
    assert all(squeeze(r.text) in kept for r in rows)

@settings(max_examples=150, deadline=None)
@given(st.text('#`~-=+<! \na', max_size=40))
def test_defused_text_has_no_markdown_heading(text):
    md = pytest.importorskip('markdown_it').MarkdownIt()
    text = '\n'.join(' '.join(l.split()) for l in text.split('\n'))
    top = [t for t in md.parse(defuse(text) + '\n\n# Mine\n') if t.level == 0]
    assert sum(t.type == 'heading_open' for t in top) == 1 and not any(t.type == 'fence' for t in top)


# ---- shared corpora

def tree(corpus): return [json.loads(l) for l in (CORPORA/corpus/'tree.jsonl').read_text(encoding='utf-8').splitlines()]
def fold(s): return re.sub(r'[^\w]+', ' ', s.casefold()).strip()

@needs_corpora
@pytest.mark.parametrize('corpus,extra', [('eu-legislation', 4), ('long-reports', 70), ('messy-pdf', 0)])
def test_headings_are_those_of_the_gold(corpus, extra):
    "The bookmarks of the long reports stop early; printed headings divide their long sections."
    for g in tree(corpus):
        found = [(no, fold(t)) for no, _, t in headings(pdf_parse(CORPORA/corpus/'docs'/g['doc']))]
        at = 0
        for h in g['headings']:
            names, page = [fold(h[k]) for k in ('title', 'label') if h.get(k)], h['page_or_line']
            at = next(i for i in range(at, len(found)) if page in (-1, found[i][0])
                      and any(found[i][1] == n or found[i][1].startswith(n + ' ') for n in names)) + 1
        assert len(found) <= len(g['headings']) + extra

@pytest.mark.skipif(not CASES.exists(), reason='shared cases not at hand')
def test_shared_cases():
    levels = pdf_parse(CASES/'outline-levels.pdf')
    assert headings(levels) == [(1, 1, 'Opening'), (2, 2, 'Aims'), (3, 2, 'Limits'), (4, 1, 'Method'),
                                (4, 2, 'Sampling'), (5, 3, 'Strata')]
    titles = [t for *_, t in headings(pdf_parse(CASES/'outline-utf16.pdf'))]
    assert titles == ['Überblick – Größe', '目次', 'Plain (nested) \\ title']
    text = pdf_parse(CASES/'hyphenated.pdf')[0][1]
    assert 'directions' in text and 'information' in text and 'well-known' in text
    text = pdf_parse(CASES/'two-columns.pdf')[0][1]
    assert 'every vessel must carry two lanterns after sunset' in text
    assert 'small surplus from the sale of timber' in text
    for name in ('blank-pages', 'zero-bytes'):
        with pytest.raises(ReadError, match=name): pdf_parse(CASES/f'{name}.pdf')

@pytest.mark.skipif(not CASES.exists(), reason='shared cases not at hand')
def test_shared_cases_in_a_library(tmp_path):
    from support import found, library
    db = library()
    db.add_file(CASES/'hyphenated.pdf')
    for q in ('information', 'directions', 'well-known'): assert any(q in t for t in found(db, q)), q
    db = library()
    for name in ('blank-pages', 'zero-bytes'):
        with pytest.raises(ReadError, match=f'{name}.pdf'): db.add_file(CASES/f'{name}.pdf', ocr='off')
        copy = tmp_path/f'{name}.pdf'
        copy.write_bytes((CASES/f'{name}.pdf').read_bytes())
        assert 'error' in db.add_dir(files=[copy])[0]
        make(copy, [['Text of the file that took its place']])
        assert 'error' not in db.add_dir(files=[copy])[0] and 'error' not in db.add_file(copy)
    assert {t for t, in db.conn.execute('select title from docs')} == {'blank pages', 'zero bytes'}

@needs_corpora
def test_messy_files_in_a_child_process():
    code = '''if True:
        import json, resource, sys
        from litesearch.core import ReadError
        from litesearch.pdf import pdf_parse
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
        for f in sys.argv[1:]:
            try: print(json.dumps(pdf_parse(f, ocr='off')))
            except ReadError as e: print(json.dumps(str(e)))'''
    files = sorted(str(p) for p in (CORPORA/'messy-pdf'/'docs').iterdir())
    r = subprocess.run([sys.executable, '-c', code, *files], capture_output=True, text=True, timeout=120)
    assert r.returncode == 0 and r.stderr == '' and len(r.stdout.splitlines()) == len(files)

@pytest.mark.parametrize('name', ['Microsoft Word - harbor_rules_v3.doc', 'final draft.pdf', 'Untitled', 'Document1'])
def test_a_bookmark_that_names_a_file_is_no_section(tmp_path, name):
    p = make(tmp_path/'a.pdf', [['Fees', 'one'], ['Berths', 'two']], [(1, name, 1), (2, 'Fees', 1), (2, 'Berths', 2)])
    assert headings(pdf_parse(p)) == [(1, 1, 'Fees'), (2, 1, 'Berths')]

def test_a_bookmark_to_another_file_is_not_on_a_page_of_this_one(tmp_path):
    p = make(tmp_path/'a.pdf', [['Fees', 'one'], ['Berths', 'two'], ['three']], [(1, 'Fees', 1), (1, 'Berths', 2), (1, 'Annex', 3)])
    doc = pymupdf.open(p)
    last = max(x for x in range(1, doc.xref_length()) if doc.xref_get_key(x, 'Title')[1] == 'Annex')
    doc.xref_set_key(last, 'Dest', 'null')
    doc.xref_set_key(last, 'A', '<</S/GoToR/F(other.pdf)/D[0/Fit]>>')
    doc.save(tmp_path/'b.pdf')
    assert [t for *_, t in headings(pdf_parse(tmp_path/'b.pdf'))] == ['Fees', 'Berths', 'Annex']

def test_tables_of_codes_are_read_as_they_are(tmp_path):
    table = [[(72 + 90*c, 100 + 20*r, f'k{r}m{c}') for c in range(4)] for r in range(6)]
    doc = pymupdf.open()
    page = doc.new_page()
    for row in table:
        for x, y, t in row: page.insert_text((x, y), t, fontsize=10)
    doc.save(tmp_path/'a.pdf')
    pages, info = pdf_read(tmp_path/'a.pdf')
    assert pages[0][1].split() == [t for row in table for *_, t in row] and not info['ocr']
