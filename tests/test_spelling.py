"A misspelled word finds what it was meant to find; a word that is there, or that is no plain word, is left alone."
import random, time
from concurrent.futures import ThreadPoolExecutor
import pytest
from hypothesis import given, settings, strategies as st
from litesearch import Library
from litesearch.spelling import correct, edit_distance, edits_of, fts_tokens, fts_vocab, respelled, words_to_check
from litesearch.store import insert_rows
from support import *

TEXTS = ['The colonies swarmed early in the summer.', 'A summer of pollination and architecture.',
         'Winter feeding with sugar syrup.', 'Carrageenan thickens the syrup; the queens refuse it.',
         'Пчелиная семья зимует под снегом.', 'Μέλισσα στο λουλούδι', 'Größere Bienenvölker überwintern besser.',
         'The bendigo goldfields', '蜜蜂採集花粉', 'Observed by Tolstoy in fooBarBaz v24']
@pytest.fixture(scope='module')
def shelf(): return library(*((f'D{i}', t) for i, t in enumerate(TEXTS)), emb_fn=embed)

# --- distances
letters = st.text('abc', max_size=7)

def oracle(a, b, swaps=True):
    "Restricted Damerau-Levenshtein, by its definition."
    d = {(i, 0): i for i in range(len(a) + 1)} | {(0, j): j for j in range(len(b) + 1)}
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            d[i, j] = min(d[i-1, j] + 1, d[i, j-1] + 1, d[i-1, j-1] + (a[i-1] != b[j-1]))
            if swaps and i > 1 < j and a[i-1] == b[j-2] and a[i-2] == b[j-1]: d[i, j] = min(d[i, j], d[i-2, j-2] + 1)
    return d[len(a), len(b)]

@given(letters, letters, st.integers(0, 4), st.booleans())
@settings(max_examples=500, deadline=None)
def test_edit_distance(a, b, most, swaps): assert edit_distance(a, b, most, swaps) == min(oracle(a, b, swaps), most + 1)

@given(st.text('abz', min_size=1, max_size=5))
@settings(max_examples=40, deadline=None)
def test_edits_are_all_words_at_distance_one(word):
    edits = edits_of(word)
    assert len(set(edits)) == len(edits) and all(oracle(word, e) == 1 for e in edits)
    assert {w for w in ('', 'a', 'ab', 'ba', 'abz', 'azb', 'bab', 'zabz') if oracle(word, w) == 1} <= {*edits}

def test_correct():
    words = dict(election=40, selection=90, electron=7, reelection=3)
    assert correct('electin', words) == ['election'] == correct('elecction', words, top=9)
    assert correct('election', words) == correct('elect', words) == correct('zyzzyvas', words) == []
    assert correct('electio', words, min_len=8) == [] and correct('eletcion', words, swaps=False) == []
    assert correct('elcetoin', words, edits=2, top=3)[0] == 'election' and correct('elcetoin', words) == []
    assert correct('elektron', [*words], skeleton=True) == ['electron']

# --- in a question
FIXED = {'colonies pollintion': 'pollination', 'archidectuer': 'architecture', 'architecture ollination': 'pollination',
         'архитектура пчелнная': 'пчелиная', 'μέλισσσα': 'μέλισσα', 'Carageenan': 'carrageenan', 'SYRUPP': 'syrup',
         'Bienenvolkr': 'bienenvölker', "the wintre's cold": 'winter', 'bendgio': 'bendigo'}
@pytest.mark.parametrize('q', FIXED)
def test_what_is_corrected(shelf, q):
    asked, found = respelled(shelf, 'store', q)
    assert [*found.values()] == [FIXED[q]] and FIXED[q] in asked and not {*found} & {*asked.split()}
    assert shelf.doc_search(q)[0]['_spelling'] == found and FIXED[q] in shelf.doc_search(q)[0]['content'].casefold()

