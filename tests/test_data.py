"Files as pages: encodings, names, profiles, what can't be read, and the files of a folder."
import codecs, gzip, json, os, pickle, re, sys, time, warnings, zipfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
import pytest
from hypothesis import given, strategies as st
from litesearch import profile
from litesearch.core import ReadError
from litesearch.data import (TYPES, Parsed, Profile, decode_bytes, dir2files, file_title, find_profile, profiles,
                             read_file,
                             register_profile, source_of)
from litesearch.outline import build_tree
from litesearch.section import scan_headings
from support import library, words, write_files

SAMPLES = Path(__file__).resolve().parents[1]/'samples'
SHARED = Path(__file__).resolve().parents[2]/'shared'
CASES = SHARED/'cases/files'
cases = pytest.mark.skipif(not CASES.exists(), reason='the case files are not here')
links = pytest.mark.skipif(sys.platform == 'win32', reason='links and raw names are POSIX')

@pytest.fixture(autouse=True)
def _clean_registry():
    before = profiles()
    yield
    profile._profiles.clear()
    profile._profiles.update(before)

def text_of(path, **kw): return '\n'.join(t for _, t in read_file(path, **kw).pages)
def titles(path): return [(o.level, o.title) for _, t in read_file(path).pages for o in scan_headings(t)]

# ---- encodings

_marked = st.text(st.characters(codec='utf-8', exclude_categories=['Cc', 'Cs'], exclude_characters='\ufeff'),
                  min_size=1)

@given(_marked, st.sampled_from(['utf-8', 'utf-8-sig', 'utf-16', 'utf-32']))
def test_unicode_round_trip(text, enc): assert decode_bytes(text.encode(enc)) == text

@pytest.mark.parametrize('enc', ['utf-16-le', 'utf-16-be'])
def test_utf16_without_mark(enc): assert decode_bytes('Lanterns über all\n'.encode(enc)) == 'Lanterns über all\n'

@pytest.mark.parametrize('enc,text', [
    ('cp1252', 'Le café est très bon. Les élèves sont là où il faut.'),
    ('cp1252', 'Größe der Häuser, überall schöne Straßen.'),
    ('cp1252', 'El niño comió mañana “sólo” pan – ¿qué más?'), ('cp1252', 'naïve café'),
    ('cp1250', 'Příliš žluťoučký kůň úpěl ďábelské ódy. Žádný člověk není sám.'),
    ('cp1250', 'Zażółć gęślą jaźń. Litwo! Ojczyzno moja! ty jesteś jak zdrowie.'),
    ('cp1251', 'Съешь же ещё этих мягких французских булок, да выпей чаю.'),
    ('koi8-r', 'Съешь же ещё этих мягких французских булок.'),
    ('cp1253', 'Η γρήγορη καφέ αλεπού πηδάει πάνω από το τεμπέλικο σκυλί.'), ('gb18030', '人人生而自由，在尊严和权利上一律平等。'),
    ('shift_jis', 'すべての人間は、生まれながらにして自由であり、かつ平等である。'), ('euc-kr', '모든 인간은 태어날 때부터 자유로우며 동등하다.')])
@pytest.mark.parametrize('times', [1, 30])
def test_old_encodings(enc, text, times):
    text = '\n'.join([text] * times)
    assert decode_bytes(text.encode(enc)) == text

HIVES = dict(
    cp1255='ספר הדבוראי מתאר את חיי הכוורת במשך השנה כולה. באביב יוצאות הדבורים לאסוף צוף ואבקה מן הפרחים, והמלכה מטילה מאות '
           'ביצים ביום. מי שרוצה לגדל דבורים צריך סבלנות, ידיים שקטות ועשן רך. אין לפתוח את הכוורת ביום גשם או ברוח חזקה.',
    cp1253='Το βιβλίο του μελισσοκόμου περιγράφει τη ζωή της κυψέλης σε όλη τη διάρκεια του έτους. Την άνοιξη οι μέλισσες βγαίνουν '
           'για να συλλέξουν νέκταρ και γύρη από τα άνθη. Όποιος θέλει να εκτρέφει μέλισσες χρειάζεται υπομονή.',
    cp1251='Книга пчеловода описывает жизнь улья в течение всего года. Весной пчёлы вылетают собирать нектар и пыльцу с цветов, а '
           'матка откладывает сотни яиц в день. Нельзя открывать улей в дождь или при сильном ветре.',
    cp1256='يصف كتاب النحال حياة الخلية على مدار السنة كلها. في الربيع تخرج النحلات لجمع الرحيق وحبوب اللقاح من الأزهار، وتضع '
           'الملكة مئات البيض كل يوم. لا تفتح الخلية في يوم ممطر أو عند الرياح القوية.',
    cp1254='Arıcının kitabı, kovanın bütün yıl boyunca yaşamını anlatır. İlkbaharda arılar çiçeklerden balözü ve polen toplamak için '
           'çıkar, ana arı günde yüzlerce yumurta bırakır. Güçlü rüzgârlı ve yağışlı günlerde kovanı açmayın, arıları kışkırtmayın.')

