"The line scanner against CommonMark: own examples, real files and random soup, with markdown-it-py as the referee"
import re, time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st
from markdown_it import MarkdownIt

from litesearch import blocks
from litesearch.outline import build_tree, detect_mode
from litesearch.section import (
    SectionDetector, _md_lines, assign_chunks_to_sections, assign_chunks_to_sections_overlap, bold_headings, clean_title,
    compute_section_content_hash, find_code_fence_spans, html_headings, scan_headings, text_hash)

shared = Path(__file__).parents[2] / 'shared'
referee = MarkdownIt('commonmark')
referee.core.ruler.disable(['inline', 'text_join'])


def expected(text):
    "`(level, first line, last line + 1)` of the titled headings at the document's own level"
    tokens = referee.parse(text)
    return [(int(a.tag[1]), *a.map) for a, b in zip(tokens, tokens[1:])
            if a.type == 'heading_open' and a.level == 0 and b.content.strip()]


def found(text):
    "The same by `scan_headings`; the lines of each heading must be whole"
    out = []
    for h in scan_headings(text):
        assert not h.start or text[h.start-1] in '\r\n'
        assert h.end == len(text) or text[h.end-1] in '\r\n'
        s = text.replace('\r\n', ' \n').replace('\r', '\n')
        out.append((h.level, s.count('\n', 0, h.start), s.count('\n', 0, h.end) + (s[h.end-1] != '\n')))
    return out


def titles(text): return [h.title for h in scan_headings(text)]


