"What several test modules need: an encoder, views of a library, the invariants of its file."
import json, os, re, resource, subprocess, sys
from collections import defaultdict
from html.parser import HTMLParser
from pathlib import Path
import numpy as np
import pytest
from litesearch.check import check_library as _check
from litesearch.core import database, quote, rows
from litesearch.encode import hash_embed

HERE = Path(__file__).parent
SHARED = Path(__file__).parents[2]/'shared'
IS_ROOT = hasattr(os, 'geteuid') and os.geteuid() == 0
WHOLE = 10**9
HOSTILE = ["' or 1=1 --", '" or 1=1 --', "x' or 'a'='a", 'x" or "a"="a', "'\" or 1=1 --", "x'; drop table docs; --",
           '\' or 1=1 or "a"="a" --', '\x00', '%', '_', '', '#0', "') or 1=1 --", '\ud800', '*', 'x' * 10_000]


def embed(texts, **kw):
    "A fast encoder without a model."
    return hash_embed(list(texts), 256)

def vec(q):
    "A query vector as bytes."
    return embed([q])[0].tobytes()

class Counting:
    "An encoder that remembers the texts it was given."
    def __init__(self, fn=embed): self.fn, self.texts, self.calls = fn, [], 0

    def __call__(self, texts, **kw):
        self.calls += 1
        self.texts += list(texts)
        return self.fn(texts)


# --- views of a library

def library(*texts, path=':memory:', emb_fn=None, **kw):
    "A database with one document a text; a pair is a title and a text."
    db = database(path, **kw)
    db.get_tree()
    for i, t in enumerate(texts):
        title, text = t if isinstance(t, tuple) else (f'Doc {i}', t)
        db.add_doc(text, title=title, emb_fn=emb_fn)
    return db

def words(db, q, limit=10, **kw):
    "Hits of the keyword leg."
    return db.doc_search(q, None, limit=limit, **kw) or []

def found(db, q, **kw):
    "Contents of the hits of the keyword leg."
    return [h['content'].strip() for h in words(db, q, **kw)]

def nearest(db, q, limit=5, **kw):
    "Contents in the order of the vector leg."
    return [h['content'].strip() for h in db.t.store.vec_search(vec(q), limit=limit, **kw)]

def nested(node):
    "Titles below a node as `a(b, c(d))`."
    return ', '.join(c['title'] + (f'({inner})' if (inner := nested(c)) else '') for c in node['children'])

def outline(text, **kw):
    "The sections that a text gets, as `a(b, c(d))`."
    db = database()
    did = db.add_doc(text, title='Doc', **kw)['doc_id']
    return nested(db.toc(did, max_depth=9)[0]['tree'])

def flat(node):
    "A node of `toc` and all below it, in order."
    yield node
    for c in node['children']: yield from flat(c)

def sections_of(db, doc=None):
    "Nodes of `toc` below the roots."
    return [n for d in db.toc(doc, max_depth=9) for n in flat(d['tree']) if n['level']]

def section(db, title, doc=None):
    "The first node of that title."
    return next(n for n in sections_of(db, doc) if n['title'] == title)

def text_of(db, node_id, **kw): return db.read(node_id, max_chars=WHOLE, **kw)['text']

def whole(db, did): return text_of(db, f'{did}#0')

def same_lines(a, b):
    "Whether two texts have the same lines, blank ones aside."
    return [l for l in a.split('\n') if l.strip()] == [l for l in b.split('\n') if l.strip()]


# --- what must hold for any file

def fts_check(db, name='store'):
    "FTS5's own checks: of the index in itself, and against the rows of the store; raises when they fail."
    fts = f'"{name}_fts"'
    rows(db, f"insert into {fts}({fts}) values ('integrity-check')")
    rows(db, f"insert into {fts}({fts}, rank) values ('integrity-check', 1)")
    assert rows(db, 'pragma integrity_check') == [('ok',)]

def pages_of(db):
    out = defaultdict(dict)
    for d, p, t in rows(db, 'select doc_id, page, text from pages order by id'): out[d][p] = t
    return out

def chunks_of(db):
    "Chunk rows as dicts in document order."
    cols = 'rowid doc_id node_id page start page_end end ord content embedding heading'.split()
    sql = f'select {", ".join(map(quote, cols))} from store order by doc_id, ord'
    return [dict(zip(cols, r)) for r in rows(db, sql)]

