"The vectorized hash encoder against a plain one, and the adapters"
import pickle, re, zlib
from functools import partial
from pathlib import Path

import numpy as np, pytest
from hypothesis import example, given, settings, strategies as st
from litesearch import encode, utils
from litesearch.core import database, rows
from litesearch.encode import HashEncoder, RoleEncoder, doc_encoder, encoder_id, get_encoder, hash_embed, query_encoder
from litesearch.fastencode import FastEncode

corpora = Path(__file__).parents[2]/'shared'/'corpora'

def plain(texts, ndim=256, ngram=(3,5), dtype=np.float16):
    "The definition, character by character"
    res = np.zeros((len(texts), ndim), np.float32)
    for row,t in zip(res, texts):
        t = re.sub('[\ud800-\udfff]', '\ufffd', t or '')
        t = ' ' + re.sub(r'\s+', ' ', t.lower()).strip() + ' '
        for n in range(ngram[0], ngram[1]+1):
            for i in range(len(t)-n+1): row[zlib.crc32(t[i:i+n].encode()) % ndim] += 1
        row /= max(np.linalg.norm(row), 1e-12)
    return res.astype(dtype)

odd = 'abc XYZ.\n\t\r\x00\x1c\x85\u00a0\u2028\u3000éßİǅß\u0301कि日本語😀🇮🇳\ufffd\ud83d\udc00\uffff'
chars = st.sampled_from(list(odd)) | st.characters()
texts = st.lists(st.none() | st.text(chars, max_size=60), max_size=12)

@settings(max_examples=300, deadline=None)
@given(texts, st.sampled_from([(3,5), (1,1), (1,3), (2,7), (5,5)]), st.sampled_from([1, 7, 64, 256, 300, 1000]))
@example(['', None, ' ', 'a', 'ab'], (3,5), 256)
@example(['İ'*9, 'DŽ'], (3,5), 256)
@example(['\ud83d', 'half \udc00 pair'], (3,5), 256)
@example(['', 'x', '', ''], (2,7), 7)
def test_same_bits_as_the_definition(texts, ngram, ndim):
    for dtype in (np.float16, np.float32):
        got = hash_embed(texts, ndim, ngram, dtype)
        assert got.dtype == dtype and got.shape == (len(texts), ndim)
        assert got.tobytes() == plain(texts, ndim, ngram, dtype).tobytes()

@settings(max_examples=50, deadline=None)
@given(texts, st.integers(1, 40))
def test_batches_do_not_matter(texts, size):
    whole = hash_embed(texts)
    old = encode._BATCH,encode._BINS
    try:
        encode._BATCH,encode._BINS = size,size*100
        assert hash_embed(texts).tobytes() == whole.tobytes()
    finally: encode._BATCH,encode._BINS = old

@settings(max_examples=100, deadline=None)
@given(st.text(chars, min_size=2, max_size=200), st.integers(1, 50), st.sampled_from([(3,5), (1,4)]))
def test_slices_of_a_long_text(text, size, ngram):
    text = encode._norm_text(text)
    assert (encode._long_counts(text, 64, *ngram, size) == encode._gram_counts([text], 64, *ngram)).all()

def test_long_text_and_many_short_ones():
    long = 'Saturn takes about thirty years. ' * 6000
    assert hash_embed([long, 'x', long]).tobytes() == hash_embed([long, 'x', long][::-1]).tobytes()
    assert hash_embed([long]).tobytes() == plain([long]).tobytes()
    short = [f'w{i}' for i in range(3000)]
    assert hash_embed(short).tobytes() == plain(short).tobytes()

def test_known_numbers():
    "' a ' is one run of three characters, so its vector has a single 1"
    vec = hash_embed(['A'], 256)[0]
    assert vec.sum() == 1 and vec[zlib.crc32(b' a ') % 256] == 1

def test_shapes_and_errors():
    assert hash_embed([]).shape == (0, 256) and hash_embed('one').shape == (1, 256)
    assert hash_embed(t for t in ('a', 'b')).shape == (2, 256)
    assert not hash_embed(['', None, ' \n']).any()
    for bad in ((0,3), (5,3)):
        with pytest.raises(ValueError, match='shortest'): hash_embed(['a'], ngram=bad)
    with pytest.raises(ValueError, match='at least 1'): hash_embed(['a'], 0)
    with pytest.raises(ValueError, match='at least 1'): HashEncoder(0)