@pytest.mark.parametrize('enc', HIVES)
@pytest.mark.parametrize('made', [str, lambda s: s.partition('.')[0], lambda s: s.rpartition('. ')[2],
    lambda s: f'# {s.partition(".")[0]}\n\n{s}\n' * 40, lambda s: f'---\ntitle: Bees\n---\n\n# A hive\n\nAs the book has it:\n\n{s}\n'])
def test_encodings_of_other_alphabets(enc, made): assert decode_bytes(made(HIVES[enc]).encode(enc)) == made(HIVES[enc])

@pytest.mark.parametrize('text', ['Það er gott veður í dag, sagði hún, og þau fóru þá út.', 'Príbeh o včelách',
                                  'Hann þýddi það.', 'Él leyó así, y más allá vio la niña.'])
def test_western_texts_are_not_taken_for_turkish(text): assert decode_bytes(text.encode('cp1252', 'ignore')) == text.encode('cp1252', 'ignore').decode('cp1252')

MORE = [('cp1257 iso8859_13', 'Bitės žiemą nemiega, jos šildo viena kitą ir laukia pavasario. Avilį reikia uždengti nuo vėjo.'),
    ('cp1257 iso8859_13', 'Bites ziemā neguļ, tās sildīja viena otru un gaida pavasari. Stropu vajag apsegt, lai vējš nepūš iekšā.'),
    ('cp1257 iso8859_13', 'Mesilased ei maga talvel, nad soojendavad üksteist. Õues on külm, žürii külastab mesilat šokolaadiga.'),
    ('cp1250 iso8859_2', 'Pszczoły nie śpią zimą, lecz ogrzewają się nawzajem i czekają na wiosnę. Ule trzeba osłonić przed wiatrem.'),
    ('cp1250 iso8859_2', 'Včely v zimě nespí, zahřívají se navzájem a čekají na jaro. Úl je třeba chránit před větrem.'),
    ('cp1250 iso8859_2', 'A méhek télen nem alszanak, hanem egymást melegítik, és várják a tavaszt. A kaptárt őrizni kell a széltől, esőtől.'),
    ('cp1250', 'Albinele nu dorm iarna, ci se încălzesc una pe alta şi aşteaptă primăvara. Stupul trebuie apărat de vânt şi de ploaie.'),
    ('cp1251 koi8_u', 'Бджоли взимку не сплять, а гріють одна одну і чекають на весну. Вулик треба закрити від вітру, щоб їм було тепло.'),
    ('cp1251 koi8_r cp866', 'Зимой пчёлы не спят, а греют друг друга и ждут весны. Улей надо укрыть от ветра, чтобы им было тепло.'),
    ('cp1252', 'Bletët nuk flenë në dimër, por ngrohin njëra-tjetrën dhe presin pranverën. Koshere duhet të mbulohet që të mos fryjë era brenda.'),
    ('cp1252 iso8859_15 mac_roman cp850', 'Les abeilles ne dorment pas en hiver : elles se réchauffent et attendent le printemps. La ruche doit être protégée.'),
    ('cp1254', 'Arılar kışın uyumaz, birbirini ısıtır ve baharı bekler. Kovanı rüzgârdan korumak gerekir, yoksa üşürler.'),
    ('cp874', 'ผึ้งไม่หลับในฤดูหนาว แต่จะให้ความอบอุ่นแก่กันและรอคอยฤดูใบไม้ผลิ'),
    ('big5', '蜜蜂在冬天不睡覺，牠們互相取暖，等待春天。蜂箱必須遮蓋起來，以免寒風吹入。'),
    ('gb18030', '蜜蜂在冬天不睡觉，它们互相取暖，等待春天。蜂箱必须遮盖起来，以免寒风吹入。'),
    ('shift_jis euc_jp iso2022_jp', 'ミツバチは冬の間も眠らず、互いに温め合いながら春を待っている。巣箱は風から守らなければならない。'),
    ('euc_kr', '꿀벌은 겨울에도 잠들지 않고 서로를 따뜻하게 하며 봄을 기다린다. 벌통은 바람을 막아 주어야 한다.')]

@pytest.mark.parametrize('enc,text', [(e, t) for encs, t in MORE for e in encs.split()])
@pytest.mark.parametrize('made', [str, lambda s: f'{s}\n\n'*50, lambda s: 'Plain lines come first.\n'*3000 + s])
def test_encodings_of_many_languages(enc, text, made): assert decode_bytes(made(text).encode(enc)) == made(text)

