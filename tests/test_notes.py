"Notes: one truth a key, time among equals, scopes, languages, other processes, and files without any."
import json, threading, unicodedata
import numpy as np, pytest
from litesearch.core import VectorError, database, get_meta, has_text, rows, store_info, StoreMismatch
from litesearch.encode import HashEncoder
from litesearch.library import Library
from litesearch.notes import *
from litesearch.store import store_names
from support import *

LIST = SHARED/'cases'/'cases.jsonl'
CASES = [c for c in map(json.loads, open(LIST, encoding='utf-8')) if c['area'] == 'memory'] if LIST.exists() else []
ENC = HashEncoder(128)

def given(case):
    x = case['input']
    return eval(x[4:], {}) if x.startswith('py: ') else x

def texts(hits): return [h['content'] for h in hits]

def asked(db, q, **kw):
    "What keywords find, what vectors find, and what both find."
    emb = ENC([q])[0]
    legs = [search_notes(db, q, **kw), search_notes(db, q, emb, weights=(0, 1), **kw), search_notes(db, q, emb, **kw)]
    return [texts(hits) for hits in legs]

# --- one truth a key

def replaced(old, new, q, gone):
    for address in (dict(key='fact'), dict(key='fact', title='A title'), dict(key='Ω key', topic='t')):
        for enc in (None, ENC):
            db = database()
            first, second = (add_note(db, t, emb_fn=enc, **address) for t in (old, new))
            assert first['note'] == second['note'] and first['created_at'] == second['created_at']
            assert all(found in ([new], []) for found in asked(db, q)) and texts(search_notes(db, q)) == [new]
            assert texts(search_notes(db, gone)) == [] and all(old not in found for found in asked(db, gone))
            assert [o['text'] for o in list_notes(db)] == [new]
            assert rows(db, 'select count(*) from notes')[0][0] == 1
            fts_check(db, 'notes')

def note_update_replaces(case, tmp_path): replaced(*given(case), 'gate code', '4711')

@pytest.mark.parametrize('old,new,q,gone', [('door: blue', 'door: red', 'door', 'blue'), ('大门涂蓝漆', '大门已经刷白', '大门', '蓝漆'),
                                            ('Ärger im Stall', 'Ruhe im Stall', 'stall', 'ärger'), ('a b', 'a b c', 'a b', 'zz')])
def test_replaced(old, new, q, gone): replaced(old, new, q, gone)

def test_same_words_again_keep_the_row_and_move_the_time():
    db = database()
    add_note(db, 'Kettle is on.', key='k', created_at='2020-01-01', emb_fn=ENC)
    before = rows(db, 'select rowid, embedding from notes')
    again = add_note(db, 'Kettle is on.', key='k', source='me', created_at='2024-01-01', emb_fn=ENC)
    assert rows(db, 'select rowid, embedding from notes') == before
    assert (again['created_at'], again['updated_at'], again['source']) == ('2020-01-01 00:00:00', '2024-01-01 00:00:00', 'me')

def test_a_missing_vector_is_made_with_the_next_writing():
    db = database()
    add_note(db, 'Kettle is on.', key='k')
    add_note(db, 'Kettle is on.', key='k', emb_fn=ENC)
    assert rows(db, 'select count(embedding), count(*) from notes') == [(1, 1)]
    assert edit_note(db, 'k', text='Kettle is off.')['note'] and rows(db, 'select count(embedding) from notes') == [(0,)]
    assert search_notes(db, 'kettle', ENC(['kettle'])[0])[0]['content'] == 'Kettle is off.'

def test_ids_are_never_used_twice(tmp_path):
    db = database(tmp_path/'x.db')
    first = add_note(db, 'one')['note']
    delete_note(db, first)
    rows(db, 'vacuum')
    second = add_note(db, 'two', key='k')['note']
    for i in range(3): add_note(db, f'again {i}', key='k')
    assert len({first, second, add_note(db, 'three')['note']}) == 3 and get_note(db, 'k')['note'] == second

# --- time

def newer_first(old, new, q, **kw):
    for enc in (None, ENC):
        for order in (1, -1):
            db = database()
            for t, at in [(old, '2024-01-31'), (new, '2025-06-01')][::order]:
                add_note(db, t, created_at=at, emb_fn=enc, **kw)
            for found in [texts(search_notes(db, q)), texts(search_notes(db, q, ENC([q])[0] if enc else None))]: assert found == [new, old]
            assert texts(search_notes(db, q, limit=1)) == [new]
            assert [h['updated_at'][:4] for h in search_notes(db, q)] == ['2025', '2024']

