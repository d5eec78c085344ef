"A folder and its library in step: moves, swaps, copies, edits, losses, disks that are away, other processes, kills."
import os, random, shutil, signal, threading, time
import pytest
from hypothesis import given, settings, strategies as st
from litesearch import sync
from litesearch.core import database, db_path, get_meta, rows
from litesearch.notes import add_note, list_notes
from litesearch.sync import sync_dir, watch_dir
from support import *

class Folder:
    "A folder, its library, and what was embedded and read for it."
    def __init__(self, tmp_path, **texts):
        self.root, self.enc = tmp_path/'in', Counting()
        self.root.mkdir(parents=True)
        self.db = database(tmp_path/'x.db')
        for name, text in texts.items(): self.write(name.replace('_', '.') if '.' not in name else name, text)

    def write(self, name, text): write_files(self.root, {name: text})
    def move(self, a, b):
        (self.root/b).parent.mkdir(parents=True, exist_ok=True)
        os.rename(self.root/a, self.root/b)
    def remove(self, name): (self.root/name).unlink()

    def sync(self, **kw):
        self.enc.texts = []
        return self.db.add_dir(self.root, **{**dict(emb_fn=self.enc, sync=True, n_workers=0), **kw})

    def ids(self):
        "Path in the folder → id."
        found = rows(self.db, 'select source, id from docs')
        assert len({s for s, _ in found}) == len(found)
        return {os.path.relpath(s, self.root.resolve()): id for s, id in found}

    def check(self):
        "The library holds exactly what the folder does, as if it had been read anew, but for ids."
        check_library(self.db)
        other = database()
        other.add_dir(self.root, emb_fn=embed, n_workers=0)
        docs = 'select source, title, kind, pages, meta, file_hash, hash from docs order by source'
        assert rows(self.db, docs) == rows(other, docs)
        nodes = '''select d.source, n.level, n.seq, n.last, n.title, n.page_start, n.start, n.page_end, n."end", n.summary,
            n.nchunks, n.hash from nodes n join docs d on d.id=n.doc_id order by 1, 3'''
        assert rows(self.db, nodes) == rows(other, nodes)
        chunks = '''select d.source, s.content, s.heading, s.page, s.start, s."end", s.ord, s.embedding, s.grams
            from store s join docs d on d.id=s.doc_id order by 1, 7'''
        assert rows(self.db, chunks) == rows(other, chunks)

TEXT = '# Hive\n\nTen frames of honey.\n\n# Swarm\n\nThe old queen leaves.\n'
def text(word): return TEXT + f'\n# {word.title()}\n\nall about {word}\n'

def box(tmp_path, n=4):
    f = Folder(tmp_path)
    for i, w in enumerate(['otter', 'heron', 'stoat', 'raven', 'larch', 'rowan'][:n]): f.write(f'{w}.md', text(w))
    f.sync()
    return f

def rows_of(db, did): return rows(db, 'select rowid, id, node_id, content, embedding from store where doc_id=? order by ord', (did,))

# --- one file

def test_a_move_to_another_folder_costs_nothing(tmp_path):
    f = box(tmp_path)
    did, before = f.ids()['otter.md'], rows_of(f.db, f.ids()['otter.md'])
    f.move('otter.md', 'deep/er/otter.md')
    result = next(r for r in f.sync() if r['doc_id'] == did)
    assert result['moved'].endswith('/in/otter.md') and result['source'].endswith('/in/deep/er/otter.md')
    assert f.enc.texts == [] and f.ids()['deep/er/otter.md'] == did and rows_of(f.db, did) == before
    assert all(r.get('skipped') == 'unchanged' for r in f.sync())
    f.check()

