"Pages that are pictures, with and without Tesseract."
import os, sys
import pytest
from support import *
from litesearch import ocr
from litesearch.cli import main
from litesearch.core import MissingDependency, ReadError
from litesearch.data import read_file
from litesearch.ocr import is_unreadable, ocr_data, tessdata
from litesearch.pdf import pdf_parse, pdf_read
from litesearch.pdfpages import pdf_rows

pymupdf = pytest.importorskip('pymupdf')
needs_tesseract = pytest.mark.skipif(tessdata() is None, reason='Tesseract is not installed')

WORDS = ['A fee is due on arrival and is paid in coin,', 'before the cargo of the vessel is brought ashore.',
         'Whoever pays late owes a tenth more.']

def typed(doc, lines=WORDS, size=13, **kw):
    page = doc.new_page()
    for i, t in enumerate(lines): page.insert_text((72, 120 + 1.4*size*i), t, fontsize=size, **kw)
    return page

def pictured(doc, lines=WORDS, dpi=200, rotation=0, **kw):
    "A page that is the picture of another one."
    photo = typed(pymupdf.open(), lines, **kw).get_pixmap(dpi=dpi)
    page = doc.new_page()
    page.insert_image(page.rect, pixmap=photo)
    page.set_rotation(rotation)

def scan(path, pages='p', **kw):
    "A file of pages that are typed (t), pictured (p), or blank (b)."
    doc = pymupdf.open()
    for k in pages: typed(doc) if k == 't' else pictured(doc, **kw) if k == 'p' else doc.new_page()
    doc.save(path)
    return path

@pytest.fixture
def no_tesseract(monkeypatch, tmp_path):
    "A machine without Tesseract."
    monkeypatch.delenv('TESSDATA_PREFIX', raising=False)
    monkeypatch.setenv('PATH', str(tmp_path))


# ---- without Tesseract

def test_a_scan_is_reported_and_never_stored(tmp_path, no_tesseract):
    path, db = scan(tmp_path/'scan.pdf', 'pp'), library()
    with pytest.raises(ReadError) as e: db.add_file(path)
    assert 'scan.pdf: needs OCR: no text on 2 of 2 pages' in str(e.value)
    assert 'apt-get install tesseract-ocr' in str(e.value)
    res, = db.add_dir(files=[path])
    assert 'needs OCR' in res['error'] and rows(db, 'select count(*) from docs') == [(0,)]

def test_a_partly_scanned_file_is_stored_with_a_warning(tmp_path, no_tesseract):
    path, db = scan(tmp_path/'part.pdf', 'tpbpp'), library()
    warning, = db.add_file(path)['warnings']
    assert warning.startswith('needs OCR: no text on 3 of 5 pages: 2, 4–5 (OCR needs Tesseract')
    assert rows(db, "select json_extract(meta, '$.warnings[0]') from docs") == [(warning,)]
    assert found(db, 'cargo') and db.add_file(path)['skipped'] == 'unchanged'

def test_forcing_needs_tesseract(tmp_path, no_tesseract):
    with pytest.raises(MissingDependency, match='apt-get install tesseract-ocr'):
        pdf_parse(scan(tmp_path/'a.pdf', 't'), ocr='force')

def test_blank_pages_need_no_ocr(tmp_path, no_tesseract):
    with pytest.raises(ReadError, match='no text on 3 of 3 pages, they are blank'):
        pdf_parse(scan(tmp_path/'a.pdf', 'bbb'))
    assert pdf_read(scan(tmp_path/'b.pdf', 'tb'))[1]['warnings'] == []

def test_a_later_file_with_text_is_stored(tmp_path, no_tesseract):
    db = library()
    with pytest.raises(ReadError): db.add_file(scan(tmp_path/'a.pdf', 'p'))
    assert db.add_file(scan(tmp_path/'a.pdf', 't'))['chunks'] and found(db, 'cargo')

def test_missing_language_names_its_package(tmp_path, monkeypatch):
    (tmp_path/'eng.traineddata').write_bytes(b'')
    monkeypatch.setenv('TESSDATA_PREFIX', str(tmp_path))
    with pytest.raises(MissingDependency) as e: ocr_data('eng+chi_sim+frk')
    assert 'apt-get install tesseract-ocr-chi-sim tesseract-ocr-frk; installed: eng' in str(e.value)
    with pytest.raises(ReadError, match='tesseract-ocr-frk'): pdf_parse(scan(tmp_path/'a.pdf'), ocr_lang='frk')

def test_off_reads_what_is_there(tmp_path):
    path = scan(tmp_path/'a.pdf', 'tp')
    pages, info = pdf_read(path, ocr='off')
    assert 'cargo' in pages[0][1] and pages[1] == (2, '') and 'switched off' in info['warnings'][0]
    with pytest.raises(ReadError, match='needs OCR: no text on 1 of 1 pages'):
        read_file(scan(tmp_path/'b.pdf'), ocr='off')

def test_unknown_choice(tmp_path):
    path = scan(tmp_path/'a.pdf')
    for call in (lambda: pdf_parse(path, ocr='always'), lambda: library().add_file(path, ocr='on'),
                 lambda: library().add_dir(tmp_path, ocr='yes')):
        with pytest.raises(ValueError, match="'auto', 'off', 'force'"): call()

