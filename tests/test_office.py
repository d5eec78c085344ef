"Word files, presentations and OpenDocument texts, written here as raw parts: the headings of the author, no others."
import io, re, time, zipfile
from html import escape
from pathlib import Path
import pytest
from hypothesis import given, settings, strategies as st
from litesearch.archive import Archive, parse_xml, part_name
from litesearch.core import ReadError
from litesearch.data import read_file
from litesearch.docx import docx_pages
from litesearch.odt import odt_pages
from litesearch.pptx import pptx_pages
from litesearch.section import scan_headings

OLE = b'\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'
OFFICE = 'http://schemas.openxmlformats.org'

def zipped(parts):
    with zipfile.ZipFile(out := io.BytesIO(), 'w', zipfile.ZIP_DEFLATED) as z:
        for name, text in parts.items(): z.writestr(name, text)
    return out.getvalue()

def rels(**targets):
    return '<r>' + ''.join(f'<o Id="{i}" Type="{OFFICE}/officeDocument/2006/relationships/{k}" Target="{t}"/>'
                           for i, (k, t) in targets.items()) + '</r>'

def docx(body, main='word/document.xml', ns=f'{OFFICE}/wordprocessingml/2006/main', **parts):
    "A Word file; further parts by what they are for."
    space = f'xmlns:w="{ns}" xmlns:r="{OFFICE}/officeDocument/2006/relationships" xmlns:mc="mc" xmlns:v="v"'
    wrap = lambda xml: re.sub(r'^<w:(\w+)>', rf'<w:\1 {space}>', xml)
    folder, name = main.rsplit('/', 1)
    return zipped({'_rels/.rels': rels(m=('officeDocument', main)),
                   f'{folder}/_rels/{name}.rels': rels(**{o: (o, f'{o}.xml') for o in parts}),
                   main: f'<w:document {space}><w:body>{body}</w:body></w:document>',
                   **{f'{folder}/{o}.xml': wrap(xml) for o, xml in parts.items()}})

def run(text, props=''): return f'<w:r><w:rPr>{props}</w:rPr><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'

def p(content='', style='', props=''):
    "A paragraph of text, or of the XML of runs."
    style = f'<w:pStyle w:val="{style}"/>' if style else ''
    return f'<w:p><w:pPr>{style}{props}</w:pPr>{content if content.startswith("<w:") else run(content)}</w:p>'

def style(sid, name, based='', props='', kind='paragraph', run=''):
    based = f'<w:basedOn w:val="{based}"/>' if based else ''
    return (f'<w:style w:type="{kind}" w:styleId="{sid}"><w:name w:val="{name}"/>{based}<w:pPr>{props}</w:pPr>'
            f'<w:rPr>{run}</w:rPr></w:style>')

def level(n): return f'<w:outlineLvl w:val="{n}"/>'
def styles(*items): return f'<w:styles>{"".join(items)}</w:styles>'
def text(raw, read=docx_pages): return '\n\n'.join(t for _, t in read(raw)[0])
def headings(raw, read=docx_pages): return [(h.level, h.title) for h in scan_headings(text(raw, read))]

# ---- headings of Word files

def test_headings_by_outline_level():
    body = ''.join(p(o, o) for o in ('berschrift1', 'Firma', 'Zwei', 'Inhalt', 'Text', 'Enkel', 'Kreis'))
    found = headings(docx(body, styles=styles(
        style('berschrift1', 'heading 1', props=level(0)), style('Firma', 'ACME Kapitel', 'berschrift1'),
        style('Zwei', 'irgendwie', props=level(1)), style('Inhalt', 'TOC Heading', 'berschrift1', props=level(9)),
        style('Text', 'Normal'), style('Enkel', 'Enkel', 'Firma'), style('Kreis', 'Kreis', 'Kreis'))))
    assert found == [(1, 'berschrift1'), (1, 'Firma'), (2, 'Zwei'), (1, 'Enkel')]

@pytest.mark.parametrize('name', ['Heading 2', 'heading 2', 'Überschrift 2', 'Titre 2', 'Заголовок 2', 'Título 2',
                                  '标题 2',
                                  '見出し 2', 'Nagłówek 2', 'Kop 2', 'Rubrik 2'])
def test_headings_by_name_without_levels(name):
    assert headings(docx(p('A', 'x') + p('b'), styles=styles(style('x', name)))) == [(2, 'A')]

def test_styles_that_are_no_headings():
    names = ['Heading 1 Char', 'Header', 'Subtitle', 'heading', 'Heading 12', 'List Number 2', 'Headline']
    body = ''.join(p(o, f's{i}') for i, o in enumerate(names))
    assert headings(docx(body, styles=styles(*(style(f's{i}', o) for i, o in enumerate(names))))) == []