def test_a_new_name_embeds_anew_and_keeps_the_ids(tmp_path):
    f = box(tmp_path)
    did = f.ids()['otter.md']
    nodes, chunks = rows(f.db, 'select id, seq from nodes where doc_id=?', (did,)), rows_of(f.db, did)
    f.move('otter.md', 'water-animal.md')
    f.sync()
    assert f.ids()['water-animal.md'] == did and len(f.enc.texts) == len(chunks)
    assert all(t.startswith('water animal') for t in f.enc.texts)
    assert rows(f.db, 'select id, seq from nodes where doc_id=?', (did,)) == nodes
    assert [r[1:4] for r in rows_of(f.db, did)] == [r[1:4] for r in chunks]
    assert words(f.db, 'otter')[0]['breadcrumb'] == 'water animal › Otter'
    f.check()

def test_edited_after_a_move(tmp_path):
    f = box(tmp_path)
    did = f.ids()['otter.md']
    f.move('otter.md', 'a/other.md')
    f.sync()
    f.write('a/other.md', text('otter').replace('queen leaves', 'queen stays'))
    result = next(r for r in f.sync() if r['doc_id'] == did)
    assert f.ids()['a/other.md'] == did and result['kept'] == 2 and len(f.enc.texts) == 1
    f.write('otter.md', text('otter'))
    f.sync()
    assert f.ids()['otter.md'] != did and f.ids()['a/other.md'] == did
    f.check()

def test_moved_and_edited_at_once_is_another_document(tmp_path):
    f = box(tmp_path)
    did = f.ids()['otter.md']
    f.move('otter.md', 'x.md')
    f.write('x.md', text('weasel'))
    results = f.sync()
    assert [r['removed'][-8:] for r in results if 'removed' in r] == ['otter.md'] and did not in f.ids().values()
    f.check()

def test_a_move_back_and_forth(tmp_path):
    f = box(tmp_path)
    did = f.ids()['otter.md']
    for a, b in (('otter.md', 'b.md'), ('b.md', 'otter.md'), ('otter.md', 'c/otter.md'), ('c/otter.md', 'otter.md')):
        f.move(a, b)
        f.sync()
        assert f.ids()[b] == did
    f.check()

def test_another_extension_is_read_by_another_reader(tmp_path):
    f = box(tmp_path)
    f.move('otter.md', 'otter.txt')
    f.sync()
    f.check()

def test_names_in_two_normal_forms(tmp_path):
    f = Folder(tmp_path)
    f.write('\u00dcbung.md', text('otter'))
    f.sync()
    did, = f.ids().values()
    f.move('\u00dcbung.md', 'U\u0308bung.md')
    f.sync()
    assert f.enc.texts == [] and list(f.ids().values()) == [did]
    f.check()

# --- several files

def test_equal_files_in_a_moved_folder(tmp_path):
    f = Folder(tmp_path)
    for n in 'abc': f.write(f'old/{n}/intro.md', text('otter'))
    f.write('old/else.md', text('heron'))
    f.sync()
    before = f.ids()
    f.move('old', 'new/er')
    f.sync()
    assert f.enc.texts == [] and f.ids() == {p.replace('old', 'new/er'): id for p, id in before.items()}
    f.check()

def test_two_equal_files_renamed(tmp_path):
    f = Folder(tmp_path)
    for n in 'ab': f.write(f'{n}/same.md', text('otter'))
    f.sync()
    before = f.ids()
    f.move('a/same.md', 'a/one.md')
    f.move('b/same.md', 'b/two.md')
    f.sync()
    assert f.ids() == {'a/one.md': before['a/same.md'], 'b/two.md': before['b/same.md']}
    f.check()

@pytest.mark.parametrize('a,b', [('otter.md', 'heron.md'), ('x/intro.md', 'y/intro.md')])
def test_files_that_change_places(tmp_path, a, b):
    f = Folder(tmp_path)
    f.write(a, text('otter')), f.write(b, text('heron')), f.write('third.md', text('stoat'))
    f.sync()
    before = f.ids()
    f.move(a, 'tmp')
    f.move(b, a)
    f.move('tmp', b)
    f.sync()
    assert f.ids() == {**before, a: before[b], b: before[a]}
    assert len(f.enc.texts) == (0 if 'intro' in a else 6)
    f.check()

