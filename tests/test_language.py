"Languages: told by their small words, stemmed beside the text, asked in their own; scripts without spaces; tokenizers."
import sys
from importlib.util import find_spec
import pytest
from hypothesis import given, settings, strategies as st
from litesearch.core import database, get_meta, rows, StoreMismatch, write_txn
from litesearch.language import FUNCTION_WORDS, lower_words, question_languages, text_language
from litesearch.query import _content_runs
from litesearch.snowball import ALGORITHMS, asked_in, row_languages, stem_forms, stem_words, stemmer, Stems
from litesearch.stems import MARK
from litesearch.store import insert_rows
from test_stems import check_both_ways, ids, store_of

has_stemmer = bool(find_spec('Stemmer'))
stemmed = pytest.mark.skipif(not has_stemmer, reason='needs PyStemmer')

def spoken(db): return get_meta(db, 'languages:store')

# --- which language

SAID = dict(
    en='She keeps the letters of her mother in a tin box under the bed, and nobody is to read them.',
    de='Sie bewahrt die Briefe ihrer Mutter in einer Blechdose unter dem Bett auf, und niemand soll sie lesen.',
    nl='Ze bewaart de brieven van haar moeder in een blik onder het bed en niemand mag ze lezen.',
    da='Hun gemmer sin mors breve i en dåse under sengen, og ingen må læse dem, før hun selv har gjort det.',
    no='Hun gjemmer brevene fra moren i en boks under sengen, og ingen får vite hva som står der, men noen spør etter dem.',
    sv='Hon har sin mors brev i en burk under sängen och ingen får läsa dem utan att fråga henne.',
    fr='Elle garde les lettres de sa mère dans une boîte sous le lit, et personne ne doit les lire.',
    es='Guarda las cartas de su madre en una caja debajo de la cama, y nadie las puede leer.',
    pt='Ela guarda as cartas da sua mãe numa caixa debaixo da cama, e ninguém as pode ler.',
    it='Tiene le lettere di sua madre in una scatola sotto il letto e nessuno le può leggere.',
    ca='Guarda les cartes de la seva mare en una capsa sota el llit, i ningú no les pot llegir amb ella.',
    ro='Ea ține scrisorile mamei sale într-o cutie de sub pat și nimeni nu are voie să le citească.',
    fi='Hän säilyttää äitinsä kirjeet rasiassa sängyn alla, eikä niitä saa lukea kukaan muu kuin hän, mutta se on pieni.',
    hu='Az anyja leveleit egy dobozban tartja az ágy alatt, és senki nem olvashatja el őket, csak ő.',
    tr='Annesinin mektuplarını yatağın altında bir kutuda saklıyor ve onları kimse okuyamaz, çünkü bu çok özel.',
    pl='Listy od matki trzyma w pudełku pod łóżkiem i nikt nie może ich czytać, bo są tylko dla niej.',
    cs='Dopisy od matky má v krabici pod postelí a nikdo je nesmí číst, protože jsou jen pro ni.',
    ru='Письма матери она хранит в коробке под кроватью, и никто не может их читать, кроме неё.',
    el='Κρατά τα γράμματα της μητέρας της σε ένα κουτί κάτω από το κρεβάτι και δεν τα διαβάζει κανείς.',
    id='Dia menyimpan surat ibunya dalam sebuah kotak di bawah tempat tidur dan tidak ada yang boleh membacanya.',
    ar='تحتفظ برسائل أمها في صندوق تحت السرير ولا يجوز لأحد أن يقرأها إلا هي، وقد كان هذا من عادتها',
    fa='او نامه‌های مادرش را در جعبه‌ای زیر تخت نگه می‌دارد و هیچ کس نباید آن را بخواند',
    ur='وہ اپنی ماں کے خطوط کو بستر کے نیچے ایک ڈبے میں رکھتی ہے اور کوئی بھی ان کو نہیں پڑھ سکتا',
    he='היא שומרת את המכתבים של אמה בקופסה מתחת למיטה, ואף אחד לא יקרא אותם כי הם שלה.',
    hi='वह अपनी माँ के पत्र पलंग के नीचे एक डिब्बे में रखती है और उन्हें कोई नहीं पढ़ सकता है।')

