"E-books, written here part by part: sections are those of the book's table of contents, in the places it means."
import io, time, warnings, zipfile
import pytest
from hypothesis import given, settings, strategies as st
from litesearch.core import ReadError
from litesearch.data import read_file
from litesearch.epub import epub_pages, xhtml_tree
from litesearch.section import scan_headings
from support import *

CONTAINER = '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'

def zipped(parts):
    with zipfile.ZipFile(out := io.BytesIO(), 'w', zipfile.ZIP_DEFLATED) as z:
        for name, text in parts.items(): z.writestr(name, text)
    return out.getvalue()

def opf(chapters, items='', spine='', meta='<dc:title>A Book</dc:title>', tail=''):
    listed = ''.join(f'<item id="{o}" href="{o}.xhtml" media-type="application/xhtml+xml"/>' for o in chapters)
    refs = ''.join(f'<itemref idref="{o}"/>' for o in chapters)
    return (f'<?xml version="1.0"?><package xmlns="o"><metadata xmlns:dc="d">{meta}</metadata><manifest>'
            f'{listed}{items}</manifest>'
            f'<spine {spine}>{refs}</spine>{tail}</package>')

def page(body):
    return f'<?xml version="1.0" encoding="utf-8"?><html xmlns="x"><head><title/></head><body>{body}</body></html>'

def links(entries):
    "Nested list of (title, link, entries below)."
    def li(title, href, *below):
        label = f'<a href="{href}">{title}</a>' if href else f'<span>{title}</span>'
        return f'<li>{label}{f"<ol>{links(below)}</ol>" if below else ""}</li>'
    return ''.join(li(*e) for e in entries)

def points(entries):
    def point(title, href, *below):
        return (f'<navPoint><navLabel><text>{title}</text></navLabel><content src="{href}"/>{points(below)}</navPoint>')
    return ''.join(point(*e) for e in entries)

NAV = '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
NCX = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'

def epub(entries, chapters, **more):
    "A book with a navigation document."
    nav = page(f'<nav epub:type="landmarks"><ol><li><a href="x">Wrong</a></li></ol></nav><nav epub:type="toc"><h2>'
               f'Contents</h2><ol>{links(entries)}</ol></nav>')
    return zipped({'mimetype': 'application/epub+zip', 'META-INF/container.xml': CONTAINER,
                   'OEBPS/book.opf': opf(chapters, NAV),
                   'OEBPS/nav.xhtml': nav, **{f'OEBPS/{k}.xhtml': page(v) for k, v in chapters.items()}, **more})

def old_epub(entries, chapters):
    "A book with an NCX file only."
    ncx = (f'<?xml version="1.0"?><!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "x.dtd"><ncx><navMap>'
           f'{points(entries)}</navMap></ncx>')
    return zipped({'META-INF/container.xml': CONTAINER, 'OEBPS/book.opf': opf(chapters, NCX, 'toc="ncx"'),
                   'OEBPS/toc.ncx': ncx,
                   **{f'OEBPS/{k}.xhtml': page(v) for k, v in chapters.items()}})

def text(raw): return epub_pages(raw)[0][0][1]
def heads(raw): return [(h.level, h.title) for h in scan_headings(text(raw))]

TWO = dict(c1='<p class="n">1</p><p>Iron.</p>', c2='<p>Red.</p>')
NAMED = [('Anchors', 'c1.xhtml'), ('Buoys', 'c2.xhtml')]

@pytest.mark.parametrize('make', [epub, old_epub])
def test_titles_from_the_table_of_contents(make):
    assert heads(make(NAMED, TWO)) == [(1, 'Anchors'), (1, 'Buoys')]
    assert text(make(NAMED, TWO)) == '# Anchors\n\n1\n\nIron.\n\n# Buoys\n\nRed.\n'

def test_both_kinds_and_the_better_one_wins():
    raw = epub([], TWO, **{'OEBPS/book.opf': opf(TWO, NAV + NCX, 'toc="ncx"'),
                           'OEBPS/toc.ncx': f'<ncx><navMap>{points(NAMED)}</navMap></ncx>'})
    assert heads(raw) == [(1, 'Anchors'), (1, 'Buoys')]