@pytest.mark.parametrize('text', ['Add ½ cup of honey and ½ cup of water, and stir it until it is clear; that takes a while.',
                                  'It costs £5, or €6 – “cheap”, he said; it’s 20 °C in the hive all winter long.'])
def test_signs_in_english(text): assert decode_bytes(text.encode('cp1252')) == text

def test_damaged_utf8():
    "A few broken bytes do not turn all other letters into two."
    text = 'Überall blühen Gärten: Bäume, Sträucher, Büsche.\n'*4
    assert decode_bytes(text.encode() + b'Das ist sch\xf6n.\n' + text.encode()) == f'{text}Das ist schön.\n{text}'
    assert decode_bytes((text + 'Ende€').encode()[:-1]) == text + 'Ende\ufffd'

@pytest.mark.parametrize('name,enc', [('iso-8859-1', 'cp1252'), ('ISO-8859-1', 'utf-8'), ('us-ascii', 'cp1252'), ('utf-16', 'utf-8'),
                                      ('utf-16', 'ascii'), ('unicode_escape', 'ascii'), ('rot13', 'ascii'), ('nonsense', 'utf-8')])
def test_what_a_document_says_of_its_encoding(name, enc):
    text = 'It\'s a hive \\u2014.' if enc == 'ascii' else 'It’s a “hive” – with §'
    assert decode_bytes(text.encode(enc), declared=name) == text

def test_front_matter_of_a_notebook(tmp_path):
    front = dict(cell_type='raw', source='---\ntitle: The Hive Book\nauthor: Ann Lee\n---')
    (tmp_path/'a.ipynb').write_text(json.dumps(dict(cells=[front, dict(cell_type='markdown', source='# One\n\ntext')])))
    got = read_file(tmp_path/'a.ipynb')
    assert (got.title, got.meta) == ('The Hive Book', dict(authors=['Ann Lee']))

@pytest.mark.parametrize('name', ['download', 'page.php', 'page.doc', 'a.xls'])
def test_a_web_page_under_another_name(tmp_path, name):
    (tmp_path/name).write_text('<!DOCTYPE html><html><head><title>Bees</title></head><body><h1>Bees</h1><p>at noon')
    got = read_file(tmp_path/name)
    assert (got.kind, got.title, got.pages) == ('html', 'Bees', [(0, '# Bees\n\nat noon\n')])

@pytest.mark.parametrize('name', ['download', 'a.doc', 'a.bin', 'a.txt'])
def test_a_word_file_under_another_name(tmp_path, name):
    with zipfile.ZipFile(tmp_path/name, 'w') as z:
        z.writestr('_rels/.rels', '<r><o Id="m" Type="x/officeDocument" Target="word/document.xml"/></r>')
        z.writestr('word/document.xml', '<d><body><p><r><t>Bees at noon</t></r></p></body></d>')
    assert read_file(tmp_path/name).pages == [(0, 'Bees at noon\n')] and read_file(tmp_path/name).kind == 'docx'

@pytest.mark.parametrize('name', ['download', 'a.txt', 'a.docx.tmp'])
def test_a_pdf_under_another_name(tmp_path, name):
    import pymupdf
    with pymupdf.open() as doc:
        doc.new_page().insert_text((72, 72), 'Bees at noon, and honey for the winter.')
        (tmp_path/name).write_bytes(doc.tobytes())
    got = read_file(tmp_path/name)
    assert got.kind == 'pdf' and 'Bees at noon' in got.pages[0][1]

def test_text_that_speaks_of_a_page_stays_text(tmp_path):
    (tmp_path/'a.txt').write_text('<html> begins a page.')
    assert read_file(tmp_path/'a.txt').kind == 'txt'

def test_xhtml(tmp_path):
    "Elements that end where they begin, and an encoding told by the first line."
    page = '<?xml version="1.0" encoding="iso-8859-2"?><html><head><title/><script src="a"/></head><body><h1>Kůň</h1><p/>běží</body></html>'
    for name in 'a.xhtml', 'a.html':
        (tmp_path/name).write_bytes(page.encode('iso8859-2'))
        assert read_file(tmp_path/name).pages == [(0, '# Kůň\n\nběží\n')]

def test_rst_without_titles_has_no_sections(tmp_path):
    text = 'Notes of Tuesday.\n' + ''.join(f'\n{n} test:\n\nWe ran the pump for an hour, and saw nothing strange.\n' for n in ('First', 'Second', 'Third'))
    (tmp_path/'a.rst').write_text(text)
    got = read_file(tmp_path/'a.rst')
    assert [o.heading_type for o in build_tree(got.pages, mode=got.mode)] == ['root', 'window']
    (tmp_path/'a.rst').write_text('Pump\n====\n' + text)
    got = read_file(tmp_path/'a.rst')
    assert [o.title for o in build_tree(got.pages, mode=got.mode)][1:] == ['Pump']