@pytest.mark.parametrize('lang', SAID)
def test_the_language_of_a_sentence(lang): assert text_language(SAID[lang]) == lang

def test_every_language_is_tried(): assert set(SAID) == set(FUNCTION_WORDS) and set(ALGORITHMS) < set(SAID)

@pytest.mark.parametrize('text', ['', '2024', 'Mercury Venus Mars', 'Zürich; Genève; Łódź; 9,5 %', 'for i in range(10): print(i)', '数据库研究',
                                  'SELECT id, name FROM users WHERE id = 7', 'de la', 'หนังสือเล่มนี้', 'die ' * 50, '\x00', '´`^'])
def test_no_language(text): assert text_language(text) is None

def test_a_few_foreign_words_do_not_matter():
    assert text_language('The article of faith that is called "die Kunst und das Leben" is one of the oldest.') == 'en'
    assert text_language('Der Roman „The Mill on the Floss“ erschien im Jahr 1860, und er ist das zweite Werk der Autorin.') == 'de'

def test_lists_hold_single_words_in_lower_case():
    for lang, words in FUNCTION_WORDS.items():
        assert all(lower_words(w) == [w] for w in words), [w for w in words if lower_words(w) != [w]]
        assert 60 <= len(words) <= 170, lang

@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80))
def test_any_text(text):
    assert text_language(text) in {None, *FUNCTION_WORDS}
    assert set(question_languages(lower_words(text), ['de', 'ru'])) <= {'de', 'ru', 'en'}
    for lang in ('de', 'fr', 'tr', 'el'):
        assert all(w[0] == MARK and len(w) > 1 for w in stem_words(text, lang).split())

def test_long_texts_take_linear_time():
    for text in ('a' * 10**6, 'é\u0301' * 10**6, 'der ' * 10**6, "l'" * 10**6, '\u0301' * 10**6): text_language(text), stem_words(text, 'de')

# --- the language of a question

def langs(q, **spoken): return asked_in(q, spoken, 100).langs

def test_questions():
    assert langs('Wo liegt die Mühle?', de=50, nl=40) == ('de',) and langs('Waar staat de molen?', de=50, nl=40) == ('nl',)
    assert langs('Where is the mill?', de=99) == () and langs('mill', de=99) == ('de',) and langs('mill', de=9) == ()
    assert langs('Où est le moulin ?', de=99) == ('de',)   # of a language that the store has not, nothing is known
    assert langs('Wo ist sie?') == () and asked_in('Wo ist sie?', {}, 9) == Stems()
    assert langs('hvor er den', da=50, no=50) == ('da', 'no')

def test_small_words_are_those_of_the_language_that_was_told():
    assert 'wo' in asked_in('Wo ist sie', dict(de=9), 9).small and asked_in('Mühle', dict(de=9), 9).small == frozenset()
    assert asked_in('Donde vive en Los Angeles', dict(es=1), 2000).small == frozenset()   # one quotation in an English library
    assert 'من' in asked_in('من هو', {}, 9, letters=True).small and asked_in('من هو', {}, 9).small == frozenset()

# --- in a store

FORMS = dict(
    de=('Die Häuser am Fluss wurden im Jahr 1546 von den Bürgern gebaut.', 'Wer baute das Haus?'),
    nl=('De molens aan de rivier zijn in het jaar 1546 gebouwd door een bakker.', 'Waar staat de molen?'),
    fr=("Les chevaux de l'écurie sont arrivés dans la nuit avec un cocher.", 'Qui est le cheval ?'),
    es=('Las canciones de la aldea se han perdido con el tiempo y no hay otras.', '¿Cuál es la canción?'),
    pt=('Os moinhos da aldeia foram feitos em 1546 e não há outros como eles.', 'Onde fica o moinho?'),
    it=('I mulini della valle sono stati costruiti nel 1546 da un fornaio.', 'Dove si trova il mulino?'),
    sv=('Kvarnarna vid ån är inte byggda av sten utan av trä och det var på 1546.', 'Var är kvarnen?'),
    ru=('Мельницы на реке были построены в 1546 году, и это не всё, что о них известно.', 'Где находится мельница?'),
    fi=('Myllyt ovat joen rannalla, ja ne on rakennettu vuonna 1546, mutta ei kivestä.', 'Missä mylly on?'),
    pl=('Młyny nad rzeką zostały zbudowane w 1546 roku i są z drewna, a nie z kamienia.', 'Gdzie jest młyn?'),
    tr=('Değirmenler nehrin kenarında ve çok eski, çünkü onlar 1546 yılında yapıldı.', 'Değirmen nerede ve hangi nehir?'))