def test_a_circle_and_a_chain(tmp_path):
    f = box(tmp_path, 6)
    was = f.ids()
    os.rename(f.root/'otter.md', f.root/'tmp')
    f.move('stoat.md', 'otter.md'), f.move('heron.md', 'stoat.md'), f.move('tmp', 'heron.md')      # a circle of three
    f.move('larch.md', 'end.md'), f.move('raven.md', 'larch.md')                                   # a chain
    f.sync()
    assert f.ids() == {'otter.md': was['stoat.md'], 'stoat.md': was['heron.md'], 'heron.md': was['otter.md'], 'end.md': was['larch.md'],
                       'larch.md': was['raven.md'], 'rowan.md': was['rowan.md']}
    f.check()

def test_a_copy_is_a_document_of_its_own(tmp_path):
    f = box(tmp_path)
    before = f.ids()
    shutil.copy(f.root/'otter.md', f.root/'copy.md')
    f.sync()
    assert {k: v for k, v in f.ids().items() if k != 'copy.md'} == before and len(f.ids()) == 5
    f.remove('otter.md')
    f.sync()
    assert 'otter.md' not in f.ids() and f.ids()['copy.md'] not in before.values()
    f.check()

def test_a_file_over_another(tmp_path):
    f = box(tmp_path)
    before = f.ids()
    f.move('otter.md', 'heron.md')
    f.sync()
    assert f.ids() == {'heron.md': before['otter.md'], 'stoat.md': before['stoat.md'], 'raven.md': before['raven.md']}
    f.check()

def test_a_backup_does_not_inherit(tmp_path):
    f = box(tmp_path)
    did = f.ids()['otter.md']
    f.move('otter.md', 'otter-old.md')
    f.write('otter.md', text('otter') + '\nmore\n')
    f.sync()
    assert f.ids()['otter.md'] == did and 'otter-old.md' in f.ids()
    f.check()

def test_from_a_folder_that_is_synced_elsewhere(tmp_path):
    f = Folder(tmp_path)
    f.write('a/otter.md', text('otter')), f.write('b/heron.md', text('heron'))
    for n in 'ab': f.db.add_dir(f.root/n, emb_fn=f.enc, sync=True)
    did = f.ids()['a/otter.md']
    f.move('a/otter.md', 'b/otter.md')
    f.db.add_dir(f.root/'b', emb_fn=f.enc, sync=True)
    assert f.ids()['b/otter.md'] == did
    assert f.db.add_dir(f.root/'a', emb_fn=f.enc, sync=True) == []
    f.check()

# --- titles, options

def test_a_chosen_title_is_kept(tmp_path):
    f = Folder(tmp_path)
    f.write('otter.md', text('otter'))
    did = f.db.add_file(f.root/'otter.md', title='River Animals', emb_fn=f.enc)['doc_id']
    assert [r['skipped'] for r in f.sync()] == ['unchanged']
    f.move('otter.md', 'x/renamed.md')
    f.sync()
    assert f.enc.texts == [] and rows(f.db, 'select id, title from docs') == [(did, 'River Animals')]
    f.write('x/renamed.md', text('heron'))
    f.sync()
    assert rows(f.db, 'select id, title from docs') == [(did, 'River Animals')] and words(f.db, 'heron')
    check_library(f.db)

def test_two_titles_of_one_file_move_together(tmp_path):
    f = Folder(tmp_path)
    f.write('otter.md', text('otter'))
    ids = {f.db.add_file(f.root/'otter.md', title=t, emb_fn=f.enc)['doc_id'] for t in ('One', 'Two')}
    f.move('otter.md', 'b.md')
    assert {r['doc_id'] for r in f.sync()} == ids
    assert {(i, s[-5:]) for i, s in rows(f.db, 'select id, source from docs')} == {(i, '/b.md') for i in ids}

