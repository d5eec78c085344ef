"""Readers and builders on damaged and hostile input. `FUZZ=long pytest tests/test_fuzz.py` tries far more, by chance;
`benchmarks/fuzz.py` does so for as long as one likes, each file in a process of its own."""
import json, os, random, time
from pathlib import Path
import pytest
from hypothesis import given, HealthCheck, settings, strategies as st
from fuzzing import *
from litesearch.archive import MAX_TAGS
from litesearch.nested import from_nested
from litesearch.pageindex import pageindex_pages
from litesearch.pages import page_ranges

pytest.importorskip('pymupdf')
LONG = os.environ.get('FUZZ') == 'long'
few = settings(max_examples=3000 if LONG else 8, derandomize=not LONG, deadline=None, database=None,
               suppress_health_check=list(HealthCheck))
SEEDS = seeds()
OTHERS = {k: [b for o, b in SEEDS.items() if Path(o).suffix == Path(k).suffix] for k in SEEDS}

def read(folder, name, raw, **kw):
    "What `check_file` says, under guard."
    (path := folder/name).write_bytes(raw.encode('utf-8', 'surrogatepass') if isinstance(raw, str) else raw)
    with guarded(): return check_file(path, **kw)

@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    "A folder in which nothing but the file itself may be found."
    where = tmp_path_factory.mktemp('fuzz')
    yield where
    assert all(o.is_file() for o in where.iterdir())

@pytest.mark.parametrize('name', SEEDS)
def test_the_seeds_themselves_are_read(name, folder): assert read(folder, name, SEEDS[name]) == 'read'

@pytest.mark.parametrize('name', SEEDS)
@few
@given(number=st.integers(0, 2**40))
def test_damaged_files_are_read_or_refused(name, folder, number):
    read(folder, name, mutated(name, SEEDS[name], random.Random(number), OTHERS[name]))

# ---- hostile on purpose

@pytest.mark.parametrize('trap', TRAPS, ids=lambda o: ascii(o)[1:-1])
def test_long_runs_of_one_thing(trap, folder):
    begun = time.thread_time()
    for name, raw in hostile(trap, 200_000 if LONG else 4000): read(folder, name, raw)
    assert time.thread_time() - begun < (60 if LONG else 3)

BIG = {
    'headings': ('a.md', '# a\n' * 8000), 'deep headings': ('a.md', ''.join('#'*(i % 6 + 1) + f' h{i}\n\nx\n\n' for i in range(3000))),
    'chapters': ('a.txt', ''.join(f'CHAPTER {i}\n\nThe ship.\n\n' for i in range(2000))),
    'one line': ('a.txt', 'anchor ' * 150_000), 'one word': ('a.md', 'a' * 1_000_000), 'quotes': ('a.md', '> ' * 20_000 + 'x\n'),
    'lists': ('a.md', ''.join('  '*i + '- x\n' for i in range(300))), 'verses': ('a.txt', ''.join(f'pada // Mn_{i}.{i} //\n' for i in range(2000))),
    'cells': ('a.ipynb', json.dumps(dict(cells=[dict(cell_type='markdown', source='# a')]*2000))),
    'deep json': ('a.ipynb', '[' * 100_000), 'deep book': ('a.json', '{"chapters":[' * 20_000 + ']}' * 20_000),
    'numbers': ('a.ipynb', '{"cells": [], "n": ' + '9' * 100_000 + '}'),
    'deep html': ('a.html', '<div>' * 50_000 + 'x'), 'deep xml': ('a.xml', '<a>' * 50_000 + 'x' + '</a>' * 50_000),
    'divisions': ('a.tei', '<TEI><text><body>' + '<div n="1"><head>a</head>' * 150 + 'x' + '</div>' * 150 + '</body></text></TEI>'),
    'attributes': ('a.xml', '<a ' + ' '.join(f'a{i}="x"' for i in range(20_000)) + '>x</a>'),
    'names': ('a.xml', '<a>' + ''.join(f'<n{i}>x</n{i}>' for i in range(20_000)) + '</a>'),
    'tokens': ('a.conllu', '# sent_id = 1\n' + '1\tx\t_\t_\t_\t_\t0\t_\t_\t_\n' * 20_000),
    'titles': ('a.rst', ''.join(f'a{i}\n{c*9}\n\nx\n\n' for i in range(1500) for c in '=-~')),
    'marks': ('a.md', '# \u202e\u2066x\u2069\n\n\u200b\ufeff\u0000y\n'), 'NUL': ('a.txt', 'a\0' * 3 + 'word ' * 2000),
    'surrogates': ('a.ipynb', r'{"cells": [{"cell_type": "markdown", "source": "# \ud800 a\n\n\udfff"}]}'), 'half a character': ('a.txt', 'word ' * 50 + '\ud800'),
}

@pytest.mark.parametrize('what', BIG)
def test_large_and_odd(what, folder):
    begun = time.thread_time()
    read(folder, *BIG[what])
    assert time.thread_time() - begun < 10

BOMB = '<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa">' + ''.join(f'<!ENTITY {b} "{f"&{a};"*10}">' for a, b in zip('abcdefgh', 'bcdefghi')) + ']>'
FILE = '<!DOCTYPE d [<!ENTITY i SYSTEM "file:///etc/passwd">]>'

