"Results are lists and dicts, and safe to show: no word of a document becomes markup."
import copy, json, pickle

import pytest

from litesearch.html_view import pack_html
from litesearch.results import Added, Context, Hits, Notes, Report, Reports, Section, Sections, Status, Topics, Walk
from support import Checker, HOSTILE, library, vec

TITLES = HOSTILE + ['<script>alert(1)</script>', '"><img src=x onerror=y>', "' onmouseover='x", '</div></style><style>*{}',
                    '&amp; &lt;', 'a\x1b[31mb\r\n\tc', '</details>'*9, '<b> queen '*90]
TAGS = set('div style details summary ol ul li b small code mark p table tr th td blockquote'.split())

def results(t):
    "One result of each kind that says `t` wherever it says anything."
    t = t or 'x'   # what has an id has one that is not empty
    hit = dict(node_id=t, breadcrumb=t, page=3, page_end=4, content=t*2, score=1., source=t, ref=t)
    note = dict(note=t, topic=t, title=t, source=t, text=t*2, key=t, created_at=t)
    section = dict(node_id=t, breadcrumb=t, title=t, pages=(1, 2), snippets=[t, t], summary=t, score=1., source=t)
    sec = dict(id=t, breadcrumb=t, title=t, pages=(1, 2), text=t, source=t, truncated=9, next=dict(id=t, title=t), previous=t,
               children=[dict(id=t, title=t)])
    trace = [dict(id=t, title=t, depth=99, score=.5, why={t: [t]}), dict(id=t, title=t, depth=None, score=None, why=t)]
    row = dict(score=None, pages=1, sections=2, depth=1, titles_found=None, empty=0, search_cost=1, title=t, faults=[])
    return [Hits([hit, dict(note, content=t), dict(hit, spelling={t: t})], q=t), Notes([note], q=t), Sections([section], q=t),
            Section(sec, q=t), Context(query=t, results=[sec], related=[section]), Reports([row]),
            Walk(query=t, sections=[section], trace=trace), Topics([dict(topic=t, count=1, newest=t)]),
            Report(ok=False, problems=[dict(kind=t, what=t, where=t)], counts={t: 1}), Status({t: t, 'b': [t], 'c': {t: t}}),
            Added([dict(title=t, nodes=1, chunks=1), dict(title=t, removed=t), dict(source=t, error=t)])]

@pytest.mark.parametrize('t', TITLES)
def test_html_is_safe_and_whole(t):
    quotes = [dict(text=t, doc=t, breadcrumb=t, page=1, node_id=t)]
    for html in [*(o._repr_html_() for o in results(t)), pack_html([dict(question=t, quotes=quotes)])]:
        found = Checker(html)
        assert set(found.tags) <= TAGS and {k for k, _ in found.attrs} <= {'class', 'title', 'dir'} and found.tags.count('style') == 1
        assert '\x1b' not in html and '\x00' not in html
        if '<' in t: assert t.strip() in found.text

@pytest.mark.parametrize('t', TITLES)
def test_text_commands_no_terminal(t):
    for o in results(t): assert '\x1b' not in str(o) and '\r' not in str(o) and repr(o) == str(o)

@pytest.mark.parametrize('t', ['<script>x</script>', '# T', '* a', '[x](javascript:y)', '`x`', '1. a\n2. b', '12) a', '- a', '+ a', '---', '===', '![i](u)'])
def test_markdown_of_documents_is_text(t):
    from markdown_it import MarkdownIt
    for o in results(t)[:3]:
        html = MarkdownIt('commonmark').render(o._repr_markdown_())
        found = Checker(html.replace('<br />', ''))
        assert set(found.tags) <= {'ol', 'li', 'strong', 'p'} and found.tags.count('ol') == 1

def test_lists_stay_lists():
    hits = Hits([dict(content='a', breadcrumb='A', node_id='d#1'), dict(content='b', breadcrumb='B', node_id='d#2')], q='a')
    assert isinstance(hits, list) and hits == list(hits) and json.loads(json.dumps(hits)) == list(hits)
    assert type(hits[:1]) is Hits and hits[1:].q == 'a' and type(hits[0]) is dict and hits[-1]['content'] == 'b'
    for o in results('x'):
        for same in (copy.copy(o), copy.deepcopy(o), pickle.loads(pickle.dumps(o))):
            assert same == o and type(same) is type(o) and same.q == o.q and str(same) == str(o)

@pytest.mark.parametrize('cls', [Hits, Notes, Sections, Reports, Added, Topics, Section])
def test_nothing_is_said(cls):
    assert str(cls()) == 'nothing found' and not cls() and Checker(cls()._repr_html_()).text

def test_long_lists_are_cut():
    hits = Hits([dict(content=str(i), breadcrumb='A', node_id='d#1') for i in range(1000)])
    assert hits._repr_html_().count('<li>') == 200 and '800 more' in hits._repr_html_()

def test_what_a_database_returns_can_be_shown():
    db = library(('The Apiary', '# Swarms\n\nBees swarm in May.\n\n## Signs\n\nQueen cells at the edge.'))
    q = 'when do bees swarm'
    hits, found = Hits(db.doc_search(q, None), q=q), Sections(db.sections(q, vec(q)), q=q)
    context = Context({**db.context(q, vec(q)), 'query': q})
    assert str(hits).startswith('1. The Apiary › Swarms\n') and 'read ' in str(found) and 'Bees swarm' in str(context)
    assert hits._repr_html_().count('<mark>') >= 2 and Checker(found._repr_html_()) and Checker(context._repr_html_())
    node = found[0]['node_id']
    assert '<mark>swarm</mark>' in Section(db.read(node), q='swarm')._repr_html_()
    assert '100%' in Checker(Reports(db.tree_report())._repr_html_()).text