def test_accent_far_into_the_file():
    text = 'plain words\n' * 20_000 + 'Größe über alles\n'
    assert decode_bytes(text.encode('cp1252')).endswith('Größe über alles\n')

def test_line_ends(): assert decode_bytes(b'a\r\nb\rc\n\r\n') == 'a\nb\nc\n\n'

@pytest.mark.parametrize('raw', [b'\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02', b'\x7fELF\x02\x01\x01' + bytes(40),
                                 bytes(range(256)) * 8,
                                 b'PK\x03\x04\x14\0\0\0\x08\0' + bytes(range(128, 256)) * 3, b'\x01\x02\x03\x04' * 50])
def test_binary_is_refused(raw):
    with pytest.raises(ReadError, match='photo.txt is not text'): decode_bytes(raw, 'photo.txt')

@given(st.binary(max_size=300))
def test_any_bytes_decode_or_refuse(raw):
    try: assert '\r' not in decode_bytes(raw)
    except ReadError: pass

# ---- names

def test_titles(tmp_path):
    assert file_title('a/the_old-mill.v2.md') == 'the old mill.v2'
    assert file_title('U\u0308bung.md') == file_title('\u00dcbung.md') == '\u00dcbung'
    assert file_title('___.md') == '___'

@links
def test_undecodable_name(tmp_path):
    odd = os.fsencode(tmp_path) + b'/caf\xe9.txt'
    with open(odd, 'wb') as f: f.write(b'The stoat runs.')
    [path] = dir2files(tmp_path)
    for name in file_title(path), source_of(path):
        assert r'caf\xe9' in name and json.dumps(name.encode().decode())
    assert read_file(path).pages == [(0, 'The stoat runs.')]

def test_one_source(tmp_path, monkeypatch):
    (tmp_path/'sub').mkdir()
    (tmp_path/'notes.md').write_text('x')
    monkeypatch.chdir(tmp_path)
    assert source_of('notes.md') == source_of('./sub/../notes.md') == source_of(tmp_path/'notes.md')

# ---- reading

@pytest.mark.parametrize('raw', [b'', b' \n\t\n', b'\xef\xbb\xbf', b'\xef\xbb\xbf \n'])
@pytest.mark.parametrize('name', ['a.md', 'a.txt', 'a.rst', 'a.html', 'a.ipynb', 'a.xyz'])
def test_empty(tmp_path, name, raw):
    (tmp_path/name).write_bytes(raw)
    with pytest.raises(ReadError, match=rf'{name}.*(empty|not a notebook)'): read_file(tmp_path/name)

def test_without_text(tmp_path):
    (tmp_path/'a.html').write_text('<html><script>x</script></html>')
    with pytest.raises(ReadError, match='empty'): read_file(tmp_path/'a.html')

def test_kinds_and_unknown_extensions(tmp_path):
    for name in 'a.MD', 'a.log', 'Makefile':
        (tmp_path/name).write_text('# A\n\nx\n')
    assert [read_file(tmp_path/o).kind for o in ('a.MD', 'a.log', 'Makefile')] == ['md', 'log', 'txt']
    assert read_file(tmp_path/'a.MD', kind='note').kind == 'note'
    (tmp_path/'a.bin').write_bytes(bytes(range(256)) * 9)
    with pytest.raises(ReadError, match=r'a\.bin.*no reader for \.bin; known: .*\.md'): read_file(tmp_path/'a.bin')

PAGE = b'<!DOCTYPE html>\n<html><head><title>Bees</title></head><body><h1>Hive</h1><p>A box.</p></body></html>'

@pytest.mark.parametrize('name', ['a.txt', 'a.md', 'a.rst', 'a.pdf', 'a.docx', 'a.xml', 'a.ipynb', 'a.csv', 'a'])
@pytest.mark.parametrize('before', [b'', b'\xef\xbb\xbf', b'\n  ', b'<?xml version="1.0"?>\n<!-- saved -->\n'])
def test_a_web_page_of_another_name(tmp_path, name, before):
    (tmp_path/name).write_bytes(before + PAGE)
    got = read_file(tmp_path/name)
    assert (got.kind, got.title, got.pages) == ('html', 'Bees', [(0, '# Hive\n\nA box.\n')])

@pytest.mark.parametrize('name', ['a.md', 'a.txt', 'a.html', 'a.docx', 'a.epub', 'a.csv', 'a'])
def test_a_pdf_of_another_name(tmp_path, name):
    (tmp_path/name).write_bytes((SAMPLES/'hive-scale-manual.pdf').read_bytes())
    got, own = read_file(tmp_path/name), read_file(SAMPLES/'hive-scale-manual.pdf')
    assert (got.kind, got.title, got.pages) == ('pdf', own.title, own.pages)

