"Stems of Arabic and Hindi words: the same for text and question, and nothing else is touched."
import pytest
from hypothesis import given, settings, strategies as st
from litesearch.answer import _by_postings, _by_statement
from litesearch.core import database, get_meta, rows, write_txn
from litesearch.fts import fts_rowids
from litesearch.query import _terms
from litesearch.snowball import Stems
from litesearch.stems import has_letters, MARK, stem_arabic, stem_piece, stem_text, stem_word
from litesearch.store import insert_rows

def store_of(*texts, path=':memory:', **kw):
    db = database(path)
    db.get_store(**kw)
    insert_rows(db, 'store', [t if isinstance(t, dict) else dict(content=t) for t in texts])
    return db

def ids(db, q, **kw): return fts_rowids(db, 'store', q, **kw)

def check_both_ways(db, q, loose, stems):
    "What is kept of the index ranks as the statement does, asked twice: when nothing is kept yet, and then."
    for _ in range(2):
        if not (terms := _terms(q, loose, stems=stems)): return
        args = (db, 'store', terms, [], None, {})
        kept, asked = _by_postings(*args), _by_statement(*args)
        if kept is None: continue
        for pool in (1, 3, 90, -1):
            a, b = kept(pool), asked(pool)
            assert [(r, bool(yes)) for r, _, yes in a] == [(r, bool(yes)) for r, _, yes in b]
            assert [s for _, s, _ in a] == pytest.approx([s for _, s, _ in b], abs=1e-12)

def plain(text): return (stem_text(text) or '').replace(MARK, '')

# --- the rules

@pytest.mark.parametrize('words', [
    'الكتاب وكتاب كِتَابٌ والكتاب بالكتاب كالكتاب فالكتاب للكتاب كتابها كتـــاب', 'المعلمون معلمين المعلمات معلمة معلمه والمعلمان',
    'أحمد احمد إحمد', 'مصطفى مصطفي', 'ایران ايران', 'کتاب كتاب', 'السيارة سيارات',
    'ﺍﻟﻜﺘﺎﺏ الكتاب'])
def test_arabic_forms_of_one_word(words): assert len({plain(w) for w in words.split()}) == 1

@pytest.mark.parametrize('words', ['लड़का लड़के लड़कों', 'किताब किताबें किताबों', 'हिन्दी हिंदी', 'चाँद चांद', 'ज़मीन जमीन ज\u093cमीन',
                                   'नदी नदियाँ नदियों', 'क्\u200dया क्या', 'अङ्क अंक'])
def test_hindi_forms_of_one_word(words): assert len({plain(w) for w in words.split()}) == 1

@pytest.mark.parametrize('words', ['ספר הספר בספר לספר וספר ולספר שהספר ספרים הספרים סֵפֶר הַסֵּפֶר', 'מדינה המדינה מדינות במדינת',
                                   'שלום השלום ושלום', 'מלך המלך מלכים', 'תלמיד התלמידים לתלמידות'])
def test_hebrew_forms_of_one_word(words): assert len({plain(w) for w in words.split()}) == 1

@pytest.mark.parametrize('words', ['کتاب کتاب\u200cها کتابها کتاب\u200cهای', 'خانه خانه\u200cها'])
def test_persian_forms_of_one_word(words): assert len({plain(w) for w in words.split()}) == 1

@pytest.mark.parametrize('words', ['کتاب کتابیں کتابوں', 'عورت عورتیں عورتوں', 'لڑکا لڑکا'])
def test_urdu_forms_of_one_word(words): assert len({plain(w) for w in words.split()}) == 1

def test_words_that_stay_apart():
    assert len({stem_word(w) for w in 'ספר מלך שלום בית לחם הר אור ולד מים'.split()}) == 9
    assert len({stem_word(w) for w in 'كتاب كاتب مكتوب قلم علم باب بيت من عن'.split()}) == 9
    assert len({stem_word(w) for w in 'काम कम राम रात बात भारत घर पर'.split()}) == 8

def test_short_words_keep_two_letters():
    for w in 'ال وال لل ون ها ه ي و من له ना नी का'.split(): assert len(stem_word(w)) >= min(2, len(w)), w
    assert stem_arabic('ـَ') == '' and stem_word('ـَ') is None

@pytest.mark.parametrize('text', ['', 'plain', 'Übergrößenträger', '数据库', 'книга λόγος წიგნი', '٢٠٢٤', '२०२४', '؟ ،', '।', 'หนังสือ',
                                  'کتابx', 'x' * 300, 'ك' * 201])
def test_what_has_no_stems(text): assert stem_text(text) is None and stem_piece(text) is None