def test_without_an_encoder_and_with_one_later(tmp_path):
    f = box(tmp_path)
    did = f.ids()['otter.md']
    f.move('otter.md', 'deep/otter.md'), f.move('heron.md', 'bird.md')
    f.sync(emb_fn=None)
    n = 'select count(*) from store where embedding is null and doc_id=?'
    assert rows(f.db, n, (did,)) == [(0,)] and rows(f.db, n, (f.ids()['bird.md'],)) == [(3,)]
    f.sync()
    assert len(f.enc.texts) == 3
    f.check()

def test_moved_without_vectors_gets_them(tmp_path):
    f = Folder(tmp_path)
    f.write('otter.md', text('otter'))
    f.sync(emb_fn=None)
    did = f.ids()['otter.md']
    f.move('otter.md', 'deep/otter.md')
    f.sync()
    assert f.ids() == {'deep/otter.md': did} and len(f.enc.texts) == 3
    f.check()

def test_force_reads_moved_files_again(tmp_path):
    f = box(tmp_path)
    did = f.ids()['otter.md']
    f.move('otter.md', 'deep/otter.md')
    f.sync(force=True)
    assert f.ids()['deep/otter.md'] == did and len(f.enc.texts) == 12
    f.check()

def test_columns_and_references_of_the_caller_stay(tmp_path):
    f = Folder(tmp_path)
    f.db.get_tree(shelf=str)
    f.write('poem.md', '# Book\n\n1:1 In the beginning.\n1:2 And then.\n')
    f.sync()
    f.db.conn.execute("update store set shelf='top'")
    f.move('poem.md', 'Verses.md')
    f.sync()
    assert {s for s, in rows(f.db, 'select shelf from store')} == {'top'}

def test_notes_stay(tmp_path):
    f = box(tmp_path)
    add_note(f.db, 'Otters swim.', source=str(f.root/'otter.md'), emb_fn=embed)
    f.remove('otter.md'), f.move('heron.md', 'bird.md')
    f.sync()
    assert [o['text'] for o in list_notes(f.db)] == ['Otters swim.']
    f.check()

def test_another_store(tmp_path):
    f = Folder(tmp_path)
    f.write('otter.md', text('otter'))
    f.sync(store='own')
    f.move('otter.md', 'b.md')
    assert 'moved' in f.sync(store='own')[0] and f.sync(store='own')[0]['skipped'] == 'unchanged'

# --- losses

def test_gone_for_good(tmp_path):
    f = box(tmp_path)
    for name in list(f.ids()): f.remove(name)
    assert len([r for r in f.sync() if 'removed' in r]) == 4 and f.ids() == {}
    f.check()

def test_a_folder_that_is_away(tmp_path):
    f = box(tmp_path)
    before = f.ids()
    os.rename(f.root, tmp_path/'away')
    with pytest.raises(NotADirectoryError): f.sync()
    os.rename(tmp_path/'away', f.root)
    assert f.ids() == before
    f.check()

@pytest.mark.parametrize('where', ['', 'disk'])
def test_a_disk_that_is_not_mounted(tmp_path, monkeypatch, where):
    f = Folder(tmp_path)
    f.write('disk/otter.md', text('otter')), f.write('disk/sub/heron.md', text('heron')), f.write('disk2/stoat.md', text('stoat'))
    mounted, real = {str((f.root/where).resolve())}, os.path.ismount
    monkeypatch.setattr(os.path, 'ismount', lambda p: str(p) in mounted or real(p))
    f.sync()
    before = f.ids()
    mount = f.root/where
    os.rename(mount, tmp_path/'away')
    mount.mkdir()
    disks, mounted = mounted, set()
    assert not [r for r in f.sync() if 'removed' in r] and f.ids() == before
    assert not [r for r in f.sync() if 'removed' in r] and f.ids() == before      # it is remembered
    mount.rmdir()
    os.rename(tmp_path/'away', mount)
    mounted = disks
    f.remove('disk/otter.md')
    assert [r['removed'][-8:] for r in f.sync() if 'removed' in r] == ['otter.md']
    f.check()