def note_superseded_ranks_below(case, tmp_path): newer_first(*given(case), 'meeting room', topic='room')

@pytest.mark.parametrize('old,new,q', [('Owner: Ann.', 'Owner: since the spring of this year it is Bob, as agreed.', 'owner'),
                                       ('会议室是松树', '会议室现在改为枫树了', '会议室'), ('Budget 10 Budget Budget', 'Budget 12', 'budget')])
def test_newer_first(old, new, q):
    newer_first(old, new, q, topic='t')
    newer_first(old, new, q)

def test_the_newest_of_many_equals():
    db = database()
    for i in range(300): add_note(db, 'Standup done' + ' indeed'*(i % 7), topic='day', created_at=f'{2000 + i % 25}-01-01')
    assert [h['updated_at'][:4] for h in search_notes(db, 'standup', limit=8)] == ['2024']*8

def test_a_better_match_stays_above_a_newer_one():
    db = database()
    add_note(db, 'The pump of the north well is broken.', topic='w', created_at='2020-01-01')
    add_note(db, 'The pump was painted.', topic='w', created_at='2025-01-01')
    add_note(db, 'Pump of the north well, in another house.', topic='other', created_at='2010-01-01')
    assert texts(search_notes(db, 'north well pump'))[-1] == 'The pump was painted.'

def test_an_edit_makes_a_note_new():
    db = database()
    for t in ('Room is Larch', 'Room is Rowan'): add_note(db, t, topic='r', created_at='2020-01-01')
    assert texts(search_notes(db, 'room'))[0] == 'Room is Rowan'
    edit_note(db, 'n1', text='Room is Larch again')
    assert texts(search_notes(db, 'room'))[0] == 'Room is Larch again'

def test_a_question_of_common_words_alone():
    db = database()
    add_note(db, 'It is what it is', topic='t', created_at='2020-01-01')
    add_note(db, 'What it is now', topic='t', created_at='2021-01-01')
    assert [(h['content'], h['match']) for h in search_notes(db, 'what is it')] == [('What it is now', 1.), ('It is what it is', 1.)]

# --- titles, topics, languages

def note_same_title_two_texts(case, tmp_path):
    oak, pine = given(case)
    for enc in (None, ENC):
        db = database()
        for t in (oak, pine): add_note(db, t, title='Wood', emb_fn=enc)
        assert texts(search_notes(db, 'oak'))[0] == oak and texts(search_notes(db, 'pine'))[0] == pine
        assert sorted(o['text'] for o in list_notes(db)) == sorted([oak, pine])

def test_same_text_twice_is_two_notes():
    db = database()
    assert add_note(db, 'Same.')['note'] != add_note(db, 'Same.')['note'] and len(list_notes(db)) == 2

def note_cjk(case, tmp_path):
    db = database()
    add_note(db, given(case), topic='会议')
    for q in ('决定', '会议', 'deploy'): assert texts(search_notes(db, q)) == [given(case)]
    assert [(o['text'], o['topic']) for o in list_notes(db)] == [(given(case), '会议')]

@pytest.mark.parametrize('text,topic,title,qs', [
    ('来週の金曜日に公開する', '開発会議', '予定', ['金曜日', '会議', '予定', '開発']), ('Встреча перенесена', 'Планы', None, ['встреча', 'планы']),
    ('ส่งของวันศุกร์', 'การประชุม', 'แผน', ['วันศุกร์', 'ประชุม', 'แผน']), ('सभा शुक्रवार को', 'बैठक', None, ['बैठक', 'सभा'])])
def test_languages(text, topic, title, qs):
    db = database()
    add_note(db, text, topic=topic, title=title)
    for q in qs: assert texts(search_notes(db, q)) == [text], q

def scoped(alpha, beta, q, a, b):
    db = database()
    add_note(db, alpha, topic=a, emb_fn=ENC)
    for i in range(3): add_note(db, f'{beta}{" !"*i}', topic=b, emb_fn=ENC)
    for limit in (1, 2, 10):
        assert all(found == [alpha] for found in asked(db, q, topic=a, limit=limit))
    assert {h['topic'] for h in search_notes(db, q)} == {a or None, b}
    assert [o['text'] for o in list_notes(db, a)] == [alpha] and len(list_notes(db)) == 4
    assert search_notes(db, q, topic='nothing') == list_notes(db, 'nothing') == []