def test_command_line(tmp_path, no_tesseract, capsys):
    path, lib = scan(tmp_path/'part.pdf', 'tp'), str(tmp_path/'lib.db')
    assert main(['add', str(path), '--ocr', 'off', '--lib', lib]) == 0
    assert 'part: needs OCR: no text on 1 of 2 pages: 2 (OCR is switched off)' in capsys.readouterr().err
    assert main(['add', str(path), '--ocr', 'on', '--lib', lib]) == 2
    assert main(['add', str(scan(tmp_path/'scan.pdf')), '--lib', lib]) == 1
    assert 'apt-get install tesseract-ocr' in capsys.readouterr().err


# ---- with Tesseract

@needs_tesseract
def test_a_scan_is_read(tmp_path):
    text = ' '.join(pdf_parse(scan(tmp_path/'a.pdf'))[0][1].split())
    assert text == ' '.join(WORDS)
    db = library()
    assert db.add_file(tmp_path/'a.pdf')['chunks'] and found(db, 'cargo')

@needs_tesseract
@pytest.mark.parametrize('rotation', [0, 90, 180])
def test_a_turned_scan_is_read_as_it_is_shown(tmp_path, rotation):
    doc, photo = pymupdf.open(), typed(pymupdf.open()).get_pixmap(dpi=150)
    page = doc.new_page(width=595, height=842) if rotation in (0, 180) else doc.new_page(width=842, height=595)
    page.insert_image(page.rect, pixmap=photo, rotate=rotation)
    page.set_rotation(rotation)
    doc.save(tmp_path/'a.pdf')
    assert 'before the cargo of the vessel' in ' '.join(pdf_parse(tmp_path/'a.pdf')[0][1].split())

@needs_tesseract
def test_only_pages_without_text_are_recognized(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(ocr, 'recognize', lambda page, *a: seen.append(page.number) or 1/0)
    info = pdf_read(scan(tmp_path/'a.pdf', 'tpbp'))[1]
    assert seen == [1, 3] and '2 of 4 pages: 2, 4 (division by zero)' in info['warnings'][0]
    monkeypatch.undo()
    pages, info = pdf_read(tmp_path/'a.pdf')
    assert info['ocr'] == [2, 4] and info['warnings'] == [] and 'cargo' in pages[3][1]

@needs_tesseract
def test_force_reads_pages_that_have_text(tmp_path):
    assert pdf_read(scan(tmp_path/'a.pdf', 'tb'), ocr='force')[1]['ocr'] == [1]

@needs_tesseract
def test_columns_of_a_scan_are_read_in_order(tmp_path):
    from test_pdf import LEFT, RIGHT, columns
    doc, page = pymupdf.open(), pymupdf.open().new_page()
    for x, y, t in sum(columns(LEFT, RIGHT), []): page.insert_text((x, y), t, fontsize=11)
    out = doc.new_page()
    out.insert_image(out.rect, pixmap=page.get_pixmap(dpi=200))
    doc.save(tmp_path/'a.pdf')
    text = ' '.join(pdf_parse(tmp_path/'a.pdf')[0][1].split())
    places = [text.index(t) for t in ('harbor master', 'copy is sent', 'due on arrival', 'basket')]
    assert places == sorted(places)

@needs_tesseract
def test_a_poster_is_drawn_small_enough(tmp_path):
    doc = pymupdf.open()
    page = doc.new_page(width=9000, height=12000)
    page.insert_image(page.rect, pixmap=typed(pymupdf.open()).get_pixmap(dpi=100))
    doc.save(tmp_path/'a.pdf')
    assert 'cargo' in pdf_parse(tmp_path/'a.pdf')[0][1]

@needs_tesseract
def test_unreadable_text_is_recognized(tmp_path):
    shift = lambda t: ''.join(chr(ord(c) - 29) if c != ' ' else c for c in t)
    doc = pymupdf.open()
    pictured(doc)
    for i, t in enumerate(WORDS): doc[0].insert_text((72, 120 + 18*i), shift(t).replace('\x03', ' '), render_mode=3)
    doc.save(tmp_path/'a.pdf')
    assert 'before the cargo' in ' '.join(pdf_parse(tmp_path/'a.pdf')[0][1].split())
    assert any('unreadable' in w for w in pdf_read(tmp_path/'a.pdf', ocr='off')[1]['warnings'])


# ---- what is unreadable

@pytest.mark.parametrize('k', [-31, -29, -3, 1, 5])
def test_shifted_text(k):
    text = 'Every vessel that enters the harbor by night shows a light at the bow and another one at the stern'
    assert is_unreadable(' '.join(''.join(chr(ord(c) + k) for c in w) for w in text.split()))

def test_text_without_signs():
    assert is_unreadable('\ufffd\ufffd \ufffd a \ufffd\ufffd') and is_unreadable('\ue001\ue002\ue003')

@pytest.mark.parametrize('text', [
    'Każdy ma prawo do życia, wolności i bezpieczeństwa swojej osoby', 'Ha mindenki jól alszik, senki sem fáradt',
    'Jokaisella on oikeus elämään, vapauteen ja turvallisuuteen', 'Herkes yasama, ozgurluk ve kisi guvenligi hakkina sahiptir',
    'XKCD QWERTY AZERTY HTTP URL API CPU GPU', '10.1016/j.cell.2019.05.031', 'SELECT * FROM t WHERE x=?', 'MKTVYALGIVGA' * 5,
    'ACGTACGGTTACGATCGATCGACTAGCTAGCATCGACT', 'x1 = y2 + z3; f(x) -> g(y)', '0x7ffe 0xdeadbeef 0xcafebabe', 'MMXXIII XIV XXIX',
    '日本語の文章です', 'Всеобщая декларация прав человека', 'Mọi người đều có quyền sống', '', '12,345 67,890 (1,234)'])
def test_other_text_is_readable(text): assert not is_unreadable(text)
