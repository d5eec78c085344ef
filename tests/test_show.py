"Results on a terminal: 80 columns whatever they hold, marks only where there is color, and nothing that commands a terminal."
import re

import pytest
from hypothesis import given, settings, strategies as st

from litesearch.show import (MARK, OFF, _add_text, _added_text, _check_text, _lines, _notes_text, _para, _read_text, _search_text, _sections_text,
                             _topics_text, _walk_text, use_color)
from litesearch.view import text_width
from support import HOSTILE

WIDE = ['東京都の人口は増えた。'*40, 'データベース、と。'*30, 'e\u0301'*300, 'word '*200, 'x'*500, '\u202eabc', 'a\tb\r\nc', '']

def hit(text, **kw): return dict(node_id='d#1', breadcrumb=text, page=3, page_end=4, content=text, score=1.) | kw

def bare(s): return re.sub(r'\x1b\[[0-9;]*m', '', s)

def fits(s): return all(text_width(l) <= 80 for l in bare(s).split('\n'))


@pytest.mark.parametrize('text', HOSTILE + WIDE)
def test_every_line_fits_and_colors_change_nothing_else(text):
    text = text.replace('\ud800', '?')
    section = dict(node_id='d#1', breadcrumb=text, pages=(1, 2), snippets=[text, text], score=1.)
    note = dict(note='n1', topic=text, title=text, source=text, content=text, created_at='2026-05-01T00:00:00')
    trace = [dict(id='d#1', title=text, depth=9, score=.5, why=dict(words=[text])), dict(id='d#2', title='', depth=0, score=None, why='')]
    for q in ('東京 データ word x', text):
        for f, o in ((_search_text, [hit(text), note]), (_sections_text, [section]), (_notes_text, [note]),
                     (_walk_text, dict(query=q, sections=[section], trace=trace))):
            plain, colored = f(o, q), f(o, q, True)
            assert fits(plain) and '\x1b' not in plain and '\r' not in plain
            assert bare(colored) == plain and colored.count(MARK) <= colored.count(OFF)
    assert fits(_topics_text([dict(topic=text, count=2, newest='2026')]))
    assert fits(_check_text(dict(ok=False, problems=[dict(kind='fts', what=text, where=text)], counts={})))

@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(['word', '東京', '、', 'e\u0301', 'x'*50, ' ', 'ー', '-']), max_size=60).map(''.join), st.integers(4, 60))
def test_lines_hold_the_whole_text(line, width):
    places = _lines(line, width)
    assert ''.join(line[a:b] for a, b in places) == line
    assert all(text_width(line[a:b].rstrip()) <= width for a, b in places)

def test_paragraphs_are_cut_with_an_ellipsis():
    cut = _para('one two three '*40, lines=2)
    assert len(cut.split('\n')) == 2 and cut.endswith(' …') and fits(cut)
    assert '…' not in _para('one two three', lines=1)

def test_a_mark_goes_over_a_line_end():
    out = _para('a'*70 + ' queen bees', spans=[(71, 81)])
    assert bare(out).split() == ['a'*70, 'queen', 'bees'] and out.count(MARK) == out.count(OFF)

def test_corrected_words_are_marked_too():
    out = _search_text([hit('The queen lays.', spelling={'quene': 'queen'})], 'quene', True)
    assert out.count(MARK + 'queen' + OFF) == 2

def test_read_keeps_the_text():
    sec = dict(breadcrumb='A', pages=(0, 0), text='    code = 1\n\n\ttab  two\n')
    assert _read_text(sec) == 'A\n\n    code = 1\n\n\ttab  two'
    assert bare(_read_text(sec, 'code', True)) == _read_text(sec)

@pytest.mark.parametrize('env,tty,want', [
    ({}, True, True), ({}, False, False), (dict(NO_COLOR='1', FORCE_COLOR='1'), True, False), (dict(NO_COLOR=''), True, True),
    (dict(FORCE_COLOR='1'), False, True), (dict(FORCE_COLOR='0'), True, False), (dict(TERM='dumb'), True, False)])
def test_colors_are_for_people(env, tty, want):
    class Stream:
        def isatty(self): return tty
    assert use_color(Stream(), env) is want

# --- many files

def result(i, **kw): return dict(title=f'doc{i}', source=f'/d/doc{i}.md', **kw)

def test_many_files_of_one_kind_are_one_line():
    new = [result(i, nodes=3, chunks=2) for i in range(60)]
    old, bad = [result(i, skipped='unchanged') for i in range(700)], [result(i, error='it is empty') for i in range(55)]
    odd = result(99, nodes=2, chunks=1, warnings=['page 2 has no text'])
    lines = _added_text([*old[:9], *new[:30], odd, *bad, *new[30:], *old[9:]]).split('\n')
    assert lines[:2] == ['unchanged  700 documents', 'added      60 documents (sections: 180, passages: 120)']
    assert lines[2].startswith('added      doc99') and lines[3].split() == 'page 2 has no text'.split()
    assert len(lines) == 4 + 50 + 1 and lines[-1] == 'failed     and 5 more' and '/d/doc49.md' in lines[-2]

@pytest.mark.parametrize('n', [0, 1, 50])
def test_few_files_are_listed(n):
    assert _add_text([result(i, skipped='unchanged') for i in range(n)]).split() == [w for i in range(n) for w in ('unchanged', f'doc{i}')]