OTHER = 'The town hall has a clock, and the clock is one of the oldest in the county, to the delight of visitors.'

@stemmed
@pytest.mark.parametrize('lang', FORMS)
def test_other_forms_are_found(lang):
    text, q = FORMS[lang]
    db = store_of(text, OTHER)
    assert spoken(db) == {lang: 1} and ids(db, q)[:1] == [1], q

@stemmed
def test_elided_articles():
    db = store_of("L'économie de la région est fondée sur la pêche, et elle n'a pas changé.", OTHER)
    assert ids(db, 'économies') == ids(db, "d'économie") == ids(db, "Qu'est-ce que l'économie ?") == [1]

@stemmed
def test_a_word_as_typed_is_found_in_any_language():
    db = store_of(FORMS['de'][0], 'The houses are called Häuser in German, and that is one of the words to learn.', 'Häuser 2024')
    assert sorted(ids(db, 'Häuser')) == sorted(ids(db, 'Wo sind die Häuser?')) == [1, 2, 3]
    assert ids(db, '"Häuser am Fluss"') == [1] and ids(db, '"Haus am Fluss"') == []

@stemmed
def test_stems_are_no_words():
    db = store_of('Die Hallen der Stadt sind alt, und das Dach der einen ist nicht mehr dicht.', OTHER)
    assert rows(db, 'select grams from store')[0][0].split()[0] == MARK + 'hall'
    assert ids(db, 'Where is the hall?') == [2]

@stemmed
def test_small_words_are_not_looked_for():
    db = store_of(FORMS['de'][0], 'Wer ist das? Wo ist sie? Was ist es, und wie ist das so?')
    assert ids(db, 'Wer baute das Haus?') == [1] and ids(db, 'wer ist das') == [2]

@stemmed
def test_chunks_of_one_document():
    parts = [FORMS['de'][0], 'Häuser: 12, Mühlen: 3', 'Der Fluss ist in der Stadt nicht sehr breit, aber er ist tief.']
    assert row_languages([dict(content=t, doc_id='a') for t in parts]) == ['de']*3
    assert row_languages([dict(content=t) for t in parts]) == ['de', None, 'de']
    assert row_languages([dict(content=t, doc_id='a') for t in (parts[0], '1', '2', '3')]) == ['de', None, None, None]

@stemmed
@stemmed
@pytest.mark.parametrize('n_workers', [0, 2])
def test_an_edited_file_speaks_as_before(tmp_path, n_workers):
    part = lambda lang: f'# Teil {lang}\n\n{SAID[lang]}\n\n'
    def load(db, *langs):
        (tmp_path/'a.md').write_text(''.join(map(part, langs)))
        (tmp_path/'b.md').write_text(part('de'))
        db.add_dir(tmp_path, n_workers=n_workers)
        return {c: g and MARK in g for c, g in rows(db, 'select content, grams from store')}
    edited, new = database(), database()
    load(edited, 'de', 'en', 'fr')
    assert load(edited, 'de', 'hu', 'en', 'it') == load(new, 'de', 'hu', 'en', 'it')
    assert {c for c, marked in load(new, 'de', 'hu', 'en', 'it').items() if not marked} == {SAID['en']}

def test_headings_count():
    db = store_of(dict(content='Sie ist aus dem Jahr 1546 und wird nicht mehr benutzt.', heading='Stadt › Die Brücken'), OTHER)
    assert ids(db, 'Wie alt ist die Brücke?') == [1]

