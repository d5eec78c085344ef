"Questions, metrics and comparisons"
import io, itertools, json, math, sys
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from litesearch.core import ReadError
from litesearch.eval import (Config, Run, Table, compare_runs, evaluate, known_corpus, make_library, plot_intervals,
                             results_table)
from litesearch.metrics import (bootstrap_interval, compare_paired, fold_words, macro_interval, ndcg, reciprocal_rank,
                                same_title, shares_run, sign_flip_p, word_runs)
from litesearch.queryset import (as_query, Corpus, Doc, Query, corpus_docs, flavoured, known_items, read_corpus, read_queries,
                                 sample_queries)
from support import SHARED, Counting, library, needs_shared, write_files

SAMPLES = Path(__file__).parents[1]/'samples'
grades = st.dictionaries(st.sampled_from('abcdefghijklm'), st.integers(0, 4))


# --- metrics

@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from('abcdefghijklm'), max_size=20), grades)
def test_ndcg_is_1_for_the_best_order_alone(order, gold):
    score, best = ndcg(order, gold), sorted(gold, key=gold.get, reverse=True)
    assert 0 <= score <= 1 + 1e-12
    worth = [gold.get(d, 0) for d in dict.fromkeys(order)][:10]
    want = [gold[d] for d in best][:10]
    if any(want): assert math.isclose(score, 1) == (worth + [0]*(10 - len(worth)) == want + [0]*(10 - len(want)))
    else: assert score == 0

@pytest.mark.parametrize('ranks,k,want', [([0, 0, 1], 10, 1/3), ([0]*10 + [1], 10, 0), ([1, 1], 10, 1), ([], 10, 0),
                                          ([0, 1], 1, 0)])
def test_reciprocal_rank(ranks, k, want): assert reciprocal_rank(ranks, bool, k) == want

def test_a_run_is_five_words_in_a_row():
    runs = word_runs('one two three four five six')
    assert shares_run('x two three\nFOUR, five-six y', runs) and not shares_run('two three four five x six', runs)
    assert shares_run('Stop it!', word_runs('stop it')) and not shares_run('stop', word_runs('stop it'))

@pytest.mark.parametrize('order, grades, want', [('ba', dict(a=2, b=-1), 1/math.log2(3)), ('ab', dict(a=2, b=-1), 1), ('b', dict(b=-2), 0),
                                                 ('aab', dict(a=1, b=1), 1), ('a', dict(a=.5), 1), ('', dict(a=1), 0), ('a', dict(a=0), 0)])
def test_grades_below_zero_and_copies(order, grades, want): assert ndcg(order, grades) == pytest.approx(want)

def test_metrics_that_are_none_are_refused():
    run = Run('c', 'base', [dict(id='1', section=.5, ndcg=.3, ms=3.)])
    assert run.mean('section@2') == 1 and run.mean('section@1') == 0 and run.mean('ndcg@10') == run.mean('ndcg') == .3
    for metric in 'ndcg@5', 'ms@3', 'section@0', 'section@11', 'section@', 'section@x', 'recall@3', 'section@-1':
        with pytest.raises(ValueError, match='metric'): run.mean(metric)

def test_different_questions_are_not_compared():
    one, other = (Run('c', 'base', [dict(id=i, section=.5) for i in ids]) for ids in ('ab', 'bc'))
    assert compare_runs(one, replace(one, config='new'), 'section').n == 2
    for bad in other, replace(one, corpus='d'), replace(one, rows=one.rows[:1]):
        with pytest.raises(ValueError, match='different questions'): compare_runs(one, bad, 'section')

@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from([-1, -.5, .25, .5, 1]), min_size=1, max_size=8))
def test_few_signs_are_all_tried(diffs):
    sums = [sum(s*d for s, d in zip(signs, diffs)) for signs in itertools.product((1, -1), repeat=len(diffs))]
    assert sign_flip_p(diffs) == pytest.approx(np.mean([abs(s) >= abs(sum(diffs)) - 1e-9 for s in sums]))