@pytest.mark.parametrize('text', [
    '<html> is the tag that a page begins with.', 'A page has <html> and <body>.\n<html><body></body></html>',
    '# Tags\n\n```html\n<!DOCTYPE html>\n<html><body>\n```\n', '%PDF-1.7 is how such a file begins.',
    'PK are the initials of a man.', 'rich text begins with {\\rtf1', '<p>Not a page, only markup.</p>'])
def test_a_text_that_speaks_of_formats_is_text(tmp_path, text):
    for name in 'a.md', 'a.txt':
        (tmp_path/name).write_text(text)
        assert read_file(tmp_path/name).kind == name[2:] and text in read_file(tmp_path/name).pages[0][1]

def test_a_text_that_is_called_a_page_keeps_its_lines(tmp_path):
    (tmp_path/'a.html').write_text('# Hive\n\nA box.\n\n# Smoker\n\nIt is 3 < 4 cans.\n')
    assert titles(tmp_path/'a.html') == [(1, 'Hive'), (1, 'Smoker')] and '3 < 4' in text_of(tmp_path/'a.html')

def test_rich_text_under_another_name_is_refused(tmp_path):
    (tmp_path/'a.txt').write_text('{\\rtf1 Dear all}')
    with pytest.raises(ReadError, match='a.txt.*save it as .docx'): read_file(tmp_path/'a.txt')

def test_packed_files(tmp_path):
    files = {'a.md.gz': b'# A\n', 'b.md': b'# A\n', 'c.html.GZ': PAGE, 'd.gz': PAGE,
             'e.pdf.gz': (SAMPLES/'hive-scale-manual.pdf').read_bytes()}
    for name, raw in files.items(): (tmp_path/name).write_bytes(gzip.compress(raw))
    assert [read_file(tmp_path/name).kind for name in files] == ['md', 'md', 'html', 'html', 'pdf']
    (tmp_path/'f.md.gz').write_bytes(gzip.compress(b'# A')[:-9])
    with pytest.raises(ReadError, match=re.escape(f"{source_of(tmp_path/'f.md.gz')} could not be read")) as e:
        read_file(tmp_path/'f.md.gz')
    (tmp_path/'g.md.gz').write_bytes(gzip.compress(gzip.compress(b' ')))
    with pytest.raises(ReadError, match=re.escape(source_of(tmp_path/'g.md.gz'))): read_file(tmp_path/'g.md.gz')

def test_packed_in_packed_ends(tmp_path):
    (tmp_path/'a.md.gz').write_bytes(gzip.compress(gzip.compress(b'# A')))
    with pytest.raises(ReadError, match='packed by gzip twice'): read_file(tmp_path/'a.md.gz')

def test_a_profile_gets_a_packed_file_as_it_is(tmp_path):
    (tmp_path/'a.dump.gz').write_bytes(gzip.compress(b'# A'))
    own = Profile('dump', parse=lambda path: gzip.decompress(Path(path).read_bytes()).decode() + ' of mine')
    assert text_of(tmp_path/'a.dump.gz').strip() == '# A'
    assert read_file(tmp_path/'a.dump.gz', profile=own).pages[0][1].strip() == '# A of mine'

def test_errors_name_the_file(tmp_path):
    for name, raw in {'a.ipynb': '{', 'a.xml': '<a>', 'b.html': '<div>' * 9000}.items():
        (tmp_path/name).write_text(raw)
        with pytest.raises(ReadError, match=name): read_file(tmp_path/name)
    for path in tmp_path/'no.md', tmp_path:
        with pytest.raises(ReadError, match='could not be read'): read_file(path)

def test_raw_is_used(tmp_path): assert read_file(tmp_path/'never.md', raw=b'# A\n').pages == [(0, '# A\n')]

def test_html_charset(tmp_path):
    page = ('<html><head><meta charset="iso-8859-2"><title>Jaźń</title></head>'
            '<body><p>Zażółć gęślą jaźń</p></body></html>')
    (tmp_path/'a.html').write_bytes(page.encode('iso-8859-2'))
    got = read_file(tmp_path/'a.html')
    assert got.title == 'Jaźń' and 'Zażółć gęślą' in got.pages[0][1]

def test_pictures_in_markdown_are_cut(tmp_path):
    (tmp_path/'a.md').write_text('# A\n\n![p](data:image/png;base64,' + 'iVBOR' * 900 + ')\n\nafter\n')
    assert text_of(tmp_path/'a.md') == '# A\n\n![p](data:image/png;base64,)\n\nafter\n'