LEFT = ['colonies', 'colon', 'architec', '"wintre feeding"', 'wintr3', 'win_tre', 'v24x', 'fooBarBz', 'QNSXY', 'smmr', 'sgar',
        '蜜蜂採集花粉花', 'ミツバチハナ', 'النحلةالكبيرة', 'zyzzyva', 'inter', 'ummer', 'http://colonise.org', 'a-wintre-day',
        '', '  ', '"', 'between']
@pytest.mark.parametrize('q', LEFT)
def test_what_is_left_alone(shelf, q): assert respelled(shelf, 'store', q) == (q, {})

def test_the_most_frequent_word_wins():
    db = library('the plane landed', *['a plant grows']*3, 'the plank is long')
    assert respelled(db, 'store', 'planx') == ('plant', dict(planx='plant'))

def test_every_search_tells_what_was_corrected(shelf):
    q, said = 'feeding in wintre', dict(wintre='winter')
    hit = shelf.doc_search(q, vec(q), explain=True)[0]
    assert hit['_spelling'] == hit['_explain']['spelling'] == said and 'winter' in hit['_explain']['terms']
    assert shelf.search(q, vec(q))[0]['_spelling'] == shelf.sections(q)[0]['_spelling'] == said

def test_it_can_be_turned_off(shelf):
    assert '_spelling' not in shelf.doc_search('sugar wintre', spell=False)[0]
    assert shelf.doc_search('wintre') and not shelf.doc_search('wintre', spell=False)
    assert not shelf.search('wintre', fts_pre=False)

def test_what_is_right_is_searched_as_before(shelf):
    for q in ('summer of the colonies', 'queens', 'carrageenan "syrup; the"'):
        assert shelf.doc_search(q, vec(q)) == shelf.doc_search(q, vec(q), spell=False)

def test_it_follows_the_library(tmp_path):
    db, other = (database(tmp_path/'x.db') for _ in range(2))
    db.add_doc('quince jelly', title='A', emb_fn=embed)
    assert respelled(db, 'store', 'quinze')[1] == dict(quinze='quince') == respelled(db, 'store', 'quinze')[1]
    other.add_doc('quinze jours', title='B', emb_fn=embed)
    assert respelled(db, 'store', 'quinze')[1] == {}
    other.delete_doc(other.toc('B')[0]['doc_id'])
    rows(db, 'select count(*) from store')
    assert respelled(db, 'store', 'quinze')[1] == dict(quinze='quince')

def test_inside_a_transaction_nothing_is_corrected():
    db = library('quince jelly')
    db.conn.execute('begin')
    assert respelled(db, 'store', 'quinze') == ('quinze', {})
    db.conn.execute('rollback')
    assert respelled(db, 'store', 'quinze')[1]

@pytest.mark.parametrize('tokenize', ['trigram', 'sanskrit', 'unicode61', 'ascii'])
def test_other_tokenizers(tokenize):
    db = database()
    db.get_store(tokenize=tokenize)
    insert_rows(db, 'store', [dict(content='quince jelly')])
    found = respelled(db, 'store', 'quinze')[1]
    assert found == ({} if tokenize in ('trigram', 'sanskrit') else dict(quinze='quince'))
    assert fts_tokens(db, 'store', 'quince jelly') in (None, ['quince', 'jelly'], ['quinc', 'jelli'])

def test_the_vocabulary(shelf):
    assert fts_vocab(shelf, 'store', 'sum') == dict(summer=2) and 'coloni' in fts_vocab(shelf, 'store')
    assert len(fts_vocab(shelf, 'store', limit=3)) == 3

# --- cost
@pytest.fixture(scope='module')
def many():
    "Rows of many words that are much alike."
    db, pick = database(), random.Random(3)
    db.get_store()
    word = lambda: ''.join(pick.choice('aeiou' if i % 2 else 'bcdfglmnprst') for i in range(8))
    words = [word() for _ in range(30_000)]
    insert_rows(db, 'store', [dict(content=' '.join(words[i:i + 100])) for i in range(0, len(words), 100)])
    db.words = words
    return db