def test_many_signs_are_drawn():
    # 20 of 30 questions gain the same: the sign test's exact p value is that of at least 20 heads or tails in 30 throws
    exact = 2*sum(math.comb(30, k) for k in range(20, 31))/2**30
    assert sign_flip_p([1]*20 + [-1]*10) == pytest.approx(exact, abs=.015)
    assert sign_flip_p([1]*20 + [-1]*10, seed=1) != sign_flip_p([1]*20 + [-1]*10)

def test_intervals_are_those_of_the_binomial():
    low, high = bootstrap_interval([1]*60 + [0]*40, n=4000)
    half = 1.96*math.sqrt(.6*.4/100)
    assert (low, high) == pytest.approx((.6 - half, .6 + half), abs=.02)
    assert all(map(math.isnan, bootstrap_interval([])))

def test_intervals_hold_the_truth_as_often_as_they_say():
    rng, held = np.random.default_rng(0), 0
    for i in range(200):
        low, high = bootstrap_interval(rng.normal(1, 2, 60), n=300, seed=i)
        held += low <= 1 <= high
    assert 175 <= held <= 199

def test_each_collection_counts_once():
    mean, low, high = macro_interval(dict(a=[1., 1], b=[0.]*500 + [1.]*500, c=[]))
    assert mean == .75 and .70 < low < mean < high < .80

def test_comparison_counts():
    c = compare_paired([0, 1, .5, 1], [1, .5, .5, 1])
    assert (c.n, c.better, c.worse, c.diff) == (4, 1, 1, .125) and c.low < 0 < c.high
    assert math.isnan(compare_paired([], []).diff)


# --- questions and collections

@pytest.mark.parametrize('line', ['{', '[]', '3', '{"flavour": "human"}'])
def test_bad_lines_are_named(tmp_path, line):
    (tmp_path/'q.jsonl').write_text('{"q": "Who?"}\n' + line)
    with pytest.raises(ReadError, match='line 2'): read_queries(tmp_path/'q.jsonl')

@pytest.mark.parametrize('line', ['{', '[]', '{"id": "a"}', '{"text": "x"}'])
def test_bad_documents_are_named(tmp_path, line):
    (tmp_path/'docs.jsonl').write_text('{"id": 1, "text": "Wings."}\n\n' + line)
    with pytest.raises(ReadError, match='line 3'): corpus_docs(tmp_path)

def test_grades_may_be_written_as_text():
    q, = (as_query(dict(q='?', qrels={'a': '2', 'b': 1})),)
    assert q.grades == dict(a=2, b=1) and ndcg('ab', q.grades) == 1
    for bad in dict(q=None), dict(q=['?']), dict(q='?', qrels=dict(a='good')):
        with pytest.raises((TypeError, ValueError)): as_query(bad)

def test_unknown_flavours_are_refused():
    db = library('The keeper opens the hive at noon and looks for the old queen.')
    with pytest.raises(ValueError, match="'degraded'"): known_items(db, 3, ['rare'])
    assert known_items(db, 0) == []

def test_lines_may_hold_any_separator(tmp_path):
    (tmp_path/'q.jsonl').write_text(json.dumps(dict(q='Who\u2028or what?\x85'), ensure_ascii=False), 'utf-8')
    assert [q.text for q in read_queries(tmp_path/'q.jsonl')] == ['Who\u2028or what?\x85']

@given(st.lists(st.sampled_from(['human', 'question', 'verbatim', 'keyword', '']), max_size=60), st.integers(1, 20))
def test_samples_keep_people_and_some_of_each_other(flavours, n):
    queries = [Query(str(i), f) for i, f in enumerate(flavours)]
    kept = sample_queries(queries, n)
    assert [int(q.text) for q in kept] == sorted(int(q.text) for q in kept)
    for f in set(flavours):
        assert sum(q.flavour == f for q in kept) == (flavours.count(f) if f in ('human', 'question') else
                                                     min(n, flavours.count(f)))

