"Near words and the walk down the tables of contents."
import json
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from litesearch import Library
from litesearch.core import StoreMismatch, database, rows
from litesearch.nearwords import (held_words, nearness, numbered, saturated, term_counts, word_stems, word_weights,
                                  words_in)
from litesearch.static import wordllama
from litesearch.treesearch import MOST_CHUNKS, Node, UnknownChoice, titles_above, tree_around, visits, walk
from litesearch.schema import tree_names
from support import HOSTILE, embed, library, vec

PLACES = ['pond', 'roof', 'orchard', 'cellar', 'attic', 'harbor', 'quarry', 'meadow']
TEXTS = [(f'The {p}', f'# Frogs\n\nFrogs of the {p} sing in May.\n\n## Newts\n\nNewts of the {p} hide.\n\n# Birds\n\n'
                      f'Swifts nest under tiles near the {p}.\n') for p in PLACES]
KEYS = {'node_id', 'doc', 'doc_id', 'source', 'breadcrumb', 'title', 'pages', 'score', 'summary', 'nchunks', 'snippets',
        'snippet_pages', 'read'}

@pytest.fixture(scope='module')
def shelf(): return library(*TEXTS, emb_fn=embed)


# --- the walk
def test_best_section_first(shelf):
    got = walk(shelf, 'Where do newts of the quarry hide?', emb_fn=embed)
    assert got['query'].startswith('Where') and len(got['sections']) == 5
    assert got['sections'][0]['breadcrumb'] == 'The quarry › Frogs › Newts'
    assert got['sections'][0]['snippets'] == ['Newts of the quarry hide.']

def test_shape(shelf):
    got = walk(shelf, 'newts of the roof', emb_fn=embed, k=7)
    assert all(set(s) == KEYS | {'_said'} for s in got['sections'])
    alike = {s['node_id']: s for s in shelf.sections('newts of the roof', vec('newts of the roof'), limit=40)}
    for s in got['sections']:
        other = alike[s['node_id']]
        assert all(s[k] == other[k] for k in KEYS - {'score', 'snippets'})
    assert json.loads(json.dumps(got))['trace'][0]['depth'] == 0

def test_trace_is_the_way(shelf):
    got = walk(shelf, 'swifts under tiles', emb_fn=embed, k=6)
    taken = [t for t in got['trace'] if t['taken']]
    assert [t['id'] for t in taken] == [s['node_id'] for s in got['sections']]
    assert [t['score'] for t in taken] == sorted((t['score'] for t in taken), reverse=True)
    parent, opened = dict(rows(shelf, 'select id, parent_id from nodes')), set()
    for t in got['trace']:
        assert t['depth'] == 0 and parent[t['id']] is None or parent[t['id']] in opened or t['id'] in opened
        if not t['taken']: opened.add(t['id'])
        assert 'swift' in ' '.join(t['why']['words']) or t['score'] < .5
    assert abs(sum(taken[0]['why']['evidence'].values()) - taken[0]['score']) < .01

@pytest.mark.parametrize('choose', [None, lambda q, nodes: [n['id'] for n in nodes]], ids=['best', 'choose'])
@pytest.mark.parametrize('q', ['newts of the roof', 'newtz of the roff', 'zyzzyva'])
def test_statements(shelf, choose, q):
    said = []
    ask = lambda: walk(shelf, q, emb_fn=embed, choose=choose, k=20)
    ask()
    shelf.conn.exec_trace = lambda cursor, sql, args: said.append(sql) or True
    try: ask()
    finally: shelf.conn.exec_trace = None
    assert 0 < len(said) <= 8

@pytest.mark.parametrize('q', [*HOSTILE, ' ', 'the', '青蛙 唱歌', 'a' * 5000, 'frogs ' * 500])
def test_any_question(shelf, q):
    got = walk(shelf, q, emb_fn=embed)
    assert set(got) == {'query', 'sections', 'trace'} and len(got['sections']) <= 5

def test_without_vectors_and_encoder():
    db = library(*TEXTS)
    got = walk(db, 'newts of the quarry')
    assert got['sections'][0]['breadcrumb'] == 'The quarry › Frogs › Newts'
    assert set(got['trace'][-1]['why']['evidence']) == {'words', 'section', 'titles'}

def test_empty_libraries():
    for db in (database(), library(), library(('Blank', ''))):
        assert walk(db, 'frogs', emb_fn=embed) == dict(query='frogs', sections=[], trace=[])
    assert walk(library(*TEXTS[:1]), 'frogs', k=0)['sections'] == []
    with pytest.raises(ValueError, match='0 or more'): walk(database(), 'frogs', k=-1)