def test_front_matter_and_body_stay(tmp_path):
    (tmp_path/'a.md').write_bytes(b'\xef\xbb\xbf---\r\ntitle: x\r\n---\r\n# A\r\n')
    assert text_of(tmp_path/'a.md') == '---\ntitle: x\n---\n# A\n'

def test_one_endless_line(tmp_path):
    (tmp_path/'big.txt').write_text(' '.join(f'w{i}' for i in range(720_000)))
    t = time.thread_time()
    assert text_of(tmp_path/'big.txt').endswith('w719999') and time.thread_time() - t < 5

def test_parsed_in_another_process(tmp_path):
    (tmp_path/'a.rst').write_text('A\n=\n\nx\n')
    with ProcessPoolExecutor(1) as pool: assert pool.submit(read_file,
                                                            tmp_path/'a.rst').result() == read_file(tmp_path/'a.rst')

def test_notebook_pages_are_cells(tmp_path):
    cells = [dict(cell_type='markdown', source='# A'), dict(cell_type='code', source='x = 1')]
    (tmp_path/'a.ipynb').write_text(json.dumps(dict(cells=cells)))
    got = read_file(tmp_path/'a.ipynb')
    assert got.pages == [(1, '# A'), (2, '```python\nx = 1\n```')] and got.mode == 'markdown'
    (tmp_path/'b.ipynb').write_text(json.dumps(dict(cells=cells[1:])))
    assert read_file(tmp_path/'b.ipynb').mode is None

# ---- profiles

def test_profile_comes_before_the_extension(tmp_path):
    path = tmp_path/'a.md'
    path.write_text('hello')
    register_profile(Profile('loud', exts=['MD'], parse=lambda p: p.read_text().upper(), kind='loud', mode='window',
                             chunker=len, meta=repr))
    got = read_file(path)
    assert (got.pages, got.kind, got.mode, got.chunker, got.meta_fn) == ([(0, 'HELLO')], 'loud', 'window', len, repr)
    register_profile(Profile('pages', exts='.md', parse=lambda p: [(3, 'c'), (4, 'd')]))
    assert read_file(path).pages == [(3, 'c'), (4, 'd')], 'the last one registered is asked first'
    assert read_file(path, profile='loud').kind == 'loud'
    assert read_file(path, profile=Profile('mine', mode='verse')).mode == 'verse'

def test_detection_reads_the_beginning_only(tmp_path):
    seen = []
    def detect(text): return seen.append(text) or text.startswith('MAGIC')
    register_profile(Profile('magic', exts='txt', detect=detect, kind='magic'))
    (tmp_path/'a.txt').write_text('MAGIC é\n' + 'word ' * 100_000)
    (tmp_path/'b.txt').write_text('none')
    (tmp_path/'c.md').write_text('MAGIC')
    assert [read_file(tmp_path/o).kind for o in ('a.txt', 'b.txt', 'c.md')] == ['magic', 'txt', 'md']
    assert [len(o) for o in seen] == [60_000, 4]
    find_profile(tmp_path/'a.txt')
    assert len(seen[-1]) == 60_000

def test_unknown_profile_is_listed():
    register_profile(Profile('one'))
    with pytest.raises(ValueError, match="'two' is not registered; registered: .*one"): read_file('a.md', profile='two')

def test_profile_that_fails_names_the_file(tmp_path):
    (tmp_path/'a.md').write_text('x')
    register_profile(Profile('sad', exts='md', parse=lambda p: 1 / 0))
    with pytest.raises(ReadError, match="a.md.*'sad' failed.*division"): read_file(tmp_path/'a.md')

def test_profile_functions_do_not_travel(tmp_path):
    (tmp_path/'a.md').write_text('x')
    register_profile(Profile('local', exts='md', chunker=lambda t: [t], meta=lambda t: {}))
    got = read_file(tmp_path/'a.md')
    back = pickle.loads(pickle.dumps(got))
    assert back.chunker is got.chunker and back.meta_fn is got.meta_fn and back == got

def test_plugins(monkeypatch):
    class Point:
        def __init__(self, name, load): self.name, self.load = name, load
    def broken(): raise ImportError('no such thing')
    points = [Point('bad', broken), Point('good', lambda: Profile('plugged', exts='zzz')),
              Point('more', lambda: lambda: [Profile('p1'), Profile('p2')])]
    monkeypatch.setattr('importlib.metadata.entry_points',
                        lambda group: points if group == 'litesearch.profiles' else [])
    profile._load_plugins.cache_clear()
    try:
        with pytest.warns(UserWarning, match="'bad' did not load"): assert {'plugged', 'p1', 'p2'} <= profiles().keys()
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            profiles()
    finally: profile._load_plugins.cache_clear()

# ---- folders

def tree(root, *names):
    for o in names:
        (root/o).parent.mkdir(parents=True, exist_ok=True)
        (root/o).write_text('text')