def test_documents_of_a_folder(tmp_path):
    write_files(tmp_path/'docs', {'b.md': '# B', 'LICENSE.txt': 'x', 'sub/README.md': '# C', 'a.txt': 'A'})
    assert [d.name for d in corpus_docs(tmp_path)] == ['a.txt', 'b.md', 'sub/README.md']
    assert read_corpus(tmp_path).queries == []
    lib = make_library([*corpus_docs(tmp_path), Doc('d', text='Some words.', title='Zebra')], Config('c', encoder=None))
    assert sorted(lib.names.values()) == ['a.txt', 'b.md', 'd', 'sub/README.md']
    title, = lib.db.toc('Zebra')
    assert lib.names[title['doc_id']] == 'd'


# --- known items

SAME = 'This very sentence stands in both of the documents, word for word.'
TEXTS = [f'# One\n\nThe heron stood still in the shallow water until the evening came. {SAME}\n\n'
         '## Two\n\nNobody had seen the ferry since the winter storms took the landing stage away.',
         f'# Three\n\n{SAME}\n\n## Four\n\nToo short.']

def test_a_known_item_stands_in_one_place():
    db = library(*TEXTS)
    items = known_items(db, 10, flavours=('verbatim',))
    assert sorted(q.titles[0] for q in items) == ['One', 'Two']
    assert all(q.text != SAME and q.text in db.read(q.node)['text'] for q in items)
    assert all(q.node.split('#')[0] == q.docs[0] and not q.pages for q in items)

def test_known_items_know_their_page():
    db = library()
    pages = [(3, '# A\n\n' + 'The miller closed the sluice before the flood reached the lower wheel.'),
             (7, 'Every stone of the weir was carried off and found a mile below the mill.')]
    db.add_doc(pages, title='Mill')
    found = {q.text[:5]: q.pages for q in [known_items(db, 1, ('verbatim',), seed=s)[0] for s in range(12)]}
    assert found == {'The m': [3], 'Every': [7]}

@pytest.mark.parametrize('df,want', [
    (dict(heron=1, stood=2, shallow=9, water=9), ['The stood still in the shallow water.',
                                                  'heron stood still shallow water']),
    (dict(heron=9, stood=9, still=9, shallow=9, water=1), ['The heron stood still in the shallow',
                                                            'heron stood still shallow water'])])
def test_flavours_leave_out_what_is_rare(df, want):
    text = 'The heron stood still in the shallow water.'
    df = dict(still=8) | df
    assert [flavoured(text, df, f) for f in ('degraded', 'keyword')] == want

def test_the_rarest_words_are_those_of_the_index():
    db = library('# A\n\nThe heron stood still in the shallow water until the evening came again.',
                 '# B\n\nThe shallow evening water came, and the heron stood.')
    keyword, = known_items(db, 1, ('keyword',), seed=1)[:1]
    assert keyword.docs and 'still' in keyword.text and 'again' in keyword.text or keyword.titles == ['B']

@pytest.mark.parametrize('text', ['', '# A', 'Short.', '今日は天気がいいから散歩しましょう。' * 9, '"' * 500, "x' or 1=1 --" * 20])
def test_libraries_without_sentences(text): assert known_items(library(text), 5) == []

def test_quotes_in_sentences():
    db = library('# A\n\nHe said: "It\'s 5 o\'clock" and \'drop table store; --\' while the others "looked away.')
    assert [q.flavour for q in known_items(db, 5)] == ['verbatim', 'degraded', 'keyword']

def test_statements_do_not_grow_with_the_sections():
    section = '## S{0}\n\nThe number {0} is painted in white upon the door of the cabin {0}.'
    db = library('\n\n'.join(map(section.format, range(80))))
    seen = []
    db.conn.exec_trace = lambda cur, sql, args: seen.append(sql) or True
    try: assert len(known_items(db, 40)) == 120
    finally: db.conn.exec_trace = None
    assert len(seen) <= 8