def said(db, call):
    seen = []
    db.conn.exec_trace = lambda cursor, sql, args: seen.append(sql) or True
    try: call()
    finally: db.conn.exec_trace = None
    return seen

def test_statements(many):
    right, wrong = ' '.join(many.words[:6]), ' '.join(w[:5] + 'q' + w[5:] for w in many.words[:20])
    many.t.store.fts_search(many.words[9])   # lengths of rows are known
    assert len(said(many, lambda: respelled(many, 'store', 'vocabulary'))) <= 8
    found = said(many, lambda: respelled(many, 'store', right))
    assert len(found) == 3 and "data_version" in found[0] and "group_concat" in found[1]   # what keyword search needs
    assert "exists" in found[2]   # whether any of them is written in another way
    many.t.store.fts_search(right)
    assert not [s for s in said(many, lambda: many.t.store.fts_search(right)) if 'group_concat' in s]
    assert said(many, lambda: respelled(many, 'store', right)) == []   # known by now
    assert len(said(many, lambda: respelled(many, 'store', wrong))) <= 7

def test_statements_of_a_search(shelf):
    for call in ('doc_search', 'sections', 'context'):
        for explain in (False, True):
            q = 'wintre feedding of coloniess'
            seen = said(shelf, lambda: getattr(shelf, call)(q, vec(q), explain=explain))
            assert 0 < len(seen) <= 8, seen

def test_many_slips_take_bounded_time(many):
    q, start = ' '.join(w[:4] + 'qq' + w[4:] for w in many.words[:400]), time.thread_time()
    respelled(many, 'store', q)
    assert time.thread_time() - start < 2

def test_threads(shelf):
    with ThreadPoolExecutor(8) as pool: found = list(pool.map(lambda q: respelled(shelf, 'store', q), ['wintre', 'syrpu']*20))
    assert found == [('winter', dict(wintre='winter')), ('syrup', dict(syrpu='syrup'))]*20

@given(st.text(max_size=60))
@settings(max_examples=150, deadline=None)
def test_any_question(shelf, q):
    asked, found = respelled(shelf, 'store', q)
    assert bool(found) == (asked != q) and all(w in words_to_check(q) for w in found)

def test_an_empty_store():
    for q in ('quinze', 'architecture of swarms', '𞤀𞤁𞤂𞤃𞤄𞤅𞤆𞤇𞤈𞤉', 'ꟊꟊꟊꟊꟊꟊꟊꟊꟊꟊ'): assert respelled(library(), 'store', q) == (q, {})

@pytest.mark.parametrize('q', HOSTILE)
def test_hostile_questions(shelf, q): respelled(shelf, 'store', q)


def test_a_word_is_corrected_alike_in_every_process():
    "Whatever the hashes of words are there."
    code = """from litesearch.spelling import respelled
db = library(('T', 'ruled rulers rules ruling raler rulez under a tree'))
print([respelled(db, 'store', q)[1] for q in ('rulxr', 'rulem rulen')])"""
    said = {run(code, env={**os.environ, 'PYTHONHASHSEED': str(seed)}) for seed in range(4)}
    assert len(said) == 1 and 'rul' in said.pop()

# --- two ways to write a word

@pytest.mark.parametrize('written, asked', [
    ('Send an e-mail today', 'email'), ('Send an email today', 'e-mail'), ('The Wi-Fi is off', 'wifi'), ('The wifi is off', 'Wi-Fi'),
    ('It is on-line now', 'online'), ('It is online now', 'on-line'), ('The wi\u2011fi is off', 'Wifi'), ('COVID19 rules', 'COVID-19'),
    ('Herr Müller kam', 'Mueller'), ('Herr Mueller kam', 'Müller'), ('Herr Mueller kam', 'Mu\u0308ller'), ('Im Gebäude', 'Gebaeude'),
    ('Das Öltuch', 'Oeltuch'), ('Das Oel', 'Öl'), ('Die Straße', 'Strasse'), ('Die Strasse', 'Straße'), ('Weißenböck', 'Weissenboeck')])
