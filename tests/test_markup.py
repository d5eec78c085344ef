"HTML, reStructuredText, XML, notebooks and CoNLL-U as markdown: every heading of the source, and no other."
import json, re, time
from html import escape
from pathlib import Path
import pytest
from hypothesis import given, settings, strategies as st
from litesearch.core import ReadError
from litesearch.data import read_file
from litesearch.html import html_markdown, html_page
from litesearch.markup import (atx, conllu_text, fence, notebook_pages, push_right, put_backslash,
                               xml_markdown, xml_page)
from litesearch.rst import rst_markdown, rst_outline
from litesearch.section import scan_headings
from support import least

SHARED = Path(__file__).resolve().parents[2]/'shared'
corpora = pytest.mark.skipif(not SHARED.exists(), reason='the corpora are not here')

def headings(md): return [(o.level, ' '.join(o.title.split())) for o in scan_headings(md)]

# ---- lines

@pytest.mark.parametrize('line', ['# a', '   ## b', '---', '  ===  ', '```', '~~~~ x', '<!-- a', '<div>', '#', '<?x',
                                  '</p>'])
@pytest.mark.parametrize('defuse', [push_right, put_backslash])
def test_defused_lines(line, defuse):
    after = '\n\n# Real\n'
    assert headings('text\n' + defuse(line) + after) == headings('text\n\n' + defuse(line) + after) == [(1, 'Real')]

@pytest.mark.parametrize('line', ['#hash', '    # four', 'a # b', '- - x', '1 < 2', '``', '= ='])
def test_plain_lines_stay(line): assert push_right(line) == put_backslash(line) == line

@given(st.text(st.sampled_from('`~#a \n'), max_size=30))
def test_fence_holds_anything(code): assert headings('# A\n\n' + fence(code) + '\n\n# B\n') == [(1, 'A'), (1, 'B')]

@pytest.mark.parametrize('title', ['C#', 'F##', 'plain', 'x # y'])
def test_title_ends_in_hashes(title): assert headings(atx(2, title)) == [(2, title)]

# ---- reStructuredText

_pieces = ['Title', 'Ab', 'A longer title here', '====', '----', '~~~~', '==', '--', '=====================',
           '-----------------',
           '', '', '', '  indented', '    more', '- item', '- ', '1. one', '2. two', '3. three', '#. auto',
           'a. alpha', 'b. beta',
           'i. roman', 'ii. roman', '(1) p', '.. note:: x', '.. comment', '..', '.. _t: http://x', '.. _bad',
           '__ http://y',
           '.. [1] foot', '.. |s| image:: x', '   :opt: v', ':field: v', '-a  option', '-a', '--long=x  desc',
           '>>> 1', '| line',
           '|', '+---+---+', '| a | b |', '+===+===+', '=====  =====', 'a      b', 'para::', '::', '> quoted', '> q2',
           '# hash',
           '```', '<!-- x', 'term', '  def', '...', '::::', '\\::', '"""""', '[x]: y', '\tTab',
           '.. include:: /etc/passwd',
           '.. role:: x(raw)', '   :format: html', 'I. foo', 'v. five', 'vi. six', '漢字漢字', '``lit`` title',
           '*em* |s|', ' over']
_rst = st.lists(st.sampled_from(_pieces), min_size=1, max_size=22).map('\n'.join)

def docutils_outline(text):
    "Level and source of each section title, by docutils' whole parser."
    from docutils import frontend, nodes, utils
    from docutils.parsers.rst import Parser
    conf = frontend.get_default_settings(Parser)
    conf.report_level = conf.halt_level = 5
    conf.file_insertion_enabled = conf.raw_enabled = conf.warning_stream = False
    doc = utils.new_document('x', conf)
    Parser().parse(text, doc)
    def depth(o): return 1 + depth(o.parent) if isinstance(o, nodes.section) else 0
    return [(depth(o), o[0].rawsource.strip()) for o in doc.findall(nodes.section)]

def source_titles(text):
    "The same from `rst_outline`, the title taken from its line."
    lines = [o.expandtabs(8).strip() for o in re.sub('[\v\f]', ' ', text).splitlines()]
    return [(level, lines[end - 2]) for _, end, level, _ in rst_outline(text)]