def test_level_of_the_paragraph_itself():
    styled = styles(style('Heading1', 'heading 1', props=level(0)))
    body = p('Deep', '', level(3)) + p('Not', 'Heading1', level(9)) + p('Odd', '', level(77)) + p('Bad', '', level('x'))
    assert headings(docx(body, styles=styled)) == [(4, 'Deep')]

def test_without_styles_and_with_undefined_ones():
    assert headings(docx(p('A', 'Heading1') + p('B', 'Heading 2'))) == [(1, 'A'), (2, 'B')]
    assert headings(docx(p('A', 'Heading1'), styles=styles(style('N', 'Normal')))) == []

def test_nine_levels_stay_sections():
    body = ''.join(p(f'Level {i}', f'Heading{i}') + p(f'body {i}') for i in range(1, 10))
    assert headings(docx(body)) == [(min(i, 6), f'Level {i}') for i in range(1, 10)]

def test_headings_above_the_first():
    body = p('FIGURES', 'H0') + p('none') + p('Intro', 'H1') + p('x') + p('Detail', 'H2')
    s = styles(style('H0', 'Heading 0', props=level(7)), style('H1', 'heading 1', props=level(0)),
               style('H2', 'heading 2', props=level(1)))
    assert headings(docx(body, styles=s)) == [(1, 'FIGURES'), (2, 'Intro'), (3, 'Detail')]

def test_one_title_is_the_document():
    pages, info = docx_pages(docx(p('Harbour rules', 'Title') + p('Mooring', 'Heading1')))
    assert pages == [(0, 'Harbour rules\n\n# Mooring\n')] and info['title'] == 'Harbour rules'

def test_several_titles_are_parts():
    body = p('One', 'Title') + p('a') + p('In', 'Heading1') + p('Two', 'Title') + p('b')
    assert headings(docx(body)) == [(1, 'One'), (2, 'In'), (1, 'Two')]
    assert headings(docx(p('Long', 'Title') + p('title', 'Title') + p('A', 'Heading1'))) == [(1, 'A')]

def test_headings_in_tables_boxes_and_notes_are_text():
    cell = f'<w:tbl><w:tr><w:tc>{p("Cell", "Heading1")}</w:tc><w:tc>{p("x")}</w:tc></w:tr></w:tbl>'
    box = (f'<w:p><w:r><w:pict><v:textbox><w:txbxContent>{p("Box", "Heading1")}</w:txbxContent></v:textbox></w:pict>'
           f'</w:r></w:p>')
    raw = docx(p('Real', 'Heading1') + cell + box)
    assert headings(raw) == [(1, 'Real')] and '| Cell | x |' in text(raw) and 'Box' in text(raw)

def test_wrapped_paragraphs():
    sdt = lambda o, props='': f'<w:sdt><w:sdtPr>{props}</w:sdtPr><w:sdtContent>{o}</w:sdtContent></w:sdt>'
    body = (sdt(p('A', 'Heading1')) + f'<w:customXml>{p("B", "Heading2")}</w:customXml><w:ins>'
            f'{p("C", "Heading2")}</w:ins>')
    body += f'<w:del>{p("D", "Heading2")}</w:del>' + sdt(p('E', 'Heading1') + p('F'),
                                                         '<w:docPartObj><w:docPartGallery w:val="Table of Contents"/>'
                                                         '</w:docPartObj>')
    assert headings(docx(body)) == [(1, 'A'), (2, 'B'), (2, 'C')]

@settings(max_examples=150, deadline=None)
@given(st.lists(st.text(st.sampled_from('#=-~`> <!|*1.ab\t\\'), max_size=12), max_size=8))
def test_text_never_makes_headings(lines):
    body = ''.join(map(p, lines)) + p('Real', 'Heading1')
    assert headings(docx(body)) == [(1, 'Real')]
    assert headings(docx(p('<w:r>' + '<w:br/>'.join(f'<w:t>{escape(o)}</w:t>' for o in lines) + '</w:r>')
                         + p('Real', 'Heading1'))) == [(1, 'Real')]

@given(st.lists(st.text(st.sampled_from('#=-~`> <!|ab'), max_size=9), min_size=1, max_size=6))
def test_code_is_fenced(lines):
    s = styles(style('C', 'Source Code'))
    body = p('Top', 'Heading1', level(0)) + ''.join(p(o, 'C') for o in lines) + p('Next', 'N', level(1))
    assert headings(docx(body, styles=s)) == [(1, 'Top'), (2, 'Next')]
    assert all(o.strip() in text(docx(body, styles=s)) for o in lines)