def note_scope(case, tmp_path): scoped(*given(case), 'plan', 'A', 'B')

@pytest.mark.parametrize('a,b', [('A', 'A '), ('a', 'A'), ("x' or 1=1 --", 'x'), ('%', 'plan'), ('_', 'a'), ('', 'a'), ('甲', '甲乙')])
def test_scopes(a, b): scoped('alpha plan ready', 'beta plan ready', 'plan', a, b)

def note_survives_pruning(case, tmp_path):
    write_files(tmp_path/'in', {'a.md': '# A\n\nsome words', 'b.md': '# B\n\nother words'})
    db = database(tmp_path/'x.db')
    db.add_dir(tmp_path/'in', emb_fn=ENC)
    sources = (None, str(tmp_path/'in'/'gone.md'), str(tmp_path/'in'/'b.md'))
    ids = [add_note(db, given(case), source=s, emb_fn=ENC)['note'] for s in sources]
    (tmp_path/'in'/'b.md').unlink()
    assert [r['removed'][-4:] for r in db.add_dir(tmp_path/'in', emb_fn=ENC, sync=True) if 'removed' in r] == ['b.md']
    db.delete_source(sources[2])
    assert [get_note(db, n)['text'] for n in ids] == [given(case)]*3 and texts(search_notes(db, 'keep')) == [given(case)]*3

@pytest.mark.parametrize('case', CASES, ids=[c['id'] for c in CASES])
def test_case(case, tmp_path): globals()[case['id'].replace('-', '_')](case, tmp_path)

# --- addresses

def test_unknown_notes_name_the_closest():
    db = database()
    for f in (get_note, delete_note, lambda db, n: edit_note(db, n, text='x')):
        with pytest.raises(UnknownNote, match='none yet'): f(db, 'n1')
    assert not rows(db, 'select 1 from sqlite_master')
    for key in ('gate', 'garden-gate', 'wifi', 'roof'): add_note(db, key, key=key)
    for f in (get_note, delete_note, lambda db, n: edit_note(db, n, text='x')):
        with pytest.raises(LookupError, match=r'closest: n1 \(gate\), n2 \(garden-gate\), n'): f(db, 'gte')
    assert len(list_notes(db)) == 4

@pytest.mark.parametrize('bad', HOSTILE)
def test_hostile_addresses_and_values(bad):
    db = database()
    add_note(db, 'plain', topic='t', key='k')
    with pytest.raises(UnknownNote): get_note(db, bad or 'nothing')
    search_notes(db, bad), search_notes(db, 'plain', topic=bad), list_notes(db, bad)
    if has_text(bad):
        made = add_note(db, bad, topic=bad, title=bad, key=bad, source=bad)
        clean = bad.replace('\0', '\ufffd').replace('\ud800', '\ufffd')
        assert get_note(db, clean)['text'] == made['text'] == clean and list_notes(db, clean)[0]['source'] == clean
        assert delete_note(db, made['note']) == made
    assert [o['text'] for o in list_notes(db)] == ['plain']
    fts_check(db, 'notes')

@pytest.mark.parametrize('kw', [dict(text=''), dict(text=' \n'), dict(text='x', key=' '), dict(text='x', key='n7'),
                                dict(text='x', created_at='soon'), dict(text='x', created_at=7)])
def test_refused_before_anything_is_made(kw):
    db = database()
    with pytest.raises(ValueError): add_note(db, **kw)
    assert not rows(db, 'select 1 from sqlite_master')

# --- files without notes, and those with

def test_reading_makes_nothing(tmp_path):
    path = tmp_path/'x.db'
    db = library('some words', path=path, emb_fn=ENC)
    before = rows(db, 'select name from sqlite_master order by name')
    assert (list_notes(db), note_topics(db), search_notes(db, 'x', ENC(['x'])[0]), has_notes(db)) == ([], [], [], False)
    assert rows(db, 'select name from sqlite_master order by name') == before

def test_a_file_with_notes_alone():
    db = database()
    add_note(db, 'only this')
    assert store_names(db) == [] and db.toc() == [] and db.doc_search('this') == []
    db.add_doc('a document', 'Doc')
    assert store_names(db) == ['store'] and len(db.toc()) == 1 and texts(search_notes(db, 'this')) == ['only this']