def test_vectors_that_do_not_fit(shelf):
    with pytest.raises(StoreMismatch): walk(shelf, 'frogs', [1.0, 2.0])
    db = library(*TEXTS, emb_fn=embed)
    rows(db, 'update store set embedding=null where rowid%2')
    assert walk(db, 'newts of the quarry', emb_fn=embed)['sections'][0]['title'] == 'Newts'

def test_no_more_than_asked(shelf):
    for k in (1, 3, 24, 100): assert len(walk(shelf, 'frogs newts swifts', emb_fn=embed, k=k)['sections']) == min(k, 24)
    assert len(walk(shelf, 'frogs newts swifts', emb_fn=embed, pool=2, k=2)['sections']) == 2

def test_filter(shelf):
    id = rows(shelf, "select id from docs where title='The attic'")[0][0]
    got = walk(shelf, 'newts of the quarry', emb_fn=embed, where=dict(doc_id=id))
    assert {s['doc'] for s in got['sections']} == {'The attic'}

def test_a_very_long_section():
    db = library(('Long', '# All\n\n' + '\n\n'.join(f'Paragraph {i} about otters. ' + 'More words follow. '*20
                                                  for i in range(1300))), *TEXTS)
    assert rows(db, 'select max(nchunks) from nodes')[0][0] > MOST_CHUNKS
    assert walk(db, 'newts of the quarry')['sections'][0]['title'] == 'Newts'

def test_other_stores_and_prefixes():
    db = database()
    for title, text in TEXTS: db.add_doc(text, title=title, store="o'dd \"one", prefix='x', emb_fn=embed)
    got = walk(db, 'newts of the quarry', emb_fn=embed, store="o'dd \"one", prefix='x')
    assert got['sections'][0]['doc'] == 'The quarry'


# --- somebody chooses
def test_choice_is_followed(shelf):
    seen = []
    def choose(q, nodes):
        seen.append(nodes)
        return [n['id'] for title in ('The cellar', 'The roof', 'Birds', 'Frogs', 'Newts') for n in nodes
                if n['title'] == title]
    got = walk(shelf, 'newts of the quarry', emb_fn=embed, choose=choose, k=4)
    assert [s['breadcrumb'] for s in got['sections']] == [
        'The cellar › Birds', 'The cellar › Frogs', 'The cellar › Frogs › Newts', 'The roof › Birds']
    assert {n['title'] for n in seen[1]} == {'Frogs', 'Birds'} and not seen[1][0]['text']
    assert set(seen[0][0]) == {'id', 'title', 'summary', 'pages', 'score', 'depth', 'text', 'inside'}

def test_choice_beyond_the_evidence():
    db = library(('One', '# Otters\n\nOtters swim.\n\n# Zebras\n\nNothing of the kind.\n'), ('Two', 'Otters dive.'))
    got = walk(db, 'otters', choose=lambda q, nodes: [n['id'] for n in nodes if n['title'] in ('One', 'Zebras')])
    s, = got['sections']
    assert (s['breadcrumb'], s['score'], s['snippets'], set(s)) == ('One › Zebras', 0.0, [], KEYS | {'_said'})
    assert got['trace'][-1]['why'] == dict(words=[], evidence={})

@pytest.mark.parametrize('choice', [[], None, ()])
def test_nothing_chosen(shelf, choice): assert walk(shelf, 'frogs', choose=lambda q, nodes: choice)['sections'] == []

@pytest.mark.parametrize('choose', [lambda nodes: 0, lambda nodes: nodes[0]['id'], lambda nodes: nodes[0], lambda nodes: nodes[:1],
                                    lambda nodes: np.array([0]), lambda nodes: iter([nodes[0]])])
def test_ways_to_say_what_is_chosen(shelf, choose):
    wanted = walk(shelf, 'frogs', choose=lambda q, nodes: [0])['sections']
    assert wanted and walk(shelf, 'frogs', choose=lambda q, nodes: choose(nodes))['sections'] == wanted

@pytest.mark.parametrize('choice', [['nope#1'], [99], [-1], [True], [None], [1.0], 'x', [[0]], [{}], {'a': 1}, np.array([99])])
def test_bad_choice(shelf, choice):
    with pytest.raises(UnknownChoice, match='ids of the sections'): walk(shelf, 'frogs', choose=lambda q, nodes: choice)