@pytest.mark.parametrize('make', [epub, old_epub])
def test_nested_entries_and_places_within_a_page(make):
    body = ('<h1>Part One</h1><p>intro</p><div id="a"><h2>Of ropes</h2><p>hemp</p></div><p><a id="b"/>Loose words.</p>'
            '<h3 id="c">The <i>last</i></h3><p>end</p>')
    entries = [('Part One', 'c1.xhtml', ('Of ropes', 'c1.xhtml#a'), ('Loose', 'c1.xhtml#b',
                                                                     ('The last', './c1.xhtml#c'))),
               ('Buoys', 'c2.xhtml')]
    raw = make(entries, dict(c1=body, c2='<p>x</p>'))
    assert heads(raw) == [(1, 'Part One'), (2, 'Of ropes'), (2, 'Loose'), (3, 'The last'), (1, 'Buoys')]
    assert text(raw).startswith('# Part One\n\nintro\n\n## Of ropes\n\nhemp\n\n## Loose\n\nLoose words.\n\n### The '
                                'last\n\nend')

def test_an_entry_without_a_link_stands_over_the_next():
    raw = epub([('Isaacs', None, ('190 A Clover', 'c1.xhtml#s')), ('Buoys', 'c2.xhtml')],
               dict(c1='<section id="s"><h3>190</h3><section><h4>A CLOVER</h4><p>x</p></section></section>',
                    c2='<p>y</p>'))
    assert heads(raw) == [(1, 'Isaacs'), (2, '190 A Clover'), (1, 'Buoys')] and 'CLOVER' not in text(raw)

def test_headings_of_the_page_that_say_more_stay_as_text():
    raw = epub(NAMED, dict(c1='<h1>Anchors, and how to weigh them</h1><p>x</p><h2>Not listed</h2><p># y</p>',
                           c2='<h2>Buoys</h2><p>z</p>'))
    assert text(raw) == ('# Anchors\n\n**Anchors, and how to weigh them**\n\nx\n\n**Not listed**\n\n\\# y\n\n# '
                         'Buoys\n\nz\n')

def test_two_entries_at_one_place():
    raw = epub([('Part I', 'c1.xhtml', ('Anchors', 'c1.xhtml')), ('Buoys', 'c2.xhtml')],
               dict(c1='<h1>Part I</h1><h2>Anchors</h2><p>x</p>', c2='y'))
    assert text(raw) == '# Part I\n\n## Anchors\n\nx\n\n# Buoys\n\ny\n'
    assert text(epub([('Part I', 'c1.xhtml', ('Anchors', 'c1.xhtml')), ('Buoys', 'c2.xhtml')],
                     TWO)).startswith('# Part I\n\n## Anchors\n\n1')

def test_places_in_text_without_headings():
    body = '<p>Before.</p><p id="a">ONE</p><p>First.</p><p><a id="b"/>TWO</p><p>Second.</p><div id="c"><p>Third.</p></div>'
    text = epub_pages(epub([(t, f'c.xhtml#{k}') for t, k in (('One', 'a'), ('Two', 'b'), ('Three', 'c'))], {'c': body}))[0][0][1]
    words = [o.strip('# ') for o in text.split('\n') if o.strip()]
    assert words == ['Before.', 'One', 'ONE', 'First.', 'Two', 'TWO', 'Second.', 'Three', 'Third.']

def test_places_that_are_not_there():
    body = '<h2>One</h2><p>a</p><h2>Two</h2><p>b</p>'
    raw = epub([('One', 'c1.xhtml#gone'), ('Two', 'c1.xhtml#gone2'), ('Three', 'c1.xhtml'), ('Nowhere', 'zz.xhtml'),
                ('Buoys', 'c2.xhtml')],
               dict(c1=body, c2='x'))
    assert text(raw) == '# One\n\n# Three\n\na\n\n# Two\n\nb\n\n# Buoys\n\nx\n'

def test_links_written_in_odd_ways():
    names = {'kapitel eins': '<p>a</p>', 'c2': '<p id="ü">b</p>'}
    raw = epub([('Eins', 'kapitel%20eins.xhtml'), ('Zwei', '../OEBPS/c2.xhtml#%C3%BC')], names)
    assert heads(raw) == [(1, 'Eins'), (1, 'Zwei')]
    wrong = epub([('A', 'text/c1.xhtml'), ('B', 'c2.xhtml')], TWO)   # the folder is not there, the name is
    assert heads(wrong) == [(1, 'A'), (1, 'B')]

def test_without_a_table_of_contents_headings_count():
    chapters = dict(c1='<h1>One</h1><p>a</p><h2>In</h2>', c2='<h1>Two</h1>')
    for raw in (epub([], chapters), old_epub([('Start', 'c1.xhtml')], chapters)):
        assert heads(raw) == [(1, 'One'), (2, 'In'), (1, 'Two')]

def test_a_package_without_a_reading_order():
    files = {'META-INF/container.xml': '<c><rootfile full-path="a.opf"/></c>', 'a.opf': re.sub('<itemref[^>]*>', '', opf('ab')),
             'a.xhtml': page('<p>one</p>'), 'b.xhtml': page('<p>two</p>')}
    assert text(zipped(files)) == 'one\n\ntwo\n'

