"Hits with the same text are one hit, and nothing else changes."
import random, time
import pytest
from hypothesis import given, settings, strategies as st
from litesearch.fold import alike, fold_hits, LEAST, text_runs
from support import *

NOTICE = 'this report holds statements that look forward and involve risks so that results may differ from those expected'

def naive(hits):
    "Every hit compared with all that are kept."
    kept = []
    for h in hits:
        same = [i for i, (k, _) in enumerate(kept) if alike(text_runs(k['content']), text_runs(h['content']))]
        if same: kept[same[0]][1].append(h['rowid'])
        else: kept.append((h, []))
    return [(k['rowid'], also) for k, also in kept]

def places(hits): return [(h['rowid'], [o['rowid'] for o in h.get('_also', [])]) for h in hits]

words = st.lists(st.sampled_from('a b c 1 2'.split()), max_size=7).map(' '.join)
variants = st.tuples(st.integers(0, 3), st.integers(0, 40), st.sampled_from(['', ' x', ' 7', '!'])).map(
    lambda t: ' '.join((NOTICE.split()*3)[t[0]:60 - t[1] % 5]) + t[2])

@given(st.lists(words | variants, max_size=25))
@settings(max_examples=300, deadline=None)
def test_as_if_all_were_compared(texts):
    hits = [dict(rowid=i, content=t) for i, t in enumerate(texts)]
    assert places(fold_hits(hits)) == naive(hits)

@given(st.lists(words | variants, max_size=25), st.integers(0, 25))
@settings(max_examples=100, deadline=None)
def test_the_first_hits_do_not_depend_on_later_ones(texts, n):
    hits = [dict(rowid=i, content=t) for i, t in enumerate(texts)]
    some, all_ = ([h['rowid'] for h in fold_hits(hs)] for hs in (hits[:n], hits))
    assert all_[:len(some)] == some

def test_a_share_of_common_runs():
    words = [f'w{chr(97 + i//26)}{chr(97 + i % 26)}' for i in range(203)]   # 200 runs
    changed = lambda n: ' '.join([*words[:len(words) - n], *('new' + w for w in words[len(words) - n:])])
    share = lambda n: (200 - n)/(200 + n)
    for n in range(1, 20): assert alike(text_runs(' '.join(words)), text_runs(changed(n))) == (share(n) >= LEAST)

def test_numbers_tell_texts_apart():
    assert not alike(text_runs(f'{NOTICE} 2018'), text_runs(f'{NOTICE} 2019'))
    assert alike(text_runs('7 of 9'), text_runs('7 of 9.'))

@pytest.fixture(scope='module')
def filings():
    "The same notice in forty documents, and something of its own in each."
    goods = random.Random(1).choices('coal slate wool corn tea'.split(), k=40)
    return library(*((f'F{i:02}', f'# Notice\n\n{NOTICE}{"." * (i % 2)}\n\n# Risks\n\nrisks of {w} results\n')
                     for i, w in enumerate(goods)), emb_fn=embed)

def test_a_search_that_folds(filings):
    q = 'statements that look forward'
    plain, folded = (filings.doc_search(q, vec(q), limit=10, fold=f) for f in (False, True))
    assert all(h['content'].strip('.\n') == NOTICE for h in plain) and folded[0]['rowid'] == plain[0]['rowid']
    texts = [h['content'].strip() for h in folded]
    assert len(folded) == 6 == len({*texts}) and len(folded[0]['_also']) == 39 and '_also' not in plain[0]
    docs = {o['doc_id'] for o in folded[0]['_also']} | {folded[0]['doc_id']}
    assert len(docs) == 40 and all(set(o) == {'rowid', 'doc_id', 'node_id', 'page'} for o in folded[0]['_also'])

by_length = lambda q, texts: [len(t) % 7 for t in texts]
@pytest.mark.parametrize('kw', [{}, dict(spans=False), dict(rerank=by_length), dict(explain=True)], ids=''.join)
def test_pages_of_folded_hits_join(filings, kw):
    q = 'risks of wool results'
    ask = lambda **page: [h['rowid'] for h in filings.doc_search(q, vec(q), fold=True, **page, **kw)]
    assert sum((ask(limit=2, offset=i) for i in range(0, 10, 2)), []) == ask(limit=10) and len(set(ask(limit=10))) == 6

def test_what_does_not_repeat_is_as_before():
    db = library(*(f'quince {w} jar' for w in 'a slate roof,by the moss,in alder'.split(',')), emb_fn=embed)
    assert db.doc_search('quince', vec('quince'), fold=True) == db.doc_search('quince', vec('quince'))

def test_time_grows_with_the_number_of_hits():
    def spent(n):
        pick = random.Random(n)
        texts = (' '.join(pick.choices(NOTICE.split(), k=60)) if i % 2 else NOTICE*3 for i in range(n))
        hits = [dict(rowid=i, content=t) for i, t in enumerate(texts)]
        start = time.thread_time()
        fold_hits(hits)
        return time.thread_time() - start
    assert least(spent, 4000) < 12*max(least(spent, 1000), 0.01)
