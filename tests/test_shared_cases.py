"The cases of the shared list themselves; what they need beyond their texts is here, by id."
import json, os
import pytest
import kinds
from litesearch.core import ReadError, rows
from litesearch.outline import build_tree
from support import *

LIST = SHARED/'cases'/'cases.jsonl'
AREAS = 'headings chunking fts ann paths crash concurrency security unicode formats cli ranking nbdev'.split()   # memory: test_notes
CASES = [c for c in map(json.loads, open(LIST, encoding='utf-8')) if c['area'] in AREAS] if LIST.exists() else []

def given(case):
    "The input of a case: a text, or what its expression gives."
    x = case.get('input', '')
    return eval(x[4:], {}) if x.startswith('py: ') else x


# --- headings: the tree that each text has

TREES = {
    'md-backtick-fence-comment': 'Setup, Usage', 'md-longer-fence': 'Top(Real)', 'md-unclosed-fence': 'A',
    'md-setext-headings': 'Guide(Install, Usage)', 'md-thematic-break': 'Notes(Sub)',
    'md-hashtag-not-heading': 'Diary(Later)',
    'md-closing-hashes': 'Alpha(Beta(Gamma))', 'md-escaped-hash': 'Real(Also real)',
    'md-heading-indent-1-3': 'Root(Child, Second)',
    'md-heading-id-attribute': 'Manual(Prices)', 'md-starts-at-level-3': 'a(a1), b, c',
    'md-six-levels': 'a(b(c(d(e(f)))))',
    'consecutive-headings': 'Part(Section(Detail))', 'duplicate-titles': 'Now(Fixed), Older(Fixed), Oldest(Fixed)',
    'md-single-heading': 'Only heading', 'md-nbsp-after-hash': 'Real(Sub)', 'md-blockquote-heading': 'One(Two)',
    'chapter-contents-page': 'Chapter 1 Start, Chapter 2 Turn, Chapter 3 End'}

def trees(case, text):
    if case['id'] in TREES: assert outline(text) == TREES[case['id']]
    return library(('Doc', text), emb_fn=embed)

def code_comment(case, tmp_path, _):
    db = trees(case, given(case))
    assert {'# install the tools', '## then build'} <= set(text_of(db, section(db, 'Setup')['id']).split('\n'))

def open_fence(case, tmp_path, _):
    db = trees(case, given(case))
    assert 'text b' in text_of(db, section(db, 'A')['id'])

def six_levels(case, tmp_path, _):
    trees(case, given(case))
    assert [n.title for n in build_tree(given(case), max_levels=4)][1:] == list('abcdef')

def no_text_between(case, tmp_path, _):
    db = trees(case, given(case))
    assert db.doc_search('pump', vec('pump'))[0]['breadcrumb'] == 'Doc › Part › Section › Detail'

def no_headings(case, tmp_path, _):
    hit, = words(trees(case, given(case)), 'walrus')
    assert 'walrus' in hit['content']

def equal_titles(case, tmp_path, _):
    db = trees(case, given(case))
    same = [n['id'] for n in sections_of(db) if n['title'] == 'Fixed']
    assert len(set(same)) == 3 and [text_of(db, i) for i in same] == ['alpha bug', 'beta bug', 'alpha bug']

def title_with_markup(case, tmp_path, _):
    db = trees(case, given(case))
    child, = section(db, 'Notes')['children']
    assert all(w in child['title'] for w in ('0.9.0', 'spring', 'beta'))

def one_heading(case, tmp_path, _):
    db = trees(case, given(case))
    hit, = words(db, 'quokka')
    assert hit['node_id'] == section(db, 'Only heading')['id']
    assert 'Intro line.' in text_of(db, db.toc()[0]['tree']['id'], children=False)

def long_heading(case, tmp_path, _):
    db = trees(case, given(case))
    node = sections_of(db)[1]
    assert words(db, 'wolfram') and 'wolfram' in node['title'] + text_of(db, node['id'])

def contents_page(case, tmp_path, _):
    db = trees(case, given(case))
    bodies = ['We set out early with mules.', 'We met fog.', 'We came home.']
    assert [text_of(db, n['id']) for n in sections_of(db)] == bodies

def quoted_heading(case, tmp_path, _):
    db = trees(case, given(case))
    text = text_of(db, section(db, 'One')['id'], children=False)
    assert 'Quoted' in text and '# code' in text and 'tail of one' in text


