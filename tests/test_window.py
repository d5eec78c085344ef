"The part of a long text that holds a passage."
from hypothesis import given, settings, strategies as st
from litesearch.core import database
from litesearch.window import text_window
import litesearch.tree
from support import library, vec, embed

texts = st.text('ab \n.', max_size=200)

@given(before=texts, passage=st.text('xyz ', min_size=1, max_size=30), after=texts, size=st.integers(1, 300))
@settings(max_examples=300, deadline=None)
def test_the_window_holds_the_passage(before, passage, after, size):
    text = before + passage + after
    offset, part = text_window(text, passage, size)
    assert part == text[offset:offset + len(part)] and len(part) <= size
    assert passage[:size] in part
    if len(text) <= size: assert part == text

@given(text=texts, size=st.integers(0, 99))
@settings(max_examples=50, deadline=None)
def test_what_is_not_there_is_the_beginning(text, size): assert text_window(text, 'q', size) == (0, text[:size])

def test_paragraphs_are_whole():
    paras = [f'p{i:02} ' + 'word '*20 + 'end.' for i in range(50)]
    for i in (10, 25, 49):
        offset, part = text_window('\n\n'.join(paras), paras[i], 600)
        assert part.split('\n\n') == [p for p in paras if p in part] and paras[i] in part and len(part) > 300


CALM = '\n\n'.join(f'Paragraph {i} tells of calm weather.' for i in range(400))

def test_context_reads_the_part_that_answers():
    db = library(('Log', f'# Diary\n\n{CALM}\n\nThe gale took the roof.\n\n{CALM}\n\n# Index\n\nShort.'), emb_fn=embed)
    for q in ('gale', 'gale roof'):
        r = db.context(q, vec(q), max_read=1000)['results'][0]
        whole = db.read(r['node_id'], max_chars=10**6)['text']
        assert 'The gale' in r['text'] and r['truncated'] == len(whole) and len(r['text']) <= 1000
        assert whole[r['offset']:r['offset'] + len(r['text'])] == r['text']

def test_context_of_a_long_section_over_several_pages():
    pages = [(1, f'# Diary\n\n{CALM}'), (2, CALM), (3, f'{CALM}\n\nThe gale took the roof.'), (4, CALM)]
    r = library(('Log', pages)).context('gale', max_read=2000)['results'][0]
    assert 'The gale' in r['text'] and r['pages'] == (1, 4)

def test_context_of_a_section_that_fits_is_all_of_it():
    r = library(('Log', '# Diary\n\nIt was calm.\n\nThe gale took the roof.')).context('gale')['results'][0]
    assert r['text'] == 'It was calm.\n\nThe gale took the roof.' and not {'offset', 'truncated'} & {*r}
