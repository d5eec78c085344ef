"Every notebook runs, each in a process of its own: a notebook patches its methods anew, which no other test should see."
import multiprocessing, os, traceback
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NBS = sorted(p for p in (ROOT/'nbs').rglob('*.ipynb') if not any(o.startswith(('.', '_')) for o in p.relative_to(ROOT).parts))

def run_notebook(path, out):
    "Run the tests of a notebook and report a traceback, or nothing."
    from nbdev.test import test_nb
    os.chdir(ROOT/'nbs')
    os.environ.pop('LITESEARCH_DB', None)
    try: ok, _ = test_nb(path, skip_flags=['notest'], basepath=ROOT)
    except BaseException: return out.send(traceback.format_exc())
    out.send(None if ok else f'{path} failed; its traceback is above')

@pytest.mark.parametrize('nb', NBS, ids=lambda p: p.stem)
def test_notebook(nb):
    pytest.importorskip('nbdev')
    lasting = nb.stem[:3] not in ('07c', '07d', '07e', '07f')   # the engines of these outlive no fork
    forks = lasting and 'fork' in multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context('fork' if forks else 'spawn')
    ours, theirs = context.Pipe()
    process = context.Process(target=run_notebook, args=(nb, theirs))
    process.start()
    theirs.close()
    try: failure = ours.recv()
    except EOFError: failure = f'the process of {nb} ended with code {process.exitcode}'
    process.join()
    assert failure is None, failure

def test_there_are_notebooks(): assert len(NBS) > 20