@stemmed
def test_another_connection_sees_a_new_language_at_once(tmp_path):
    db = store_of(OTHER, path=tmp_path/'a.db')
    other = database(tmp_path/'a.db')
    assert ids(other, 'Wer baute das Haus?') == []
    insert_rows(db, 'store', [dict(content=FORMS['de'][0])])
    assert ids(other, 'Wer baute das Haus?') == [2]

@stemmed
def test_what_is_undone_leaves_no_record():
    db = store_of(OTHER)
    with pytest.raises(KeyError):
        with write_txn(db):
            insert_rows(db, 'store', [dict(content=FORMS['de'][0])])
            assert ids(db, 'Wer baute das Haus?') == [2]
            raise KeyError
    assert spoken(db) is None and ids(db, 'Wer baute das Haus?') == []

@stemmed
def test_rows_are_counted():
    db = store_of(*[FORMS['de'][0]]*3, FORMS['fr'][0], OTHER)
    insert_rows(db, 'store', [dict(content=FORMS['de'][0])])
    assert spoken(db) == dict(de=4, fr=1)

# --- what does not change

def dump(db):
    tables = [n for n, in rows(db, "select name from sqlite_master where type='table' and name not like 'sqlite%' order by name")]
    return {t: rows(db, f'select * from "{t}"') for t in tables}

def test_english_stores_are_as_before(monkeypatch):
    items = [dict(content=t, uploaded_at='2024') for t in (OTHER, SAID['en'], 'x', '数据库', 'Zürich 1546', 'def f(): pass')]
    now = dump(store_of(*items))
    monkeypatch.setattr('litesearch.store.add_stems', lambda rows, told: {})
    assert now == dump(store_of(*items)) and 'languages:store' not in dict(now['meta'])

def statements(db, q):
    seen = []
    db.conn.set_exec_trace(lambda cursor, sql, args: seen.append(sql) or True)
    ids(db, q)
    db.conn.set_exec_trace(None)
    return seen

def test_languages_cost_a_question_no_statement():
    for db in (store_of(OTHER), store_of(OTHER, FORMS['de'][0])):
        for q in ('Where is the clock?', 'Wer baute das Haus?'):
            ids(db, q)
            assert not [s for s in statements(db, q) if 'meta' in s or 'max(rowid)' in s]

@pytest.mark.parametrize('tokenize', ['unicode61', 'trigram', 'sanskrit', 'porter ascii'])
def test_a_chosen_tokenizer_has_no_stems(tokenize):
    db = store_of(FORMS['de'][0], tokenize=tokenize)
    assert spoken(db) is None and MARK not in (rows(db, 'select grams from store')[0][0] or '')

def test_without_the_package(monkeypatch):
    stemmer.cache_clear()
    monkeypatch.setitem(sys.modules, 'Stemmer', None)
    try:
        db = store_of(FORMS['de'][0])
        assert spoken(db) is None and ids(db, 'Häuser') == [1] and stem_forms('Häuser', ['de']) == []
    finally: stemmer.cache_clear()

word = st.sampled_from('Haus Häuser Mühle Mühlen l\'économie baut Bürger-Haus der und mill 研究 "am Fluss" Übergrößenträger'.split(' '))
text = st.lists(word, max_size=8).map(' '.join)

@stemmed
@settings(max_examples=60, deadline=None)
@given(st.lists(text.map(lambda t: f'Das ist nicht die Mühle, und {t}'), min_size=1, max_size=9),
       st.lists(word, min_size=1, max_size=5).map(' '.join), st.booleans())
def test_postings_give_what_the_statement_gives(items, q, loose):
    check_both_ways(store_of(*items), q, loose, Stems(langs=('de', 'fr')))

# --- scripts without spaces: a word in the middle of running text