# Each line: what it shows, a text, the titles in it
examples = [
    ('levels', '# a\n## b\n### c\n#### d\n##### e\n###### f\n####### g', 'a|b|c|d|e|f'),
    ('space needed', '#a\n#\tb\n#\u00a0c\n#\u2003d\n#', 'b'),
    ('escaped', '\\# a\n\\## b', ''),
    ('indent', '# a\n ## b\n  # c\n   # d\n\n    # e\n\n\t# f\n \t# g', 'a|b|c|d'),
    ('continuation', 'p\n    # e', ''),
    ('closing hashes', '# a #\n## b ######\n# c ##  \n# d \\#\n# e#\n# f # g\n## #\n### ###', r'a|b|c|d \#|e#|f # g'),
    ('interrupts a paragraph', 'p\n# a\nq', 'a'),
    ('setext', 'a\n=\nb\n---\n  c  \n  ==  \nd\n-', 'a|b|c|d'),
    ('setext over lines', 'a\nb \n   c\n===', 'a b c'),
    ('setext underline', 'a\n= =\n\nb\n--- -\n\nc\n    ===\n\nd\n\t---', ''),
    ('no paragraph', '---\n\n===\n\n# a\n---\n\n    code\n---', 'a'),
    ('underlined underline', '===\n===', '==='),
    ('code, then text', '    code\na\n===', 'a'),
    ('rules', '***\n* * *\n- - -\n___\na\n***\nb\n_ _ _', ''),
    ('fence', '```\n# a\n```\n~~~ x\n# b\n~~~\n# c', 'c'),
    ('longer fence', '````\n```\n# a\n````\n# b', 'b'),
    ('other fence', '~~~\n```\n# a\n~~~\n# b', 'b'),
    ('bare closing fence', '```\n``` sh\n# a\n```\n# b', 'b'),
    ('indented fence', '  ```\n# a\n   ```\n# b\n    ```\n# c', 'b|c'),
    ('indented closing fence', '```\n    ```\n# a\n```', ''),
    ('tick in the info', '``` a`b\n# a', 'a'),
    ('tilde and tick', '~~~ a`~~\n# a\n~~~', ''),
    ('unclosed fence', '# a\n```\n# b', 'a'),
    ('fence in an item', '- ```\n  # a\n  ```\n# b', 'b'),
    ('fence ends with its item', '- ```\n  # a\n# b', 'b'),
    ('fence below an item', '- x\n\n  ```\n  # a\n\n  # a\n  ```\n\n# b', 'b'),
    ('fence in a quote', '> ```\n> # a\n# b\n> ```\n# c', 'b|c'),
    ('html 1', '<pre>\n\n# a\n\n</pre>\n# b\n<script\n\n# a </SCRIPT> x\n# c\n<textarea>\n\n# a', 'b|c'),
    ('html 2', '<!-- x\n\n# a\n--> y\n# b\n<!-->\n# c', 'b|c'),
    ('html 3 4 5', '<?php\n\n# a\n?>\n# b\n<!DOCTYPE\n\n# a\n>\n# c\n<![CDATA[\n\n# a\n]]>\n# d', 'b|c|d'),
    ('html 6', '<div>\n# a\n\n# b\n</Td\n# a\n\n# c\n<divx>\n# d', 'b|c'),
    ('html 7', '<x-y a="b">\n# a\n\n# b\np\n<x-y>\n# c\n\n<a> d\n# d', 'b|c|d'),
    ('html and setext', '<div>\na\n===\n\nb\n<b>\n===', 'b <b>'),
    ('html in an item', '- <!-- x\n\n  # a\n# b', 'b'),
    ('quote', '> # a\n># b\n  > # c\n# d', 'd'),
    ('lazy', '> a\nb\n===\n# c', 'c'),
    ('lazy and rule', '> a\n---\nb\n---', 'b'),
    ('not lazy', '> # a\nb\n===', 'b'),
    ('quote ends', '> a\n\nb\n===', 'b'),
    ('item', '- # a\n+ # b\n* # c\n1. # d\n2) # e', ''),
    ('item goes on', '- a\n\n  # b\n\n  c\n  ===\n# d', 'd'),
    ('item ends', '- a\n\n # b\n- c\n\n d\n ===', 'b|d'),
    ('item and underline', '- a\n---\n- b\n===\n# c', 'c'),
    ('wide item', '10. a\n\n   # b\n10. a\n\n    # c', 'b'),
    ('item of code', '-     a\n\n  # b\n-\n\n  # c', 'c'),
    ('item with tabs', '-\ta\n\n\t# b\n\n  # c\n\n # d', 'c|d'),
    ('interrupted by an item', 'a\n2. b\n===\nc\n1. d\n===\n\ne\n-\n', 'a 2. b|e'),
    ('ten digits', '1234567890. # a\n===', '1234567890. # a'),
    ('nested', '- a\n  - b\n    > c\n    d\n\n    # e\n\n# f', 'f'),
    ('references', '[a]: b\n===\n[c]: <d e> "f\ng"\nh\n===\n[i]: j k\n===', '=== [c]: <d e> "f g" h|[i]: j k'),
    ('references before a rule', '[a]: b\n---\n# c', 'c'),
    ('references and a title', '[a]: b\n[c]:\n d\n (e)\nf\n===', 'f'),
    ('line ends', '# a\r# b\r\nc\r\n===\r\n# d\x0c# e\u2028# f\x85# g\v# h', 'a|b|c|d\x0c# e\u2028# f\x85# g\v# h'),
    ('attributes', '# a {#b}\n# c {.d e=f} ##\n# g ## {#h}\ni {#j .k}\n---\n# {l}\n# {#m}', 'a|c|g|i|{l}|{#m}'),
    ('front matter', '---\na: b\n# c\nd:\n  - e\n...\n# f', 'f'),
    ('toml', '+++\na = "b"\n# c\n+++\n# f', 'f'),
    ('no front matter', '---\n\na: b\n\n# c\n\n---\n', 'c'),
    ('no yaml', '---\nProse: it goes on\nwithout a key.\n\n# c\n\n---\n', 'c'),
    ('later', '\n---\na: b\n---', 'a: b'),
    ('byte order mark', '\ufeff# a\n', 'a'),
    ('row of a table', '| a | b |\n|---|:-:|\n| 1 | 2 |\n---\n# c', 'c'),
    ('table without edges', 'a | b\n--|--\n1 | 2\n===\n\n## c', 'c'), ('no table', 'a | b\nc | d\n---', 'a | b c | d'),
    ('nothing', '', ''), ('blank', ' \n\t\n', ''), ('only hashes', '# \n##', ''),
]