def test_words_with_other_characters():
    assert plain('كتاب2024 كتاب_x SQLكتاب') == '' and plain('«الكتاب»، (كتاب)؛ كتاب-الكتاب') == 'كتاب كتاب كتاب كتاب'
    assert stem_piece('كتاب-SQL') is None and stem_piece('التعليم-العالي') == f'{MARK}تعليم {MARK}عال'

letters = st.text('ابتوالكهيةىأآؤ ًـ٠2aé-،ספרוהםָ־\u200c\u200dकखािीेोंँ़्न म।०数_\ufefb', max_size=30)

@settings(max_examples=300, deadline=None)
@given(st.one_of(letters, st.text(max_size=20)))
def test_any_text(text):
    got = stem_text(text)
    assert got is None or has_letters(text) and all(w[0] == MARK and len(w) > 1 for w in got.split(' '))
    for word in text.split():
        if (piece := stem_piece(word)): assert f' {piece} ' in f' {got} ', word   # what is looked for is what is indexed

def test_long_texts_take_linear_time():
    for text in ('ו' * 10**6, 'כ\u200c' * 10**6, 'ك\u200c' * 10**6, 'و' * 10**6, 'ًا' * 10**6, 'का ' * 10**6, '\u200c' * 10**6 + 'क', 'اx' * 10**6): stem_text(text)

# --- in a store

AR = ['قرأ الطلاب كتابين في المكتبة', 'ذهب المعلمون إلى المدرسة', 'السماء زرقاء']
HI = ['मेज पर किताबें हैं', 'लड़कों ने खेल खेला', 'आसमान नीला है']

def test_questions_find_other_forms():
    db = store_of(*AR, *HI, 'The library has many books.')
    for q, want in {'والكتاب': [1], 'المكتبات': [1], 'معلمات': [2], 'مدرسه': [2], 'किताबों': [4], 'लड़का': [5], 'book': [7],
                    'هل المعلم في library؟': [7, 2]}.items(): assert sorted(ids(db, q)) == sorted(want), q
    assert ids(db, 'كتاب مكتبات', wide=False) == [1] and ids(db, 'كتاب معلم', wide=False) == []

HE = ['התלמידים קראו ספרים בספרייה', 'הַמֶּלֶךְ יָשַׁב עַל כִּסְּאוֹ', 'ירושלים היא עיר עתיקה']
FA = ['دانش\u200cآموزان کتاب\u200cها را خواندند', 'درختان باغ بلند هستند']
UR = ['بچوں نے کتابیں پڑھیں', 'آسمان نیلا ہے']

def test_hebrew_persian_and_urdu_in_one_store():
    db = store_of(*HE, *FA, *UR)
    for q, want in {'הספר': [1], 'תלמיד': [1], 'המלך': [2], 'מלכים': [2], 'בירושלים': [3], 'איפה ירושלים?': [3], 'کتاب': [4, 6],
                    'درخت': [5], 'کتابوں': [4, 6], 'آسمان کیسا ہے؟': [7]}.items(): assert sorted(ids(db, q)) == want, q
    assert ids(db, '"קראו ספרים"') == [1] and ids(db, '"קראו ספר"') == []

def test_quoted_phrases_are_to_the_letter():
    db = store_of(*AR)
    assert ids(db, '"في المكتبة"') == [1] and ids(db, '"في مكتبة"') == []
    assert [r['rowid'] for r in db.t.store.fts_search('إلى المدرسة', quote=True)] == [2]
    assert db.t.store.fts_search('إلى مدرسة', quote=True) == []

def test_the_beginning_of_a_word_is_enough_when_nothing_else_is_found():
    assert ids(store_of(*AR), 'زرق') == [3]

def test_headings_count():
    db = store_of(dict(content='نص', heading='كتاب الطبخ › المقدمة'), dict(content='plain', heading='Book › الحلويات'))
    assert ids(db, 'للطبخ') == [1] and ids(db, 'مقدمات') == [1] and ids(db, 'حلويات') == [2]

def test_grams_and_stems_together():
    db = store_of('数据库 والكتاب')
    assert ids(db, '数据') == ids(db, 'كتاب') == [1]
    assert rows(db, 'select grams from store')[0][0] == f'数据 据库 库 {MARK}كتاب'

def test_invisible_marks_are_no_part_of_a_word():
    db = store_of('ال\u200bكتاب', 'كتا\u00adبها')
    assert sorted(ids(db, 'وكتاب')) == [1, 2] and ids(db, 'كت\ufeffاب') == ids(db, 'كتاب')

def test_vowel_signs_in_question_and_text():
    assert ids(store_of('بِسْمِ ٱللَّهِ ٱلرَّحْمَٰنِ'), 'بسم الله الرحمن') == [1]
    assert ids(store_of('بسم الله الرحمن'), 'ٱلرَّحْمَٰنِ') == [1]

