"Files made to hurt: small valid ones of every format, what damages them, and a guard that tells what must not happen."
import contextlib, io, json, os, random, re, resource, signal, sys, tempfile, time, warnings, zipfile
from pathlib import Path
from litesearch.chapter import chapter_headings
from litesearch.chunk import chunk_spans
from litesearch.core import ReadError
from litesearch.data import read_file
from litesearch.mdtree import md_to_tree
from litesearch.nested import from_json, to_json
from litesearch.outline import build_tree, detect_mode
from litesearch.pageindex import from_pageindex, to_pageindex
from litesearch.section import assign_chunks_to_sections, find_code_fence_spans, scan_headings, SectionDetector

MEGABYTES, SECONDS = 2500, 60 # what one file may take above what the process holds, and how long


# ---- valid files

def zipped(parts):
    with zipfile.ZipFile(out := io.BytesIO(), 'w', zipfile.ZIP_DEFLATED) as z:
        for name, text in parts.items(): z.writestr(name, text)
    return out.getvalue()

_OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/'

def _rels(**parts):
    return '<r>' + ''.join(f'<o Id="{i}" Type="{_OFFICE}{k}" Target="{t}"/>' for i, (k, t) in parts.items()) + '</r>'

def docx():
    par = lambda text, props='': f'<w:p><w:pPr>{props}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'
    cell = '<w:tc><w:tcPr><w:gridSpan w:val="2"/><w:vMerge/></w:tcPr>' + par('cell') + '</w:tc>'
    body = (par('Anchors', '<w:pStyle w:val="H1"/>') + par('Iron holds.', '<w:numPr><w:ilvl w:val="1"/><w:numId '
            'w:val="1"/></w:numPr>') + f'<w:tbl><w:tr>{cell}{cell}</w:tr></w:tbl>'
            + '<w:p><w:r><w:footnoteReference w:id="2"/><w:fldChar w:fldCharType="begin"/><w:instrText>TOC</w:instrText>'
            '<w:fldChar w:fldCharType="end"/><w:sym w:char="F0B7"/><w:br w:type="page"/></w:r></w:p>')
    ns = f'xmlns:w="{_OFFICE}/wordprocessingml/2006/main" xmlns:r="{_OFFICE[:-1]}"'
    return zipped({
        '_rels/.rels': _rels(a=('officeDocument', 'word/document.xml')),
        'word/_rels/document.xml.rels': _rels(**{k: (k, f'{k}.xml') for k in ('styles', 'numbering', 'footnotes')}),
        'word/document.xml': f'<w:document {ns}><w:body>{body}</w:body></w:document>',
        'word/styles.xml': f'<w:styles {ns}><w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/>'
                           '<w:basedOn w:val="H1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style></w:styles>',
        'word/numbering.xml': f'<w:numbering {ns}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="1"><w:start '
                              'w:val="4"/><w:numFmt w:val="lowerRoman"/><w:lvlText w:val="%1.%2."/></w:lvl>'
                              '</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>',
        'word/footnotes.xml': f'<w:footnotes {ns}><w:footnote w:id="2">{par("Rust.")}</w:footnote></w:footnotes>'})

def pptx():
    ns = f'xmlns:p="p" xmlns:a="a" xmlns:r="{_OFFICE[:-1]}"'
    shape = lambda text, kind: (f'<p:sp><p:nvSpPr><p:nvPr><p:ph type="{kind}" idx="1"/></p:nvPr></p:nvSpPr><p:spPr>'
        f'<a:xfrm><a:off x="10" y="20"/></a:xfrm></p:spPr><p:txBody><a:p><a:pPr lvl="1"/><a:r><a:t>{text}</a:t></a:r></a:p>'
        '</p:txBody></p:sp>')
    table = ('<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr><a:tc gridSpan="3"><a:txBody><a:p><a:r><a:t>x</a:t>'
             '</a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>')
    slide = f'<p:sld {ns}><p:cSld><p:spTree>{shape("Buoys", "title")}{shape("Red.", "body")}{table}</p:spTree></p:cSld></p:sld>'
    return zipped({
        '_rels/.rels': _rels(a=('officeDocument', 'ppt/presentation.xml')),
        'ppt/_rels/presentation.xml.rels': _rels(s1=('slide', 'slides/slide1.xml'), s2=('slide', 'slides/slide2.xml')),
        'ppt/presentation.xml': f'<p:presentation {ns}><p:sldIdLst><p:sldId id="256" r:id="s1"/><p:sldId id="257" '
                                'r:id="s2"/></p:sldIdLst></p:presentation>',
        'ppt/slides/slide1.xml': slide, 'ppt/slides/slide2.xml': slide})