def test_either_way_to_write_a_word_finds_the_other(written, asked):
    db = library(('A', f'{written}.'), ('B', 'Nothing of the kind stands here.'))
    for q in asked, asked.upper(), f'{asked}?', f'zyzzyva {asked}': assert found(db, q) == [f'{written}.'], q

def test_a_name_in_two_spellings_is_found_in_both():
    texts = [f'{w} wrote no. {i}.' for i, w in enumerate(('Müller', 'Mueller', 'Meier')*3)]
    db = library(*[(f'{i}', t) for i, t in enumerate(texts)])
    for q in ('Müller', 'Mueller'): assert {*found(db, q)} == {t for t in texts if 'Meier' not in t}, q

def test_words_that_only_look_alike_are_left_alone():
    db = library('A pot of tea.', 'The poet slept.', 'In what form? In form B.', 'Please inform us.', 'On this line.')
    assert found(db, 'poet') == ['The poet slept.'] and found(db, 'inform') == ['Please inform us.']
    assert found(db, 'online') == [] and respelled(db, 'store', 'does the poet value form') == ('does the poet value form', {})

def test_the_other_way_to_write_it_is_told():
    db = library('The Wi-Fi is off.')
    assert [h['_spelling'] for h in words(db, 'wifi')] == [dict(wifi='wi-fi')]

def test_a_library_that_writes_it_in_both_ways():
    db = library('An e-mail came.', 'An email came.', 'Emails went.', 'No mail came.', 'It is e. g. mail.')
    for q in ('email', 'e-mail', 'E-Mails', 'Emails'): assert {*found(db, q)} == {'An e-mail came.', 'An email came.', 'Emails went.'}

def test_a_word_is_not_taken_for_itself_without_its_first_letter():
    db = library('Each part of the hive has a name. Other parts are boxes.')
    assert respelled(db, 'store', 'how far apart are hives')[1] == {}
    assert respelled(db, 'store', 'which aprts are boxes')[1] == {'aprts': 'parts'}

@pytest.mark.parametrize('encoder', ['hash', 'wordllama'])
@pytest.mark.parametrize('asked, word', [('swarrm', 'swarm'), ('Mueller', 'Müller'), ('Weissenboeck', 'Weißenböck'), ('online', 'on-line')])
def test_a_library_answers_one_misspelled_word(encoder, asked, word):
    "What was searched for in its place counts as a word of the question."
    lib = Library(':memory:', encoder=encoder)
    lib.add({'A': f'Here it says {word} and then goes on.', **{f'{i}': f'No. {i} tells of apples and pears.' for i in range(9)}})
    assert lib.search(asked)[0]['doc'] == lib.research(asked)[0]['doc'] == 'A'

# --- words in two parts

@pytest.mark.parametrize('texts, asked', [
    (['We work online.', 'The on-line shop.'], ['online', 'on-line', 'Online', 'ONLINE', 'On-Line']),
    (['A longterm plan.', 'A long\u2010term loan.', 'Long-Term care.'], ['longterm', 'long-term', 'Longterm']),
    (['The co-worker left.', 'Our co-workers.'], ['coworker', 'coworkers', 'co-workers']),
    (['Der Öko-Strom fließt.', 'Kein ÖKO-STROM da.'], ['Ökostrom', 'ökostrom', 'Öko-Strom'])])
def test_both_ways_where_both_stand(texts, asked):
    db = library(*texts, 'A line of term and work on it, so long.', 'Nothing here.')
    for q in asked: assert {*found(db, q)} == {*texts}, q

def test_a_hyphen_that_is_rare_between_two_words_says_nothing():
    db = library('Please inform us.', *['In form B it stands.']*5, 'An in-form horse.')
    assert found(db, 'inform') == ['Please inform us.']