def test_code_by_its_font():
    fonts = '<w:fonts><w:font w:name="Zwölf"><w:pitch w:val="fixed"/></w:font></w:fonts>'
    mono = '<w:rFonts w:ascii="Zwölf"/>'
    body = p('prose') + p(run('# not a heading', mono)) + p(run('x = 1', mono)) + p(run('half', mono) + run('half'))
    assert text(docx(body, fontTable=fonts)) == 'prose\n\n```\n# not a heading\nx = 1\n```\n\nhalfhalf\n'
    whole = styles(f'<w:docDefaults><w:rPrDefault><w:rPr>{mono}</w:rPr></w:rPrDefault></w:docDefaults>')
    assert '```' not in text(docx(body, fontTable=fonts, styles=whole))

# ---- text of Word files

@pytest.mark.parametrize('xml,wanted', [
    (run('kept ') + f'<w:ins>{run("new")}</w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>', 'kept new'),
    (f'<w:moveFrom>{run("gone")}</w:moveFrom><w:moveTo>{run("moved")}</w:moveTo>', 'moved'),
    (f'<w:hyperlink w:anchor="x">{run("link")}</w:hyperlink>', 'link'),
    ('<w:r><w:fldChar w:fldCharType="begin"/><w:instrText>REF x</w:instrText><w:fldChar w:fldCharType="end"/></w:r>'
     + run('3'), '3'),
    (f'<w:fldSimple w:instr="DATE">{run("today")}</w:fldSimple>', 'today'),
    ('<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:noBreakHyphen/><w:softHyphen/><w:t>c</w:t></w:r>', 'a\tb-c'),
    ('<w:r><w:sym w:font="x" w:char="00E9"/><w:sym w:char="F0FE"/><w:sym w:char="zz"/><w:t>!</w:t></w:r>', 'é!'),
    (run('seen') + run(' unseen', '<w:vanish/>') + run(' shown', '<w:vanish w:val="0"/>'), 'seen shown'),
    ('<w:r><w:ruby><w:rt><w:r><w:t>kan</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>漢</w:t></w:r></w:rubyBase>'
     '</w:ruby></w:r>', '漢'),
    ('<w:r><mc:AlternateContent><mc:Choice><w:t>new</w:t></mc:Choice><mc:Fallback><w:t>old</w:t></mc:Fallback>'
     '</mc:AlternateContent></w:r>', 'new'),
    ('<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>' + run('Click here') + '</w:sdtContent></w:sdt>'
     + run('x'), 'x'),
    ('<w:smartTag>' + run('Ali') + '</w:smartTag>' + run('ce'), 'Alice')])
def test_text_of_a_paragraph(xml, wanted): assert text(docx(p(xml))) == wanted + '\n'

HIGH = '<w:vertAlign w:val="superscript"/>'

@pytest.mark.parametrize('xml,wanted', [
    (run('10') + run('6', HIGH) + run(' bees'), '10⁶ bees'), (run('on May 1') + run('st', HIGH), 'on May 1st'),
    (run('5 km') + run('2', HIGH), '5 km²'), (run('H') + run('2', HIGH.replace('super', 'sub')) + run('O'), 'H₂O'), (run('the valley') + run('3', HIGH), 'the valley^3'),
    (run('x') + '<w:r><w:sym w:font="Symbol" w:char="F0B0"/><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>', 'x°☑')])
def test_raised_text_and_symbols(xml, wanted): assert text(docx(p(xml))) == wanted + '\n'

def math(tag, **parts): return f'<m:{tag}>' + ''.join(f'<m:{k}><m:r><m:t>{v}</m:t></m:r></m:{k}>' for k, v in parts.items()) + f'</m:{tag}>'

@pytest.mark.parametrize('xml,wanted', [
    (math('sSup', e='c', sup='2'), 'c^2'), (math('sSub', e='x', sub='ij'), 'x_(ij)'), (math('f', num='a', den='b+c'), 'a/(b+c)'),
    (math('d', e='x'), '(x)'), (math('rad', deg='', e='2'), '√2'), (math('nary', sub='i=1', sup='n', e='i'), '∫_(i=1)^ni')])
def test_formulas(xml, wanted):
    body = f'<w:p><w:r><w:t xml:space="preserve">It is </w:t></w:r><m:oMath xmlns:m="m">{xml}</m:oMath></w:p>'
    assert text(docx(body)) == f'It is {wanted}\n'

def test_a_deleted_end_of_paragraph():
    gone = '<w:rPr><w:del/></w:rPr>'
    assert text(docx(p('one ', props=gone) + p('two'))) == 'one two\n'
    assert text(docx(p('one', props=gone))) == 'one\n'