def odt():
    ns = ' '.join(f'xmlns:{o}="{o}"' for o in ('office', 'text', 'table', 'style', 'draw', 'dc'))
    body = ('<text:h text:outline-level="1">Moorings</text:h><text:p>Two<text:s text:c="3"/>ropes<text:tab/>.</text:p>'
            '<text:list><text:list-item><text:p>a</text:p></text:list-item></text:list><table:table><table:table-row>'
            '<table:table-cell table:number-columns-repeated="2"><text:p>b</text:p></table:table-cell>'
            '</table:table-row></table:table>')
    return zipped({'content.xml': f'<office:document-content {ns}><office:body><office:text>{body}</office:text>'
                                  '</office:body></office:document-content>',
                   'meta.xml': f'<office:document-meta {ns}><office:meta><dc:title>Harbor</dc:title></office:meta>'
                               '</office:document-meta>'})

def epub():
    page = lambda body: f'<html xmlns="x"><head><title>t</title></head><body>{body}</body></html>'
    item = lambda o, more='': f'<item id="{o}" href="{o}.xhtml" media-type="application/xhtml+xml" {more}/>'
    return zipped({
        'mimetype': 'application/epub+zip',
        'META-INF/container.xml': '<container><rootfiles><rootfile full-path="O/b.opf"/></rootfiles></container>',
        'O/b.opf': f'<package xmlns="o"><metadata xmlns:dc="d"><dc:title>Book</dc:title></metadata><manifest>{item("c1")}'
                   f'{item("c2")}{item("nav", "properties=" + chr(34) + "nav" + chr(34))}<item id="ncx" href="toc.ncx" '
                   'media-type="application/x-dtbncx+xml"/></manifest><spine toc="ncx"><itemref idref="c1"/><itemref '
                   'idref="c2"/></spine></package>',
        'O/nav.xhtml': page('<nav epub:type="toc"><ol><li><a href="c1.xhtml">Anchors</a><ol><li><a href="c1.xhtml#x">'
                            'Chains</a></li></ol></li><li><a href="c2.xhtml">Buoys</a></li></ol></nav>'),
        'O/toc.ncx': '<ncx><navMap><navPoint><navLabel><text>Anchors</text></navLabel><content src="c1.xhtml"/></navPoint>'
                     '</navMap></ncx>',
        'O/c1.xhtml': page('<h1>Anchors</h1><p>Iron.</p><h2 id="x">Chains</h2><p>Links.</p>'),
        'O/c2.xhtml': page('<h1>Buoys</h1><table><tr><td>Red</td><td>Green</td></tr></table>')})

def pdf(toc=True):
    import pymupdf
    doc = pymupdf.open()
    for title in ('1 Anchors', '2 Buoys'):
        page = doc.new_page()
        page.insert_text((72, 90), title, fontsize=20)
        for i in range(6): page.insert_text((72, 120 + 14*i), f'Iron holds the ship, {i} times of ten. See page 2.')
        page.insert_link({'kind': pymupdf.LINK_GOTO, 'from': pymupdf.Rect(72, 80, 200, 100), 'page': 0})
    if toc: doc.set_toc([[1, '1 Anchors', 1], [1, '2 Buoys', 2]])
    return doc.tobytes(deflate=False)

MARKDOWN = '''---
title: Harbor
---
# Anchors {#a .b}

Iron [holds](x "y") `code` <b>x</b>.

## Chains ##

```python
# no
```

> # quoted
> - item

Setext
======

| a | b |
|---|---|
| 1 | 2 |

<!-- # no -->
[r]: <x> "t"
**Bold line**
'''
BOOK = '\n\n'.join(f'CHAPTER {n}. {t}\n\nThe ship lay at anchor. Chapter 2 shows more of it.'
                   for n, t in zip('I II III IV V'.split(), 'Anchors Buoys Chains Docks Ebb'.split()))