# --- settings of a library that is shipped

def sample_docs():
    paths = ['handbook/apiary.md', 'handbook/honey-house.md', 'the-keepers-year.txt', 'hive-scale-manual.pdf']
    return [Doc(p, SAMPLES/p) for p in paths]

@pytest.fixture(scope='module')
def sample_runs():
    base = Config('base', encoder='hash')
    worse = [replace(base, name='sum', sections=dict(score='sum')),
             replace(base, name='by length', search=dict(rerank=lambda q, texts: [len(t) for t in texts]))]
    words = replace(base, name='words', encoder=None)
    return list(evaluate(known_corpus(sample_docs(), 60, seed=7), base, words, *worse))

@pytest.mark.parametrize('flavour,floor', [('verbatim', .97), ('degraded', .95), ('keyword', .9)])
@pytest.mark.parametrize('metric', ['passage', 'section'])
def test_known_items_are_found(sample_runs, metric, flavour, floor):
    runs = {r.config: r for r in sample_runs}
    assert all(len(runs['base'].values(metric, flavour=f)) > 50 for f in ('verbatim', 'degraded', 'keyword'))
    assert runs['base'].mean(metric, flavour=flavour) >= floor
    assert runs['words'].mean(metric, flavour=flavour) >= floor
    # a ranking that is broken falls below the floor
    assert runs['by length'].mean(metric, flavour=flavour) < floor

@pytest.mark.parametrize('worse', ['sum', 'by length'])
def test_a_worse_setting_is_found_to_be_worse(sample_runs, worse):
    runs = {r.config: r for r in sample_runs}
    c = compare_runs(runs['base'], runs[worse], 'section')
    assert c.diff < -.1 and c.high < 0 and c.p < .01 and c.worse > 5*c.better
    same = compare_runs(runs['base'], runs['words'], 'section')
    assert abs(same.diff) < .05

def test_levels():
    corpus = Corpus('c', [Doc('d', text='# A\n\nSome words about herons.\n\n# B\n\nOthers about mills.')],
                    [Query('mills', docs=['d'], titles=['B'])])
    made = []
    config = Config('a', encoder='hash', prepare=lambda db, enc: made.append(db.build_sections(emb_fn=enc)))
    runs = evaluate(corpus, config, *(replace(config, name=l, sections=dict(level=l)) for l in ('sections', 'fused')))
    assert [r.mean('section') for r in runs] == [1, 1, 1] and made[0]['sections'] == 2

def test_settings_share_a_library():
    enc = Counting()
    config = Config('a', encoder=enc)
    corpus = Corpus('c', [Doc('d', text='# A\n\nSome words about herons.\n\n# B\n\nOthers about mills.')],
                    [Query('herons', docs=['d'], titles=['A']), Query('mills', docs=['d'], titles=['B'])])
    runs = list(evaluate(corpus, config, replace(config, name='b', search=dict(weights=(3, 1)))))
    assert enc.calls == 2 and [r.config for r in runs] == ['a', 'b']
    list(evaluate(corpus, config, replace(config, name='b', ingest=dict(with_heading=False))))
    assert enc.calls == 6

def test_what_is_the_same_is_asked_once(monkeypatch):
    import litesearch.eval as ev
    seen = []
    for name in ('ask_passages', 'ask_sections'):
        def counted(*args, name=name, fn=getattr(ev, name), **kw):
            seen.append(name)
            return fn(*args, **kw)
        monkeypatch.setattr(ev, name, counted)
    corpus = Corpus('c', [Doc('d', text='# A\n\nWords.')], [Query('words', docs=['d'], titles=['A'])])
    base = Config('a', encoder=None)
    runs = list(evaluate(corpus, base, replace(base, name='b', sections=dict(score='sum')),
                         replace(base, name='c', passages=dict(pad=1)), replace(base, name='d', search=dict(rrf_k=9))))
    assert seen == ['ask_passages', 'ask_sections', 'ask_sections', 'ask_passages', 'ask_passages', 'ask_sections']
    assert all({'doc', 'section', 'ms', 'sections_ms'} <= r.rows[0].keys() for r in runs)