def test_lists_have_their_labels():
    lvl = (lambda i, fmt, txt: f'<w:lvl w:ilvl="{i}"><w:start w:val="1"/><w:numFmt w:val="{fmt}"/><w:lvlText '
           f'w:val="{txt}"/></w:lvl>')
    numbering = ('<w:numbering><w:abstractNum w:abstractNumId="0">' + lvl(0, 'decimal', '%1.')
                 + lvl(1, 'lowerLetter', '(%2)')
                 + lvl(2, 'upperRoman', '%1.%2.%3') + '</w:abstractNum><w:abstractNum w:abstractNumId="1">'
                 + lvl(0, 'bullet', '')
                 + '</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2">'
                 '<w:abstractNumId w:val="1"/></w:num>'
                 '<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/>'
                 '</w:lvlOverride></w:num></w:numbering>')
    item = lambda n, i, t: p(t, props=f'<w:numPr><w:ilvl w:val="{i}"/><w:numId w:val="{n}"/></w:numPr>')
    body = (item(1, 0, 'a') + item(1, 1, 'b') + item(1, 1, 'c') + item(1, 2, 'd') + item(1, 0, 'e') + item(1, 1, 'f')
            + p('between')
            + item(1, 0, '') + item(1, 0, 'g') + item(2, 0, '# h') + item(3, 0, 'i') + item(0, 0, 'j')
            + item(8, 0, 'k'))
    assert text(docx(body, numbering=numbering)) == (
        '1. a\n    (a) b\n    (b) c\n        1.b.I d\n2. e\n    (a) f\n\nbetween\n\n4. g\n- \\# h\n1. i\n\nj\n\nk\n')

def test_numbered_headings_keep_their_words():
    numbering = ('<w:numbering><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/>'
                 '<w:lvlText w:val="%1"/>'
                 '<w:pStyle w:val="H"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
                 '</w:numbering>')
    s = styles(style('H', 'heading 1', props=level(0) + '<w:numPr><w:numId w:val="1"/></w:numPr>'))
    body = p('Scope', 'H') + p('Terms', 'H')
    assert headings(docx(body, styles=s, numbering=numbering)) == [(1, 'Scope'), (1, 'Terms')]

def test_tables():
    tc = lambda o, props='': f'<w:tc><w:tcPr>{props}</w:tcPr>{o}</w:tc>'
    tr = lambda *o, props='': f'<w:tr><w:trPr>{props}</w:trPr>{"".join(o)}</w:tr>'
    inner = f'<w:tbl>{tr(tc(p("in")), tc(p("ner")))}</w:tbl>'
    table = ('<w:tbl>' + tr(tc(p('wide'), '<w:gridSpan w:val="2"/>'), tc(p('c')))
             + tr(tc(p('a|b') + p('# x'), '<w:vMerge w:val="restart"/>'), tc(inner), tc(p('1')))
             + tr(tc(p('hidden'), '<w:vMerge/>'), tc(p('d')), tc(p('2'))) + tr(tc(p('gone')), props='<w:del/>')
             + '</w:tbl>')
    assert text(docx(table)) == '| wide |  | c |\n| --- | --- | --- |\n| a\\|b \\# x | in ner | 1 |\n|  | d | 2 |\n'
    assert text(docx('<w:tbl>' + tr(tc(p('# box'))) + tr(tc(p('more'))) + '</w:tbl>')) == '\\# box\n\nmore\n'

@pytest.mark.parametrize('table', [
    '<w:tr><w:trPr><w:gridBefore w:val="999999999"/></w:trPr><w:tc>{0}</w:tc><w:tc>{0}</w:tc></w:tr>',
    '<w:tr><w:tc><w:tcPr><w:gridSpan w:val="999999999"/></w:tcPr>{0}</w:tc></w:tr>',
    '<w:tr>' + '<w:tc>{0}</w:tc>'*5000 + '</w:tr>' + '<w:tr><w:tc>{0}</w:tc></w:tr>'*5000])
def test_tables_that_claim_to_be_huge(table):
    start = time.thread_time()
    assert len(text(docx(f'<w:tbl>{table.format(p("x"))}</w:tbl>'))) < 200_000 and time.thread_time() - start < 10

def test_notes_follow_their_paragraph():
    note = lambda tag, i, t: f'<w:{tag} w:id="{i}">{p(t)}</w:{tag}>'
    ref = lambda kind, i: f'<w:r><w:{kind}Reference w:id="{i}"/></w:r>'
    raw = docx(p(run('Steel') + ref('footnote', 2), 'Heading1') + p(run('a') + ref('endnote', 2) + ref('footnote', 2)
                                                                    + ref('footnote', 9)),
               footnotes='<w:footnotes>' + note('footnote', 2, '# Old.') + '</w:footnotes>',
               endnotes='<w:endnotes>' + note('endnote', 2, 'End.') + '</w:endnotes>')
    assert headings(raw) == [(1, 'Steel')]
    assert text(raw) == '# Steel\n\n[^2]: \\# Old.\n\na[^e2][^2][^9]\n\n[^e2]: End.\n'