def test_a_disk_that_became_a_folder(tmp_path, monkeypatch):
    f = Folder(tmp_path)
    f.write('disk/otter.md', text('otter')), f.write('disk/heron.md', text('heron'))
    real, disk = os.path.ismount, str((f.root/'disk').resolve())
    monkeypatch.setattr(os.path, 'ismount', lambda p: str(p) == disk or real(p))
    f.sync()
    monkeypatch.setattr(os.path, 'ismount', real)
    f.remove('disk/otter.md')
    assert [r['removed'][-8:] for r in f.sync() if 'removed' in r] == ['otter.md']
    assert not get_meta(f.db, f'mounts:{f.root.resolve()}')

@pytest.mark.parametrize('e', [PermissionError(13, 'denied'), OSError(116, 'stale file handle'), OSError(5, 'i/o')])
def test_what_can_not_be_reached_is_not_gone(tmp_path, monkeypatch, e):
    f = box(tmp_path)
    before, hidden = f.ids(), str((f.root/'otter.md').resolve())
    f.move('otter.md', '.otter')
    real = os.stat
    def stat(path, *a, **kw):
        if str(path) == hidden: raise e
        return real(path, *a, **kw)
    monkeypatch.setattr(os, 'stat', stat)
    assert not [r for r in f.sync() if 'removed' in r] and f.ids() == before

@pytest.mark.skipif(IS_ROOT, reason='root may read everything')
def test_a_folder_without_permission(tmp_path):
    f = Folder(tmp_path)
    f.write('a/otter.md', text('otter'))
    f.sync()
    (f.root/'a').chmod(0)
    try: assert not [r for r in f.sync() if 'removed' in r] and f.ids()
    finally: (f.root/'a').chmod(0o755)

def test_a_moved_file_that_can_not_be_stored_does_not_lose_its_document(tmp_path):
    f = box(tmp_path)
    f.move('otter.md', 'new.md')
    def fails(texts): raise RuntimeError('down')
    with pytest.raises(RuntimeError): f.sync(emb_fn=fails)
    assert 'otter.md' in f.ids()
    f.sync()
    f.check()

# --- random lives of a folder

names = st.sampled_from(['a.md', 'b.md', 'x/a.md', 'x/b.md', 'y/a.md', 'c.txt'])
steps = st.lists(st.tuples(st.sampled_from(['write', 'move', 'copy', 'remove', 'swap']), names, names, st.integers(0, 3)), max_size=8)

@settings(max_examples=50, deadline=None)
@given(st.lists(steps, max_size=4))
def test_any_life(tmp_path_factory, lives):
    f = Folder(tmp_path_factory.mktemp('life'))
    for life in lives:
        for what, a, b, n in life:
            if what == 'write': f.write(a, text(f'word{n}'))
            elif not (f.root/a).exists(): continue
            elif what == 'remove': f.remove(a)
            elif what == 'move': f.move(a, b)
            elif what == 'copy' and a != b:
                (f.root/b).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(f.root/a, f.root/b)
            elif what == 'swap' and a != b and (f.root/b).exists():
                f.move(a, 'tmp'), f.move(b, a), f.move('tmp', b)
        f.sync()
        f.check()
        assert all('skipped' in r for r in f.sync()) and f.enc.texts == []

# --- two processes, and a watcher

def test_two_processes_at_once(tmp_path):
    "Both follow the same moves; none is lost, and nothing is there twice."
    f = Folder(tmp_path)
    for i in range(30): f.write(f'd{i % 3}/doc {i}.md', text(f'word{i}'))
    f.sync()
    before = f.ids()
    for i in range(30): f.move(f'd{i % 3}/doc {i}.md', f'new/{i}/' + (f'doc {i}.md' if i % 2 else f'paper {i}.md'))
    code = 'db = database(sys.argv[1]); db.add_dir(sys.argv[2], emb_fn=embed, sync=True, n_workers=0)'
    for p in [start(code, tmp_path/'x.db', f.root) for _ in range(3)]: finish(p)
    assert set(f.ids().values()) == set(before.values())
    f.check()