@settings(max_examples=400, deadline=None)
@given(_rst)
def test_rst_is_docutils(text):
    assert source_titles(text) == docutils_outline(text)
    assert headings(rst_markdown(text)) == headings('\n'.join(atx(o[2], o[3]) for o in rst_outline(text)))

@corpora
def test_rst_is_docutils_on_peps():
    for path in sorted((SHARED/'corpora/docs-trees/docs/peps').rglob('*.rst'))[::40]:
        text = path.read_text(encoding='utf-8')
        assert source_titles(text) == docutils_outline(text), path.name

@settings(max_examples=200, deadline=None)
@given(_rst)
def test_rst_loses_no_line(text):
    md, titles = rst_markdown(text), {i for a, b, _, _ in rst_outline(text) for i in range(a, b)}
    for o in reversed(scan_headings(md)): md = md[:o.start] + md[o.end:]
    kept = [o for i, o in enumerate(text.split('\n')) if i not in titles]
    assert [o.strip() for o in md.split('\n') if o.strip()] == [o.strip() for o in kept if o.strip()]

def test_rst_levels_and_titles():
    text = ('#####\nBook\n#####\n\nUse :pep:`8` and `a link <http://x>`_\n'
            '=====================================\n\n``__init__``\n------------\n')
    assert [o[2:] for o in rst_outline(text)] == [(1, 'Book'), (2, 'Use PEP 8 and a link'), (3, '`__init__`')]
    deep = ''.join(f'T{i}\n{c * 3}\n\n' for i, c in enumerate('=-~^"\'+*'))
    assert [o.level for o in scan_headings(rst_markdown(deep))] == [1, 2, 3, 4, 5, 6, 6, 6]

def test_rst_skipped_level_is_text():
    md = rst_markdown('A\n=\n\nB\n-\n\nC\n~\n\nD\n=\n\nE\n~\n\nF\n-\n')
    assert [t for _, t in headings(md)] == ['A', 'B', 'C', 'D', 'F'] and 'E\n' in md

def test_rst_reads_no_file_and_prints_nothing(tmp_path, capfd):
    secret = tmp_path/'secret.txt'
    secret.write_text('Secret\n======\n')
    for name in '.. include::', '.. csv-table::\n   :file:', '.. raw:: html\n   :file:', '.. literalinclude::':
        assert 'Secret' not in rst_markdown(f'{name} {secret}\n\n:unknownrole:`x` |nosub|_ `bad\n\n.. unknown:: y\n')
    assert capfd.readouterr() == ('', '')

@pytest.mark.parametrize('unit', ['- item\n', '#. x\n', 'T\n=\n', ':a: b\n', 'p::\n\n> q\n\nx\n\n', '| a\n',
                                  'ab\n b\n', '==  ==\n', '\\', '`'])