def test_printed_contents_are_left_out():
    s = styles(style('V1', 'toc 1'), style('H', 'heading 1', props=level(0)))
    body = p('<w:r><w:t>Scope</w:t><w:tab/><w:t>7</w:t></w:r>', 'V1') + p('Only styled so', 'V1')
    body += p('Scope', 'H') + p('x')
    assert text(docx(body, styles=s)) == 'Only styled so\n\n# Scope\n\nx\n'

def test_pages_that_word_saw():
    turn, brk = '<w:lastRenderedPageBreak/>', '<w:br w:type="page"/>'
    body = (p('A', 'Heading1') + p(f'<w:r><w:t>one </w:t>{turn}<w:t>two</w:t></w:r>') + p('B', 'Heading1')
            + p(f'<w:r>{brk}</w:r>') + p(f'<w:r>{turn}<w:t>three</w:t></w:r>'))
    assert docx_pages(docx(body))[0] == [(1, '# A\n\none two\n'), (2, '# B\n'), (3, 'three\n')]
    assert docx_pages(docx(p('a') + p(f'<w:r>{brk}</w:r>') + p('b')))[0] == [(0, 'a\n\nb\n')]

def test_other_editions_of_the_format():
    strict = 'http://purl.oclc.org/ooxml/wordprocessingml/main'
    assert headings(docx(p('A', 'Heading1'), ns=strict)) == [(1, 'A')]
    assert headings(docx(p('A', 'Heading1'), main='other/main2.xml')) == [(1, 'A')]
    raw = zipped({'word/document.xml': '<document><body><p><r><t>bare</t></r></p></body></document>'})
    assert text(raw) == 'bare\n'

def test_a_piece_of_html_in_a_word_file():
    raw = docx('<w:altChunk r:id="h"/>')
    z = zipfile.ZipFile(io.BytesIO(raw))
    parts = {n: z.read(n) for n in z.namelist()}
    parts['word/_rels/document.xml.rels'] = rels(h=('aFChunk', 'x.html'))
    parts['word/x.html'] = '<h2>In</h2><p>words'
    assert text(zipped(parts)) == '## In\n\nwords\n' and docx_pages(zipped(parts))[1]['headings'] == 1
    mail = ('MIME-Version: 1.0\nContent-Type: multipart/related; boundary="b"\n\n--b\nContent-Type: text/html; '
            'charset="utf-8"\n'
            'Content-Transfer-Encoding: quoted-printable\n\n<h1>Gr=C3=BC=C3=9Fe</h1>\n--b--\n')
    parts.update({'word/_rels/document.xml.rels': rels(h=('aFChunk', 'x.mht')), 'word/x.mht': mail})
    assert text(zipped(parts)) == '# Grüße\n'
    assert text(zipped({**parts, 'word/x.mht': 'no mail'})) == ''

# ---- presentations

def shape(content, ph=None, kind='sp'):
    place = '' if ph is None else f'<p:ph type="{ph}"/>' if ph else '<p:ph idx="1"/>'
    ps = content if content.startswith('<') else ''.join(f'<a:p><a:r><a:t>{escape(o)}</a:t></a:r></a:p>'
                                                         for o in content.split('\n'))
    return f'<p:{kind}><p:nvSpPr><p:nvPr>{place}</p:nvPr></p:nvSpPr><p:txBody>{ps}</p:txBody></p:{kind}>'

def pptx(*slides, parts=None, links=None, sections=''):
    ns = (f'xmlns:p="p" xmlns:a="a" xmlns:c="c" xmlns:dgm="d" xmlns:mc="mc" '
          f'xmlns:r="{OFFICE}/officeDocument/2006/relationships"')
    n = range(1, len(slides) + 1)
    ids = ''.join(f'<p:sldId id="{255 + i}" r:id="r{i}"/>' for i in n)
    return zipped({'_rels/.rels': rels(m=('officeDocument', 'ppt/presentation.xml')),
                   'ppt/_rels/presentation.xml.rels': rels(**{f'r{i}': ('slide', f'slides/slide{len(slides) - i}.xml')
                                                              for i in n}),
                   'ppt/presentation.xml': f'<p:presentation {ns}><p:sldIdLst>{ids}</p:sldIdLst>'
                   f'{sections}</p:presentation>',
                   **{f'ppt/slides/slide{len(slides) - i}.xml': f'<p:sld {ns}><p:cSld><p:spTree>{o}</p:spTree></p:cSld>'
                      f'</p:sld>'
                      for i, o in zip(n, slides)},
                   **{f'ppt/slides/_rels/slide{len(slides) - i}.xml.rels': rels(**(links or {})) for i in n},
                   **{k: v.replace('NS', ns) for k, v in (parts or {}).items()}})