@pytest.mark.parametrize('seed', range(2))
def test_killed(tmp_path, seed):
    "Whenever it is killed, the library is whole, and the next run ends where it would have ended; ids are kept."
    f, rng = Folder(tmp_path), random.Random(seed)
    for i in range(40): f.write(f'doc {i}.md', text(f'word{i}'))
    f.sync()
    before, code = f.ids(), 'db = database(sys.argv[1]); print(flush=True); db.add_dir(sys.argv[2], emb_fn=embed, sync=True, n_workers=0)'
    for i in range(0, 40, 2): f.move(f'doc {i}.md', f'doc {i + 100}.md')
    for i in range(1, 40, 4): f.move(f'doc {i}.md', 'tmp'), f.move(f'doc {i + 2}.md', f'doc {i}.md'), f.move('tmp', f'doc {i + 2}.md')
    for _ in range(4):
        p = start(code, tmp_path/'x.db', f.root)
        p.stdout.readline()
        time.sleep(rng.random()*.15)
        p.kill()
        p.communicate()
        check_library(f.db)
    f.sync()
    assert set(f.ids().values()) == set(before.values())
    f.check()

class Watch:
    "A watcher in a thread, and what it told."
    def __init__(self, f, **kw):
        self.stop, self.told = threading.Event(), []
        args = (f.db, f.root, .02, self.stop, self.told.append)
        self.thread = threading.Thread(target=watch_dir, args=args, kwargs={**dict(emb_fn=f.enc, n_workers=0), **kw}, daemon=True)

    def __enter__(self): self.thread.start(); return self
    def __exit__(self, *_):
        self.stop.set()
        self.thread.join(10)
        assert not self.thread.is_alive()

    def wait(self, n):
        limit = time.monotonic() + 20
        while len(self.told) < n:
            assert time.monotonic() < limit and self.thread.is_alive(), self.told
            time.sleep(.01)
        return self.told[n - 1]

def test_a_watcher_sees_what_happens(tmp_path):
    f = Folder(tmp_path)
    with Watch(f) as w:
        f.write('otter.md', text('otter'))
        assert w.wait(1)[0]['title'] == 'otter'
        f.write('otter.md', text('heron'))
        assert 'kept' in w.wait(2)[0]
        f.move('otter.md', 'x/otter.md')
        assert 'moved' in w.wait(3)[0]
        f.write('bad.ipynb', '{')
        assert 'error' in w.wait(4)[0]
        f.remove('x/otter.md')
        assert 'removed' in w.wait(5)[-1]
    f.remove('bad.ipynb')
    f.check()

def test_a_watcher_survives(tmp_path, monkeypatch):
    monkeypatch.setattr(sync, 'LONGEST', .05)
    f = Folder(tmp_path)
    f.write('otter.md', text('otter'))
    down = [True]
    def enc(texts):
        if down: raise RuntimeError('the service is down')
        return embed(texts)
    with Watch(f, emb_fn=enc) as w:
        assert w.wait(1)[0]['error'] == 'RuntimeError: the service is down'
        time.sleep(.3)
        assert len(w.told) == 1                      # told once
        down.clear()
        assert w.wait(2)[0]['title'] == 'otter'
        os.rename(f.root, tmp_path/'away')
        assert 'is not a folder' in w.wait(3)[0]['error']
        os.rename(tmp_path/'away', f.root)
        f.write('heron.md', text('heron'))
        assert w.wait(4)[0]['title'] == 'heron'
    f.check()

