"Files as bad as they come: those of the shared corpus, line by line, and others of the same kinds made here."
import json, re, unicodedata
import pytest
from support import *
from litesearch.core import ReadError
from litesearch.pdf import pdf_parse

pymupdf = pytest.importorskip('pymupdf')
MESSY = SHARED/'corpora'/'messy-pdf'
LIST = MESSY/'expectations.jsonl'
CASES = [json.loads(l) for l in LIST.read_text(encoding='utf-8').splitlines()] if LIST.exists() else []


def fold(s):
    "Text as it is compared: compatibility forms folded, words cut at line ends whole, one space between words."
    s = re.sub(r'(?<=\w)-\s*\n\s*(?=[a-z])', '', unicodedata.normalize('NFKC', s))
    return ' '.join(s.split())

def stored(path, **kw):
    "The pages that a library holds of a file, and the result of adding it; or the error, and nothing is stored."
    db = library()
    try: res = db.add_file(path, **kw)
    except ReadError as e:
        assert path.name in str(e) and '\n' not in str(e)
        assert not rows(db, 'select 1 from docs') and not rows(db, 'select 1 from pages')
        return str(e), {}
    return dict(rows(db, 'select page, text from pages order by page')), res

def text_of_file(path, **kw):
    pages, res = stored(path, **kw)
    assert isinstance(pages, dict), pages
    return fold('\n'.join(pages.values())), pages, res

def outcome_password(e, path):
    assert 'encrypted' in stored(path)[0] and 'password' in stored(path)[0]
    assert 'wrong' in stored(path, password=e['password'] + '?')[0]
    return text_of_file(path, password=e['password'])

def outcome_broken(e, path):
    got, res = stored(path)
    if isinstance(got, dict): assert any(t.strip() for t in got.values()) and res['warnings']
    elif path.name.startswith('made__truncated'): assert 'damaged' in got
    return got if isinstance(got, str) else fold('\n'.join(got.values())), got, res

def outcome_empty(e, path):
    assert stored(path) == stored(path) and isinstance(stored(path)[0], str)
    return '', {}, {}

def outcome_no_text(e, path):
    got, _ = stored(path, ocr='off')
    assert isinstance(got, str)
    with pytest.MonkeyPatch.context() as m, pytest.raises(ReadError, match='no text on 1 of 1 pages'):
        m.setattr('litesearch.ocr.tessdata', lambda: None)
        pdf_parse(path)
    return '', {}, {}

def outcome_text(e, path):
    text, pages, res = text_of_file(path, ocr='off')
    assert list(pages) == list(range(1, e['pages'] + 1))
    return text, pages, res

# what else a line says in words: file → check of its text, its pages, and the result

def lines_of(pages): return [l for t in pages.values() for l in t.splitlines() if l.strip()]

def invisible(text, pages, res): assert 'Invisible' not in text

def two_columns(text, pages, res): assert 'adipiscing' in text and not re.search(r'\w- [a-z]', text)

def journal(text, pages, res): assert 'definition' in text and 'defi- ' not in text and 'defi-\n' not in text

def stamp(text, pages, res):
    assert 'efficient' in text and not any(l.startswith('#') and 'arXiv' in l for l in lines_of(pages))
    first = pages[1].split('arXiv')
    assert len(first) < 2 or len(first[-1]) < 80  # the stamp on the margin tears no sentence

def vertical(text, pages, res): assert 'あいうえお' in text and '日本語' in text

def korean(text, pages, res):
    for word in '코로나바이러스감염증', '재해라고', '보험금의', '기준을': assert word in text, word

def arabic(text, pages, res):
    for word in 'الإنتاجية', 'المشكلات', 'خلال', 'تحليلات': assert word in text, word
    assert 'اإل' not in text

def listing(text, pages, res): assert not any(l.startswith('#') for l in lines_of(pages) if 'pxc' in l or 'Nokia' in l)

def rotated(text, pages, res): assert 'Second line of text here' in lines_of(pages)

def upside_down(text, pages, res):
    assert 'the authority that\'s legally necessary to enter into this binding agreement' in text

def hello(text, pages, res): assert all(t.strip() == 'Hello world' for t in pages.values())

def shifted(text, pages, res): assert any('unreadable' in w and '1 of 1' in w for w in res['warnings'])

def form(text, pages, res):
    assert 'n° d\'identification national' in text and not re.search(r'_{3}|\bNone\b|\bOff\b', text)

def empty_page(text, pages, res): assert pages[2].strip() in ('', 'This page is intentionally left blank')

def damaged(text, pages, res): assert any('damaged' in w for w in res['warnings'])

def loop(text, pages, res): assert text.count('Pages loop') <= 2

def zen(text, pages, res): assert text.startswith('Beautiful') or text.index('Beautiful') < text.index('Namespaces')

WORDS = {'docling__invisible_text_layer': invisible, 'sample-files__multicolumn': two_columns,
         'unstructured__a1977-backus-p21': journal, 'unstructured__multi-column-2p': stamp, 'pdf-js__vertical': vertical,
         'docling__normal_4pages': korean, 'docling__right_to_left_01': arabic, 'pdf-js__hello_world_rotated': hello,
         'unstructured__interface-config-guide-p93': listing, 'unstructured__rotated-page-90': rotated,
         'pdf-js__issue14415': upside_down, 'pdf-js__issue5501': shifted, 'pdf-js__160F-2019': form,
         'unstructured__layout-parser-paper-with-empty-pages': empty_page, 'pdf-js__helloworld-bad': damaged,
         'pdf-js__issue6069': damaged, 'pdf-js__Pages-tree-refs': loop, 'pdfminer-six__zen_of_python_corrupted': zen}

@needs_shared
@pytest.mark.parametrize('e', CASES, ids=lambda e: e['file'][:-4])
def test_line(e):
    path = MESSY/'docs'/e['file']
    text, pages, res = globals()[f"outcome_{e['outcome'].replace('-', '_')}"](e, path)
    tight = e['file'] == 'pdf-js__vertical.pdf'
    for s in e['contains']: assert fold(s).replace(' ', '') in text.replace(' ', '') if tight else fold(s) in text, s
    places = [text.index(fold(s)) for s in e['order']]
    assert places == sorted(places)
    if check := WORDS.get(e['file'][:-4]): check(text, pages, res)