def test_slides_in_order_with_their_titles():
    pages, info = pptx_pages(pptx(shape('one\ntwo', '') + shape('First', 'title'), shape('# loose'),
                                  shape('Third', 'ctrTitle') + shape('7', 'sldNum'),
                                  '', shape('Fifth', 'title')))
    assert pages == [(1, '# First\n\n- one\n- two\n'), (2, '\\# loose\n'), (3, '# Third\n'), (5, '# Fifth\n')]
    assert info == dict(title='First', headings=3, damage=[])

def test_groups_tables_charts_diagrams_and_notes():
    group = f'<p:grpSp><p:grpSp>{shape("in a group")}</p:grpSp></p:grpSp>'
    old = (f'<mc:AlternateContent><mc:Choice>{shape("new")}</mc:Choice><mc:Fallback>{shape("old")}</mc:Fallback>'
           f'</mc:AlternateContent>')
    cell = lambda t, a='': f'<a:tc {a}><a:txBody><a:p><a:r><a:t>{t}</a:t></a:r></a:p></a:txBody></a:tc>'
    table = ('<p:graphicFrame><a:tbl><a:tr>' + cell('a') + cell('x', 'hMerge="1"') + cell('b') + '</a:tr><a:tr>'
             + cell('1|2') + cell('3') + cell('4') + '</a:tr></a:tbl></p:graphicFrame>')
    frames = ('<p:graphicFrame><c:chart r:id="c"/></p:graphicFrame><p:graphicFrame><dgm:relIds r:dm="d"/>'
              '</p:graphicFrame>')
    parts = {'ppt/charts/c.xml': '<c:chartSpace NS><c:title><a:p><a:r><a:t>Tides</a:t></a:r></a:p></c:title><c:ser>'
             '<c:tx><c:pt idx="0"><c:v>cm</c:v></c:pt></c:tx>'
             '<c:cat><c:pt idx="0"><c:v>May</c:v></c:pt></c:cat><c:val><c:pt idx="0"><c:v>210</c:v></c:pt></c:val>'
             '</c:ser></c:chartSpace>',
             'ppt/diagrams/d.xml': '<dgm:m NS><dgm:pt><a:p><a:r><a:t>Step</a:t></a:r></a:p></dgm:pt><dgm:pt/></dgm:m>',
             'ppt/notes/n.xml': f'<p:notes NS><p:cSld><p:spTree>'
             f'{shape("Say # this", "body")}{shape("3", "sldNum")}</p:spTree></p:cSld></p:notes>'}
    links = dict(c=('chart', '../charts/c.xml'), d=('diagramData', '../diagrams/d.xml'),
                 n=('notesSlide', '../notes/n.xml'))
    (_, got), = pptx_pages(pptx(shape('T', 'title') + group + old + table + frames, parts=parts, links=links))[0]
    assert got == ('# T\n\nin a group\n\nnew\n\n| a |  | b |\n| --- | --- | --- |\n| 1\\|2 | 3 | 4 |\n\nTides\n\n'
                   '|  | cm |\n| --- | --- |\n| May | 210 |\n\n- Step\n\nNotes:\n\nSay # this\n')

def test_levels_of_a_list():
    par = lambda t, props: f'<a:p><a:pPr {props}</a:pPr><a:r><a:t>{t}</a:t></a:r></a:p>'
    ps = par('one', '>') + par('deep', 'lvl="2">') + par('plain', '><a:buNone/>') + par('odd', 'lvl="x">')
    assert pptx_pages(pptx(shape(ps, 'body')))[0] == [(1, '- one\n        - deep\n\nplain\n\n- odd\n')]
    assert pptx_pages(pptx(shape(par('b', '><a:buChar char="o"/>') + par('c', '>'))))[0] == [(1, '- b\n\nc\n')]

def test_sections_of_a_deck():
    part = lambda name, *ids: f'<s:section xmlns:s="s" name="{name}"><s:sldIdLst>' + ''.join(f'<s:sldId id="{i}"/>'
        for i in ids) + '</s:sldIdLst></s:section>'
    slides = [shape(o, 'title') for o in 'ABC']
    assert headings(pptx(*slides, sections=part('In', 256, 257) + part('Out', 258)), pptx_pages) == [
        (1, 'In'), (2, 'A'), (2, 'B'), (1, 'Out'), (2, 'C')]
    assert headings(pptx(*slides, sections=part('Default Section', 256, 257, 258)), pptx_pages) == [(1, o)
        for o in 'ABC']