VERSE = ''.join(f'atha nausthānam {i} | dvitīyaḥ pādaḥ || Mn_1.{i} ||\n' for i in range(1, 9))
RST = '''=======
Harbor
=======

Anchors
-------
Iron *holds* `x`_ |s|.

.. code:: python

   # no

.. include:: /etc/passwd
.. _x: http://example.invalid/
.. |s| image:: file:///etc/passwd

====  ====
a     b
====  ====
1     2
====  ====

Literal::

   text
'''
HTML = '''<!doctype html><html><head><meta charset="utf-8"><title>Harbor</title><link href="http://example.invalid/x.css">
</head><body><header><h1>Anchors</h1></header><main><section><h2>Chains</h2><p>Iron <b>holds</b> <a href="#x">x</a>.</p>
<pre><code class="language-python"># no</code></pre><table><tr><th>a</th></tr><tr><td colspan="2">1</td></tr></table><ul><li>one
<ol><li>two</li></ol></li></ul><div role="heading" aria-level="3">Links</div><img src="http://example.invalid/x.png"><details>
<summary>s</summary>d</details><dl><dt>t</dt><dd>d</dd></dl></section></main></body></html>'''
TEI = '''<?xml version="1.0"?><TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>Harbor</title>
</titleStmt></fileDesc></teiHeader><text xml:lang="sa"><body><div type="book" n="1"><head>Anchors</head><div type="chapter" n="1">
<lg n="1"><l n="1">iron holds</l><l n="2">the ship || Mn_1.1 ||</l></lg><p>Links<note>n</note>.</p><milestone unit="card" n="2"/><sp><speaker>A
</speaker><l>x</l></sp></div></div></body></text></TEI>'''
XML = '<article><title>Harbor</title><sec><title>Anchors</title><p>Iron.</p><sec><title>Chains</title><p>x</p></sec></sec></article>'
CONLLU = '''# newdoc id = a
# newpar
# sent_id = 1
# text = Iron holds .
1\tIron\tiron\tNOUN\t_\t_\t2\tnsubj\t_\t_
2-3\tholds\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
2\tholds\thold\tVERB\t_\tA=B|C=D\t0\troot\t_\t_
3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

'''
NOTEBOOK = json.dumps(dict(nbformat=4, nbformat_minor=5, metadata={}, cells=[
    dict(cell_type='markdown', metadata={}, source=['# Anchors\n', 'Iron.']),
    dict(cell_type='code', metadata={}, source='#| export\nx = 1', execution_count=1, outputs=[
        dict(output_type='stream', name='stdout', text=['1\n']),
        dict(output_type='execute_result', data={'text/plain': ['1'], 'text/html': '<b>1</b>'}, metadata={})]),
    dict(cell_type='raw', metadata={}, source='raw')]))
BIBLE = json.dumps(dict(books=[dict(name='Genesis', chapters=[dict(chapter=1, verses=[dict(verse=1, text='In the beginning'),
                                                                                     dict(verse=2, text='And')])])]))
ROWS = json.dumps([dict(book_name='Exodus', chapter=c, verse=v, text='Now') for c in (1, 2) for v in (1, 2)])

def seeds():
    "Name and content of a small valid file of every format."
    texts = {'a.md': MARKDOWN, 'book.txt': BOOK, 'verse.txt': VERSE, 'a.rst': RST, 'a.html': HTML, 'a.xhtml': HTML, 'tei.xml': TEI,
             'a.tei': TEI, 'a.xml': XML, 'a.conllu': CONLLU, 'a.ipynb': NOTEBOOK, 'bible.json': BIBLE, 'rows.json': ROWS}
    return {**{k: v.encode() for k, v in texts.items()}, 'a.docx': docx(), 'a.pptx': pptx(), 'a.odt': odt(), 'a.epub': epub(),
            'marks.pdf': pdf(), 'plain.pdf': pdf(False)}


# ---- damage