@pytest.mark.parametrize('word, two', [('whitewhale', 'white whale'), ('Mobydick', 'moby dick'), ('sealion', 'sea lion')])
def test_two_words_run_together_are_read_as_these(word, two):
    db = library('Moby Dick is a white whale.', 'Whitehall is a road in London.', 'The sea lion sleeps.', 'Mody duck.')
    assert respelled(db, 'store', f'the {word}?') == (f'the {two}?', {word: two})

@pytest.mark.parametrize('word', ['therapist', 'landlord', 'season'])
def test_words_that_only_fall_apart_are_left_alone(word):
    db = library('The rapist fled.', 'A lord of old times who had much land, and gold, and many ships at his command.',
                 'He went to sea with his son.', 'Land is dear. Some say it belongs to none but him, the one and only lord.')
    assert respelled(db, 'store', word) == (word, {})

def test_phrases_are_not_corrected(shelf):
    asked, said = respelled(shelf, 'store', 'wintre "the wintre feeding" wintre')
    assert asked == 'winter "the wintre feeding" winter' and said == dict(wintre='winter')

def test_one_correction_is_not_corrected_by_another():
    db = library('the quince', 'the quilt')
    assert respelled(db, 'store', 'quinze qiult')[0] == 'quince quilt'

@pytest.mark.parametrize('text, asked', [
    ('Made in the U.S.A. by hand.', ['USA', 'usa', 'U.S.A.', 'U.S.A']), ('A Ph.D. in law.', ['PhD', 'Ph.D.']),
    ('The USA came first.', ['U.S.A.', 'USA']), ('She holds a PhD in law.', ['Ph.D.', 'PhD']), ('Pay at 5 p.m. today', ['PM', '5 p.m.'])])
def test_initials(text, asked):
    db = library(text, 'Nothing of the kind for us.', 'It counts here.')
    for q in asked: assert found(db, q) == [text], q

def test_initials_that_are_a_word():
    db = library('The U.S. law.', 'The US law.', 'A law.', 'Let it be.')
    assert found(db, 'US law')[:2] in ([a, b] for a, b in (('The U.S. law.', 'The US law.'), ('The US law.', 'The U.S. law.')))
    assert respelled(db, 'store', 'IT law') == ('IT law', {}) and respelled(db, 'store', 'let us be') == ('let us be', {})

def test_abbreviations_are_not_corrected():
    db = library('The colonies and their queens.', 'An ECOLI test.')
    assert respelled(db, 'store', 'the QUEENX and COLONIEX')[1] == {}

@pytest.mark.parametrize('asked, there, right', [
    ('overworked', 'overlooked', None), ('exemplary', 'exemplify', None), ('conductor', 'conducted', None),
    ('archidectuer', 'architecture', 'architecture'), ('architactura', 'architecture', 'architecture')])
def test_two_letters_replaced_make_another_word(asked, there, right):
    assert respelled(library(f'It was {there} here.'), 'store', asked)[1].get(asked) == right

@pytest.mark.parametrize('word', ['restless', 'creditors', 'deadening', 'cooper', 'strandings'])
def test_parts_are_words_of_the_text(word):
    db = library('The rest is less of a credit or an opening, dead or not.', 'In co-operation with str and landings.')
    assert respelled(db, 'store', word) == (word, {})

def test_one_slip_is_likelier_than_two_words():
    db = library('The password is stored.', 'Pas word for it; pass word.', 'A fire hose in the firehouse.')
    assert respelled(db, 'store', 'pasword')[1] == dict(pasword='password')
    assert respelled(library('A pas word.', 'No other.'), 'store', 'pasword')[1] == dict(pasword='pas word')

def test_a_rare_way_to_write_a_word_does_not_come_before_it():
    db = library(*[f'The forecastle of ship {i}.' for i in range(9)], 'A fore-castle of old.')
    assert respelled(db, 'store', 'forecastle') == ('forecastle', {})