def test_a_store_of_that_name_is_left_alone():
    db = database()
    db.get_store('notes')
    with pytest.raises(ValueError, match='holds no notes'): add_note(db, 'x')
    assert list_notes(db) == search_notes(db, 'x') == [] and store_names(db) == ['notes']

def test_another_encoder_is_refused_before_anything_is_written():
    db = database()
    add_note(db, 'one', key='k', emb_fn=ENC)
    for f in (lambda e: add_note(db, 'two', key='k', emb_fn=e), lambda e: edit_note(db, 'k', text='two', emb_fn=e)):
        with pytest.raises(StoreMismatch): f(HashEncoder(64))
        with pytest.raises(VectorError): f(lambda texts: np.full((1, 128), np.nan))
    assert get_note(db, 'k')['text'] == 'one'
    db.reindex('hash:64', 'notes')
    add_note(db, 'two', key='k', emb_fn=HashEncoder(64))
    assert store_info(db, 'notes').encoder == 'hash-64' and rows(db, 'select count(embedding) from notes') == [(1,)]

def test_an_encoder_that_fails_writes_nothing():
    db = database()
    add_note(db, 'one', key='k', emb_fn=ENC)
    def fails(texts): raise RuntimeError('down')
    with pytest.raises(RuntimeError): add_note(db, 'two', key='k', emb_fn=fails)
    assert [o['text'] for o in list_notes(db)] == ['one']

def test_few_statements():
    db = database()
    for i in range(50): add_note(db, f'note {i} on bees', topic=f't{i % 3}', emb_fn=ENC)
    seen = []
    db.conn.set_exec_trace(lambda cur, sql, args: seen.append(sql) or True)
    emb = ENC(['bees note'])[0]
    for ask in (lambda: search_notes(db, 'bees note', emb), lambda: search_notes(db, 'bees note', emb, topic='t1', limit=40),
                lambda: list_notes(db, 't1'), lambda: note_topics(db), lambda: get_note(db, 'n7')):
        ask()
        seen.clear()
        assert ask() and len(seen) <= 8, seen

# --- others at the same time

def test_processes_with_one_key(tmp_path):
    "Whoever writes last stands; there is never a second note, and no update fails."
    path = tmp_path/'x.db'
    code = '''from litesearch.notes import add_note, edit_note
from litesearch.encode import HashEncoder
db, me, enc = database(sys.argv[1]), sys.argv[2], HashEncoder(64)
for i in range(25):
    add_note(db, f'{me} says {i}', key='fact', emb_fn=enc)
    add_note(db, f'{me} own {i}', topic=me, emb_fn=enc)
    edit_note(db, 'fact', text=f'{me} edits {i}', emb_fn=enc)'''
    for p in [start(code, path, me) for me in ('ann', 'bob', 'eve')]: finish(p)
    db = database(path)
    assert len(list_notes(db)) == 76 and [o['count'] for o in note_topics(db)].count(25) == 3
    assert len({o['note'] for o in list_notes(db)}) == 76
    assert get_note(db, 'fact')['text'].endswith('edits 24')
    fts_check(db, 'notes')
    assert rows(db, 'select count(*) from notes where embedding is null') == [(0,)]

def test_threads_on_one_connection(tmp_path):
    db, failed = database(tmp_path/'x.db'), []
    def work(me):
        try:
            for i in range(15):
                add_note(db, f'bees {me} {i}', key=f'k{i}', topic='t', emb_fn=ENC)
                assert len(search_notes(db, 'bees', ENC(['bees'])[0], limit=50)) <= 15
        except Exception as e: failed.append(e)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads: t.start()
    for t in threads: t.join()
    assert not failed and len(list_notes(db)) == 15
    fts_check(db, 'notes')

# --- with documents

def test_with_notes():
    hits = [dict(content=f'c{i}', score=.02 - i/1000) for i in range(10)]
    note = lambda m: dict(content='n', match=m, score=.01)
    assert [h['content'] for h in with_notes(hits, [], 3)] == ['c0', 'c1', 'c2'] and with_notes([], [], 3) == []
    assert [with_notes(hits, [note(m)], 10).index(next(h for h in with_notes(hits, [note(m)], 10) if h['content'] == 'n'))
            for m in (1.0, .5)] == [0, 5]
    merged = with_notes(hits, [note(1.0), note(.9)], 12)
    assert [h['score'] for h in merged] == sorted((h['score'] for h in merged), reverse=True) and len(merged) == 12
    assert hits[0]['score'] == .02