@pytest.mark.parametrize('text,want', [o[1:] for o in examples], ids=[o[0] for o in examples])
def test_examples(text, want):
    assert '|'.join(titles(text)) == want


beyond = {'attributes', 'front matter', 'toml', 'byte order mark', 'row of a table', 'table without edges'}   # where CommonMark is left on purpose


@pytest.mark.parametrize('text', [pytest.param(o[1], id=o[0]) for o in examples if o[0] not in beyond])
def test_examples_referee(text): assert found(text) == expected(text)


@pytest.mark.skipif(not (shared / 'corpora').exists(), reason='the shared corpora are not here')
def test_real_files():
    differ, n = [], 0
    for path in sorted((shared / 'corpora').rglob('*.md')):
        text = path.read_bytes().decode('utf-8-sig', 'replace')
        heads, n = found(text), n + 1
        if heads != expected(text) and not text.startswith('---'): differ.append(path.name)
    assert n > 100 and not differ


plain = [
    '# a', '## b ##', '### c #x', '#', '# #', '#no', r'\# e', '   # i', '# t\tu', 'a', 'b c', '  d', 'a  ', 'a\\',
    '`a', '*a*', '===', '=', '---', '--', '-- a', '=== a', '= =', '   ---', '==- ', '---   ', '***', '* * *', '___',
    '+++', 'a: b', '| --', '```', '````', '~~~', '~~~~', '``` py', '``` a`b', '~~~ a`b', '  ```', '   ~~~', '<div>',
    '</div>', '<!-- c', '-->', '<!-- x -->', '<?php', '?>', '<!A', '<![CDATA[', ']]>', '<pre>', '</pre>', '<script',
    '</script>', '<x-y>', '<a href="b">', '</a>', '<a href="b"> t', '  <div>', '<b', '<h1>T</h1>', '<style>']
boxes = [
    '- a', '-', '- ', '-   a', '-     a', '-\ta', '* b', '+ c', '+', '- - a', '- # h', '- > q', '- ```', '- ~~~',
    '- <div>', '- <!--', '- <x-y>', '-\t# h', '1. a', '1)', '2. b', '10) c', '0. z', '1.\ta', '123456789. a',
    '1234567890. a', '  - a', ' - a', '   - a', '   2. a', '  1. x', '  a', '   c', '  # h', '  ===', '> a', '>',
    '> # h', '>b', '> - a', '> > c', '>   - d', '> 1. a', '> ```', '>     code', '> <div>', '> ===', '> ---', '>\ta',
    '>\t\ta', '>  a', '  > a', '- [ ] t', '- ---', '- ***', '- - -']
code = [
    '    # j', '\t# k', ' \t# k', '    f', '\tg', '    ===', '    ```', '    ~~~', '    <div>', '    > a', '    - a',
    '  \t===']
refs = [
    '[a]: b', '[a]: b "t"', '[a]: <b c>', '[a]: b (t)', '  [a]: b', '[]: b', '[ ]: b', '[a]: b c', '[a]: <b>c',
    r'[a\]]: b', r'[a]: \)', '[a]: b)', '===', '---', 'text', '# h', '  ===', "'t'", '"t"', '(t)']
often = ['', '', 'a', '# h', '---', '===']


def soup(*lines):
    "Documents of up to 14 lines; every third line is a common one, so that blocks end again"
    line = st.one_of(st.sampled_from(often), *map(st.sampled_from, lines))
    ends = st.sampled_from(['\n', '\n', '\r\n', '\r'])
    return st.builds(lambda ls, end: end.join(ls), st.lists(line, max_size=14), ends)


def agree(text):
    "The referee reads front matter as CommonMark does, and the scanner does not: a blank line rules it out"
    assert found('\n' + text) == expected('\n' + text)


many = settings(max_examples=500, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))

# Three soups, because the referee leaves CommonMark where they mix, as the reference implementation shows. In `   1. x`
# and `    # y` below it, it ends the item's paragraph, which goes on; after a definition in a quote it takes no lazy
# line; and it lets `[a]:` run on over an underline of `=`.