def test_rst_is_linear(unit):
    def seconds(n):
        t = time.thread_time()
        rst_outline(unit * (n // len(unit)))
        return time.thread_time() - t
    assert least(seconds, 120_000, 2) < 12 * least(seconds, 30_000) + .5

# ---- HTML

_words = ['# fake', '---', '===', '```', '~~~', '<!-- x', 'plain words', 'a | b', '1. one', '- item', '> q',
          '    # four', '<script>',
          '*', 'x *y* _z_', '\\', '[a]: b', '<div>', '---\ntitle: x', '#', '`', '``` py', 'C#', 'a\nb', '漢字', '\u200b']
_text = st.lists(st.sampled_from(_words), min_size=1, max_size=3).map(lambda o: escape('\n'.join(o)))
_titles = st.sampled_from(['One', 'Two words', 'C#', 'x < y', '# hash', '--- dash', 'Über', 'a | b', 'the `code`'])

def _heading(level, title, role):
    if role: return f'<div role=heading aria-level={level}>{escape(title)}</div>'
    return f'<h{level}>{escape(title)}</h{level}>'

_head = st.builds(lambda l, t, r: (_heading(l, t, r), [(l, t)]), st.integers(1, 6), _titles, st.booleans())
_leaf = st.one_of(_head, *(_text.map(lambda t, f=f: (f.format(t), [])) for f in
                           ('<p>{}</p>', '<pre>{}</pre>', '<pre><code class="language-py">{}</code></pre>',
                            '<p>a<br>{}</p>', '{}',
                            '<p><b>{}</b> <code>x</code></p>', '<blockquote><p>{}</p><h2>quoted</h2></blockquote>')))

def _box(form, inner): return lambda parts: (form.format(''.join(inner.format(o[0]) for o in parts)),
                                             [h for o in parts for h in o[1]])
_page = st.recursive(_leaf, lambda kids: st.one_of(*(st.lists(kids, min_size=1, max_size=3).map(_box(f, i)) for f, i in
                     (('<div>{}</div>', '{}'), ('<ul>{}</ul>', '<li>{}</li>'),
                      ('<table><tr>{}</tr></table>', '<td>{}</td>'),
                      ('<section>{}</section>', '{}'), ('<dl>{}</dl>', '<dd>{}</dd>')))), max_leaves=8)

@settings(max_examples=400, deadline=None)
@given(st.lists(_page, min_size=1, max_size=4))
def test_html_headings_exactly(parts):
    page = ''.join(o[0] for o in parts)
    md, wanted = html_markdown('<body>' + page)[1], [h for o in parts for h in o[1]]
    if page.count('<section>') > 1: assert [t for _, t in headings(md)] == [t for _, t in wanted], md   # levels may sink
    else: assert headings(md) == wanted, md

def test_html_main_content():
    title, md = html_markdown('''<html><head><title> The
      page </title><style>x{}</style></head><body><header><a href=/>Home</a></header><nav><h2>Menu</h2></nav>
      <main><article><header><h1>Duck<a class=headerlink href=#d>¶</a></h1></header>
      <p>It <a href="/wiki/Quack">quacks</a>.</p>
      <h2>Food<span class="mw-editsection">[edit]</span></h2><table><tr><th>A<th>B<tr><td>1<td>2</table>
      <img src="data:image/png;base64,AAAA" alt="A drake"></article></main>
      <footer><h2>Imprint</h2></footer><script>x()</script>''')
    assert title == 'The page' and headings(md) == [(1, 'Duck'), (2, 'Food')]
    assert '| 1 | 2 |' in md and 'quacks' in md and 'A drake' in md
    for gone in 'Home', 'wiki', 'base64', 'Imprint', 'x()', 'edit', '¶': assert gone not in md

def test_html_main_headings_of_inner_sections():
    inner = '<section><h1>B</h1><p>b</p><section><header><h1>C</h1></header><h2>D</h2></section></section>'
    assert headings(html_markdown(f'<article><h1>A</h1>{inner}<section><h1>E</h1></section></article>')[1]) == [
        (1, 'A'), (2, 'B'), (3, 'C'), (4, 'D'), (2, 'E')]
    flat = '<section><h1>A</h1></section><section><h1>B</h1><h2>C</h2></section><div><h1>D</h1></div>'
    assert headings(html_markdown(flat)[1]) == [(1, 'A'), (1, 'B'), (2, 'C'), (1, 'D')]
    assert headings(html_markdown(f'<section><h1>A</h1><section><h2>B</h2></section></section>')[1]) == [(1, 'A'), (2, 'B')]

def test_html_page_header_with_title_stays():
    assert headings(html_markdown('<header><h1>T</h1></header><p>x</p><h2>U</h2>')[1]) == [(1, 'T'), (2, 'U')]

def test_html_empty_main_falls_back():
    assert 'words' in html_markdown('<main></main><div>' + '<p>All the words.</p>' * 9 + '</div>')[1]

WORDS = '<p>' + 'All the words of the text. ' * 9 + '</p>'

def test_html_what_is_around_the_text():
    page = ('<aside><h2>Ad</h2></aside><div role=banner><h2>Log in</h2></div><div style="color:red; display: none"><h2>'
            'Unseen</h2></div>'
            '<span aria-hidden=true>icon</span><article><h1>T</h1><aside><h2>Note</h2>kept</aside>' + WORDS
            + '<aside><h2>More</h2><a>one link</a><a>another link</a></aside><footer><a>share</a></footer></article>')
    md = html_markdown(page)[1]
    assert headings(md) == [(1, 'T'), (2, 'Note')] and 'kept' in md
    for gone in 'Ad', 'Log in', 'Unseen', 'icon', 'More', 'share': assert gone not in md

@pytest.mark.parametrize('box', ['<aside>{}</aside>', '<footer>{}</footer>', '<div style="display:none">{}</div>',
                                 '<div aria-hidden=true>{}</div>'])
def test_html_most_of_the_text_is_never_around_it(box):
    assert 'All the words' in html_markdown(f'<p>little</p>{box.format(WORDS)}')[1]

def test_html_side_columns_of_links_go_however_long():
    links = ''.join(f'<a>Chapter {i} of the manual</a> ' for i in range(99))
    md = html_markdown(f'<aside><h2>Menu</h2>{links}</aside><h1>T</h1><p>little</p><p hidden>no</p><p '
                       f'hidden=until-found>yes</p>')[1]
    assert headings(md) == [(1, 'T')] and 'yes' in md and 'Chapter' not in md and 'no\n' not in md

@pytest.mark.parametrize('box', ['nav', 'aside', 'header', 'footer', 'div hidden'])
def test_html_boxes_around_the_text_in_each_other(box):
    end = box.split()[0]
    page = f'<{box}>x' * 50 + f'</{end}>' * 50 + '<h1>T</h1>' + WORDS
    assert headings(html_markdown(page)[1]) == [(1, 'T')] and 'xx' not in html_markdown(page)[1].replace('\n', '')

def test_html_title_before_the_main_element():
    page = '<header><h1>Site</h1></header><div><h1>Title</h1></div><main>' + WORDS + '<h2>A</h2></main><h1>Later</h1>'
    assert headings(html_markdown(page)[1]) == [(1, 'Title'), (2, 'A')]
    assert headings(html_markdown('<h1>Site</h1><main><h1>Own</h1>' + WORDS + '</main>')[1]) == [(1, 'Own')]

@pytest.mark.parametrize('around', ['<header>{}</header>', '<section>{}</section>', '<hgroup>{}<p>sub</p></hgroup>',
                                    '<a href="x">{}</a>', '<b>{}</b>',
                                    '<table><tr><td>{}<td>x</table>', '<ul><li>{}<li>x</ul>',
                                    '<details><summary>{}</summary>x</details>',
                                    '<dl><dt>{}<dd>x</dl>', '<ul><li><code>{}'])
def test_html_headings_in_anything(around):
    assert headings(html_markdown(around.format('<h2>Here</h2>') + '<p>x</p><h3>Next</h3>')[1]) == [(2, 'Here'),
        (3, 'Next')]
    role = around.format('<div role=heading aria-level=2>Here</div>')
    assert headings(html_markdown(role + '<p>x</p>')[1]) == [(2, 'Here')]

def test_html_details_definitions_and_mathematics():
    md = html_markdown('<details><summary>More</summary><p>inside</p></details><dl><dt>Term<dd>Meaning</dl><math><mi>'
                       'x</mi><mo>=</mo><mn>2</mn></math>')[1]
    for kept in 'More', 'inside', 'Term', 'Meaning', 'x=2': assert kept in md

@pytest.mark.parametrize('html,text', [
    ('10<sup>6</sup> cells', '10⁶ cells'), ('10<sup>−6</sup> m', '10⁻⁶ m'), ('5 km<sup>2</sup>', '5 km²'), ('1<sup>st</sup>', '1st'),
    ('The valve<sup><a href="#f2">2</a></sup> opens', 'The valve[2] opens'), ('The valve<a href="#f"><sup>2</sup></a>', 'The valve[2]'),
    ('The valve<sup class="reference"><a href="#c">[1]</a></sup>', 'The valve[1]'), ('valve<sup>3</sup>', 'valve^3'),
    ('The valve<a epub:type="noteref" href="#n">3</a> opens', 'The valve[3] opens'),
    ('The valve<a role="doc-noteref" href="#n"><sup>3</sup></a>', 'The valve[3]'), ('See page <a href="#p">3</a>', 'See page 3'),
    ('1<sup>1</sup>/<sub>2</sub> cups', '1 1/2 cups'), ('H<sub>2</sub>O', 'H₂O'), ('<b>2</b><sup>10</sup>', '**2**¹⁰')])
def test_html_raised(html, text): assert html_markdown(f'<p>{html}</p>')[1].strip() == text

@pytest.mark.parametrize('html,text', [
    ('x<sup>2</sup> + y<sup>n+1</sup>', 'x² + yⁿ⁺¹'), ('x<sup>2k</sup>', 'x^(2k)'), ('e<sup>x</sup>', 'e^x'),
    ('Ca<sup>2+</sup> and Cl<sup>−</sup>', 'Ca²⁺ and Cl⁻'), ('SO<sub>4</sub><sup>2−</sup>', 'SO₄²⁻'), ('(a + b)<sup>2</sup>', '(a + b)²'),
    ('4 mol<sup>−1</sup> year<sup>-1</sup>', '4 mol⁻¹ year⁻¹'), ('2<sup>0.5</sup>', '2^0.5'), ('log<sub>10</sub> x<sub>i</sub>', 'log₁₀ xᵢ'),
    ('T<sub>max</sub>', 'Tmax'), ('M<sup>me</sup> Roy, 2<sup>e</sup>, n<sup>o</sup> 4', 'Mme Roy, 2e, no 4'), ('Sun<sup>TM</sup>', 'SunTM'),
    ('emissions<sup>12</sup> were', 'emissions^12 were'), ('in spring.<sup>3</sup> Then', 'in spring.³ Then'), ('bees<sup>*</sup>', 'bees*'),
    ('<sup>3</sup> See there', '3 See there'), ('5 <sup>3</sup>', '5 3'), ('<i>E</i> = <i>mc</i><sup>2</sup>', '*E* = *mc*²')])
def test_html_powers_charges_and_indices(html, text): assert html_markdown(f'<p>{html}</p>')[1].strip() == text

def test_html_formulas():
    tex = '<annotation encoding="application/x-tex">{\\displaystyle a+b}</annotation>'
    math = f'<math alttext="no"><semantics><mrow><mi>a</mi></mrow>{tex}</semantics></math>'
    shown = [f'<span class="mwe-math-element"><span style="display: none">{math}</span><img aria-hidden="true" alt="x"></span>',
             f'<span class="katex"><span class="katex-mathml">{math}</span><span class="katex-html" aria-hidden="true">a+b</span></span>',
             '<span class="MathJax_Preview">p</span><span class="MathJax"><nobr>a+b</nobr></span><script type="math/tex">a+b</script>',
             '<math alttext="a+b"><mi>a</mi></math>']
    for o in shown: assert html_markdown(f'<p>The sum {o} holds.</p>')[1] == 'The sum $a+b$ holds.\n'
    assert 'mc^2' in html_markdown('<math><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></math>')[1]

@pytest.mark.parametrize('inner', ['<div>one</div><div>two</div>', '</code><code>one</code><code>two', '<ol><li>one</li><li>two</li></ol>', 'one\ntwo', 'one<br>two',
                                   '<span class="ln">1</span>one\n<span class="ln">2</span>two<button>Copy</button>',
                                   '<table><tr><td>one</td></tr><tr><td>two</td></tr></table>'])
def test_html_lines_of_code(inner):
    button = '<button class="copybtn" title="Copy">Copy</button>'
    assert html_markdown(f'<pre><code>{inner}</code></pre>{button}')[1] == '```\none\ntwo\n```\n'

def test_html_dialogs_and_signs_that_link_to_a_heading():
    page = '<title>Guide — Site</title><a class="skip-link" href="#m">Skip</a><h1>Guide<a class="x" href="#g">¶</a></h1><p>A bee is an insect.</p>'
    facts, md = html_page(page + '<div role="dialog"><h2>We use cookies</h2></div>')
    assert facts['title'] == 'Guide' and md == "# Guide\n\nA bee is an insect.\n"

@pytest.mark.parametrize('tag', ['div', 'font', 'ul><li', 'table><tr><td', 'span'])
@pytest.mark.parametrize('n', [10, 400, 900])
def test_html_that_nests_deep_keeps_its_text(tag, n):
    page = '<h1>Top</h1>' + ''.join(f'<{tag}>word{i} ' for i in range(n)) + '<h2>Inner</h2>end'
    md = html_markdown(page)[1]
    assert all(f'word{i}' in md for i in range(n)) and headings(md) == [(1, 'Top'), (2, 'Inner')] and 'end' in md

@pytest.mark.parametrize('box', ['label', 'span', 'a', 'b', 'font', 'div', 'center', 'em'])
@pytest.mark.parametrize('inner', ['div', 'p', 'section', 'blockquote', 'figure', 'address'])
def test_html_blocks_inside_of_words_do_not_run_into_the_text(box, inner):
    words = re.findall('[a-z]+', html_markdown(f'<div><{box}>aaa <{inner}>bbb</{inner}></{box}>ccc</div>')[1])
    assert words == ['aaa', 'bbb', 'ccc']

@pytest.mark.parametrize('gap', ['', '\n  '])
def test_html_a_list_beside_the_items_of_a_list(gap):
    page = f'<ul><li>a</li>{gap}<ul><li>b</li>{gap}<ol><li>c</li></ol></ul><li>d</li></ul>'
    assert html_markdown(page)[1] == '- a\n  * b\n    1. c\n- d\n'

@pytest.mark.parametrize('title,heads,told', [
    ('Drop - The Book', '<h1>The Book</h1><h2>Drop</h2>', 'Drop'), ('Bees | Site', '<h1>Bees</h1><h2>Bees</h2>', 'Bees'),
    ('Chapter 3: Bees — Book', '<h1>Bees</h1><h2>Chapter 3</h2>', 'Bees'), ('Site', '<h1>Site</h1><h2>Site</h2>', 'Site'),
    ('Drop - The Book', '<h1>The Book</h1><h2>Other</h2>', 'The Book'), ('A - B', '<h2>A</h2>', 'A - B')])
def test_html_title_of_a_page(title, heads, told):
    assert html_page(f'<title>{title}</title>{heads}<p>text')[0]['title'] == told

def test_html_links_without_words_leave_nothing():
    assert html_markdown('<p>Run<a href="https://play.org/?code=1" title="Run code"></a> it</p><a href="x"> </a>')[1] == 'Run it\n'

def test_html_forged_marks():
    md = html_markdown('<h1>A</h1><p>&#xfdd0;0&#xfdd0;</p><p>x &#xfdd1;7&#xfdd1;</p>')[1]
    assert '\ufdd1' not in md and headings(md)[0] == (1, 'A')

@pytest.mark.parametrize('unit', ['<div>', '<b>', '<blockquote>', '<font><a>'])
def test_html_depth_is_refused(unit):
    with pytest.raises(ReadError, match='nests more than'): html_markdown(unit * 100_000)

@pytest.mark.parametrize('unit', ['<p>word', '<', '<h2>T</h2>', '<li><h3>a</h3>', '<tr><td>a', '<pre>x</pre>',
                                  '<p a=', '&amp;'])
def test_html_is_linear(unit):
    t = time.thread_time()
    html_markdown(unit * (300_000 // len(unit)))
    assert time.thread_time() - t < 8

@pytest.mark.parametrize('page', ['', ' ', '<', '<h1></h1>', '<html></html>', '<frameset><frame>', '\ufdd0',
                                  '<pre></pre>', '<table>'])
def test_html_odd_pages(page): assert headings(html_markdown(page)[1]) == []

# ---- XML, notebooks, CoNLL-U

def test_xml_heads():
    tei = ('<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><title>No head</title></teiHeader>'
           '<text><body><div><head>One <hi>two</hi></head>'
           '<p>a</p><div1><head>Deep</head><l>x</l><l>y</l></div1></div>'
           '<div><head>Next</head><p># no</p></div></body></text></TEI>')
    md = xml_markdown(tei.encode())
    assert headings(md) == [(1, 'One two'), (2, 'Deep'), (1, 'Next')] and 'x\n\ny' in md

@pytest.mark.parametrize('more', [dict(metadata=None), dict(metadata=dict(kernelspec=None, language_info=None)), {}])
def test_notebooks_with_nothing_where_something_is_usual(more):
    cells = [dict(cell_type='markdown', source=None), dict(cell_type='code'), dict(cell_type='markdown', source='# A\r\rtext\r\n## B')]
    assert notebook_pages(json.dumps(dict(cells=cells, nbformat=4, **more))) == [(3, '# A\n\ntext\n## B')]

@pytest.mark.parametrize('enc,text', [('GB2312', '蜜蜂在冬天不睡觉'), ('Shift_JIS', '蜜蜂は冬に眠らない'), ('Big5', '蜜蜂在冬天'), ('EUC-KR', '꿀벌은 겨울에도'),
                                      ('KOI8-R', 'Пчёлы не спят'), ('windows-1257', 'Bitės žiemą'), ('UTF-16', 'Größe')])
def test_xml_in_any_encoding(enc, text):
    page = f'<?xml version="1.0" encoding="{enc}"?>\n<a><p>{text}</p></a>'
    assert xml_markdown(page.encode(enc)) == f'{text}\n'
    assert xml_markdown(b'\n  ' + page.encode('utf-8')) == f'{text}\n', 'a wrong name, and a declaration that is not first'

@pytest.mark.parametrize('raw,text', [
    ('<a>Q & A, a < b</a>', 'Q & A, a < b'), ('<a>AT&T &amp; &#38; &#x26;</a>', 'AT&T & & &'), ('<a>a\x0bb</a>', 'a b'),
    ('<!DOCTYPE book PUBLIC "-//OASIS//DTD" "http://x/y.dtd"><a>one&mdash;two&nbsp;&unknown;</a>', 'one—two'),
    ('<a>one&mdash;two</a>', 'one—two'), ('<a><![CDATA[<b> & c]]></a>', '\\<b> & c'),
    ('<p>A <emphasis>hive</emphasis> is a <literal>box</literal>.</p>', 'A hive is a box.')])
def test_xml_that_is_nearly_right(raw, text): assert xml_markdown(raw.encode()).strip() == text

def test_xml_of_articles_and_manuals():
    jats = (b'<article><front><abstract><title>Abstract</title><p>Short.</p></abstract></front><body><sec><title>One</title><p>10</p>'
            b'</sec></body><back><ref-list><title>References</title></ref-list></back></article>')
    assert [(o.level, o.title) for o in scan_headings(xml_markdown(jats))] == [(2, 'Abstract'), (2, 'One'), (2, 'References')]
    code = b'<chapter><title>Run</title><programlisting># make\n\n  all</programlisting></chapter>'
    assert xml_markdown(code) == '# Run\n\n```\n# make\n\n  all\n```\n'

def test_titles_of_xml():
    assert xml_page(b'<article><front><article-title>A <italic>hive</italic></article-title></front><p>x</p></article>')[0] == 'A hive'
    assert xml_page(b'<book><title>Bees</title><chapter><title>One</title></chapter></book>')[0] == 'Bees'
    assert xml_page(b'<p>x</p>') == ('', 'x\n')

def test_xml_encoding_and_errors():
    assert 'Größe' in xml_markdown('<?xml version="1.0" encoding="iso-8859-1"?><a><p>Größe</p></a>'.encode('latin-1'))
    assert 'Größe' in xml_markdown('<a>Größe</a>'.encode('utf-16'))
    for bad in (b'no element', b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
                b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'):
        with pytest.raises(ReadError): xml_markdown(bad)

def test_notebook_forms():
    cells = [dict(cell_type='markdown', source='# One'), dict(cell_type='markdown', source=''),
             dict(cell_type='code', source=['#| export\n', '# c\n', '```']),
             dict(cell_type='code', source='#| hide'), dict(cell_type='raw', source='---\ntitle: x\n---'),
             dict(cell_type='code', source='x', outputs=[dict(data={'image/png': 'A' * 500})])]
    pages = notebook_pages(json.dumps(dict(cells=cells, metadata=dict(language_info=dict(name='julia')))))
    assert [n for n, _ in pages] == [1, 3, 5, 6] and pages[1][1] == '````julia\n# c\n```\n````'
    assert [h for _, t in pages for h in headings(t)] == [(1, 'One')] and 'AAAA' not in str(pages)

@pytest.mark.parametrize('bad', ['', '{', '[]', '{"cells": null}', '{"cells": [3]}', '[' * 99_999,
                                 '{"metadata": 3, "cells": []}'])
def test_notebook_broken(bad):
    with pytest.raises(ReadError, match='not a notebook'): notebook_pages(bad)

def test_conllu():
    text = ('# newdoc id = d1\n# sent_id = s1\n# text = Ships carry grain.\n1\tShips\tship\n\n'
            '# sent_id = s2\n1-2\tdel\t_\n1\tde\t_\n2\tel\t_\n'
            '3\tmar\tSpaceAfter=No\n3.1\tgone\t_\n4\t.\t_\n\n# newpar\n1\t#\t_\n2\t12\t_\n')
    assert conllu_text(text) == 'Ships carry grain.\ndel mar.\n\n\\# 12\n' and headings(conllu_text(text)) == []

# ---- XML that is none

BROKEN = {
    'unclosed in a line': ('<doc><p>A <hi>hive</p><p>A box.</p></doc>', 'A hive\n\nA box.\n'),
    'unclosed division': ('<doc><div><head>One</head><p>a</p><div><head>Two</head><p>b</p></div></doc>', '# One\n\na\n\n## Two\n\nb\n'),
    'cut off': ('<doc><div><head>One</head><p>first</p><p>second <hi rend="x', '# One\n\nfirst\n\nsecond <hi rend="x\n'),
    'end of nothing': ('<doc><p>one</b> two</p></doc>', 'one two\n'), 'two roots': ('<p>one</p><p>two</p>', 'one\n\ntwo\n'),
    'crossed': ('<doc><p><b>one <i>two</b> three</i></p></doc>', 'one two three\n'),
    'attributes': ('<doc n=1 n=2 wide><p a="<x>">one</p></doc>', None),
    'unknown entity and open': ('<!DOCTYPE d SYSTEM "x.dtd"><d><p>caf&eacute; &unknown; <b>x</p></d>', 'café x\n'),
    'comment never ends': ('<d><p>one</p><!-- two <p>three</p></d>', 'one\n')}

@pytest.mark.parametrize('name', BROKEN)
def test_broken_xml_is_read_as_far_as_it_goes(name, tmp_path):
    given, text = BROKEN[name]
    (tmp_path/'a.xml').write_text(given)
    got = read_file(tmp_path/'a.xml')
    assert text is None and 'one' in got.pages[0][1] or got.pages == [(0, text)]
    assert 'not well-formed' in got.meta['warnings'][0]

def test_broken_edition_keeps_its_sections(tmp_path):
    (tmp_path/'a.xml').write_text('<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><title>Bees</title></teiHeader><text><body>'
        '<div n="1"><head>One</head><p>A <hi>hive.</p></div><div n="2"><head>Two</head><p>A box & more.</p></div></body></text></TEI>')
    got = read_file(tmp_path/'a.xml')
    assert [o.title for o in scan_headings(got.pages[0][1])][-2:] == ['1: One', '2: Two'] or '# ' in got.pages[0][1]
    assert 'A box & more.' in got.pages[0][1] and got.title == 'Bees' and got.meta['warnings']

@pytest.mark.parametrize('unit', ['<a', '<a>', '<a "', '</b>', '<!--', '<?', '<![CDATA[', '<!DOCTYPE [', '<a b=\'', '<a b=c d', '&', '<a></b>'])
def test_broken_xml_takes_no_longer_for_being_broken(unit):
    start = time.thread_time()
    for text in '<d>' + unit * 60_000, '<d>' + unit + 'x' * 300_000:
        try: xml_markdown(text.encode())
        except ReadError: pass
    assert time.thread_time() - start < 8