TRAPS = [*' -._`[]()<>#*~=+|\\/:,;\'"0189IVXLCivxlcAza\t\n\r\u3000\u00a0॥…·', 'a ', ' \n', '\n\n', '- ', '. ', '> ', '* ', '# ', '[a](', '![', '](', '<!--',
         '<a ', '<b>', '</b>', '<div>', '&amp;', '1.', '1.1.', '_1.1 ', 'Mn_1.1 || ', '// 1.2 ', 'I.', 'I. ', 'CHAPTER ', 'CHAPTER I\n\n', '| ', '| a |\n', ':: ',
         '.. ', '``', '```\n', '~~~\n', '---\n', 'a\n---\n', '# a\n', 'a: b\n', '{#a ', '{.a', '=" ', '"a" ', '[a]: b\n', '. . ', '1 . ', '§ 1 ', 'the ', 'first ', 'one-', 'a-', 'a_', '. 1\n', 'A .... 12\n',
         'Item 1. ', '$', '\u05d0', '\u202e', 'é', 'e\u0301', '漢', '第一章 ', '\U0001f600', '* a\n', '  ', ' \t', '   \n', '1) ', '- - ', '> > ', '\\\n', '&#', '<?', '<![CDATA[', ']]>', '<p', 'href="', '//', '* * ', '_ _', '**a', '__']
ODD = [b'\0', b'\xff\xfe', b'\xfe\xff', b'\xef\xbb\xbf', b'\xed\xa0\x80', '\u202e\u2066'.encode(), '\u200b\ufeff'.encode(), b'\r', b'\x1a', b'\x0c', b'\x1b[31m', b'\x85',
       b'99999999999999999999', b'-1', b'1e999', b'NaN', b'0', b'2147483648', b'"', b"'", b'<', b'>', b'&', b'{', b'[', b']]>', b'\\ud800', b'\\u0000', b'&#0;', b'&#xD800;', b'&#1114112;', b'null', b'true',
       b'<!DOCTYPE a [<!ENTITY b "c">]>', b'<!DOCTYPE a SYSTEM "http://example.invalid/x">', b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>&b;', b'<?xml version="1.0" encoding="utf-7"?>',
       b'<?xml version="1.0" encoding="idna"?>', b'<meta charset="zip_codec">', b'../../../../tmp/x', b'/etc/passwd', b'file:///etc/passwd', b'http://example.invalid/', b'#', b'%00', b'%', b'xmlns=""', b'endobj', b'stream\n',
       b' 0 R', b'/Kids [1 0 R]', b'/Length 9999999999', b'xref', b'trailer', b'BT', b'ET', b'q ', b'Q ', b'/Parent 1 0 R', b'/Count 999999999', b'<<', b'>>']
CODECS = 'utf-16 utf-16-le utf-16-be utf-32 utf-8-sig latin-1 cp1251 shift_jis gb18030 utf-7 cp037'.split()

def _flip(b, r):
    b = bytearray(b)
    for _ in range(r.choice((1, 2, 5, 20, 100))): b[r.randrange(len(b))] = r.randrange(256)
    return bytes(b)

def _cut(b, r): return b[:r.randrange(len(b))] if r.random() < .7 else b[r.randrange(len(b)):]

def _drop(b, r):
    i = r.randrange(len(b))
    return b[:i] + b[i + r.choice((1, 4, 30, 300)):]

def _insert(b, r):
    for _ in range(r.choice((1, 1, 3, 10))):
        i = r.randrange(len(b) + 1)
        b = b[:i] + r.choice(ODD) + b[i:]
    return b