@many
@given(soup(plain, boxes))
@example('- a\n- \n\nb\n- \n')
@example('> - a\nb\n===\n\nc\n===')
def test_soup_of_lists_and_quotes(text): agree(text)


@many
@given(soup(plain, code))
def test_soup_of_code(text): agree(text)


@many
@given(soup(refs))
def test_soup_of_references(text): agree(text)


@many
@given(soup(plain, boxes, code, refs))
def test_offsets(text):
    "Headings and code keep their order and stay apart; lines keep every character"
    spans = sorted([(h.start, h.end) for h in scan_headings(text)] + [o for o in find_code_fence_spans(text)])
    assert all(a < b for a, b in spans) and all(b <= c for (_, b), (c, _) in zip(spans, spans[1:]))
    ends = text.replace('\r\n', '\n').replace('\r', '\n')
    assert '\n'.join(o for o, _ in _md_lines(text)) == ends.removesuffix('\n')


big = 1_000_000
hostile = [
    '>', '- ', '* ', '-', '=', '`', '~', '#', '# ', '[', '<', '<a b="', '\\', '(', '{#a ', '\n', ' ', '\t', '[a]: (',
    '> - ', '1. ', '    a\n', '> a\n', '- a\n', '2. a\n', '[a]: b\n', '[a]: b "\n', '``` `\n', '<div>\n', '<!--\n',
    '<a \n', '+++\n', 'a: b\n', '- a\n\n b\n', '- ```\n', '-- x\n', 'plain words in one line. ', 'plain words\n']