# --- the other areas

def hard_cut(case, tmp_path, _):
    text = given(case)
    assert text.count('ä') == 900
    kinds.cut_anywhere(text, 'end')

def edit(case, tmp_path, _):
    text = given(case)
    new = text.replace('first ', 'fresh ').replace('first1 ', 'changed ')
    assert new != text
    kinds.edited_in_order(text, new, 'S', new[len('# S\n\n'):new.index('\n\n# T')])

def apostrophes(case, tmp_path, _):
    kinds.comes_first(given(case), ["miller's map", "doesn't"], given(case)[0])
    kinds.survives(given(case), ["'", "o'"])

def colons(case, tmp_path, _):
    kinds.comes_first(given(case), ['TODO: mend', 'crane:lower', 'crane::lower'], given(case)[2])
    kinds.survives(given(case), ['content : x'])

QUERIES = {'query-unbalanced-quote': ['"', '"open', 'weir"', '"--strict-ropes"', '""', 'a " b " c "'],
           'query-special-characters': ['*', 'we*', '*weir', '^weir', '(weir', 'weir)', '{a b}', 'a+b', '50%', 'x/y?',
                                        ';--', '\\\\', '\\', '#', '~!@$&='],
           'query-punctuation-only': ['---', '?!', '…', '「」', '* * *', '-'],
           'query-nul-and-control': ['weir\x00map', '\x00', '\x07\x1b[31m', 'weir\u200bmap', '\ufeffweir']}

def typed(case, tmp_path, _): kinds.survives(given(case), QUERIES[case['id']])

def nothing_in_common(case, tmp_path, _):
    db = library(*given(case))
    for q, t in zip(['クレーン', '生物', '항구'], given(case)): assert found(db, q) == [t]

def both_questions(case, tmp_path, _):
    kinds.comes_first(given(case), ['glacier valleys', 'how does glacier erosion relate to valleys?'], given(case)[0])

def notes(case): return [t.strip() for t in given(case)]

def damage(cut): return lambda case, tmp_path, _: kinds.damaged_sidecar(tmp_path, notes(case), cut, 2, 'cobalt')

def _over(path): path.write_bytes(b'\xff'*8 + path.read_bytes()[8:])

def circle(case, tmp_path, _):
    kinds.linked_in_a_circle(tmp_path, given(case), 'sub note on otters')

def shared_file(case): return SHARED/'cases'/'files'/case['file']

def entities(case, tmp_path, _):
    copy = tmp_path/'bomb.tei'
    copy.write_bytes(shared_file(case).read_bytes())
    from test_cases import EXPANDING
    n, took, used = json.loads(run(EXPANDING, copy))
    assert 0 <= n < 100_000 and took < 10 and used < 500

def archive(case, tmp_path, _):
    copy = tmp_path/'in'/'slip.epub'
    copy.parent.mkdir()
    copy.write_bytes(shared_file(case).read_bytes())
    db = library()
    db.add_file(copy)
    assert [p.name for p in tmp_path.rglob('*') if p.is_file()] == ['slip.epub']
    assert nested(db.toc()[0]['tree']) == 'Chapter One, Chapter Two, Chapter Three'

def separators(case, tmp_path, _):
    text = given(case)
    assert outline(text) == 'One, Two'
    db = library(('Doc', text))
    assert all(f'# no{i}' in text_of(db, section(db, 'One')['id']) for i in (1, 2, 3, 4))

def languages(case, tmp_path, _):
    kinds.only_its_own(given(case), ['Наталья', 'θάλασσα', 'كتاب', 'שלום', 'पुस्तक', 'หนังสือ'])

def interrupted(case, tmp_path, _):
    assert 0 < kinds.killed(tmp_path, given(case), 'pebble', 0.6) < 40

# --- formats: the sections of a file, and words that are found in them

FILES = {
    'docx-title-and-headings': ('Mooring(Lines), Fees', {}),
         'rst-six-levels': ('Alpha(Bravo(Charlie(Delta(Echoes(Foxtrot)))))', {}),
    'epub-titles-from-nav': ('Anchors, Buoys', {}), 'ipynb-outputs': (None, {'tides': 'Plot'}),
    'ipynb-source-string': ('Whole string(Part, List form)', {'pelicans': None, 'herons': None}),
    'html-escaped-heading': ('Tutorial(Next)', {}), 'conllu-comment-lines': (None, {'Ships carry grain': None}),
    'conllu-hash-token': (None, {}), 'txt-utf16': (None, {'lanterns': None, 'über': None})}