def test_a_table_of_contents_that_leaves_most_out():
    chapters = {f'c{i}': f'<h1>Chapter {i}</h1><p>x</p>' for i in range(8)}
    assert len(heads(epub([('Cover', 'c0.xhtml'), ('Copyright', 'c1.xhtml')], chapters))) == 8

def test_pages_of_links_and_covers_are_no_sections():
    chapters = dict(cover='<img src="x.png" alt=""/>', **TWO)
    raw = epub(NAMED, chapters, **{'OEBPS/book.opf': opf(['cover', 'nav', *TWO], NAV).replace('href="nav.xhtml" media',
        'href="nav.xhtml" properties="nav" media')})
    assert heads(raw) == [(1, 'Anchors'), (1, 'Buoys')] and 'Contents' not in text(raw)
    guide = '<guide><reference type="toc" href="list.xhtml#x"/></guide>'
    raw = epub(NAMED, dict(list='<p>Anchors ... 1</p>', **TWO), **{'OEBPS/book.opf': opf(['list', *TWO], NAV,
        tail=guide)})
    assert text(raw).startswith('# Anchors')
    alone = page(f'<nav epub:type="toc"><ol>{links([("A", "nav.xhtml#a"), ("B", "nav.xhtml#b")])}</ol></nav><p id="a">'
                 f'{"one " * 200}</p><p id="b">two</p>')
    raw = epub([], {}, **{'OEBPS/book.opf': opf(['nav'], NAV), 'OEBPS/nav.xhtml': alone})
    assert heads(raw) == [(1, 'A'), (1, 'B')] and 'two' in text(raw)

def test_pages_that_are_pictures_keep_their_titles():
    items = NAV + '<item id="p" href="p.svg" media-type="image/svg+xml"/>'
    book = opf(TWO, items).replace('</spine>', '<itemref idref="p"/></spine>')
    raw = epub([*NAMED, ('Chart', 'p.svg')], TWO, **{'OEBPS/book.opf': book,
                                                     'OEBPS/p.svg': '<svg><text>x</text></svg>'})
    assert heads(raw) == [(1, 'Anchors'), (1, 'Buoys'), (1, 'Chart')]

def test_xml_that_a_web_page_would_read_otherwise():
    raw = epub(NAMED, dict(c1='<script src="x"/><p>a<a id="k"/>b</p><div/><p><![CDATA[1 < 2]]></p><m:math><m:mi>'
                           'x</m:mi></m:math>',
                           c2='<p>one<span epub:type="pagebreak" id="p2">2</span> word</p><aside epub:type="footnote">'
                           '<p>Note.</p></aside>'))
    assert text(raw) == '# Anchors\n\nab\n\n1 < 2\n\nx\n\n# Buoys\n\none word\n\nNote.\n'

def test_other_encodings():
    chapter = '<?xml version="1.0" encoding="{}"?><html><body><p>Grüße</p></body></html>'
    for enc in ('utf-16', 'iso-8859-1', 'utf-8-sig'):
        assert 'Grüße' in text(epub(NAMED, TWO, **{'OEBPS/c1.xhtml': chapter.format(enc).encode(enc)}))

def test_no_container_and_other_spellings():
    parts = {'book.OPF': opf(['C1']), 'c1.xhtml': page('<h1>A</h1>')}
    assert heads(zipped(parts)) == [(1, 'A')]
    with pytest.raises(ReadError, match='no e-book'): epub_pages(zipped({'a.xhtml': page('x')}))

def test_a_damaged_chapter_does_not_lose_the_book(tmp_path):
    raw = bytearray(epub(NAMED + [('Cranes', 'c3.xhtml')], dict(TWO, c3='<p>Steel.</p>')))
    at = raw.index(b'OEBPS/c2.xhtml') + len('OEBPS/c2.xhtml')
    raw[at:at + 8] = b'\xff'*8
    (tmp_path/'b.epub').write_bytes(raw)
    with pytest.warns(UserWarning, match='c2.xhtml'): got = read_file(tmp_path/'b.epub')
    assert 'Iron.' in got.pages[0][1] and 'Steel.' in got.pages[0][1] and '# Buoys' in got.pages[0][1]
    assert 'c2.xhtml' in got.meta['damage'][0] and got.mode == 'markdown'
    missing = epub(NAMED, dict(c1='<p>a</p>'), **{'OEBPS/book.opf': opf(TWO, NAV)})
    assert epub_pages(missing)[1]['damage'] == ["its part 'OEBPS/c2.xhtml' is missing"]