def slice_of(pages, page, start, page_end, end):
    "The text between two places of a document, pages joined with a blank line."
    nums = list(pages)
    inner = nums[nums.index(page):nums.index(page_end) + 1]
    cut = lambda p: pages[p][start if p == page else 0:end if p == page_end else len(pages[p])]
    return '\n\n'.join(map(cut, inner))

def squeezed(s): return ''.join(s.split())

def check_chunks(db):
    "Every chunk is its slice of the page; the chunks of a section hold all of its text, in order, once."
    pages, of_node, of_doc = pages_of(db), defaultdict(list), defaultdict(list)
    for c in chunks_of(db):
        assert c['content'].strip(), 'a blank chunk'
        if c['page'] == c['page_end']: assert c['content'] == pages[c['doc_id']][c['page']][c['start']:c['end']]
        of_node[c['node_id']].append(c)
        of_doc[c['doc_id']].append(c['ord'])
    assert all(ords == list(range(len(ords))) for ords in of_doc.values())
    sql = 'select id, doc_id, nchunks, parent_id, page_start, start, page_end, "end" from nodes'
    for nid, did, n, parent, *span in rows(db, sql):
        cs = of_node.pop(nid, [])
        assert n == len(cs)
        for a, b in zip(cs, cs[1:]): assert (a['page_end'], a['end']) <= (b['page'], b['start'])
        own = text_of(db, nid, children=False) if parent is None else slice_of(pages[did], *span)
        stored = ''.join(slice_of(pages[did], c['page'], c['start'], c['page_end'], c['end']) for c in cs)
        if own.strip(): assert squeezed(stored) == squeezed(own)
    assert not of_node, 'chunks of a section that is not there'

def check_whole(db, did):
    "A document is stored with all that belongs to it: what `read` gives at the root is the pages."
    pages = pages_of(db)[did]
    assert whole(db, did) == '\n\n'.join(pages.values())
    n, = rows(db, 'select sum(nchunks) from nodes where doc_id=?', (did,))[0]
    assert n == rows(db, 'select count(*) from store where doc_id=?', (did,))[0][0]

def check_library(db):
    "All of the above, nothing without a document, and nothing that the library itself finds wrong."
    assert not (found := _check(db)['problems']), found
    fts_check(db)
    check_chunks(db)
    for did, in rows(db, 'select id from docs'): check_whole(db, did)
    for table in ('pages', 'nodes', 'store'):
        assert not rows(db, f'select 1 from {table} where doc_id is not null and doc_id not in (select id from docs)')


# --- other processes

PREAMBLE = 'import sys, json, time, os\nsys.path.insert(0, {!r})\nfrom support import *\n'.format(str(HERE))

def start(code, *args, **kw):
    "Run a piece of Python in another process."
    return subprocess.Popen([sys.executable, '-c', PREAMBLE + code, *map(str, args)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, **kw)

def least(f, n, times=3): return min(f(n) for _ in range(times))   # of several runs: others use the machine, too

def finish(proc, timeout=240):
    "What a process printed; fails with its traceback when it failed."
    out, err = proc.communicate(timeout=timeout)
    assert proc.returncode == 0, err
    return out

def peak_megabytes():
    "The most memory this process has held. `ru_maxrss` would also count its parent's, from before the new program began."
    try: status = Path('/proc/self/status').read_text()
    except OSError: return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss/1024
    return int(re.search(r'VmHWM:\s+(\d+)', status)[1])/1024

def run(code, *args, timeout=240, **kw): return finish(start(code, *args, **kw), timeout)

def write_files(folder, files):
    "Write a dict of names and contents."
    for name, content in files.items():
        path = Path(folder)/name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return Path(folder)

needs_shared = pytest.mark.skipif(not SHARED.exists(), reason='the shared material is not here')

class Checker(HTMLParser):
    "Notes tags and attributes, and whether tags close in order."
    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.attrs, self.text = [], [], [], ''
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.append(tag)
        self.attrs += attrs

    def handle_endtag(self, tag): assert self.open.pop() == tag
    def handle_data(self, data): self.text += data if self.open[-1:] != ['style'] else ''
