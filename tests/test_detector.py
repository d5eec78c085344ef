"Sections by pattern, fences, and which section a chunk belongs to."
import hashlib, re, time

import pytest
from hypothesis import given, strategies as st

from litesearch.describe import (
    HeadingPathExtractor, KeywordsExtractor, SectionMetadataExtractor, chunk_links, describe_sections,
    resolve_extractors)
from litesearch.outline import build_tree
from litesearch.section import (
    SectionBoundary, SectionDetector, assign_chunks_to_sections, assign_chunks_to_sections_overlap,
    compute_section_content_hash, find_code_fence_spans, scan_headings)
from litesearch.sectiontree import section_tree, tree_sections

detect = SectionDetector().detect_sections


# --- fences

def simple_fences(text):
    "The rule in its plainest form, line by line: for texts without lists, quotes, HTML and indented code."
    spans, at, start, mark = [], 0, None, ''
    for line in text.splitlines(keepends=True):
        m = re.fullmatch(r' {0,3}(`{3,}|~{3,})(.*)', line.rstrip('\n'))
        if start is None and m and not (m[1][0] == '`' and '`' in m[2]): start, mark = at, m[1]
        elif start is not None and m and m[1][0] == mark[0] and len(m[1]) >= len(mark) and not m[2].strip(' \t'):
            spans.append((start, at + len(line)))
            start = None
        at += len(line)
    return spans + ([(start, len(text))] if start is not None else [])

line = st.sampled_from(['', 'word', '# Title', '## Sub', '```', '````', '~~~', '~~~~~', '``` py', '~~~ x', '  ```',
                        '   ~~~', '```` ', '```\t', 'a ``` b', '``', '~~', '``` a`b'])

@given(st.lists(line, max_size=14), st.booleans())
def test_fences_follow_the_plain_rule(lines, last):
    text = '\n'.join(lines) + ('\n' if last and lines else '')
    assert find_code_fence_spans(text) == simple_fences(text)

@given(st.lists(line, max_size=14))
def test_a_section_never_begins_in_a_fence(lines):
    text = '\n'.join(lines)
    spans = find_code_fence_spans(text)
    assert not [s for s in detect(text) if s.heading and any(a <= s.start_pos < b for a, b in spans)]

def test_fences_of_many_kinds():
    cases = {'```python info\n# a\n```\n# b': ['b'], '~~~\n# a\n```\n# b\n~~~\n# c': ['c'],
             '````\n```\n# a\n````\n# b': ['b'], '```\n# a\n``` sh\n# b\n```\n# c': ['c'],
             '# a\n\n```\n# b\n## c\n': ['a'], '    ```\n# a\n    ```\n# b': ['a', 'b'],
             '   ```\n# a\n ```\n# b': ['b'], '```\r\n# a\r\n```\r\n# b\r\n': ['b']}
    for text, want in cases.items(): assert [s.heading for s in detect(text) if s.heading] == want, text


# --- sections

def test_what_a_boundary_says():
    text = 'Before.\n\n# One #\n\nBody of one.\n\n\n### Two\tx  \nBody'
    found = detect(text)
    assert [(s.index, s.heading) for s in found] == [(0, None), (1, 'One #'), (2, 'Two\tx')]
    assert [s.heading_level for s in found] == [None, 1, 3]
    assert [(s.start_line, s.end_line) for s in found] == [(1, 1), (3, 5), (8, 9)]
    assert [(s.start_pos, s.end_pos) for s in found] == [(0, 9), (9, text.index('###')), (text.index('###'), len(text))]
    assert found[0] == SectionBoundary(0, None, None, 0, 9, 1, 1)

@pytest.mark.parametrize('text,want', [
    ('', []), ('plain', [(None, 0)]), (' \n\n', [(None, 0)]), ('\n \n# A', [('A', 3)]),
    ('#A\n#\n####### B\n#\tC', [(None, 0), ('C', 15)]), ('# A', [('A', 0)]), (' # A', [(None, 0)]),
    ('x\n# A\n# A', [(None, 0), ('A', 2), ('A', 6)])])
def test_where_sections_begin(text, want): assert [(s.heading, s.start_pos) for s in detect(text)] == want