def test_a_damaged_table_of_contents_is_noted():
    raw = bytearray(epub(NAMED, dict(c1='<h1>One</h1><p>x</p>', c2='<h1>Two</h1>')))
    at = raw.index(b'OEBPS/nav.xhtml') + len('OEBPS/nav.xhtml')
    raw[at:at + 8] = b'\xff'*8
    assert heads(bytes(raw)) == [(1, 'One'), (1, 'Two')] and 'nav.xhtml' in epub_pages(bytes(raw))[1]['damage'][0]

def test_a_protected_book_says_so():
    lock = ('<encryption><EncryptedData><EncryptionMethod Algorithm="{}"/><CipherData><CipherReference URI="{}"/>'
            '</CipherData></EncryptedData></encryption>')
    aes = lock.format('http://www.w3.org/2001/04/xmlenc#aes256-cbc', 'OEBPS/c1.xhtml')
    with pytest.raises(ReadError, match='DRM'): epub_pages(epub(NAMED, TWO, **{'META-INF/encryption.xml': aes}))
    fonts = lock.format('http://www.idpf.org/2008/embedding', 'OEBPS/font.otf')
    assert heads(epub(NAMED, TWO, **{'META-INF/encryption.xml': fonts})) == heads(epub(NAMED, TWO)) != []

def test_all_that_is_missing_is_an_error():
    with pytest.raises(ReadError, match='c1.xhtml'): epub_pages(zipped({'a.opf': opf(TWO)}))

@pytest.mark.parametrize('name,raw', [
    ('entries', epub([('x', 'c1.xhtml#a')]*20_000, dict(c1='<p id="a">y</p>', c2=''))),
    ('unknown', epub([('h', 'c1.xhtml#z')]*5000, dict(c1='<h1>h</h1><p>y</p>'*5000, c2=''))),
    ('cdata', epub(NAMED, dict(c1='<![CDATA['*100_000, c2='x'))), ('open', epub(NAMED, dict(c1='<a '*100_000, c2='x'))),
    ('ncx', zipped({'a.opf': opf(TWO, NCX), 'toc.ncx': '<navMap>'
                    + '<navPoint><text>a</text><content src="c1.xhtml"/>'*30_000})),
    ('spine', zipped({'a.opf': opf([f'c{i}' for i in range(20_000)])})),
                                      ('deep', epub(NAMED, dict(c1='<div>'*50_000 + 'x', c2='y')))])
def test_hostile_books_end_soon(name, raw):
    start = time.thread_time()
    try: epub_pages(raw)
    except ReadError: pass
    assert time.thread_time() - start < 15

def test_nothing_leaves_the_archive(tmp_path):
    (tmp_path/'in').mkdir()
    (tmp_path/'secret.xhtml').write_text('<p>the safe code</p>')
    book = tmp_path/'in'/'b.epub'
    book.write_bytes(epub([('Out', '../../secret.xhtml'), *NAMED], TWO, **{'../../escaped.txt': 'x', '/abs.txt': 'y'}))
    db = library()
    db.add_file(book)
    assert not words(db, 'safe') and words(db, 'Iron')
    assert sorted(o.name for o in tmp_path.rglob('*') if o.is_file()) == ['b.epub', 'secret.xhtml']

_inline = st.sampled_from(['<p>word</p>', '<h1>A</h1>', '<h3 id="q">B c</h3>', '<div id="r"/>',
                           '<p id="s">t<a name="u"/>v</p>', '# hash',
                           '<table><tr><td id="w"><h2>C</h2></td></tr></table>',
                           '<ul><li id="x">item</li></ul>', '<pre># code</pre>', '<![CDATA[<h1>]]>', '</div>', '<h2>'])

@settings(max_examples=60, deadline=None)
@given(st.lists(_inline, max_size=9).map(''.join),
       st.lists(st.sampled_from(['', '#q', '#r', '#s', '#u', '#w', '#x', '#none']), min_size=2, max_size=6))
def test_every_entry_becomes_a_section_once(body, anchors):
    entries = [(f'Entry{i}', f'c1.xhtml{o}') for i, o in enumerate(anchors)]
    got = heads(epub(entries, dict(c1=body)))
    assert sorted(t for _, t in got) == [f'Entry{i}' for i in range(len(anchors))] and {l for l, _ in got} == {1}
    for word in ('word', 'item', 'hash'): assert (word in text(epub(entries, dict(c1=body)))) == (word in body)