def test_a_watcher_goes_on_with_the_file_that_took_the_place(tmp_path, monkeypatch):
    monkeypatch.setattr(sync, 'LONGEST', .05)
    f = Folder(tmp_path)
    path = db_path(f.db)
    f.write('otter.md', text('otter'))
    with Watch(f) as w:
        w.wait(1)
        for end in ('', '-wal', '-shm'): path.with_name(path.name + end).unlink(missing_ok=True)
        assert 'FileReplaced' in w.wait(2)[0]['error']
        night = database(tmp_path/'night.db')
        night.add_doc('A stoat.', 'stoat', emb_fn=f.enc)
        night.conn.close()
        os.replace(tmp_path/'night.db', path)
        assert [r['title'] for r in w.wait(3)] == ['otter']       # nothing in the folder has changed
        f.write('heron.md', text('heron'))
        assert w.wait(4)[0]['title'] == 'heron'
    now = database(path)
    assert sorted(d['title'] for d in now.t.docs()) == ['heron', 'otter', 'stoat']
    check_library(now)

def test_a_file_that_can_not_be_read_is_told_once(tmp_path):
    f = Folder(tmp_path)
    f.write('bad.ipynb', '{')
    with Watch(f) as w:
        assert 'error' in w.wait(1)[0]
        f.write('otter.md', text('otter'))
        assert [r['title'] for r in w.wait(2)] == ['otter']
        f.write('bad.ipynb', '[')                  # wrong in another way, or the same: it was changed
        f.write('heron.md', text('heron'))
        assert 'heron' in [r['title'] for r in w.wait(3)]

def test_a_watcher_ends_with_the_keyboard(tmp_path):
    f = Folder(tmp_path)
    f.write('otter.md', text('otter'))
    code = '''from litesearch.sync import watch_dir
print(watch_dir(database(sys.argv[1]), sys.argv[2], .02, report=lambda r: print(r[0]['title'], flush=True), n_workers=0))'''
    p = start(code, tmp_path/'x.db', f.root)
    assert p.stdout.readline() == 'otter\n'
    p.send_signal(signal.SIGINT)
    assert finish(p) == '1\n'
    check_library(f.db)

def test_a_growing_file_is_read_when_it_is_whole(tmp_path):
    f = Folder(tmp_path)
    f.write('still.md', text('stoat'))
    with Watch(f) as w:
        w.wait(1)
        with open(f.root/'grows.md', 'w') as out:
            for i in range(5):
                out.write(f'# Part {i}\n\nwords\n\n')
                out.flush()
                time.sleep(.015)
        assert w.wait(2)[0]['title'] == 'grows'
    f.check()

def test_callers_errors_are_not_hidden(tmp_path):
    f = Folder(tmp_path)
    f.write('otter.md', text('otter'))
    with pytest.raises(ZeroDivisionError): watch_dir(f.db, f.root, .02, report=lambda r: 1/0, emb_fn=embed)

# --- files that are cut off

@pytest.mark.parametrize('cut', [b'', b' \n\n', b'\0' * 900])
def test_a_file_that_is_cut_off_keeps_its_document(tmp_path, cut):
    folder = tmp_path/'f'
    folder.mkdir()
    for name, text in ('a', '# Tea\n\nTea is green.\n'), ('b', '# Coffee\n\nCoffee is black.\n'):
        (folder/f'{name}.md').write_text(text)
    db = library()
    first = sync_dir(db, folder, emb_fn=embed)[0]
    (folder/'a.md').write_bytes(cut)
    for _ in range(2):
        bad, good = sync_dir(db, folder, emb_fn=embed)
        assert good['skipped'] and bad['doc_id'] == first['doc_id']
        assert 'a.md' in bad['error'] and bad['error'].endswith('it is empty; the library keeps its earlier text')
        assert 'Tea is green.' in found(db, 'green tea')[0]
    (folder/'new.md').write_bytes(cut)
    assert sync_dir(db, folder, emb_fn=embed)[2]['error'].endswith('it is empty')
    (folder/'a.md').write_text('# Tea\n\nTea is white.\n')
    assert sync_dir(db, folder, emb_fn=embed)[0]['doc_id'] == first['doc_id'] and not found(db, 'green')
    (folder/'a.md').unlink()
    assert [r['removed'] for r in sync_dir(db, folder, emb_fn=embed) if 'removed' in r] == [str(folder/'a.md')]