def test_a_damaged_slide_is_reported():
    good = pptx(shape('A', 'title'), '<broken', shape('C', 'title'))
    pages, info = pptx_pages(good)
    assert [n for n, _ in pages] == [1, 3] and 'slide 2' in info['damage'][0] and 'slide1.xml' in info['damage'][0]
    with pytest.raises(ReadError, match='slide 1'): pptx_pages(pptx('<broken'))

# ---- OpenDocument

def odt(body, auto='', **parts):
    ns = ' '.join(f'xmlns:{o}="{o}"' for o in ('office', 'text', 'table', 'style', 'draw', 'dc'))
    return zipped({'content.xml': f'<office:document-content {ns}><office:automatic-styles>'
                   f'{auto}</office:automatic-styles>'
                                  f'<office:body><office:text>{body}</office:text></office:body>'
                   f'</office:document-content>', **parts})

def t(raw): return text(raw, odt_pages)

def test_odt_headings_and_text():
    raw = odt('<text:p text:style-name="P1">Rules</text:p><text:h text:outline-level="1">Moor<text:span>ing</text:span>'
              '</text:h>'
              '<text:p># one<text:s text:c="2"/>two<text:tab/>x<text:line-break/>===</text:p><text:h '
              'text:outline-level="3"/>'
              '<text:section><text:h text:outline-level="2">In</text:h></text:section><text:tracked-changes><text:p>'
              'old</text:p></text:tracked-changes>'
              '<text:table-of-content><text:index-body><text:p>Mooring 1</text:p></text:index-body>'
              '</text:table-of-content>'
              '<text:p>a<office:annotation><text:p>remark</text:p></office:annotation>b</text:p>',
              '<style:style style:name="P1" style:parent-style-name="Title"/>')
    assert headings(raw, odt_pages) == [(1, 'Mooring'), (2, 'In')]
    assert (t(raw) == 'Rules\n\n# Mooring\n\n\\# one  two\tx\n\\===\n\n## In\n\nab\n' and odt_pages(raw)[1]['title']
            == 'Rules')

def test_odt_lists_tables_and_notes():
    style = ('<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1" '
             'style:num-suffix=")"/>'
             '</text:list-style>')
    item = lambda o: f'<text:list-item>{o}</text:list-item>'
    par = lambda o: f'<text:p>{o}</text:p>'
    raw = odt('<text:list text:style-name="L">' + item(par('a') + par('more') + '<text:list>' + item(par('in'))
                                                       + '</text:list>') + item(par('b'))
              + item('<text:h text:outline-level="1">H</text:h>') + '</text:list>'
              + '<table:table><table:table-header-rows><table:table-row><table:table-cell><text:h '
              'text:outline-level="1">no</text:h></table:table-cell><table:table-cell>'
              + par('x') + '</table:table-cell></table:table-row></table:table-header-rows></table:table>'
              + par('n<text:note><text:note-citation>1</text:note-citation><text:note-body>' + par('Old.')
                    + '</text:note-body></text:note>'),
              style)
    assert t(raw) == '1) a\n   more\n    - in\n2) b\n\n# H\n\n| no | x |\n| --- | --- |\n\nn[^1]\n\n[^1]: Old.\n'

def test_odt_pages_code_and_boxes():
    raw = odt('<text:p>a <text:soft-page-break/>b</text:p><text:p text:style-name="Preformatted_20_Text"># x</text:p>'
              '<text:p text:style-name="Preformatted_20_Text">y</text:p><draw:frame><draw:text-box><text:p>box</text:p>'
              '</draw:text-box></draw:frame>')
    assert odt_pages(raw)[0] == [(1, 'a b\n'), (2, '```\n# x\ny\n```\n\nbox\n')]

# ---- what is wrong with a file

BAD = {
    'cut.docx': docx(p('a'))[:200], 'text.pptx': b'just text', 'empty.odt': zipped({}),
       'none.epub': zipped({'a.txt': 'x'}),
    'old.docx': OLE + bytes(600), 'locked.docx': OLE + 'EncryptedPackage'.encode('utf-16-le'),
       'rich.docx': b'{\\rtf1 hello}',
    'entity.docx': zipped({'word/document.xml': '<!DOCTYPE d [<!ENTITY a "b">]><d><body><p><r><t>&a;</t></r></p>'
                           '</body></d>'}),
    'bomb.docx': zipped({'word/document.xml': b' ' * 50_000_000}), 'deep.docx': docx('<w:tbl><w:tr><w:tc>' * 30_000),
    'deep.odt': odt('<text:list><text:list-item>' * 30_000 + '</text:list-item></text:list>' * 30_000),
    'nested.docx': docx('<w:tbl><w:tr><w:tc>' * 5000 + '</w:tc></w:tr></w:tbl>' * 5000),
    'locked.odt': odt('<text:p>x</text:p>', **{'META-INF/manifest.xml': '<m><encryption-data/></m>'}),
    'sheet.odt': zipped({'content.xml': '<d><body><spreadsheet/></body></d>'}), 'no words.docx': docx(p('')),
    'letter.doc': OLE + bytes(99), 'slides.ppt': OLE + bytes(99), 'table.xlsx': zipped({'x': 'y'}),
       'letter.rtf': b'{\\rtf1 hello}', 'book.mobi': b'BOOK' + bytes(60) + b'MOBI'}