def listed(root, *args): return [o.relative_to(root).as_posix() for o in dir2files(root, *args)]

def test_natural_order_and_types(tmp_path):
    tree(tmp_path, 'p10.md', 'p2.MD', 'P1.md', 'x.png', 'ch10/a.txt', 'ch2/b.txt', 'c.PDF', 'noext')
    assert listed(tmp_path) == ['c.PDF', 'ch2/b.txt', 'ch10/a.txt', 'P1.md', 'p2.MD', 'p10.md']
    assert listed(tmp_path, 'txt, png') == listed(tmp_path, ['.TXT', '*.png']) == ['ch2/b.txt', 'ch10/a.txt', 'x.png']
    register_profile(Profile('epub', exts='zzz'))
    tree(tmp_path, 'book.zzz')
    assert 'book.zzz' in listed(tmp_path, None) and 'book.zzz' not in listed(tmp_path)
    with pytest.raises(NotADirectoryError): dir2files(tmp_path/'noext')

def test_default_types():
    assert set(TYPES.split(',')) == set('.pdf .md .markdown .txt .rst .ipynb .xml .tei .htm .html .conllu '
                                       '.docx .pptx .odt .epub'.split())

def test_skipped_folders(tmp_path):
    tree(tmp_path, 'a.md', '.ipynb_checkpoints/a.md', '.git/notes.md', 'node_modules/x/readme.md',
         'b/__pycache__/c.md', '.hidden.md', '~$report.docx')
    assert listed(tmp_path) == ['a.md']

@links
def test_links(tmp_path):
    root, out = tmp_path/'root', tmp_path/'out'
    tree(root, 'a.md', 'sub/b.md', '.store/big.md')
    tree(out, 'secret.md')
    for name, to in {'sub/up': '..', 'sub/self': '.', 'out': '../out', 'secret.md': '../out/secret.md',
                     'twin.md': 'a.md', 'gone.md': 'no.md',
                     'loop.md': 'loop.md', 'kept.md': '.store/big.md',
                     'kept2.md': '.store/big.md'}.items(): (root/name).symlink_to(to)
    assert listed(root) == ['a.md', 'kept.md', 'sub/b.md']
    (tmp_path/'alias').symlink_to('root')
    assert listed(tmp_path/'alias') == ['a.md', 'kept.md', 'sub/b.md']

@links
@pytest.mark.skipif(not hasattr(os, 'geteuid') or os.geteuid() == 0, reason='root may read everything')
def test_unreadable_folder_is_a_warning(tmp_path):
    tree(tmp_path, 'a.md', 'shut/b.md')
    (tmp_path/'shut').chmod(0)
    try:
        with pytest.warns(UserWarning, match='shut'): assert listed(tmp_path) == ['a.md']
    finally: (tmp_path/'shut').chmod(0o755)

# ---- the case files

@cases
def test_case_files():
    assert titles(CASES/'escaped-tags.html') == [(1, 'Tutorial'), (2, 'Next')]
    assert titles(CASES/'six-levels.rst') == list(enumerate('Alpha Bravo Charlie Delta Echoes Foxtrot'.split(), 1))
    assert titles(CASES/'source-string.ipynb') == [(1, 'Whole string'), (2, 'Part'), (2, 'List form')]
    assert titles(CASES/'outputs.ipynb')[:2] == [(1, 'Plot'), (2, 'Data')]
    assert not any(len(w) > 200 for w in text_of(CASES/'outputs.ipynb').split())
    assert titles(CASES/'export-directives.ipynb') == [(1, 'Core'), (2, 'Uses')]
    assert '#|' not in text_of(CASES/'export-directives.ipynb')
    assert 'Ships carry grain.' in text_of(CASES/'comments.conllu') and titles(CASES/'comments.conllu') == []
    assert 'Room # 12' in text_of(CASES/'hash-token.conllu')
    text = text_of(CASES/'utf16-bom.txt')
    assert 'lanterns' in text and 'über' in text and '\0' not in text and '\ufffd' not in text
    for bad in 'empty.md', 'entity-expansion.tei':
        with pytest.raises(ReadError, match=bad): read_file(CASES/bad)

@pytest.mark.skipif(not SHARED.exists(), reason='the corpora are not here')
@pytest.mark.parametrize('corpus,part,most', [('docs-trees', '.rst', 60), ('docs-trees', '.md', 60),
                                              ('office-formats', 'html', 9),
                                              ('office-formats', 'ipynb', 9), ('emanual-qa', '', 1)])