# --- one spelling, and pages of both

def test_composed_and_decomposed_names_are_one():
    db = database()
    nfc, nfd = (unicodedata.normalize(f, 'Überblick é') for f in ('NFC', 'NFD'))
    assert add_note(db, 'first', key=nfc)['note'] == add_note(db, 'second', key=nfd)['note'] and get_note(db, nfd)['text'] == 'second'
    for t in (nfc, nfd): add_note(db, 'bees', topic=t)
    assert len(note_topics(db)) == 2 and len(list_notes(db, nfd)) == len(search_notes(db, 'bees', topic=nfc)) == 2

@pytest.mark.parametrize('text', ['\u200b', '\ufeff\n', '\0'])
def test_a_note_of_invisible_marks_is_refused(text):
    with pytest.raises(ValueError, match='needs text'): add_note(database(), text)

def test_a_library_searches_one_topic(tmp_path):
    lib = Library(tmp_path/'l.db', encoder='hash')
    lib.note('plan of the pond', topic='pond')
    for i in range(9): lib.note(f'plan plan {i}', topic='barn')
    lib.note('plan without a topic')
    lib.add('The plan of a document.', title='Doc')
    for k in (1, 5): assert texts(lib.search('plan', k=k, topic='pond')) == ['plan of the pond']
    assert texts(lib.search('plan', topic='')) == ['plan without a topic'] and lib.search('plan', topic='attic') == []
    assert len(lib.search('plan', k=4, topic='barn', offset=6)) == 3

def test_pages_with_notes_join(tmp_path):
    lib = Library(tmp_path/'l.db', encoder='hash')
    for i in range(6): lib.note(f'pebble note {i}', title=f'N{i}')
    lib.add({f'Doc {i}': f'A pebble lies at place {i}.' for i in range(8)})
    whole = texts(lib.search('pebble', k=14, include_notes=True))
    pages = [texts(lib.search('pebble', k=4, offset=i, include_notes=True)) for i in range(0, 14, 4)]
    assert sum(pages, []) == whole and len(set(whole)) == 14

# --- what is no text

@pytest.mark.parametrize('name, call', [
    ('topic', lambda lib: lib.search('bees', topic=5)), ('topic', lambda lib: lib.search('bees', topic=['a'])),
    ('topic', lambda lib: lib.notes(topic=5)), ('topic', lambda lib: lib.note('bees', topic=0)),
    ('title', lambda lib: lib.note('bees', title=b'bees')), ('key', lambda lib: lib.note('bees', key=5)),
    ('source', lambda lib: lib.note('bees', source=5)), ('text', lambda lib: lib.note(5)),
    ('topic', lambda lib: lib.edit_note('k', topic=5)), ('text', lambda lib: lib.edit_note('k', text=5)),
    ('doc', lambda lib: lib.toc(5)), ('doc', lambda lib: lib.report(5)), ('pattern', lambda lib: lib.grep(5))])
def test_what_is_no_text_is_named(name, call):
    with Library(':memory:', encoder='hash') as lib:
        kept = lib.note('bees', topic='5', key='k')
        with pytest.raises(TypeError, match=f'^{name}=.* is no text; give a str, not (int|list|bytes)'): call(lib)
        assert lib.notes() == [kept]

def test_what_is_no_section_and_no_number():
    with Library(':memory:', encoder='hash') as lib:
        for call in (lib.cite, lib.read, lib.related):
            with pytest.raises(TypeError, match='an id or a title is needed, not int'): call(5)
        with pytest.raises(ValueError, match="0 or more, not 'a'"): lib.search('bees', 'a', topic='t')

def test_a_key_names_a_note_wherever_an_id_does():
    with Library(':memory:', encoder='hash:64') as lib:
        lib.note('The gate code is 4711.', key='gate')
        assert lib.read('gate')['text'] == lib.read('n1')['text'] and lib.cite('gate') == lib.cite('n1')
        with pytest.raises(LookupError, match='closest|empty'): lib.read('gates')
        for name in 'gate', 'n1':
            with pytest.raises(LookupError, match='delete_note'): lib.remove(name)
        lib.add('# Gate\n\nA gate of oak.', title='gate')
        assert 'oak' in lib.read('gate')['text']   # documents come first
        assert lib.remove('gate')[0]['title'] == 'gate' and lib.notes()