# --- what does not change

OTHERS = ['The mill by the weir.', 'Übergrößenträger, naïve café', '研究生命 科学', 'книга', 'หนังสือ', '٢٠٢٤', 'x']

def dump(db):
    tables = [n for n, in rows(db, "select name from sqlite_master where type='table' and name not like 'sqlite%' order by name")]
    return {t: rows(db, f'select * from "{t}"') for t in tables}

def test_other_texts_are_stored_as_without_stems(monkeypatch):
    items = [dict(content=t, heading=f'A › {t}', uploaded_at='2024') for t in OTHERS]
    with_stems = dump(store_of(*items))
    monkeypatch.setattr('litesearch.store.has_letters', lambda text: False)
    assert with_stems == dump(store_of(*items)) and not any(k.startswith('stems') for k, _ in with_stems['meta'])

def test_scores_of_other_questions_do_not_change(monkeypatch):
    db = store_of(*OTHERS)
    found = {q: db.t.store.fts_search(q) for q in OTHERS}
    monkeypatch.setattr('litesearch.query.stem_piece', lambda piece: pytest.fail(piece) if piece.isascii() else None)
    assert found == {q: db.t.store.fts_search(q) for q in OTHERS}

@pytest.mark.parametrize('tokenize', ['unicode61', 'trigram', 'sanskrit', 'porter ascii'])
def test_a_chosen_tokenizer_has_no_stems(tokenize):
    db = store_of(*AR, *HI, tokenize=tokenize)
    assert get_meta(db, 'stems:store') is None and not any(MARK in (g or '') for g, in rows(db, 'select grams from store'))
    assert ids(db, 'المكتبة') == [1]

def test_a_library_from_before(tmp_path, monkeypatch):
    monkeypatch.setattr('litesearch.store.has_letters', lambda text: False)
    store_of('plain', *AR, path=tmp_path/'a.db').conn.close()
    monkeypatch.undo()
    db = database(tmp_path/'a.db')
    db.get_store()
    assert ids(db, 'المكتبة') == [2] and ids(db, 'بالمكتبة') == []
    insert_rows(db, 'store', [dict(content='باب المكتبة'), dict(content='more')])
    assert get_meta(db, 'stems:store') is False and sorted(ids(db, 'المكتبة')) == [2, 5]   # nothing is lost
    assert not any(MARK in (g or '') for g, in rows(db, 'select grams from store'))

def test_a_library_from_before_without_such_texts(tmp_path):
    store_of('plain', path=tmp_path/'a.db').conn.close()
    db = database(tmp_path/'a.db')
    insert_rows(db, 'store', [dict(content='باب المكتبة')])
    assert get_meta(db, 'stems:store') is True and ids(db, 'مكتبات') == [2]

def test_what_is_undone_leaves_no_record():
    db = store_of('plain')
    with pytest.raises(KeyError):
        with write_txn(db):
            insert_rows(db, 'store', [dict(content=AR[0])])
            assert ids(db, 'بالمكتبة') == [2]
            raise KeyError
    assert get_meta(db, 'stems:store') is None and ids(db, 'بالمكتبة') == []
    insert_rows(db, 'store', [dict(content=AR[0])])
    assert ids(db, 'بالمكتبة') == [2]

def test_another_connection_sees_the_first_stems(tmp_path):
    db = store_of('plain', path=tmp_path/'a.db')
    other = database(tmp_path/'a.db')
    assert ids(other, 'بالمكتبة') == []
    insert_rows(db, 'store', [dict(content=AR[0])])
    assert ids(other, 'بالمكتبة') == [2]

def test_bulk_load_and_rows_keyed_by_content():
    db = database()
    store = db.get_store(hash=True)
    with store.bulk_load(): insert_rows(db, 'store', [dict(content=t) for t in AR + AR])
    assert store.count == 3 and ids(db, 'بالمكتبة') == [1]

def test_ranking_by_terms():
    db = store_of(*AR)
    assert [h['rowid'] for h in db.search('معلمات بالمدرسة', term_rank=True)] == [2]

# --- both ways to rank

word = st.sampled_from('weir mill الكتاب وكتابها كتاب المعلمون معلم किताबें किताबों लड़के 研究 "في البيت" كتاب-SQL التعليم-العالي'.split(' '))
text = st.lists(word, max_size=8).map(' '.join)
row = st.fixed_dictionaries(dict(content=text, heading=st.one_of(st.none(), text)))

@settings(max_examples=60, deadline=None)
@given(st.lists(row, min_size=1, max_size=9), st.lists(word, min_size=1, max_size=5).map(' '.join), st.booleans())
def test_postings_give_what_the_statement_gives(items, q, loose):
    check_both_ways(store_of(*items), q, loose, Stems(letters=True))