def test_own_patterns():
    found = SectionDetector(r'^(SECTION \d+): (.+)$').detect_sections('SECTION 1: Hive\nx\nSECTION 10: Year\ny')
    assert [(s.heading, s.heading_level) for s in found] == [('Hive', 9), ('Year', 10)]
    under = SectionDetector(r'^()(.+)\n=+$').detect_sections('Hive\r\n====\r\nx\r\nYear\r\n====\r\n')
    assert [(s.heading, s.start_pos, s.heading_level) for s in under] == [('Hive', 0, 0), ('Year', 15, 0)]
    maybe = SectionDetector(r'^(§+)?(?: (\w+))?$').detect_sections('§§ Hive\nbody text here.\n§')
    assert [(s.heading, s.heading_level) for s in maybe] == [('Hive', 2), ('', 1)]

def test_bad_patterns():
    for bad in ('^# (.+)$', '^#', '(a)(?:b)'):
        with pytest.raises(ValueError, match='two groups'): SectionDetector(bad)
    with pytest.raises(ValueError, match='no regular expression'): SectionDetector('^(#+) (.+$')

body = st.text(alphabet='# ab\n\r`~=', max_size=80)

@given(body, st.sampled_from([r'^(#{1,6})\s+(.+)$', r'^(=+) (.+?) =+$', '^(a)(b*)$']))
def test_sections_follow_each_other(text, pattern):
    found = SectionDetector(pattern).detect_sections(text)
    assert [s.index for s in found] == list(range(len(found)))
    assert all(a.end_pos == b.start_pos and a.end_line <= b.start_line for a, b in zip(found, found[1:]))
    assert not text or found[-1].end_pos == len(text)
    for s in found:
        lines = re.split('\r\n|\r|\n', text[:s.start_pos])
        assert s.start_line == len(lines) and (s.heading is None) == (s.heading_level is None)
        assert not s.heading or s.heading in ' '.join(re.split('[\r\n]+', text[s.start_pos:s.end_pos]))

@given(body)
def test_line_ends_change_nothing_else(text):
    text = text.replace('\r', '')
    shown = lambda t: [(s.heading, s.start_line, s.end_line) for s in detect(t)]
    assert shown(text) == shown(text.replace('\n', '\r\n')) == shown(text.replace('\n', '\r'))

def test_hash_is_that_of_the_slice():
    text = 'vor\n# Größe\nx\n# B\ny'
    for s in detect(text):
        want = hashlib.sha256(text[s.start_pos:s.end_pos].encode()).hexdigest()
        assert compute_section_content_hash(text, s) == SectionDetector.compute_section_content_hash(text, s) == want

