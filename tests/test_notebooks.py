"Every notebook runs from top to bottom, and its checks hold."
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
test_nb = pytest.importorskip('nbdev.test').test_nb
test_nb.__test__ = False   # a function of nbdev, not a test of this file

NBS = sorted(p for p in (ROOT/'nbs').rglob('*.ipynb') if not any(o[0] in '._' for o in p.relative_to(ROOT/'nbs').parts))


@pytest.mark.parametrize('nb', NBS, ids=lambda p: p.stem)
def test_notebook(nb, monkeypatch, capsys):
    monkeypatch.chdir(ROOT/'nbs')
    monkeypatch.delenv('LITESEARCH_DB', raising=False)
    passed, _ = test_nb(nb, skip_flags=['notest'], basepath=ROOT)
    assert passed, capsys.readouterr().err