def test_errors_of_the_chooser_come_out(shelf):
    def choose(q, nodes): raise RuntimeError('no model')
    with pytest.raises(RuntimeError, match='no model'): walk(shelf, 'frogs', choose=choose)
    assert walk(shelf, 'frogs', emb_fn=embed)['sections']


# --- the tree
def test_tree_around(shelf):
    names, id = tree_names(), rows(shelf, "select id from nodes where title='Newts' limit 1")[0][0]
    tree = tree_around(shelf, names, [id, 'gone#9'])
    assert len(tree) == 3 and len(titles_above(tree, id)) == 3 and titles_above(tree, 'gone#9') == []
    assert len(tree_around(shelf, names, [id], beside=True)) == 4 and tree_around(shelf, names, []) == {}

@given(st.data())
@settings(max_examples=60, deadline=None)
def test_best_texts_come_first(data):
    n, tree = data.draw(st.integers(1, 25)), {}
    for i in range(n):
        up = None if i == 0 else f'd#{data.draw(st.integers(0, i - 1))}'
        own = data.draw(st.none() | st.floats(0.01, 1))
        tree[f'd#{i}'] = Node(f'd#{i}', 'd', up, '', 0, i, '', 0, (1, 1), '', '', [], own, None, own or 0.0)
        if up: tree[up].children.append(f'd#{i}')
    for node in reversed(tree.values()):
        if node.parent: tree[node.parent].score = max(tree[node.parent].score, node.score)
    k = data.draw(st.integers(1, 8))
    texts = [s.score for s in visits(tree, 'q', k) if s.text and s.node.own]
    assert texts == sorted((t.own for t in tree.values() if t.own), reverse=True)[:k]


# --- words
@given(st.lists(st.text(max_size=40), max_size=8))
@settings(max_examples=60, deadline=None)
def test_numbered(texts):
    words, at, text = numbered(texts)
    for i, t in enumerate(texts): assert [words[j] for j in at[text == i]] == words_in(t)
    assert len(set(words)) == len(words)

@given(st.lists(st.text(max_size=20), max_size=12))
@settings(max_examples=60, deadline=None)
def test_a_stem_for_every_word(texts):
    words = numbered(texts)[0]
    stems = word_stems(SMALL, 'store', words)
    assert len(stems) == len(words) and all(isinstance(s, bytes) and s for s in stems)
    assert len(term_counts(SMALL, 'store', stems)[0]) == len(words)

SMALL = library(*TEXTS[:2])

def test_stems_are_those_of_the_index():
    counts, total = term_counts(SMALL, 'store', word_stems(SMALL, 'store', ['nesting', 'frog', 'hides', 'otters']))
    assert (counts.tolist(), total) == ([2, 4, 2, 0], 6)   # frogs in headings, too

def test_weights_stay_finite():
    near = np.array([[1.0, .5, 0], [0, 0, 0]])
    for counts, total in (([9, 9, 9], 3), ([0, 0, 0], 0), ([1, 0, 2], 5)):
        got = word_weights(near, np.array(counts, float), total)
        assert np.isfinite(got).all() and (got >= 0).all()

def test_nothing_is_held_by_nothing():
    none = np.empty(0, np.int64)
    assert held_words(np.zeros((0, 0)), none, none, 3).shape == (0, 3)
    assert saturated(np.zeros((2, 0)), np.zeros(0)).shape == (2, 0)
    assert nearness(np.zeros((1, 4)), np.zeros((60, 4))).max() == 0

@pytest.mark.skipif(not find_spec('wordllama'), reason='needs wordllama')
def test_other_words():
    enc = wordllama()
    db = library(('Law', '# One\n\nA vehicle is purchased by the fund for children.\n\n# Two\n\nA car is parked here.\n\n'
                         '# Three\n\nNobody may buy anything.\n'), emb_fn=enc)
    got = walk(db, 'Who may buy a car for kids?', emb_fn=enc)
    assert got['sections'][0]['title'] == 'One'
    assert {'kids ~ children', 'car ~ vehicle'} <= set(got['trace'][1]['why']['words'])

@pytest.mark.skipif(not find_spec('wordllama'), reason='needs wordllama')
def test_several_threads(tmp_path, monkeypatch):
    monkeypatch.setattr('litesearch.weighing.MOST_VECTORS', 8)   # so that what is kept is thrown away all the time
    enc = wordllama()
    db = library(*TEXTS, path=tmp_path/'a.db', emb_fn=enc)
    questions = [f'Where do newts of the {p} hide?' for p in PLACES]*3
    with ThreadPoolExecutor(4) as pool: got = list(pool.map(lambda q: walk(db, q, emb_fn=enc), questions))
    assert [g['sections'][0]['doc'] for g in got] == [f'The {p}' for p in PLACES]*3

