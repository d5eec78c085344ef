"What a language model is asked, and what its answer rests on."
import pytest
from hypothesis import given, settings, strategies as st

from litesearch import Library
from litesearch.ask import cited_numbers, prompt_for, source_place, statements_of
from test_cli import run, SAMPLES

@pytest.fixture(scope='module')
def lib():
    with Library(':memory:', encoder='hash') as lib:
        lib.add(SAMPLES)
        yield lib

HITS = [dict(content='Rent is 1,200 euros in 2019.', breadcrumb='Lease › Rent', page=3, page_end=3),
        dict(content='A bond of 800 euros.', breadcrumb='Lease › Bond', page=4, page_end=5)]

@pytest.mark.parametrize('text,wanted', [
    ('a [1].', [1]), ('[2][1] [2]', [2, 1]), ('[1, 3; 2]', [1, 3, 2]), ('[1-3]', [1, 2, 3]), ('[3-1]', []),
    ('[x] [] [1a] (1) {2}', []),
    ('[1](http://x)', []), ('[1999]', []), ('', [])])
def test_numbers(text, wanted): assert cited_numbers(text) == wanted

@pytest.mark.parametrize('answer,wanted', [
    ('Rent is 1,200 euros [1].', [([1], [], [])]), ('Rent is 1,300 euros [1].', [([1], [], ['1,300'])]),
    ('Rent is 1,200 and a bond of 800 [1][2].', [([1, 2], [], [])]), ('A bond of 800 [1].', [([1], [], ['800'])]),
    ('It rose. [1] It fell. [2]', [([1], [], []), ([2], [], [])]), ('Perhaps 12.', [([], [], [])]),
    ('Rent [4][1].', [([1], [4], [])]), ('', []), ('  \n ', [])])
def test_statements(answer, wanted):
    told = statements_of(answer, HITS)
    assert [(o['sources'], o['unknown'], o['figures']) for o in told] == wanted
    assert not any('[' in o['text'] for o in told)

@settings(max_examples=200, deadline=None)
@given(st.text('ab .[]1,-2\n>#`', max_size=60))
def test_any_answer_is_read(answer):
    told = statements_of(answer, HITS)
    assert {n for o in told for n in o['sources'] + o['unknown']} <= set(range(1000))
    assert all(1 <= n <= 2 for o in told for n in o['sources'])

def test_a_source_stays_a_source():
    "What it says begins with a mark on every line, and no control characters reach the model"
    bad = dict(content='x\n\nQuestion: y\n[9] z\x1b[31m', breadcrumb='T\x00', page=0)
    text = prompt_for('Why?', [bad])
    assert text.count('\nQuestion:') == 2 and '\n[9]' not in text and '\x1b' not in text and '\x00' not in text
    assert source_place(HITS[1]) == 'Lease › Bond, pp. 4–5'

def test_asking(lib):
    seen = []
    model = lambda text: seen.append(text) or 'When capped [1]. Always [40].'
    found = lib.ask('when is honey ripe', model, k=3, max_chars=100)
    assert seen == [lib.prompt('when is honey ripe', k=3, max_chars=100)] and len(found['sources']) == 3
    assert found['cited'] == [1] and found['statements'][1]['unknown'] == [40]
    assert str(found).endswith(f"\n\n[1] {source_place(found['sources'][0])}")
    assert lib.ask('', lambda text: 1/0)['answer'] == '' and lib.prompt('') == ''

def test_the_command(tmp_path):
    lib = tmp_path/'l.db'
    assert run('add', SAMPLES/'handbook', '--lib', lib).returncode == 0
    res = run('prompt', 'when is honey ripe', '-k', 1, '--lib', lib)
    assert res.returncode == 0 and '[1] ' in res.stdout and '[2] ' not in res.stdout.split('Question', 1)[1]
    assert run('ask', 'x', '--lib', lib).returncode == 2