@pytest.mark.parametrize('name', ['a.docx', 'a.pptx', 'a.odt', 'a.epub', 'a.xml', 'tei.xml', 'a.html'])
@pytest.mark.parametrize('dtd', [BOMB, FILE], ids=['bomb', 'file'])
def test_entities_are_not_expanded(name, dtd, folder):
    def spoil(text):
        text = re.sub(rb'^<\?xml.*?\?>|^<!doctype html>', b'', text)
        return dtd.encode() + re.sub(rb'(<\w[^<>]*>)(?=Anchors|Buoys|Moorings|Chains)', rb'\1&i;', text)
    raw = SEEDS[name]
    if raw[:2] == b'PK':
        with zipfile.ZipFile(io.BytesIO(raw)) as z: raw = zipped({o: spoil(z.read(o)) if o != 'mimetype' else z.read(o) for o in z.namelist()})
    else: raw = spoil(raw)
    (path := folder/name).write_bytes(raw)
    with guarded():
        try: text = str(read_file(path).pages)
        except ReadError as e: text = ''
    assert 'root:' not in text and 'aaaaaaaa' not in text.replace('ENTITY a "aaaaaaaaaa"', '')
    if name not in ('a.html', 'a.epub', 'tei.xml'): assert not text  # those know no entity of the document's own

# ---- builders

JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
                    lambda o: st.lists(o, max_size=3) | st.dictionaries(st.sampled_from(
                        'title level children content id start end page structure nodes node_id start_index end_index text line_num doc_name summary '
                        'page_start page_end segments offsets'.split()) | st.text(max_size=3), o, max_size=4), max_leaves=20)

@settings(few, max_examples=20_000 if LONG else 150)
@given(JSON, st.text(max_size=20))
def test_any_tree_of_others_is_read_or_refused(value, text):
    raw = json.dumps(value).encode()
    for do in (from_json, from_pageindex, pageindex_pages, lambda o: from_json(o, [(1, text)]),
               lambda o: from_pageindex(o, [(1, text)]), lambda o: from_nested(value)):
        try: do(raw)
        except ReadError: pass

@pytest.mark.parametrize('s', ['[' * 100_000, '{"a":' * 100_000, '9' * 100_000, '"\\ud800"', 'NaN', '', '\0',
                               '{"title": 1e999}', b'\xff\xfe', b'\xed\xa0\x80'], ids=range(10))
def test_what_is_no_tree_is_refused(s):
    raw = s if isinstance(s, bytes) else s.encode()
    with guarded():
        for do in (from_json, from_pageindex):
            with pytest.raises(ReadError): do(raw)

@settings(few, max_examples=20_000 if LONG else 200)
@given(st.text(st.sampled_from('0123456789,-–— \n.x٣²'), max_size=30))
def test_page_specs(spec):
    try: got = page_ranges(spec)
    except ValueError: return
    assert all(a <= b for a, b in got) and got == sorted(got)

@pytest.mark.parametrize('spec', ['1-999999999', '9' * 5000, '1,' * 20_000 + '1', '-' * 50_000, ' ' * 50_000, '1-' * 50_000])
def test_long_page_specs(spec):
    begun = time.thread_time()
    try: page_ranges(spec)
    except ValueError: pass
    assert time.thread_time() - begun < 1

@settings(few, max_examples=20_000 if LONG else 150)
@given(st.lists(st.tuples(st.integers(0, 9), st.text(st.sampled_from('#*_=-`~>.| \t\n\rIVX1aA[](){}:|/\0\u202e\ud800é漢'), max_size=60)), max_size=3))
def test_any_text_gets_a_tree(pages): check_builders(pages)

# ---- faults that were found so

def test_a_title_of_marks_alone_is_a_title():
    assert [nd.title for nd in build_tree('# # # #\n\nx\n\n# * * *\n\ny')] == ['Document', '#', '* * *']

def test_lines_with_a_wide_margin_are_no_riddle():
    begun = time.thread_time()
    chapter_headings([(0, ''.join('  '*i + '- x\n' for i in range(200)))])
    assert time.thread_time() - begun < 3   # it was 13, all of it for page numbers after a gap

@pytest.mark.parametrize('level, depth', [('9' * 5000, 2), ('²', 2), ('0', 2), ('3', 3), ('٣', 2)],
                         ids=['long', 'raised', 'none', 'three', 'arabic'])
def test_levels_that_are_no_numbers(level, depth, folder):
    (path := folder/'a.html').write_text(f'<div role="heading" aria-level="{level}">Anchors</div><p>Iron.</p>', 'utf-8')
    assert read_file(path).pages == [(0, f'{"#"*depth} Anchors\n\nIron.\n')]

def test_marks_of_the_converter_in_a_page(folder):
    forged = [f'{o}{"9" * 5000}{o}' for o in '\ufdd0\ufdd1']
    assert read(folder, 'a.html', f'<p>a {forged[0]}</p><h1>Anchors</h1><p>{forged[1]}</p><pre>x</pre>') == 'read'

def test_a_title_around_the_page(folder):
    (path := folder/'a.html').write_text('<h1>Harbor <main><p>Iron holds the ship.</p></main></h1>', 'utf-8')
    assert 'Iron holds the ship.' in read_file(path).pages[0][1]

def test_numbers_of_words_without_end(folder):
    nine = '9' * 5000
    (path := folder/'a.conllu').write_text(f'1\tIron\t_\n{nine}\tand\t_\n2-3\tholds\t_\n2\thold\t_\n4-{nine}\t.\t_\n')
    assert read_file(path).pages == [(0, 'Iron holds .\n')]

def test_numbers_of_lines_without_end(folder):
    raw = f'<TEI><text><body><lg><l n="{"9" * 5000}">a</l><l>b</l></lg></body></text></TEI>'
    assert read(folder, 'a.tei', raw) == 'read'

def test_tags_that_would_fill_the_memory(folder):
    raw = zipped({'content.xml': '<a>' + '<p/>' * MAX_TAGS + '</a>'})
    (path := folder/'a.odt').write_bytes(raw)
    assert len(raw) < 20_000
    with guarded(), pytest.raises(ReadError, match='too many tags'): read_file(path)