def test_what_holds_while_questions_are_asked():
    seen = []
    @contextmanager
    def during():
        seen.append('in')
        yield
        seen.append('out')
    corpus = Corpus('c', [Doc('d', text='# A\n\nWords.')], [Query('words', docs=['d'])]*2)
    config = Config('a', encoder=None, during=during, prepare=lambda db, enc: seen.append('made'))
    assert [len(r.rows) for r in evaluate(corpus, config, replace(config, name='b', during=None))] == [2, 2]
    assert seen == ['made', 'in', 'out']

def test_preparation_and_failures(tmp_path):
    (tmp_path/'bad.pdf').write_bytes(b'%PDF-1.4 nothing')
    seen = []
    docs = [Doc('d', text='Words.'), Doc('bad', tmp_path/'bad.pdf')]
    run, = evaluate(Corpus('c', docs, []), Config('a', encoder=None, prepare=lambda db, enc: seen.append(db.t.store.count)))
    assert seen == [1] and len(run.failed) == 1 and 'bad.pdf' in run.failed[0] and run.chunks == 1

def test_tables(sample_runs):
    table = results_table(sample_runs, 'section', by_flavour=False)
    assert isinstance(table, Table) and table[1][:3] == ['known items', 'derived', 180]
    assert str(table).count('\n') == 2 and table._repr_markdown_() == str(table)

def test_figures():
    pytest.importorskip('matplotlib').use('agg')
    ax = plot_intervals(dict(a={'x': (.1, .0, .2), 'y': (.3, .2, .4)}, b={'y': (.2, .1, .3)}), 'Title', zero=0)
    assert [t.get_text() for t in ax.get_yticklabels()] == ['x', 'y'] and ax.get_title() == 'Title'


# --- the same numbers as the shared tool

@pytest.fixture(scope='module')
def tool():
    sys.path.insert(0, str(SHARED/'tools'))
    try: import score_search
    finally: sys.path.pop(0)
    return score_search

parts = st.lists(st.sampled_from(['One', 'two ', '**three**', ' four', '-', '[five](x)', '\u00ad', ' six', '<b>', 'ﬁ',
                                  '\n', '{#a}', 'é', '`', ' 7']), max_size=12).map(''.join)

@needs_shared
@settings(max_examples=300, deadline=None)
@given(parts, parts)
def test_words_and_titles_as_the_tool(tool, a, b):
    assert fold_words(a) == tool.norm(a)
    assert same_title(a, b) == tool.same(a, dict(title=b))
    assert word_runs(a) == tool.grams(tool.words(a))

@needs_shared
@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from('abcdefghijklm'), max_size=20), grades)
def test_ndcg_as_the_tool(tool, order, gold): assert ndcg(order, gold) == tool.ndcg(order, gold)

@needs_shared
@pytest.mark.parametrize('name', ['emanual-qa', 'covid-qa', 'long-reports', 'quran-qa-ar'])
def test_collections_as_the_tool(tool, name, monkeypatch):
    folder = SHARED/'corpora'/name
    monkeypatch.setattr(sys, 'argv', ['score_search', str(folder), '--encoder', 'hash'])
    with redirect_stdout(io.StringIO()) as out: tool.main()
    want = json.loads(out.getvalue())
    run, = evaluate(read_corpus(folder), Config('base', encoder='hash'))
    for flavour in {q.flavour for q in read_corpus(folder).queries} - {'human-no-answer'}:
        mine = {m: v for m in ('doc', 'page', 'passage', 'section', 'ndcg')
                if (v := run.mean(m, flavour=flavour)) is not None}
        assert {m: round(v, 3) for m, v in mine.items()} == want[flavour], flavour