def file_of(case, tmp_path):
    copy = tmp_path/case['file']
    copy.write_bytes(shared_file(case).read_bytes())
    return copy

def opened(case, tmp_path, _=None):
    "A library of the case's file, with the sections and the words it ought to have."
    tree, where = FILES[case['id']]
    db = library()
    db.add_file(file_of(case, tmp_path))
    if tree: assert nested(db.toc(max_depth=9)[0]['tree']) == tree
    for word, title in where.items():
        hits = words(db, word)
        assert hits and (title is None or hits[0]['breadcrumb'].endswith(title))
    check_library(db)
    return db

def word_title(case, tmp_path, _):
    db = opened(case, tmp_path)
    assert whole(db, db.toc()[0]['doc_id']).startswith('Harbour rules')

def nine_levels(case, tmp_path, _):
    db = library()
    db.add_file(file_of(case, tmp_path))
    assert [n['title'] for n in sections_of(db)] == [f'Level {i}' for i in range(1, 10)]
    assert nested(db.toc(max_depth=12)[0]['tree']).startswith('Level 1(Level 2(Level 3(Level 4(Level 5(')
    hit, = words(db, '"body under level 9"')
    assert hit['node_id'] == section(db, 'Level 9')['id']

def bad_chapter(case, tmp_path, _):
    db = library()
    with pytest.warns(UserWarning, match='c2.xhtml'): db.add_file(file_of(case, tmp_path))
    assert words(db, 'apples')[0]['breadcrumb'].endswith('Chapter One') and words(db, 'clocks')
    assert 'c2.xhtml' in rows(db, 'select meta from docs')[0][0]

def no_pictures(case, tmp_path, _):
    db = opened(case, tmp_path)
    assert not [c for c in chunks_of(db) if any(len(o) > 200 for o in c['content'].split())]

def escaped_code(case, tmp_path, _):
    db = opened(case, tmp_path)
    text = text_of(db, section(db, 'Tutorial')['id'])
    assert '<h1>Fake</h1>' in text and '# also fake' in text

def sentences(case, tmp_path, _):
    db = opened(case, tmp_path)
    assert not [n for n in sections_of(db) if n['title'].startswith(('sent_id', 'text =', 'newdoc'))]
    text = whole(db, db.toc()[0]['doc_id'])
    assert '\t' not in text and ('Room # 12' if 'hash' in case['id'] else 'Ships carry grain.') in text

def utf16(case, tmp_path, _):
    db = opened(case, tmp_path)
    text = whole(db, db.toc()[0]['doc_id'])
    assert '\0' not in text and '\ufffd' not in text

def empty_first(case, tmp_path, _):
    path, db = file_of(case, tmp_path), library()
    try: assert db.add_file(path)['chunks'] == 0
    except ReadError as e: assert path.name in str(e)
    path.write_text('# Now\n\nit has words about larks\n\n# End\n\nx\n')
    db.add_file(path)
    assert len(words(db, 'larks')) == 1

def line_ends(case, tmp_path, _):
    cr = '# One\r\ralpha\r\r## Two\r\rbeta\r'
    db = library(('W', given(case)), ('M', cr))
    assert [nested(d['tree']) for d in db.toc()] == ['One(Two)']*2
    assert not [x for x in [n['title'] for n in sections_of(db)] + [c['content'] for c in chunks_of(db)] if '\r' in x]

def on(fn, *args, **kw): return lambda case, tmp_path, monkeypatch: fn(given(case), *args, **kw)
def at(fn, *args, **kw): return lambda case, tmp_path, monkeypatch: fn(tmp_path, given(case), *args, **kw)
def tree_only(case, tmp_path, _): trees(case, given(case))

# --- the command line

def commands(tmp_path, *args, data=None):
    "Standard output, standard error and exit code of a command line on a library of a test."
    from test_cli import run
    res = run(*args, '--lib', tmp_path/'lib.db')
    assert 'Traceback' not in res.stderr
    return res

