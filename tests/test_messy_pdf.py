"Files as bad as they come: those of the shared corpus, line by line, and others of the same kinds made here."
import json, random, re, unicodedata
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
         'unstructured__a1977-backus-p21': journal, 'unstructured__multi-column-2p': stamp,
         'pdf-js__vertical': vertical,
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


# ---- the same kinds, made here

def mutants(n, seed=1):
    "Small files with some damage each: bytes changed, the end cut off, a piece left out or doubled, other numbers."
    rng, doc = random.Random(seed), pymupdf.open()
    for i in range(4):
        doc.new_page().insert_text((72, 100), f'Words of page {i + 1}, which nobody wants to lose.')
    doc.set_toc([[1, f'Words of page {i + 1}', i + 1] for i in range(4)])
    good = doc.tobytes()
    for _ in range(n):
        b, at = bytearray(good), rng.randrange(len(good))
        way = rng.randrange(5)
        if way == 0: b[at] = rng.randrange(256)
        elif way == 1: del b[at:]
        elif way == 2: del b[at:at + rng.randrange(300)]
        elif way == 3: b[at:at] = b[at:at + rng.randrange(300)]
        else:
            m = rng.choice(list(re.finditer(rb'\d+', good)))
            b[m.start():m.end()] = str(rng.choice([0, 1, 3, 99999, 2**31])).encode()
        yield bytes(b)

READ_ALL = '''
from litesearch.core import ReadError
from litesearch.pdf import pdf_read
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
done = []
for f in sorted(Path(sys.argv[1]).iterdir()):
    try: done.append('read' if pdf_read(f, ocr='off')[0] else 'nothing')
    except ReadError as e: done.append('said' if f.name in str(e) else str(e))
print(json.dumps(done))
'''

def test_damaged_files_are_read_or_refused(tmp_path):
    for i, b in enumerate(mutants(120)): (tmp_path/f'{i}.pdf').write_bytes(b)
    done = json.loads(run(READ_ALL, tmp_path, timeout=240))
    assert len(done) == 120 and set(done) == {'read', 'said'}

def test_forms_that_contain_each_other_end(tmp_path):
    doc = pymupdf.open()
    page = doc.new_page()
    page.insert_text((72, 100), 'Hello')
    xs = [doc.get_new_xref() for _ in range(2)]
    for a, b in (xs, xs[::-1]):
        doc.update_object(a, f'<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</XObject<</F {b} 0 R>>>>>>')
        doc.update_stream(a, b'/F Do')
    kind, value = doc.xref_get_key(page.xref, 'Resources')
    owner, key = (int(value.split()[0]), 'XObject') if kind == 'xref' else (page.xref, 'Resources/XObject')
    doc.xref_set_key(owner, key, f'<</F {xs[0]} 0 R>>')
    extra = doc.get_new_xref()
    doc.update_object(extra, '<<>>')
    doc.update_stream(extra, b'/F Do')
    doc.xref_set_key(page.xref, 'Contents', f'[{doc.xref_get_key(page.xref, "Contents")[1].strip("[]")} {extra} 0 R]')
    doc.save(tmp_path/'a.pdf')
    assert 'Hello' in text_of_file(tmp_path/'a.pdf')[0]

def test_a_page_tree_that_bites_its_tail(tmp_path):
    doc = pymupdf.open()
    doc.new_page().insert_text((72, 100), 'Hello')
    root = int(doc.xref_get_key(doc.pdf_catalog(), 'Pages')[1].split()[0])
    kids = doc.xref_get_key(root, 'Kids')[1].strip('[]')
    doc.xref_set_key(root, 'Kids', f'[{kids} {root} 0 R]')
    doc.xref_set_key(root, 'Count', '2')
    (tmp_path/'a.pdf').write_bytes(doc.tobytes())
    got, res = stored(tmp_path/'a.pdf')
    assert isinstance(got, str) or 'Hello' in got[1]

def test_ligatures_and_forms_are_plain_letters(tmp_path):
    from litesearch.lines import plain_line
    assert plain_line('of\ufb01ce di\ufb00erent a\ufb04uent \ufb06eam') == 'office different affluent steam'
    assert plain_line('\ufe8d\ufedf\ufecc\ufeae\ufe91\ufef4\ufe94 \ufefb') == 'العربية لا'

@pytest.mark.parametrize('method', ['RC4_40', 'RC4_128', 'AES_128', 'AES_256'])
def test_encrypted_files(tmp_path, method):
    doc = pymupdf.open()
    doc.new_page().insert_text((72, 100), 'Secret!')
    how = getattr(pymupdf, f'PDF_ENCRYPT_{method}')
    doc.save(tmp_path/'a.pdf', encryption=how, user_pw='sesame', owner_pw='owner')
    doc.save(tmp_path/'b.pdf', encryption=how, user_pw='', owner_pw='owner')
    for given in ({}, dict(password='open')): assert 'password' in stored(tmp_path/'a.pdf', **given)[0]
    for password in ('sesame', 'owner'): assert text_of_file(tmp_path/'a.pdf', password=password)[0] == 'Secret!'
    assert text_of_file(tmp_path/'b.pdf')[0] == 'Secret!'
    bad, good = library().add_dir(files=[tmp_path/'a.pdf', tmp_path/'b.pdf'])
    assert 'password' in bad['error'] and good['chunks'] == 1
    assert 'error' not in library().add_dir(files=[tmp_path/'a.pdf'], password='sesame')[0]