def _repeat(b, r):
    i = r.randrange(len(b))
    part = b[i:i + r.choice((1, 5, 20, 100, 1000))]
    return b[:i] + part*min(r.choice((2, 50, 2000)), 300_000//len(part) + 1) + b[i:]

def _tag(b, r):
    "A piece between two brackets of one kind, many times over, or into each other."
    found = [m.span() for m in re.finditer(rb'<[^<>]{1,200}>|\{[^{}]{1,200}\}|\[[^\[\]]{1,200}\]|[^\n]{1,200}\n', b)]
    if not found: return b
    i, j = r.choice(found)
    return b[:i] + b[i:j]*min(r.choice((3, 100, 3000)), 300_000//(j - i) + 1) + b[j:]

def _numbers(b, r):
    found = [m.span() for m in re.finditer(rb'\d+', b)]
    for i, j in sorted(r.sample(found, min(len(found), r.choice((1, 3)))), reverse=True):
        b = b[:i] + r.choice((b'0', b'-1', b'9'*9, b'9'*20, b'9'*5000, b'1e400', b'65536', b'2147483647', '٣'.encode(), '²'.encode(), b'')) + b[j:]
    return b

def _trap(b, r):
    trap = r.choice(TRAPS).encode()
    i = r.choice((0, len(b), r.randrange(len(b) + 1)))
    return b[:i] + trap*(r.choice((10, 1000, 20_000))//len(trap) + 1) + r.choice((b'', b'x', b'\n', b'\n\nx')) + b[i:]

def _recode(b, r):
    text = b.decode('utf-8', 'replace')
    return text.encode(r.choice(CODECS), 'replace')

def _blank(b, r): return re.sub(r.choice((rb'\n', rb' ', rb'>', rb'"', rb'=')), r.choice((b'', b' ', b'\n', b'\r', b'\0', b'\t')), b)

BYTES = [_flip, _cut, _drop, _insert, _repeat, _tag, _numbers, _trap, _recode, _blank]

def _json(value, r, depth=0):
    "Some of the values of parsed JSON, changed."
    if r.random() < .08: return r.choice((None, True, -1, 1e308, 10**400, '', 'x', '\ud800', [], {}, [[]], {'': ''}, [None], 'a\0b', '# ' * 500, 'y' * 5000, [value]*3, {'text': value}))
    if isinstance(value, dict): return {(r.choice(('', '1', 'text', 'name')) if r.random() < .03 else k): _json(v, r) for k, v in value.items()}
    if isinstance(value, list): return [_json(v, r) for v in value]
    return value

def _zip(b, r, others=()):
    "An archive with some of its parts changed, exchanged, renamed or blown up."
    try:
        with zipfile.ZipFile(io.BytesIO(b)) as z: parts = {o.filename: z.read(o) for o in z.infolist()}
    except Exception: return b
    if not parts: return b
    texts = [k for k in parts if k.endswith(('xml', 'rels', 'opf', 'ncx', 'html'))] or list(parts)
    for _ in range(r.choice((1, 1, 2, 4))):
        name, other, way = r.choice(texts), r.choice(list(parts)), r.random()
        if way < .6 and parts[name]: parts[name] = r.choice(BYTES)(parts[name], r)
        elif way < .7: parts[name], parts[other] = parts[other], parts[name]
        elif way < .75: parts.pop(name, None) if len(parts) > 1 else None
        elif way < .8: parts['../../' + name] = parts['/tmp/fuzz/' + name] = parts[name]
        elif way < .85: parts[name] = parts[name] + r.choice((b' ', b'\0', b'<a>', b'<p>x</p>'))*r.choice((1000, 100_000))
        elif way < .9: parts[name] = b'<!DOCTYPE d [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;">]>' + parts[name]
        elif way < .95: parts[name] = re.sub(rb'(<\w[^<>]*[^/<>]>)([^<]*)', lambda m: m[1]*r.choice((1, 1, 50)) + m[2], parts[name])
        else: parts[name] = _deep(parts[name], r)
        texts = [k for k in texts if k in parts] or list(parts)
    return zipped(parts)

def _deep(b, r):
    "An element that holds itself, and itself again."
    found = [m for m in re.finditer(rb'<(\w[\w:-]*)[^<>/]*>', b)]
    if not found: return b
    m, n = r.choice(found), r.choice((50, 900, 20_000))
    return b[:m.start()] + m[0]*n + b[m.start():m.end()] + b'</' + m[1] + b'>'*1 + (b'</' + m[1] + b'>')*n + b[m.end():]

def mutated(name, b, r, others=()):
    "Content of a file of that name, damaged by chance `r`."
    ext = Path(name).suffix
    for _ in range(r.choice((1, 1, 1, 2, 3))):
        if not b: break
        way = r.random()
        if b[:2] == b'PK' and way < .85: b = _zip(b, r)
        elif ext in ('.json', '.ipynb') and way < .5:
            with contextlib.suppress(ValueError, RecursionError): b = json.dumps(_json(json.loads(b), r)).encode()
        elif ext in ('.xml', '.tei', '.html', '.xhtml') and way < .15: b = _deep(b, r)
        elif others and way < .25:
            o = r.choice(others)
            i, j = r.randrange(len(b) + 1), r.randrange(len(o) + 1)
            b = b[:i] + o[j:j + r.choice((10, 200, 5000))] + b[i + r.choice((0, 0, 100)):]
        else: b = r.choice(BYTES)(b, r)
        b = b[:1_000_000]
    return b

def hostile(trap, n):
    "Name and content of files that are made of one thing."
    text = trap*(n//len(trap))
    for ext in ('md', 'txt', 'rst', 'html', 'conllu'): yield f'a.{ext}', text.encode()
    yield 'a.txt', f'{BOOK}\n\n{text}\n\n{BOOK}'.encode()
    yield 'a.xml', f'<a><head>{xml(text)}</head><p>{xml(text)}</p></a>'.encode()
    yield 'a.ipynb', json.dumps(dict(cells=[dict(cell_type='markdown', source=text)])).encode()

def xml(s): return s.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')


# ---- what must not happen

class Fault(AssertionError): "What a reader must never do."

_watched = None

def _audit(event, args):
    if _watched is None: return
    if event == 'subprocess.Popen' and 'tesseract' in str(args): return  # what OCR can do here is asked once
    if event in ('socket.connect', 'socket.getaddrinfo', 'socket.sendto', 'urllib.Request', 'subprocess.Popen', 'os.system', 'os.exec', 'os.posix_spawn'):
        _watched.append(f'{event} {args}')
    if event == 'open' and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        if not re.search(r'\.pyc|/dev/null', str(args[0])) and not isinstance(args[0], int): _watched.append(f'opens {args[0]} for writing')

sys.addaudithook(_audit)

def _memory():
    return int(Path('/proc/self/statm').read_text().split()[0])*os.sysconf('SC_PAGE_SIZE') if sys.platform == 'linux' else None

@contextlib.contextmanager
def guarded(seconds=SECONDS, megabytes=MEGABYTES):
    "Within this: no noise, no network, no file written, bounded time and memory."
    global _watched
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if now := _memory(): resource.setrlimit(resource.RLIMIT_AS, (now + megabytes*2**20, hard))
    def late(*args): raise Fault(f'longer than {seconds} s')
    before = signal.signal(signal.SIGALRM, late)
    sys.stdout.flush(), sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    with tempfile.TemporaryFile() as noise:
        for fd in (1, 2): os.dup2(noise.fileno(), fd)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        seen = _watched = []
        try:
            with warnings.catch_warnings():
                warnings.simplefilter('ignore')
                yield
            sys.stdout.flush(), sys.stderr.flush()
        finally:
            _watched = None
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            for fd, old in zip((1, 2), kept):
                os.dup2(old, fd)
                os.close(old)
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        noise.seek(0)
        said = noise.read(500)
    if seen: raise Fault('; '.join(seen[:5]))
    if said: raise Fault(f'prints {said!r}')

def check_builders(pages, mode=None, kinds=None):
    "What is built from pages keeps its promises, whatever the pages say."
    tree = build_tree(pages, 'Document', mode=mode, kinds=kinds)
    texts = dict(reversed(pages))
    for nd in tree:
        assert nd.title and len(nd.title) <= 100, nd.title
        assert all(t == texts[p][o:o + len(t)] for (p, t), o in zip(nd.segments, nd.offsets)) or len(texts) < len(pages)
    assert detect_mode(pages) in ('verse', 'markdown', 'chapter', 'window')
    for i, h in chapter_headings(pages): assert 0 <= h.start <= h.end <= len(pages[i][1])
    text = '\n\n'.join(t for _, t in pages)
    for h in scan_headings(text): assert h.title and 0 <= h.start <= h.end <= len(text)
    spans = find_code_fence_spans(text)
    assert spans == sorted(spans)
    sections = SectionDetector().detect_sections(text)
    assign_chunks_to_sections([(i, i + 500) for i in range(0, len(text), 500)], sections)
    js = to_json(tree)
    assert to_json(from_json(js)) == js
    if text.strip(): from_pageindex(to_pageindex(tree, pages, text=True), pages)
    md_to_tree('\n' + text, if_thinning=True, if_add_node_summary=True, if_add_node_text=True)

def check_file(path, builders=True):
    "Read a file; returns 'read' or 'refused', anything else is an error."
    try: got = read_file(path)
    except ReadError as e:
        assert str(e)
        return 'refused'
    assert got.pages and all(isinstance(n, int) and isinstance(t, str) for n, t in got.pages)
    if builders: check_builders(got.pages, got.mode, got.kinds)
    return 'read'