@pytest.mark.parametrize('name', BAD)
def test_a_bad_file_says_what_is_wrong(name, tmp_path):
    path = tmp_path/name
    path.write_bytes(BAD[name])
    start = time.thread_time()
    with pytest.raises(ReadError, match=re.escape(str(path))) as e: read_file(path)
    hints = {'locked': 'password|encrypted', 'old': '97-2003', 'letter': 'save it as .docx',
             'slides': 'save it as .pptx', 'bomb': 'unpacks',
             'table': 'save it as .csv', 'entity': 'entity', 'rich': 'RTF', 'book': 'save it as .epub',
             'nested': 'nest', 'deep': 'nest|well-formed'}
    assert re.search(hints.get(path.stem, ''), str(e.value)) and time.thread_time() - start < 10

@pytest.mark.parametrize('name', ['a.md', 'a.txt', 'a.pptx', 'a.odt', 'a.epub', 'a.pdf', 'a.html', 'a.zip'])
def test_a_word_file_of_another_name(name, tmp_path):
    (tmp_path/name).write_bytes(docx(p('Bees', 'Heading1') + p('hum')))
    got = read_file(tmp_path/name)
    assert (got.kind, got.pages) == ('docx', [(0, '# Bees\n\nhum\n')])

def test_text_with_such_an_extension_is_text(tmp_path):
    for name in 'graph.dot', 'messages.pot', 'server.key':
        (tmp_path/name).write_text('digraph { a -> b }')
        assert read_file(tmp_path/name).pages == [(0, 'digraph { a -> b }')]

def test_damaged_parts_beside_the_text_are_noted(tmp_path):
    (tmp_path/'a.docx').write_bytes(docx(p('A', 'Heading1') + p('b'), styles='<w:styles>', footnotes='<w:footnotes>'))
    with pytest.warns(UserWarning) as seen: got = read_file(tmp_path/'a.docx')
    assert [any(o in str(w.message) for w in seen) for o in ('styles.xml', 'footnotes.xml', 'a.docx')] == [True]*3
    assert got.pages == [(0, '# A\n\nb\n')] and len(got.meta['damage']) == 2

def test_a_flipped_bit_is_noticed():
    raw = bytearray(zipped({'word/document.xml': docx(p('a'))}))
    raw[len(raw) // 3] ^= 255
    with pytest.raises(ReadError, match="'word/document.xml' is damaged"): docx_pages(bytes(raw))

@settings(max_examples=60, deadline=None)
@given(st.data())
def test_mutated_files_end_in_pages_or_a_read_error(data):
    raw, read = data.draw(st.sampled_from([(docx(p('A', 'Heading1')
                                                 + p('b', props='<w:numPr><w:numId w:val="1"/></w:numPr>')),
                                            docx_pages),
                                           (pptx(shape('A', 'title'), shape('b', '')), pptx_pages),
                                           (odt('<text:p>x</text:p>'), odt_pages)]))
    raw = bytearray(raw)
    for _ in range(data.draw(st.integers(1, 6))): raw[data.draw(st.integers(0,
        len(raw) - 1))] = data.draw(st.integers(0, 255))
    try: assert isinstance(read(bytes(raw))[0], list)
    except ReadError: pass

@given(st.text(st.sampled_from('./\\abc%'), max_size=20), st.text(st.sampled_from('./ab'), max_size=9))
def test_part_names_stay_inside(name, base):
    got = part_name(name, base)
    assert not got.startswith('/') and '..' not in got.split('/')

def test_profile_facts_and_kind(tmp_path):
    (tmp_path/'a.pptx').write_bytes(pptx(shape('A', 'title')))
    got = read_file(tmp_path/'a.pptx')
    assert (got.kind, got.title, got.mode, got.pages) == ('pptx', 'A', 'markdown', [(1, '# A\n')])
    (tmp_path/'b.docm').write_bytes(docx(p('CHAPTER I') + p('text')))
    assert (read_file(tmp_path/'b.docm').kind, read_file(tmp_path/'b.docm').mode) == ('docm', None)