@pytest.mark.skipif(not corpora.exists(), reason='no corpora here')
def test_corpora():
    files = [p for o in ('books', 'xquad', 'quran-qa-ar') for p in sorted((corpora/o).rglob('*.txt'))[:6]]
    texts = [p.read_text(errors='replace')[:20_000] for p in files]
    pieces = [t[i:i+512] for t in texts for i in range(0, len(t), 512)]
    assert pieces and hash_embed(pieces).tobytes() == plain(pieces).tobytes()

# adapters

class Model:
    "An encoder that notes what it was asked"
    encoder_id,ndim,dtype,prompts = 'model', 8, np.float32, dict(query='q: ', passage='d: ')
    def encode(self, texts, **kw):
        self.seen = texts
        return [[len(t)]*8 for t in texts]

class Special(Model):
    def encode_query(self, texts): return np.full((len(texts), 8), 1.)
    def encode_document(self, texts): return np.full((len(texts), 8), 2.)

class Embeds:
    query_prompt = 'ask: '
    def embed(self, texts):
        self.seen = texts
        return (np.ones(4) for _ in texts)

def test_prompts_by_role():
    m = Model()
    assert query_encoder(m)(['one', 'two']).shape == (2, 8) and m.seen == ['q: one', 'q: two']
    doc_encoder(m)(['one'])
    assert m.seen == ['d: one']
    doc_encoder(m, prompt='title: ')(['one'])
    assert m.seen == ['title: one']
    doc_encoder(m, prompt='')('one')
    assert m.seen == ['one']
    e = Embeds()
    assert query_encoder(e)(['x']).shape == (1, 4) and e.seen == ['ask: x']
    doc_encoder(e)(['x'])
    assert e.seen == ['x']

def test_methods_made_for_the_role():
    s = Special()
    assert (query_encoder(s)(['x']) == 1).all() and (doc_encoder(s)(['x']) == 2).all()
    assert query_encoder(s).prompt == '' and query_encoder(s, 'p: ').prompt == 'p: '

def test_identity_is_carried_over():
    for f in (doc_encoder, query_encoder):
        o = f(Model())
        assert isinstance(o, RoleEncoder) and (o.encoder_id, o.ndim, o.dtype) == ('model', 8, np.float32)
        assert encoder_id(f(o)) == 'model' and f(None) is None
    assert encoder_id(Model().encode) == 'model' and encoder_id(partial(Model().encode, n=1)) == 'model'
    assert encoder_id(HashEncoder(64)) == 'hash-64' and encoder_id(hash_embed) is None and encoder_id(None) is None
    assert doc_encoder(lambda t: np.ones((len(t), 2))).encoder_id is None

def test_an_odd_dtype_is_no_dtype():
    class Torchy(Model): dtype = 'torch.float32'
    assert doc_encoder(Torchy()).dtype is None

def test_adapter_of_a_callable():
    enc = HashEncoder()
    assert (doc_encoder(enc)(['a b', 'c']) == enc(['a b', 'c'])).all()
    assert (pickle.loads(pickle.dumps(doc_encoder(enc)))(['a']) == enc(['a'])).all()
    with pytest.raises(TypeError, match='encode_document'): doc_encoder(3)

def test_get_encoder():
    assert [get_encoder(o).encoder_id for o in ('hash', 'hash:512', 'hash-64')] == ['hash-256', 'hash-512', 'hash-64']
    enc = HashEncoder()
    assert get_encoder(enc) is enc and get_encoder(None) is None and get_encoder(hash_embed) is hash_embed
    for bad in ('', 'word2vec', 'hashes', 'Hash', 'hash:x', 'hash:0', 'hash:-3', 'hash:²'):
        with pytest.raises(ValueError, match='hash:<ndim>'): get_encoder(bad)