def pure_json(case, tmp_path, _):
    folder = write_files(tmp_path/'notes', {'notes.md': given(case), 'bad.ipynb': '{broken'})
    added, found = commands(tmp_path, 'add', folder, '--json'), commands(tmp_path, 'search', 'heron', '--json')
    failed, = [o for o in json.loads(added.stdout) if 'error' in o]
    assert 'bad.ipynb' in failed['source'] and 'bad.ipynb' in added.stderr
    assert 'heron' in json.loads(found.stdout)[0]['content']

def reader_leaves(case, tmp_path, _):
    import subprocess
    from test_cli import EXE
    folder = write_files(tmp_path/'notes', {f'{i}.md': t for i, t in enumerate(given(case))})
    commands(tmp_path, 'add', folder)
    for args in ('search pebble --limit 1000', 'toc', 'toc --json'):
        line = f'"{EXE}" {args} --lib "{tmp_path/"lib.db"}" | head -n 1'
        res = subprocess.run(['bash', '-c', line], capture_output=True, text=True, timeout=120)
        assert res.stdout.count('\n') == 1 and 'Traceback' not in res.stderr and 'Exception' not in res.stderr

def no_hits(case, tmp_path, _):
    commands(tmp_path, 'add', write_files(tmp_path/'notes', {'notes.md': given(case)}))
    res = commands(tmp_path, 'search', 'zqxwv', '--json')
    assert (json.loads(res.stdout), res.returncode) == ([], 0)

def no_library(case, tmp_path, _):
    from test_cli import run
    for args in (['search', 'x'], ['toc'], ['status']):
        res = run(*args, '--lib', given(case), cwd=tmp_path)
        assert res.returncode != 0 and given(case) in res.stderr and not list(tmp_path.iterdir())


# --- ranking

def stable_ties(case, tmp_path, _):
    db = library(*given(case), path=tmp_path/'ties.db')
    first = [h['rowid'] for h in words(db, 'pebble', limit=5)]
    assert len(first) == 5
    again = [[h['rowid'] for h in words(o, 'pebble', limit=5)] for o in [db]*20 + [database(tmp_path/'ties.db')]*3]
    assert again == [first]*23

def paging(case, tmp_path, _):
    db = library(*given(case), emb_fn=embed)
    ask = lambda limit, offset=0: [h['rowid'] for h in db.doc_search('pebble', vec('pebble'), limit=limit, offset=offset)]
    assert len(set(ask(25))) == 25 and sum((ask(5, i) for i in range(0, 25, 5)), []) == ask(25)

def short_section(case, tmp_path, _):
    db = library(('Doc', given(case)), emb_fn=embed)
    assert db.sections('valve torque', vec('valve torque'), limit=2)[0]['title'] == 'Answer'

def copies(case, tmp_path, _):
    from litesearch.library import Library
    folder = write_files(tmp_path/'notes', given(case))
    lib = Library(tmp_path/'lib.db', encoder='hash')
    lib.add(folder)
    hits = lib.db.doc_search('heron', vec('heron'), limit=3)
    assert len({h['content'] for h in hits}) == len(lib.search('heron', k=3)) == 3
    assert {o['source'] for o in lib.toc()} == {str(folder/name) for name in given(case)}
    twin, = [h for h in lib.search('heron') if 'weir' in h['content']]
    assert len({o['doc_id'] for o in [twin, *twin['also']]}) == 4

def exact_code(case, tmp_path, _):
    db = library(*given(case), emb_fn=embed)
    assert 'E107' in db.doc_search('E107', vec('E107'))[0]['content']

def long_passage(case, tmp_path, _):
    pytest.importorskip('flashrank')
    from test_rerank import make_model
    db, model = library(('Doc', given(case)), emb_fn=embed), str(make_model(tmp_path/'tiny'))
    q = 'when does the sluice open'
    for spans in (False, True):
        best = db.doc_search(q, vec(q), rerank=True, rerank_model=model, spans=spans)[0]
        assert 'The sluice opens at dawn.' in best['content']


# --- notebooks

def directives(case, tmp_path, _):
    db = database()
    db.add_file(shared_file(case), emb_fn=embed)
    titles = [n['title'] for n in sections_of(db)]
    assert [t for t in titles if t in ('Core', 'Uses')] == ['Core', 'Uses'] and len(titles) <= 3
    assert words(db, 'def f')[0]['node_id'] == section(db, 'Core')['id']