@pytest.mark.parametrize('unit', hostile)
@pytest.mark.parametrize('start', ['', '# a\n\n', '---\na: b\n', '[a]: b "'])
def test_linear(unit, start):
    "A megabyte of anything are read in little time"
    began = time.thread_time()
    scan_headings(start + unit * (big // len(unit)) + '\n\n# end')
    assert time.thread_time() - began < 5


def test_deep_nesting():
    text = '# a\n' + '- ' * 500 + 'x\n' + '\n' * 1_000_000 + '> ' * 5000 + 'y\n\n# b'
    began = time.thread_time()
    assert titles(text) == ['a', 'b']
    assert time.thread_time() - began < 5


def test_fence_spans():
    for text, want in [('', []), ('a', []), ('```\na\n```', ['```\na\n```']), ('a\n``` x\nb', ['``` x\nb']),
                       ('- ```\n  a\nb', ['- ```\n  a\n']), ('> ~~~\n> a\n\nb', ['> ~~~\n> a\n']),
                       ('1. a\n\n   ```\n   b\n   ```\n\nc', ['   ```\n   b\n   ```\n']), ('<!--\n```\n-->\nb', []),
                       ('```\n``` x\n```\r\n~~~\r~~~', ['```\n``` x\n```\r\n', '~~~\r~~~'])]:
        assert [text[a:b] for a, b in find_code_fence_spans(text)] == want


@given(st.text(alphabet='a #\n`\r', max_size=60), st.integers(1, 9))
def test_sections_tile(text, size):
    secs = SectionDetector().detect_sections(text)
    assert [s.index for s in secs] == list(range(len(secs)))
    assert all(a.end_pos == b.start_pos for a, b in zip(secs, secs[1:])) and (not secs or secs[-1].end_pos == len(text))
    assert not secs or not text[:secs[0].start_pos].strip()
    assert all(1 <= s.start_line <= s.end_line for s in secs)
    chunks = [(i, min(i + size, len(text))) for i in range(0, len(text), size)]
    own, over = assign_chunks_to_sections(chunks, secs), assign_chunks_to_sections_overlap(chunks, secs)
    if secs:
        assert sorted(o for v in own.values() for o in v) == list(range(len(chunks)))
        assert all(over[s.index] for s in secs) and set(own) == set(over)
        for i, v in over.items():
            assert v == [k for k, (a, b) in enumerate(chunks) if a < secs[i].end_pos and b > secs[i].start_pos]
    else: assert own == over == {}


def test_no_group_is_possessive():
    "Python before 3.11.5 may match `(?:…)*+` wrongly when something inside of the group goes back"
    sources = sorted((Path(__file__).parents[1]/'litesearch').glob('*.py')) or [Path(blocks.__file__)]
    lines = [(o.name, line) for o in sources for line in o.read_text(encoding='utf-8').splitlines()]
    assert lines and not [o for o in lines if re.search(r'\)(?:[*+?]|\{[0-9,]+\})\+', o[1])]


def test_front_matter_with_comments():
    assert titles('---\ntitle: x\n# not a heading\n---\n\n# Real\n\ntext\n') == ['Real']
    assert titles('+++\n# no\ntitle = "x"\n# not a heading\n+++\n\n# Real\n\ntext\n') == ['Real']


def test_detector():
    secs = SectionDetector().detect_sections('intro\n\n# A #\n\nx\n\n\n## B\n```\n# no\n```\n#\n\nnot a title\n')
    assert [(s.heading, s.heading_level, s.start_line, s.end_line) for s in secs] == [
        (None, None, 1, 1), ('A #', 1, 3, 5), ('B', 2, 8, 14)]
    assert [s.heading for s in SectionDetector().detect_sections('\n \n# A')] == ['A']
    only = SectionDetector().detect_sections('no heading\n')
    assert [(s.index, s.heading, s.start_pos, s.end_pos) for s in only] == [(0, None, 0, 11)]
    assert SectionDetector.assign_chunks_to_sections([], secs) == {}


def test_chunk_kinds():
    class Chunk:
        def __init__(self, **kw): self.__dict__.update(kw)
    secs = SectionDetector().detect_sections('# A\nbody\n# B\nbody\n')
    for chunk in [(10, 14), dict(start=10, end=14), dict(index=0, start_pos=10, end_pos=14),
                  Chunk(index=0, start=10, end=14), Chunk(start_index=10, end_index=14),
                  Chunk(index=0, position=Chunk(start=10, end=14))]:
        assert assign_chunks_to_sections([chunk], secs) == {0: [], 1: [0]}
    assert assign_chunks_to_sections([Chunk(index=7, start=0, end=14)], secs) == {0: [7], 1: []}
    assert assign_chunks_to_sections_overlap([Chunk(index=7, start=0, end=14)], secs) == {0: [7], 1: [7]}
    with pytest.raises(TypeError, match='start and end offsets'): assign_chunks_to_sections([1], secs)


@given(st.text(max_size=300), st.integers(1, 120))
def test_clean_title(s, n):
    t = clean_title(s, n)
    assert len(t) <= n and t == ' '.join(t.split()) and t[:1] not in set(' #*_')


def test_hashes():
    secs = SectionDetector().detect_sections('# A\nx\ud800')
    assert len(compute_section_content_hash('# A\nx\ud800', secs[0])) == 64
    assert text_hash('ab', 'c') != text_hash('a', 'bc') != text_hash('abc')
    assert text_hash('a', 1) == '52a3697a19594b2c'

@pytest.mark.parametrize('raw,title', [
    ('Usage <!-- omit in toc -->', 'Usage'), ('<a id="x"></a>Usage', 'Usage'), ('Use <kbd>Tab</kbd> &amp; go', 'Use Tab & go'),
    ('2\\. Scope of `a\\_b`', '2. Scope of `a\\_b`'), ('`<br>` and <br> tags', '`<br>` and tags'), ('Map<K, V>', 'Map<K, V>'),
    ('<img src="x.png">', '<img src="x.png">'), ('AT&T; & Co', 'AT&T; & Co'), ('a < b > c', 'a < b > c'),
    ('Scope[^1]', 'Scope'), ('Use [^a] and [^note-2]', 'Use and'), ('API: `foo[^1]`', 'API: `foo[^1]`'), ('[^1]', '[^1]'),
    ('Scope<sup>1</sup>', 'Scope'), ('E = mc<sup>2</sup>', 'E = mc2'), ('[Install][inst]', 'Install'), ('[v1.0][] - 2024', 'v1.0 - 2024'),
    ('[![CI][ci-img]][ci-url] Tool', 'CI Tool'), ('a[0][1] and [x] [y]', 'a[0][1] and [x] [y]'), ('[1.0.0] - 2024', '[1.0.0] - 2024'),
    ('Usage [¶](#usage "Permanent link")', 'Usage'), ('Usage [#](#usage)', 'Usage'), ('Issue [#12](http://a.b)', 'Issue #12'),
    ('`f([a][, b])` and `[x](y)`', '`f([a][, b])` and `[x](y)`'), ('f([a][, b])', 'f([a][, b])'),
    ('Usage [](#usage)', 'Usage'), ('[Usage](#usage)', 'Usage'), ('[Permalink](#)', '[Permalink](#)')])
def test_labels_without_markup(raw, title): assert clean_title(raw) == title


@pytest.mark.parametrize('text,heads', [
    ('<h1 align="center">Kettle</h1>\n\nx\n\n## Use', [(1, 'Kettle')]),
    ('<div>\n<h1>\n  <img src="k.png"/>\n  My <b>Kettle</b>\n</h1>\n</div>', [(1, 'My Kettle')]),
    ('<H2 id=a>One</H2>\ntext <h2>no</h2>', [(2, 'One'), (2, 'no')]), ('text <h2>no</h2>\n<h2>yes</h2>', [(2, 'yes')]),
    ('```\n<h1>no</h1>\n```', []), ('    <h1>no</h1>', []), ('<!--\n<h1>no</h1>\n-->', []), ('- <h1>no</h1>', []),
    ('<pre><h1>no</h1></pre>', []), ('<table>\n<tr><td><h3>no</h3></td></tr>\n</table>\n<h3>yes</h3>', [(3, 'yes')]),
    ('<h1></h1>\n\n<h7>no</h7>\n\n<h1>no</h2>', []), ('<h1><img alt="Logo"></h1>', [(1, 'Logo')])])
def test_headings_in_tags(text, heads):
    found = html_headings(text)
    assert [(h.level, h.title) for h in found] == heads
    assert all(text[h.start:h.end].lower().startswith('<h') for h in found)


def test_headings_in_tags_take_linear_time():
    for unit in ('<h1>', '<h1>a\n\n', '<h1>a</h1>\n', '<div>\n', '</h1>', '<h1 '):
        began = time.thread_time()
        html_headings('<h1>a</h1>\n' + unit * (200_000 // len(unit)))
        assert time.thread_time() - began < 5


@pytest.mark.parametrize('text,titles', [
    ('**One**\n\nx\n\n**Two:**\n\ny', ['One', 'Two:']), ('__One__\r\n\r\nx\r\n', ['One']), ('**One**\nx\n', []),
    ('x\n**One**\n\ny', []), ('**It is late.**\n\ny', []), ('**a** and **b**\n\ny', []), ('**Last**\n', []),
    ('**' + 'word '*20 + 'end**\n\ny', []), ('```\n\n**One**\n\nx\n```\n', [])])
def test_bold_lines(text, titles): assert [h.title for h in bold_headings(text)] == titles


def test_bold_lines_count_where_nothing_else_does():
    text = 'Dear all\n\n**Time**\n\nAt noon.\n\n**Place**\n\nHere.\n'
    assert [n.title for n in build_tree(text)[1:]] == ['Time', 'Place'] and detect_mode(text) == 'markdown'
    assert [n.title for n in build_tree('# Only\n\n' + text)[1:]] == ['Only']
    assert [n.title for n in build_tree(text.replace('**Place**', 'Place'))[1:]] == ['Pages 1–1: Dear all']


def test_bold_lines_take_linear_time():
    for unit in ('**a**\n\n', '**a**\n', '**', '**a', '\n**a**\n \n'):
        began = time.thread_time()
        bold_headings(unit * (200_000 // len(unit)))
        assert time.thread_time() - began < 5
