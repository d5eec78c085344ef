"Every notebook runs, each in a process of its own: a notebook patches its methods anew, which no other test should see."
import contextlib, io, multiprocessing, os, traceback
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NBS = sorted(p for p in (ROOT/'nbs').rglob('*.ipynb') if not any(o.startswith(('.', '_')) for o in p.relative_to(ROOT).parts))

def run_notebook(path, out):
    "Run the tests of a notebook and report a traceback, or nothing."
    from nbdev.test import test_nb
    os.chdir(ROOT/'nbs')
    os.environ.pop('LITESEARCH_DB', None)
    told = io.StringIO()   # what this process prints is not what a test of another one shows
    try:
        with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
            ok, _ = test_nb(path, skip_flags=['notest'], basepath=ROOT)
    except BaseException: return out.send(traceback.format_exc())
    out.send(None if ok else f'{path} failed:\n{told.getvalue()}')

# Processes of a server that has never run an engine: some engines outlive no fork.
SERVED = 'forkserver' in multiprocessing.get_all_start_methods()
CONTEXT = multiprocessing.get_context('forkserver' if SERVED else 'spawn')
if SERVED: CONTEXT.set_forkserver_preload(['nbdev.test', 'litesearch.library'])
MOST_SECONDS = 600 # of a notebook

@pytest.mark.parametrize('nb', NBS, ids=lambda p: p.stem)
def test_notebook(nb):
    pytest.importorskip('nbdev')
    ours, theirs = CONTEXT.Pipe()
    process = CONTEXT.Process(target=run_notebook, args=(nb, theirs))
    process.start()
    theirs.close()
    try:
        if ours.poll(MOST_SECONDS): failure = ours.recv()
        else:
            failure = f'{nb} still ran after {MOST_SECONDS} seconds'
            process.kill()
    except EOFError: failure = f'the process of {nb} ended with code {process.exitcode}'
    process.join()
    assert failure is None, failure

def test_there_are_notebooks(): assert len(NBS) > 20