def test_linear():
    began = time.thread_time()
    for unit in ('# a\n', '```\n', '#', '\r\n# b\r\n', '~~~ x\n\n'): detect(unit*(500_000//len(unit)))
    assert time.thread_time() - began < 10


# --- chunks

cuts = st.lists(st.integers(0, 60), max_size=8).map(lambda c: sorted({0, 60, *c}))

@given(cuts, cuts)
def test_both_relations_as_defined(a, b):
    sections = [SectionBoundary(i, None, None, x, y) for i, (x, y) in enumerate(zip(a, a[1:]))]
    chunks = [dict(index=i*3, start=x, end=y) for i, (x, y) in enumerate(zip(b, b[1:]))]
    own, over = assign_chunks_to_sections(chunks, sections), assign_chunks_to_sections_overlap(chunks, sections)
    assert set(own) == set(over) == {s.index for s in sections}
    for c in chunks:
        mid = (c['start'] + c['end'])//2
        assert [k for k, v in own.items() if c['index'] in v] == [max(s.index for s in sections if s.start_pos <= mid)]
        touched = [s.index for s in sections if c['start'] < s.end_pos and c['end'] > s.start_pos]
        assert [k for k, v in over.items() if c['index'] in v] == touched == list(range(touched[0], touched[-1] + 1))
    assert all(over.values()) and all(set(own[k]) <= set(over[k]) for k in own)
    links = chunk_links(chunks, sections)
    assert sum(o for _, _, o in links) == len(chunks) and len(links) == sum(map(len, over.values()))

def test_nothing_to_assign():
    for f in (assign_chunks_to_sections, SectionDetector.assign_chunks_to_sections_overlap):
        assert f([], detect('# A')) == f([(0, 3)], []) == {}
    assert assign_chunks_to_sections([(0, 1)], detect('\n\n# A')) == {0: [0]}   # before the first section: the first

def test_chunks_of_a_library_stay_in_their_section():
    from support import library
    text = 'Before.\n\n# A\n\n' + 'Words of a. '*90 + '\n\n## B\n\nb\n\n# C\n\n' + 'Words of c. '*90
    db, found = library(text), detect(text)
    rows = [(r['start'], r['end']) for r in db.q('select start, "end" from store order by ord')]
    links = chunk_links(rows, found)
    assert len(rows) > len(found) == 4 and all(owns for *_, owns in links) and len(links) == len(rows)


# --- what is found out about sections

def test_paths_of_skipped_levels():
    text = '## Deep\n\n# A\n\n### C\n\n## B\n\n### D\n\n# E'
    found = describe_sections(text, extractors=['heading_path'])
    assert [s.metadata['heading_path'] for s in found] == ['Deep', 'A', 'A > C', 'A > B', 'A > B > D', 'E']
    heads = [(s.heading, s.heading_level) for s in found]
    for i, s in enumerate(found):
        context = dict(section_index=i, heading_level=s.heading_level, all_sections=heads)
        assert HeadingPathExtractor().extract('', s.heading, context) == s.metadata

def test_extractors():
    class Mine(SectionMetadataExtractor):
        name = 'mine'
        def extract(self, section_text, heading, context): return dict(mine=(heading, len(context['all_sections'])))
    kinds = ['word_count', 'char_count', Mine()]
    first, second = describe_sections('vor\n# Hive\nBees, bees and the bees.\n', extractors=kinds)
    assert first.metadata == dict(word_count=1, char_count=4, mine=(None, 2))
    assert second.metadata == dict(word_count=7, char_count=32, mine=('Hive', 2))
    assert KeywordsExtractor(1).extract('Honig, HONIG und Wachs; ab', None, {}) == dict(keywords=['honig'])
    assert resolve_extractors(None) == [] and KeywordsExtractor(0).extract('a bee', None, {}) == dict(keywords=[])
    with pytest.raises(ValueError, match="'colour' is not known"): resolve_extractors(['colour'])


# --- sections and trees

heading = st.builds(lambda n, t: f"{'#'*n} {t}", st.integers(1, 4), st.sampled_from(['Aa', 'Bb', 'Cc']))
block = st.sampled_from(['words', 'more words\nof it', '```\n# no\n```', ''])
markdown = st.lists(st.one_of(heading, block), max_size=9).map('\n\n'.join)

@given(markdown)
def test_the_row_of_sections_and_the_tree_agree(text):
    tree, found = section_tree(text, title='D'), detect(text)
    assert [(n.title, n.level) for n in tree[1:]] == [(s.heading, s.heading_level) for s in found if s.heading]
    assert bool(tree[0].segments) == bool(found and found[0].heading is None and text.strip())
    assert tree_sections(tree, text) == found
    if scan_headings(text): assert tree == build_tree(text, title='D', mode='markdown')

@given(st.lists(markdown, min_size=1, max_size=4))
def test_pages_one_by_one(texts):
    pages = list(enumerate(texts, 3))
    tree = section_tree(pages, title='D')
    for no, text in pages: assert tree_sections(tree, text, page=no) == detect(text)

def test_a_library_of_statutes():
    from support import library, text_of
    text = 'Preamble.\n\n§ 1 Scope\n\nThis applies.\n\n§§ 1a Terms\n\nTerms are so.\n\n§ 2\nEnd\n'
    db = library()
    did = db.add_doc(text, 'Act', build=lambda pages, title: section_tree(pages, r'^(§+) (.+)$', title))['doc_id']
    assert [(n.title, n.level, n.text()) for n in db.doc_tree(did)] == [
        ('Act', 0, 'Preamble.'), ('1 Scope', 1, 'This applies.'), ('1a Terms', 2, 'Terms are so.'), ('2', 1, 'End')]
    assert text_of(db, f'{did}#0') == text and text_of(db, f'{did}#1').startswith('This applies.\n\n§§ 1a')
    assert section_tree('', title='D') == build_tree('', title='D') and tree_sections(section_tree(''), '') == []