def clean_tree(case, tmp_path, _):
    from test_repo import ROOT, settings
    assert settings()['lib_name'] == 'litesearch' and (ROOT/'nbs').is_dir()   # test_repo.py exports a copy and compares

def methods_listed(case, tmp_path, _):
    from litesearch._modidx import d
    known = {name for names in d['syms'].values() for name in names}
    where = {name.split('.', 2)[-1]: name for name in known if '.Database.' in name}
    for name in 'add_doc add_file add_dir doc_search sections toc read delete_doc'.split():
        assert where[f'Database.{name}'].startswith('litesearch.')

def imported_alone(case, tmp_path, _):
    from test_repo import MODULES
    import subprocess, sys, time
    for path in MODULES:
        started = time.monotonic()
        res = subprocess.run([sys.executable, '-c', f'import litesearch.{path.stem}'], capture_output=True, text=True)
        assert (res.returncode, res.stdout, res.stderr) == (0, '', '') and time.monotonic() - started < 5


ADAPTERS = {
    **{id: tree_only for id in TREES},
    'md-backtick-fence-comment': code_comment, 'md-unclosed-fence': open_fence, 'md-six-levels': six_levels,
    'consecutive-headings': no_text_between, 'md-no-headings': no_headings, 'duplicate-titles': equal_titles,
    'md-heading-inline-markup': title_with_markup, 'md-single-heading': one_heading, 'md-long-heading': long_heading,
    'chapter-contents-page': contents_page, 'md-blockquote-heading': quoted_heading,

    'multibyte-hard-cut': hard_cut, 'whitespace-only-doc': on(kinds.blank_then_real, 'Real text about gravel.',
                                                              'gravel'),
    'repeated-lines': on(kinds.repeated_lines, 'Form', 'Name: ________ Date: ________ Signed: ________', 200),
    'identical-doc-delete': on(kinds.twins, 'heron'),
    'sections-not-mixed': on(kinds.kept_apart, {'copper': 'Copper', 'tin is': 'Tin', 'lead is': 'Lead'}),
    'read-order-after-edit': edit, 'breadcrumb-no-repeat': on(kinds.title_once, 'valve', 'Guide', 'Guide › Valves'),
    'all-lines-kept': on(kinds.every_line),

    'query-apostrophe': apostrophes, 'query-colon': colons,
    'query-dotted-version': lambda c, *_: kinds.comes_first(given(c), ['plover 31.07', '52.640', 'v2.4.9'],
                                                            given(c)[3]),
    **{id: typed for id in QUERIES},
    'nul-in-document': on(kinds.nul_bytes, 'afterwards', 'Plain text about walnuts.', 'walnuts'),
    'cjk-substring': nothing_in_common,
    'diacritics': on(kinds.all_find, ['cafe', 'café', 'résumé', 'resume', 'cafe\u0301']),
    'stale-words-after-edit': lambda c, *_: kinds.stale_words(*given(c), 'zarquon', 'sprockets'),
    'vacuum': at(kinds.vacuumed, [0, 2, 4], 7, 'w7'),
    'heading-words-by-keyword': on(kinds.heading_word, 'sentinel', 'Allowing it through Sentinel'),
    'quoted-phrase': on(kinds.phrase, 'silver lantern'), 'all-words-not-a-phrase': both_questions,

    'ndim-mismatch': at(kinds.other_size, 'amber'),
    'sidecar-truncated': damage(lambda p: os.truncate(p, p.stat().st_size//2)), 'sidecar-bad-header': damage(_over),
    'sidecar-zero-bytes': damage(lambda p: os.truncate(p, 0)),
    'sidecar-older-than-table': lambda c, tmp_path, _: kinds.older_sidecar(tmp_path, notes(c)),
    'remove-then-add': lambda c, *_: kinds.removed_and_added(notes(c), [3, 1, 0, 2, 7, 5, 4, 6]),
    'nan-vector': lambda c, *_: kinds.not_a_number(notes(c)[1:], notes(c)[0], 'cobalt', 2),
    'hits-are-json': lambda c, *_: kinds.as_json(notes(c), 'cobalt'), 'short-embedding-batch': on(kinds.one_too_few, 3),
    'vectors-added-later': on(kinds.vectors_later, 'cobalt'),

    'relative-and-absolute': lambda c, tmp_path, monkeypatch: kinds.spellings(tmp_path, monkeypatch, given(c), 'heron'),
    'symlink-loop': circle, 'nfc-and-nfd-names': lambda c, tmp_path, _: kinds.normal_forms(tmp_path, 'Übung.md',
                                                                                           given(c), 'heron'),
    'odd-database-path': lambda c, tmp_path, _: kinds.odd_path(tmp_path, 'my #1 50% notes?mode=ro/index %41.db',
                                                               given(c), 'heron'),
    'deleted-file': at(kinds.vanished, 'The badger digs.', 'badger'),
    'edited-same-size-same-time': lambda c, tmp_path, _: kinds.same_size_same_time(tmp_path, *given(c), 'heron',
                                                                                   'raven'),
    'shrunk-file': at(kinds.shrunk, '# One\n\nfirst words\n', 'third words', 1),
    'huge-single-line': at(kinds.endless_line, 'w719999', 60, 1000),
    'undecodable-file-name': lambda c, tmp_path, _: kinds.undecodable(tmp_path, b'caf\xe9.txt', 'The stoat runs.',
                                                                      given(c), 'heron'),
    'checkpoint-folders-skipped': at(kinds.hidden_copies, 1, ['stoat', 'badger', 'weasel']),

    'two-processes-add': at(kinds.two_writers, 'pebble'), 'threads-share-one-object': on(kinds.shared_by_threads,
                                                                                         'pebble'),
    'same-folder-twice-at-once': at(kinds.folder_twice, 'pebble'),
    'search-while-loading': at(kinds.search_while_loading, 'pebble'),

    'kill-during-add-dir': interrupted,
    'failed-update-keeps-old': lambda c, *_: kinds.failed_update(*given(c), 'slate', 'marble'),
    'database-file-not-sqlite': at(kinds.not_sqlite), 'rerun-keeps-paid-embeddings': at(kinds.paid_once),

    'read-id-injection': on(kinds.hostile_ids), 'toc-quotes-in-title': on(kinds.quotes_in_titles, "'", '"'),
    'tei-entity-expansion': entities, 'epub-path-escape': archive,
    'doc-id-join-collision': lambda c, *_: kinds.ids_do_not_meet(*given(c), 'herons', 'otters'),

    **dict.fromkeys(FILES, opened), 'docx-title-and-headings': word_title, 'docx-deep-headings': nine_levels,
    'epub-one-bad-chapter': bad_chapter, 'ipynb-outputs': no_pictures, 'html-escaped-heading': escaped_code,
    'conllu-comment-lines': sentences, 'conllu-hash-token': sentences, 'txt-utf16': utf16, 'empty-file': empty_first,
    'crlf-and-cr': line_ends,

    'lone-surrogate': lambda c, *_: kinds.half_an_emoji('good text about otters', given(c), 'otters', 'heron'),
    'invisible-characters-in-words': on(kinds.all_find, ['information', 'database', 'cooperate']),
    'non-latin-queries': languages, 'unicode-line-separators': separators,

    'json-stdout-pure': pure_json, 'broken-pipe': reader_leaves, 'no-hits-is-not-an-error': no_hits,
    'search-missing-database': no_library,

    'ties-are-stable': stable_ties, 'paging': paging, 'short-section-beats-long': short_section,
    'copies-do-not-fill-the-page': copies, 'exact-code-beats-similar': exact_code, 'rerank-long-passage': long_passage,

    'ipynb-export-directives': directives, 'export-leaves-tree-clean': clean_tree,
    'patched-methods-listed': methods_listed, 'modules-import-alone': imported_alone,
}

XFAIL = {'cjk-substring': 'its queries do not stand in its texts; test_cases.py has the kind with substrings that do'}

def _param(case):
    marks = [pytest.mark.xfail(reason=XFAIL[case['id']], strict=True)] if case['id'] in XFAIL else []
    return pytest.param(case, id=case['id'], marks=marks)

@needs_shared
def test_every_case_has_an_adapter(): assert {c['id'] for c in CASES} == set(ADAPTERS)

@needs_shared
@pytest.mark.parametrize('case', [_param(c) for c in CASES])
def test_case(case, tmp_path, monkeypatch): ADAPTERS[case['id']](case, tmp_path, monkeypatch)