def test_utils_is_the_same():
    assert all(getattr(utils, o) is getattr(encode, o) for o in utils.__all__ if o not in ('FastEncode', 'static_embedder'))
    assert utils.FastEncode is FastEncode
    assert {'hash_embed', 'doc_encoder', 'query_encoder', 'encoder_id'} <= set(utils.__all__)

# --- encoders of other libraries

class FromFastembed:
    "A generator of rows, and methods of its own for both roles."
    def embed(self, documents, **kw): return (hash_embed([t])[0] for t in documents)
    def passage_embed(self, texts, **kw): return self.embed(f'passage: {t}' for t in texts)
    def query_embed(self, query, **kw): return self.embed(f'query: {t}' for t in query)

class FromLangchain:
    "Lists of floats; one question at a time."
    def embed_documents(self, texts): return hash_embed([f'passage: {t}' for t in texts]).tolist()
    def embed_query(self, text): return hash_embed([f'query: {text}'])[0].tolist()

class FromLlamaindex:
    "As before, and callable for another purpose."
    def get_text_embedding_batch(self, texts, show_progress=False): return FromLangchain().embed_documents(texts)
    def get_query_embedding(self, query): return FromLangchain().embed_query(query)
    def __call__(self, nodes): raise AssertionError('this is for nodes')

class FromTransformers:
    "A module of torch: calling it runs the network."
    prompts = dict(query='query: ', corpus='passage: ')
    def encode(self, texts): return hash_embed(texts)
    def __call__(self, tensors): raise AssertionError('this is for tensors')

@pytest.mark.parametrize('kind', [FromFastembed, FromLangchain, FromLlamaindex, FromTransformers])
def test_encoders_of_other_libraries(kind):
    enc = kind()
    assert np.allclose(doc_encoder(enc)(['a', 'b']), hash_embed(['passage: a', 'passage: b']), atol=1e-3)
    for asked in ('a', ['a']): assert np.allclose(query_encoder(enc)(asked), hash_embed(['query: a']), atol=1e-3)
    db = database()
    db.add_doc('The heron waits.', 'Birds', emb_fn=enc, with_heading=False)
    stored, = rows(db, 'select embedding from store')[0]
    assert np.allclose(np.frombuffer(stored, np.float16), hash_embed(['passage: The heron waits.'])[0], atol=1e-3)

class Tensor:
    "As of torch: not to be read by numpy before it is detached, on the processor, and of a type that numpy has."
    def __init__(self, a, ready=()): self.a, self.ready = a, {*ready}
    def __len__(self): return len(self.a)
    def __iter__(self): return (Tensor(v, self.ready) for v in self.a)
    def __getattr__(self, name):
        if name in ('detach', 'cpu', 'float'): return lambda: Tensor(self.a, {*self.ready, name})
        raise AttributeError(name)
    def numpy(self):
        if self.ready != {'detach', 'cpu', 'float'}: raise RuntimeError("Can't call numpy() on Tensor that requires grad")
        return self.a
    def __array__(self, *args, **kw): return self.numpy()

@pytest.mark.parametrize('shape', [Tensor, lambda a: list(Tensor(a)), lambda a: iter(Tensor(a))])
def test_tensors_are_read(shape):
    enc = lambda texts: shape(hash_embed(texts, dtype=np.float32))
    assert np.array_equal(doc_encoder(enc)(['a', 'b']), hash_embed(['a', 'b'], dtype=np.float32))
    assert database().add_doc('The heron waits.', 'Birds', emb_fn=enc)['chunks'] == 1

async def later(texts): return hash_embed(texts)

@pytest.mark.parametrize('odd, why', [('hash:64', 'get_encoder'), (HashEncoder, r'HashEncoder\('), (42, 'encode_document'),
                                      (later, 'asyncio.run')])
def test_what_is_no_encoder_is_told_how_to_be_one(odd, why):
    db = database()
    with pytest.raises(TypeError, match=why): db.add_doc('The heron waits.', 'Birds', emb_fn=odd)
    assert db.add_doc('The heron waits.', 'Birds', emb_fn=HashEncoder(64))['chunks'] == 1

def test_no_texts_have_no_rows():
    assert doc_encoder(lambda texts: [])([]).shape == (0, 0)
    assert query_encoder(HashEncoder(64))([]).shape == (0, 64)