def test_speed_is_linear():
    def took(n):
        raw = epub([(f't{i}', f'c1.xhtml#p{i}') for i in range(n)],
                   dict(c1=''.join(f'<h2 id="p{i}">t{i}</h2><p>{"word " * 30}</p>' for i in range(n)), c2=''))
        return min(_timed(raw) for _ in range(2))
    def _timed(raw):
        start = time.thread_time()
        epub_pages(raw)
        return time.thread_time() - start
    assert took(4000) < 20 * took(500) + .5

def test_who_made_the_book_is_known_and_cited(tmp_path):
    from litesearch.citation import cite_doc, facts_of
    from litesearch.core import database
    about = ('<dc:title>Hive</dc:title><dc:creator id="a">Ann  Lee</dc:creator><dc:creator>Bo Ray</dc:creator>'
             '<dc:publisher>Crane</dc:publisher><dc:date>2019-05-01</dc:date>')
    chapters = {'c1': '<h1>One</h1><p>Bees.</p>'}
    raw = epub([('One', 'c1.xhtml')], chapters, **{'OEBPS/book.opf': opf(chapters, NAV, meta=about)})
    (tmp_path/'hive.epub').write_bytes(raw)
    assert read_file(tmp_path/'hive.epub').meta == dict(authors=['Ann Lee', 'Bo Ray'], publisher='Crane', date='2019-05-01')
    db = database()
    did = db.add_file(tmp_path/'hive.epub', title='Hive')['doc_id']
    assert cite_doc(facts_of(db, [did])[did], 'apa') == 'Lee, A., & Ray, B. (2019). Hive. Crane.'

def test_a_book_that_tells_nothing_has_no_facts(tmp_path):
    (tmp_path/'a.epub').write_bytes(epub([('One', 'c1.xhtml')], {'c1': '<h1>One</h1><p>Bees.</p>'}))
    assert read_file(tmp_path/'a.epub').meta == {}

# --- names of parts

@pytest.mark.parametrize('href, part', [
    ('chapter%201', 'chapter 1'), ('caf%C3%A9', 'caf\u00e9'), ('chapter%201', 'chapter%201'), ('caf%C3%A9', 'caf%C3%A9'),
    ('chapter 1', 'chapter%201'), ('caf%C3%A9', 'cafe\u0301'), ('cafe\u0301', 'caf\u00e9'), ('a%2Bb', 'a+b'), ('100%', '100%'),
    ('50%2525', '50%25'), ('Chapter%201', 'chapter 1')])
def test_names_of_parts_may_be_encoded(href, part):
    ncx = f'<ncx><navMap>{points([("Swarms", f"{href}.xhtml")])}</navMap></ncx>'
    raw = zipped({'META-INF/container.xml': CONTAINER, 'OEBPS/book.opf': opf([href], NCX, 'toc="ncx"'), 'OEBPS/toc.ncx': ncx,
                  f'OEBPS/{part}.xhtml': page('<p>Bees swarm.</p>')})
    assert text(raw) == '# Swarms\n\nBees swarm.\n'

def test_names_in_utf8_that_do_not_say_so():
    raw = zipped({'META-INF/container.xml': CONTAINER, 'OEBPS/book.opf': opf(['caf\u00e9']),
                  'OEBPS/cafXX.xhtml': page('<p>Bees swarm.</p>')})
    assert 'Bees swarm.' in text(raw.replace(b'cafXX', b'caf\xc3\xa9'))

def test_the_exact_name_goes_first():
    raw = zipped({'META-INF/container.xml': CONTAINER, 'OEBPS/book.opf': opf(['a%20b']),
                  'OEBPS/a%20b.xhtml': page('<p>Wrong.</p>'), 'OEBPS/a b.xhtml': page('<p>Right.</p>')})
    assert text(raw) == 'Right.\n'

def test_headings_below_the_table_of_contents():
    body = ('<h1>One</h1><p>a</p><h2>Parts</h2><p>b</p><h3>Floor</h3><p>c</p><h4>Nails</h4><p>d</p><h2>Loud</h2><p>e</p>'
            '<h3>After</h3><p>f</p>')
    book = epub([('One', 'c1.xhtml', ('Parts', 'c1.xhtml#p'))], {'c1': body.replace('<h2>Parts', '<h2 id="p">Parts')})
    found = heads(book)
    assert found == [(1, 'One'), (2, 'Parts'), (3, 'Floor'), (4, 'Nails')], found
    flat = epub([('One', 'c1.xhtml'), ('Two', 'c2.xhtml')], {'c1': body, 'c2': '<h1>Two</h1>'})
    assert heads(flat) == [(1, 'One'), (1, 'Two')]   # a novel's table says nothing about depths