RUNNING = dict(
    zh=('这座磨坊位于河边，轮子多年没有转动。', '图书馆在城市中心，每天开放。', '磨坊'), ja=('川のほとりにある水車小屋は古い建物です。', '図書館は町の中心にあります。', '水車小屋'),
    ko=('강가에있는물레방아는오래된건물이다', '도서관은시내중심에있다', '물레방아'), th=('โรงสีเก่าอยู่ริมแม่น้ำและล้อไม่หมุนมาหลายปีแล้ว', 'ห้องสมุดอยู่กลางเมืองเปิดทุกวัน', 'แม่น้ำ'),
    lo=('ໂຮງສີເກົ່າຢູ່ແຄມແມ່ນ້ຳ', 'ຫໍສະໝຸດຢູ່ກາງເມືອງ', 'ແມ່ນ້ຳ'), km=('រោងម៉ាស៊ីនចាស់នៅក្បែរទន្លេ', 'បណ្ណាល័យនៅកណ្តាលទីក្រុង', 'ទន្លេ'),
    my=('ဆန်စက်ဟောင်းသည်မြစ်ကမ်းတွင်ရှိသည်', 'စာကြည့်တိုက်သည်မြို့လယ်တွင်ရှိသည်', 'မြစ်ကမ်း'))

@pytest.mark.parametrize('tokenize', [None, 'unicode61', 'trigram'])
@pytest.mark.parametrize('lang', RUNNING)
def test_a_word_in_running_text(lang, tokenize):
    *texts, q = RUNNING[lang]
    db = store_of(*texts, tokenize=tokenize)
    assert ids(db, q)[0] == 1 and ids(db, q[:2])[0] == 1

@pytest.mark.parametrize('lang,q', dict(th='โรงสีเก่าอยู่ที่ไหน', zh='图书馆每天什么时候开放', ja='水車小屋はどこにありますか', ko='물레방아는어디에있는가').items())
def test_a_question_in_running_text(lang, q):
    db = store_of(*RUNNING[lang][:2])
    assert ids(db, q)[0] == (2 if lang == 'zh' else 1)

def test_korean_particles():
    db = store_of('도서관이 시내에 있다', '물레방아가 강가에 있다')
    assert ids(db, '도서관은 어디에 있습니까?')[0] == 1 and ids(db, '물레방아는')[0] == 2
    assert ids(db, '"도서관은 어디에"') == [] and ids(db, '"도서관이 시내에"') == [1]

@pytest.mark.parametrize('q,want', [('水車小屋はどこにありますか', ['水車小屋']), ('いつ建てられましたか', ['建']), ('りんごはどこで', ['りんご']),
                                    ('どのような建物ですか', ['建物']), ('ひらがな', ['ひらがな']), ('なに', ['なに'])])
def test_japanese_grammar_is_not_looked_for(q, want): assert _content_runs(q) == want

@settings(max_examples=100, deadline=None)
@given(st.text('はがどこにいつますかりんご水車小屋アイ数 x', max_size=15))
def test_something_is_left_of_every_question(q): assert bool(_content_runs(q)) == bool(q)

# --- the choice of a tokenizer

@pytest.mark.parametrize('tokenize', ['unicodewords', 'nonsense', '', ' ', 5, 'simplify porter'])
def test_unknown_tokenizers_are_refused(tokenize):
    db = database()
    with pytest.raises(ValueError, match="use one of 'sanskrit', 'unicode61'"): db.get_store(tokenize=tokenize)
    assert rows(db, 'select count(*) from sqlite_master')[0][0] == 0

@pytest.mark.parametrize('tokenize', ['unicode61', 'ascii', 'porter', 'porter ascii', 'trigram', "unicode61 tokenchars '-'", 'sanskrit'])
def test_the_tokenizer_is_recorded(tokenize, tmp_path):
    store_of('plum jam', path=tmp_path/'a.db', tokenize=tokenize).conn.close()
    db = database(tmp_path/'a.db')
    assert get_meta(db, 'store:store')['tokenize'] == tokenize and db.get_store(tokenize=tokenize).count == 1
    assert ids(db, 'plum') == [1]
    with pytest.raises(StoreMismatch, match='tokenize'): db.get_store(tokenize='porter unicode61')

def test_parts_of_words_by_trigrams():
    db = store_of('part QX-204417-B', 'part QX-118832-B', tokenize='trigram')
    assert ids(db, '0441') == [1]