def test_corpus_headings(corpus, part, most):
    rows = [json.loads(o) for o in open(SHARED/'corpora'/corpus/'tree.jsonl', encoding='utf-8')]
    rows = [o for o in rows if (o['doc'].startswith(part + '/') or o['doc'].endswith(part)) and
             (SHARED/'corpora'/corpus/'docs'/o['doc']).exists()]
    want = got = both = 0
    def fold(s): return ''.join(c for c in s.casefold() if c.isalnum())
    for row in rows[::max(1, len(rows) // most)]:
        gold = [(h['level'], fold(h['title'])) for h in row['headings']
                if not h.get('nested') and h.get('in') != ['nav']]
        found = [(n, fold(t)) for n, t in titles(SHARED/'corpora'/corpus/'docs'/row['doc'])]
        if corpus == 'emanual-qa': found = [(n - 1, t) for n, t in found]
        want, got = want + len(gold), got + len(found)
        both += sum(1 for o in gold if o in found)
    assert both >= .98 * want and both >= .98 * got, (both, want, got)

@pytest.mark.parametrize('text', ['\ufeff', '\u200b\n', '\u2060 \u200e', '\0\0'])
def test_invisible_marks_are_no_text(tmp_path, text):
    path, db = tmp_path/'a.md', library()
    path.write_text(text)
    with pytest.raises(ReadError, match='a.md'): db.add_file(path)
    assert db.add_doc(text, title='Note')['chunks'] == 0 and 'skipped' not in db.add_doc('Some words.', title='Note')
    path.write_text('Words on gravel.')
    assert db.add_file(path)['chunks'] == 1 and len(words(db, 'gravel')) == 1

@pytest.mark.parametrize('name', ['a.py', 'b.yaml', 'c.SH'])
def test_comments_of_a_program_are_no_headings(tmp_path, name):
    path = write_files(tmp_path, {name: '# first comment\nx: 1\n\n# second comment\ny: 2\n'})/name
    db = library()
    db.add_file(path)
    assert [n['title'][:5] for n in db.toc()[0]['tree']['children']] == ['Pages']

def test_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv('HOME', str(tmp_path))
    write_files(tmp_path, {'in/a.md': 'Words on gravel.'})
    db = library()
    db.add_file('~/in/a.md')
    assert ['skipped' in r for r in db.add_dir('~/in')] == [True] and len(db.toc()) == 1

# ---- plain text with underlined titles

MANUAL = """Handbook
********

* 1. Start

  * 1.1. Words


Appendices
^^^^^^^^^^

* A. Notes


1. Start
********


1.1. Words
==========

They come first. A table below has drawn lines:

Name      Size
--------- ----
one       1

1.1.1. "Version"
~~~~~~~~~~~~~~~~

# this is no heading

1.1.2. After it
~~~~~~~~~~~~~~~

Not lost in code.


2. End
******

Last words.
"""

def test_underlined_titles_of_plain_text(tmp_path):
    write_files(tmp_path, {'manual.txt': MANUAL})
    assert titles(tmp_path/'manual.txt') == [(1, 'Handbook'), (2, 'Appendices'), (1, '1. Start'), (2, '1.1. Words'),
                                             (3, '1.1.1. "Version"'), (3, '1.1.2. After it'), (1, '2. End')]
    assert '\n    # this is no heading\n' in text_of(tmp_path/'manual.txt')

def test_a_line_below_words_that_stand_apart_is_no_underline(tmp_path):
    table = 'Name  Age Size\n**************\nAnn   12  3\n'
    write_files(tmp_path, {'a.txt': f'{MANUAL}\n{table}', 'b.txt': f'\n{table}'*4})
    assert titles(tmp_path/'a.txt')[-1] == (1, '2. End') and titles(tmp_path/'b.txt') == []

def test_a_line_is_as_long_as_its_title_on_the_screen(tmp_path):
    write_files(tmp_path, {'a.txt': '\n'.join(f'{t}\n{"*"*2*len(t)}\n\n本文。\n' for t in ('概要', '方法', '結論部'))})
    assert titles(tmp_path/'a.txt') == [(1, '概要'), (1, '方法'), (1, '結論部')]

def test_sections_below_tildes_can_be_read(tmp_path):
    write_files(tmp_path, {'manual.txt': MANUAL})
    db = library()
    db.add_file(tmp_path/'manual.txt')
    assert {s['title'] for s in db.sections('lost in code')} == {'1.1.2. After it'}

@pytest.mark.parametrize('text', ['One\n===\n\nTwo\n---\n', 'Dear all\n\n***\n\nYours\n',
                                  'a\n\n~~~\ncode\n~~~\n\nb\n'])
def test_other_texts_stay(tmp_path, text):
    write_files(tmp_path, {'a.txt': text})
    assert text_of(tmp_path/'a.txt') == text

def test_a_text_that_speaks_of_pdf(tmp_path):
    (tmp_path/'note.txt').write_text('%PDF-1.4 is the first line of such a file, says the manual.')
    assert 'says the manual' in read_file(tmp_path/'note.txt').pages[0][1]