def test_another_script_keeps_the_order_of_the_ranking():
    db = library(('蜂', '# 蜂蜜\n\n蜂蜜は甘い。蜂蜜を食べる。\n\n# 池\n\n池に蛙がいる。\n'), *TEXTS[:2], emb_fn=embed)
    got = walk(db, '蜂蜜は甘い', emb_fn=embed)
    assert [s['node_id'] for s in got['sections']] == [
        s['node_id'] for s in db.sections('蜂蜜は甘い', vec('蜂蜜は甘い'), limit=len(got['sections']))]
    assert set(got['trace'][0]['why']['evidence']) == {'rank'}


# --- encoders that read sentences

ASKED, MEANT = 'frogs of the pond sing', 'Newts of the cellar hide.'

class Reader:
    "An encoder that knows which passage is meant, though it shares no word with the question."
    encoder_id, ndim = 'reader', 256
    def __init__(self, sentences): self.sentences = sentences
    def encode_document(self, texts, **kw): return embed([t.rpartition('\n\n')[2] for t in texts])
    def encode_query(self, texts, **kw): return embed([MEANT if t == ASKED else t for t in texts])

@pytest.fixture(scope='module')
def read(): return library(*TEXTS, emb_fn=Reader(True))

def places(db, enc, **kw): return [s['breadcrumb'] for s in walk(db, ASKED, emb_fn=enc, k=8, **kw)['sections']]

def test_vectors_that_read_sentences_have_a_vote(read):
    heard, unheard = (places(read, Reader(s)) for s in (True, False))
    assert heard[:2] == unheard[:2] == ['The pond › Frogs', 'The pond › Frogs › Newts']
    assert heard[2] == 'The cellar › Frogs › Newts' and heard[2] not in unheard

def test_their_sections_are_weighed_too(read):
    assert places(read, Reader(True), pool=8)[2] == 'The cellar › Frogs › Newts'
    assert 'The cellar › Frogs › Newts' not in places(read, Reader(False), pool=8)

def test_votes_make_up_the_score(read):
    for t in walk(read, ASKED, emb_fn=Reader(True), k=8)['trace']:
        assert abs(sum(t['why']['evidence'].values()) - t['score']) < .01 and 'vectors' in t['why']['evidence']

def test_a_vote_costs_no_statements(read):
    said = []
    read.conn.exec_trace = lambda cursor, sql, args: said.append(sql) or True
    try: places(read, Reader(True))
    finally: read.conn.exec_trace = None
    assert 0 < len(said) <= 8

@pytest.mark.parametrize('q', [*HOSTILE, ' ', '青蛙 唱歌', 'frogs ' * 500])
def test_any_question_of_a_reader(read, q): assert len(walk(read, q, emb_fn=Reader(True))['sections']) <= 5

def test_without_a_vector_there_is_no_vote():
    db = library(*TEXTS)
    assert walk(db, 'newts of the roof')['sections'][0]['breadcrumb'] == 'The roof › Frogs › Newts'

def test_research_follows_the_vote(tmp_path):
    lib = Library(tmp_path/'a.db', encoder=Reader(True))
    for title, text in TEXTS: lib.add(text, title=title)
    ids = lambda found: [s['node_id'] for s in found]
    assert ids(lib.research(ASKED, k=6)) == ids(lib.navigate(ASKED, k=6)['sections'])
    assert ids(lib.research(ASKED, k=2, offset=2)) == ids(lib.research(ASKED, k=4))[2:]
    assert len(lib.research(ASKED, k=6, walk=False)) == 6

def test_passages_follow_the_vote(tmp_path):
    place = {}
    for heard in (True, False):
        lib = Library(tmp_path/f'{heard}.db', encoder=Reader(heard))
        lib.add({title + more: text for title, text in TEXTS for more in ('', ' in spring')})   # evidence needs thirty
        for name, hits in dict(search=lib.search(ASKED, k=48, spans=0), sections=lib.research(ASKED, k=48, walk=False),
                               context=lib.context(ASKED, k=24)['results']).items():
            found = [o['breadcrumb'] for o in hits] + ['The cellar › Frogs › Newts']
            place[name, heard] = found.index('The cellar › Frogs › Newts')
    for name in ('search', 'sections', 'context'): assert place[name, True] < place[name, False]
