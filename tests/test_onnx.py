"Transformers in folders: how they are found and used, and late chunking against the same windows one by one"
import json, os, subprocess, sys, warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np, pytest
from hypothesis import example, given, settings, strategies as st
from litesearch import fastencode, onnxmodel
from litesearch.core import MissingDependency, ReadError, StoreMismatch, VectorError, database, rows, store_info
from litesearch.embed import chunk_text, embed_chunks, store_encoder
from litesearch.encode import HashEncoder, doc_encoder, encoder_id, get_encoder, hash_embed, query_encoder
from litesearch.fastencode import FastEncode, MODELS, pooled
from litesearch.late import BlendEncoder, LateEncoder, blend, late_windows, token_owners
from litesearch.onnxmodel import OnnxModel, TOY_MARKS, folder_settings, length_batches, padded, toy_model
from support import Counting, embed

has_onnx = all(map(find_spec, ('onnx', 'onnxruntime', 'tokenizers')))
if has_onnx: import onnxruntime    # before a test of graphs loads usearch in its own way: see the last test
onnx = pytest.mark.skipif(not has_onnx, reason='needs onnx, onnxruntime and tokenizers')

WORDS = 'sun moon star sea land cloud rain river one two three doc: ask: Sky › Air Hive Frames'.split()
N = len(TOY_MARKS) + len(WORDS)
TABLE = np.random.default_rng(0).normal(size=(N, 8)).astype(np.float32)
PROMPTS = dict(document='doc: ', query='ask: ')

def vocab(word): return ([*TOY_MARKS, *WORDS].index(word)) if word in WORDS or word in TOY_MARKS else 0

def toy(folder, **kw): return toy_model(folder, WORDS, TABLE, **{'context': .5, **kw})

def rows_of(tokens, context=.5):
    "What the toy model gives for each token, by hand."
    x = TABLE[[vocab(t) for t in tokens]].astype(float)
    return x + context*x.mean(0)

def unit(x): return np.asarray(x, float)/np.linalg.norm(x, axis=-1, keepdims=True)

def close(got, want, atol=2e-3): return np.allclose(np.asarray(got, float), np.asarray(want, float), atol=atol)

def by_hand(text, context=.5): return unit(rows_of(['[CLS]', *text.split(), '[SEP]'], context).mean(0))

# --- pure parts

@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 9000), max_size=40), st.integers(1, 9))
@example([], 3)
def test_every_sequence_is_in_one_batch(sizes, most):
    batches = list(length_batches(sizes, most))
    assert sorted(i for b in batches for i in b) == list(range(len(sizes)))
    for b in batches:
        assert len(b) <= most and (len(b) == 1 or len(b)*max(sizes[i] for i in b)**2 <= onnxmodel._SQUARES)
        assert sizes[b[0]] == max(sizes[i] for i in b)

def test_padding():
    ids, mask = padded([[7], [1, 2, 3]], 9)
    assert ids.tolist() == [[7, 9, 9], [1, 2, 3]] and mask.tolist() == [[1, 0, 0], [1, 1, 1]]

def test_pooling_leaves_padding_out():
    x, mask = np.ones((2, 3, 4)), np.array([[1, 1, 0], [1, 0, 0]])
    x[0, 1], x[0, 2], x[1, 1:] = 3, 100, 100
    assert pooled(x, mask).tolist() == [[2]*4, [1]*4]
    assert pooled(x, mask, 'cls').tolist() == [[1]*4]*2
    assert pooled(x, mask, 'last').tolist() == pooled(x, mask, 'max').tolist() == [[3]*4, [1]*4]

# --- folders

def put(folder, **files):
    for name, value in files.items():
        path = folder/name.replace('__', '/')
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix('.json').write_text(json.dumps(value))

def test_lengths(tmp_path):
    put(tmp_path, config=dict(max_position_embeddings=512))
    assert folder_settings(tmp_path) == dict(max_length=512)
    put(tmp_path, tokenizer_config=dict(model_max_length=8192))
    assert folder_settings(tmp_path)['max_length'] == 512    # never more than there are places
    put(tmp_path, sentence_bert_config=dict(max_seq_length=256))
    assert folder_settings(tmp_path)['max_length'] == 256
    put(tmp_path, config=dict(n_positions=8192), sentence_bert_config={}, tokenizer_config=dict(model_max_length=1e30))
    assert folder_settings(tmp_path)['max_length'] == 8192

def test_odd_settings_are_passed_over(tmp_path):
    put(tmp_path, config=[1], tokenizer_config=dict(model_max_length='many'), config_sentence_transformers=dict(prompts=[1]),
        sentence_bert_config=dict(max_seq_length=-1))
    assert folder_settings(tmp_path) == {}
    put(tmp_path, config_sentence_transformers=dict(prompts=dict(query='ask: ', document=None)))
    assert folder_settings(tmp_path) == dict(prompts=dict(query='ask: '))

@onnx
def test_a_folder_tells_how_its_model_is_used(tmp_path):
    toy(tmp_path)
    put(tmp_path, **{'1_Pooling__config': dict(pooling_mode_cls_token=True)}, config_sentence_transformers=dict(prompts=PROMPTS),
        sentence_bert_config=dict(max_seq_length=4))
    enc = FastEncode(tmp_path, dtype=np.float32)
    assert (enc.pooling, enc.max_length, enc.prompts, enc.ndim) == ('cls', 4, PROMPTS, 8)
    assert close(enc(['sun moon star']), [unit(rows_of(['[CLS]', 'doc:', 'sun', '[SEP]'])[0])])
    own = FastEncode(tmp_path, pooling='mean', max_length=6, prompts={}, dtype=np.float32)
    assert close(own(['sun moon']), [by_hand('sun moon')])

@pytest.mark.parametrize('pools, way', [
    (dict(pooling_mode_lasttoken=True, pooling_mode_cls_token=False), 'last'), (dict(pooling_mode_max_tokens=True), 'max'),
    (dict(pooling_mode_mean_sqrt_len_tokens=True), 'mean'), (dict(pooling_mode='lasttoken', include_prompt=True), 'last'),
    (dict(pooling_mode=['cls']), 'cls'), (dict(word_embedding_dimension=8), None), ({}, None)])
def test_ways_of_pooling(tmp_path, pools, way):
    put(tmp_path, **{'1_Pooling__config': pools})
    assert folder_settings(tmp_path).get('pooling') == way

@onnx
@pytest.mark.parametrize('pools, why', [(dict(pooling_mode_weightedmean_tokens=True), 'weightedmean_tokens, which is not known'),
                                        (dict(pooling_mode_cls_token=True, pooling_mode_max_tokens=True), 'cls_token and max_tokens')])
def test_ways_that_are_not_known_are_refused(tmp_path, pools, why):
    put(toy(tmp_path), **{'1_Pooling__config': pools})
    with pytest.raises(ReadError, match=why): FastEncode(tmp_path)
    assert FastEncode(tmp_path, pooling='mean').pooling == 'mean'

@onnx
def test_the_last_token_of_each_text(tmp_path):
    put(toy(tmp_path), **{'1_Pooling__config': dict(pooling_mode_lasttoken=True)})
    enc = FastEncode(tmp_path, dtype=np.float32)
    rows = [unit(rows_of(['[CLS]', *t.split(), '[SEP]'])[-1]) for t in ('sun moon star', 'moon')]
    assert enc.pooling == 'last' and close(enc(['sun moon star', 'moon']), rows)

@onnx
def test_a_layer_behind_the_pooling(tmp_path):
    toy(tmp_path)
    put(tmp_path, modules=[dict(type='sentence_transformers.models.Dense', path='2_Dense')])
    with pytest.raises(ReadError, match='lacks the Dense layer'): FastEncode(tmp_path)

@pytest.mark.parametrize('prompts, usual, want', [
    (dict(query='q: ', passage='p: '), None, dict(query='q: ', passage='p: ')), (dict(clustering='c: '), 'clustering', dict(query='c: ', document='c: ')),
    (dict(query='q: ', corpus='p: '), 'corpus', dict(query='q: ', corpus='p: ')), (dict(query='q: '), 'none', dict(query='q: '))])
def test_the_usual_prompt(tmp_path, prompts, usual, want):
    put(tmp_path, config_sentence_transformers=dict(prompts=prompts, default_prompt_name=usual))
    found = folder_settings(tmp_path)['prompts']
    assert {k: found.get(k) for k in want} == want

@onnx
def test_broken_folders(tmp_path):
    with pytest.raises(ReadError, match='no ONNX model'): FastEncode(tmp_path)
    toy(tmp_path)
    tok = (tmp_path/'tokenizer.json').read_text()
    (tmp_path/'tokenizer.json').unlink()
    with pytest.raises(ReadError, match='no tokenizer.json'): FastEncode(tmp_path)
    (tmp_path/'tokenizer.json').write_text('{')
    with pytest.raises(ReadError, match='tokenizer.json'): FastEncode(tmp_path)
    (tmp_path/'tokenizer.json').write_text(tok)
    (tmp_path/'model.onnx').write_bytes(b'no model')
    with pytest.raises(ReadError, match='model.onnx'): FastEncode(tmp_path)
    toy(tmp_path)
    for bad, why in (dict(max_length=2), 'more than 2'), (dict(pooling='sum'), "'mean', 'cls', 'last', 'max', 'model'"):
        with pytest.raises(ValueError, match=why): FastEncode(tmp_path, **bad)

@onnx
def test_a_text_too_long_for_the_model_is_told(tmp_path):
    toy_model(tmp_path, 'sun', np.eye(4))
    enc = FastEncode(tmp_path)
    # a token without a row fails like a place without one
    with pytest.raises(ReadError, match='max_length'): enc.model.run([[99]], enc.output)

@onnx
def test_inputs_of_other_models(tmp_path):
    "32-bit numbers, segment numbers and places are given where they are asked for; others are refused."
    from onnx import TensorProto as T, helper as h, save
    def model(name, kind):
        out = h.make_tensor_value_info('last_hidden_state', T.FLOAT, ['b', 't', 1])
        nodes = [h.make_node('Cast', [name], ['f'], to=T.FLOAT), h.make_node('Unsqueeze', ['f', 'one'], ['last_hidden_state'])]
        g = h.make_graph(nodes, 'g', [h.make_tensor_value_info(name, kind, ['b', 't'])], [out],
                         [h.make_tensor('one', T.INT64, [1], [2])])
        save(h.make_model(g, opset_imports=[h.make_opsetid('', 17)], ir_version=8), tmp_path/'model.onnx')
        return FastEncode(tmp_path, normalize=False, dtype=np.float32)
    toy(tmp_path)
    assert model('position_ids', T.INT32)(['sun moon']).tolist() == [[1.5]]    # the mean of 0 1 2 3
    assert model('token_type_ids', T.INT64)(['sun']).tolist() == [[0]]
    with pytest.raises(ReadError, match="'pixel_values', which is not known"): model('pixel_values', T.FLOAT)

@onnx
def test_a_model_that_pools_itself(tmp_path):
    from onnx import TensorProto as T, helper as h, load, save
    m = load(toy(tmp_path)/'model.onnx')
    m.graph.node.append(h.make_node('ReduceMax', ['last_hidden_state'], ['sentence_embedding'], axes=[1], keepdims=0))
    m.graph.output.append(h.make_tensor_value_info('sentence_embedding', T.FLOAT, ['b', 8]))
    save(m, tmp_path/'model.onnx')
    enc = FastEncode(tmp_path, dtype=np.float32)
    assert enc.pooling == 'model' and enc.ndim == 8
    assert close(enc(['sun moon']), [unit(rows_of(['[CLS]', 'sun', 'moon', '[SEP]']).max(0))])
    assert close(FastEncode(tmp_path, pooling='mean', dtype=np.float32)(['sun']), [by_hand('sun')])
    assert LateEncoder(tmp_path).base.pooling == 'mean'

# --- the encoder

@onnx
@pytest.mark.parametrize('batch_size', [1, 2, 32])
def test_vectors_by_hand(tmp_path, batch_size):
    enc = FastEncode(toy(tmp_path), batch_size, dtype=np.float32)
    texts = ['sun moon', 'rain', 'one two three one two three', 'sun', '', 'never seen']
    assert close(enc(texts), [by_hand(t) for t in texts[:5]] + [by_hand('[UNK] [UNK]')], 1e-5)
    assert enc([]).shape == (0, 8) and close(enc('sun'), [by_hand('sun')]) and close(enc([None]), [by_hand('')])

@onnx
def test_prompts(tmp_path):
    enc = FastEncode(toy(tmp_path), prompts=PROMPTS, dtype=np.float32)
    assert close(doc_encoder(enc)(['sun']), [by_hand('doc: sun')]) and close(enc(['sun']), [by_hand('doc: sun')])
    assert close(query_encoder(enc)(['sun']), [by_hand('ask: sun')]) and close(enc.encode(['sun']), [by_hand('sun')])
    assert {m: MODELS[m]['prompts'] for m in MODELS} == dict(
        nomic=dict(document='search_document: ', query='search_query: '),
        modernbert=dict(document='search_document: ', query='search_query: '),
        gemma=dict(document='title: none | text: ', query='task: search result | query: '))

@onnx
def test_cut_at_the_length_of_the_model(tmp_path):
    enc = FastEncode(toy(tmp_path), max_length=5, dtype=np.float32)
    assert close(enc(['sun moon star sea land']), [by_hand('sun moon star')])

@onnx
def test_a_text_that_is_cut_is_told_once(tmp_path):
    enc = FastEncode(toy(tmp_path), max_length=5)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter('always')
        enc(['sun moon star'])
        assert not told
        for _ in range(2): enc(['sun', 'sun moon star sun', 'sun moon'])
    assert len(told) == 1 and '4 tokens; only the first 3' in str(told[0].message)

@onnx
def test_the_truncation_of_a_tokenizer_is_a_hint(tmp_path):
    from tokenizers import Tokenizer
    tok = Tokenizer.from_file(str(toy(tmp_path)/'tokenizer.json'))
    tok.enable_truncation(4)
    tok.enable_padding(length=9)
    tok.save(str(tmp_path/'tokenizer.json'))
    assert close(FastEncode(tmp_path, dtype=np.float32)(['sun moon star']), [by_hand('sun moon')])
    assert close(FastEncode(tmp_path, max_length=9, dtype=np.float32)(['sun moon star']), [by_hand('sun moon star')])

@onnx
def test_identity(tmp_path):
    one = FastEncode(toy(tmp_path/'a'))
    same = [FastEncode(toy(tmp_path/'b')), FastEncode(tmp_path/'a', batch_size=3, dtype=np.float32)]
    assert {e.encoder_id for e in same} == {one.encoder_id} and one.encoder_id.startswith('onnx-8-')
    others = [FastEncode(tmp_path/'a', **kw) for kw in (dict(prompts=PROMPTS), dict(prompts=dict(query='ask: ')),
              dict(pooling='cls'), dict(max_length=9), dict(normalize=False))]
    others += [FastEncode(toy(tmp_path/'c', context=.25)), LateEncoder(tmp_path/'a')]
    others += [FastEncode(tmp_path/'a', name='mine'), LateEncoder(tmp_path/'a', name='mine')]
    assert len({e.encoder_id for e in [one, *others]}) == 10

@onnx
def test_nothing_is_imported_before_it_is_used():
    code = '''import sys
import litesearch.late, litesearch.utils
from litesearch.core import database
database()
assert not {"onnxruntime", "tokenizers", "onnx", "huggingface_hub"} & set(sys.modules)'''
    subprocess.run([sys.executable, '-c', code], check=True)

@onnx
def test_without_the_packages(monkeypatch, tmp_path):
    toy(tmp_path)
    for name in ('onnxruntime', 'tokenizers'):
        with monkeypatch.context() as m:
            m.setitem(sys.modules, name, None)
            with pytest.raises(MissingDependency, match='pip install onnxruntime tokenizers'): get_encoder(f'onnx:{tmp_path}')

# --- by name

class Hub:
    "Stands in for huggingface_hub; `there` is what it has loaded already, `can` whether it reaches the network."
    def __init__(self, folder, there=False, can=True): self.folder, self.there, self.can, self.calls = folder, there, can, []

    def snapshot_download(self, repo, local_files_only=False, allow_patterns=None):
        self.calls.append(local_files_only)
        if not (self.there if local_files_only else self.can): raise OSError('no route to the hub')
        self.there, self.patterns = True, allow_patterns
        return str(self.folder)

@pytest.fixture
def hub(tmp_path, monkeypatch):
    toy(tmp_path/'hub'/'onnx')
    fake = Hub(tmp_path/'hub')
    monkeypatch.setitem(sys.modules, 'huggingface_hub', fake)
    monkeypatch.setenv('LITESEARCH_MODELS', str(tmp_path/'models'))
    return fake

@onnx
def test_a_known_model_is_loaded_once(hub):
    enc = get_encoder('onnx:nomic')
    assert hub.calls == [True, False] and 'onnx/model.onnx' in hub.patterns
    assert enc.encoder_id.startswith('onnx-nomic-8-') and enc.max_length == 8192 and enc.prompts == MODELS['nomic']['prompts']
    assert get_encoder('onnx:nomic').encoder_id == enc.encoder_id and hub.calls == [True, False, True]

@onnx
def test_the_variant_that_is_asked_for_is_loaded(hub):
    (hub.folder/'onnx'/'model.onnx').rename(hub.folder/'onnx'/'model_int8.onnx')
    assert FastEncode('nomic', quantize='int8').files[0].name == 'model_int8.onnx' and 'onnx/model_int8.onnx' in hub.patterns

@onnx
@pytest.mark.parametrize('where', ['.', 'onnx'])
def test_a_local_folder_may_be_flat(hub, tmp_path, where):
    toy(tmp_path/'models'/'nomic-embed-text-v1.5'/where)
    assert get_encoder('onnx:nomic').ndim == 8 and hub.calls == []

@onnx
def test_a_local_folder_goes_before_the_hub(hub, tmp_path):
    toy(tmp_path/'models'/'modernbert-embed-base'/'onnx', context=0.)
    assert get_encoder('late:modernbert').encoder_id.startswith('late-modernbert-8-') and hub.calls == []

@onnx
def test_without_a_network_or_the_hub(hub, monkeypatch):
    hub.can = False
    with pytest.raises(MissingDependency, match='no route to the hub.*LITESEARCH_MODELS'): get_encoder('fastencode')
    monkeypatch.setitem(sys.modules, 'huggingface_hub', None)
    with pytest.raises(MissingDependency, match='pip install huggingface-hub'): get_encoder('late')

@onnx
def test_names(hub, tmp_path):
    assert get_encoder('late').encoder_id == get_encoder('late:nomic').encoder_id
    assert get_encoder('fastencode').encoder_id == get_encoder('onnx:gemma').encoder_id
    enc = get_encoder('late:nomic')
    assert get_encoder(enc.encoder_id).encoder_id == enc.encoder_id    # a store reopened by what it recorded
    with pytest.raises(StoreMismatch, match='nomic-8-00000000'): get_encoder('late-nomic-8-00000000')
    for bad in ('onnx:nowhere', 'onnx:', 'late:nowhere', 'onnx'):
        with pytest.raises(ValueError, match='nomic'): get_encoder(bad)
    with pytest.raises(ValueError, match='fastencode'): get_encoder('fastencode:x')
    folder = toy(tmp_path/'my~model')
    assert get_encoder(f'onnx:{folder}').encoder_id == FastEncode(folder).encoder_id
    assert get_encoder(f'late:{folder}~0.3').encoder_id == f'{LateEncoder(folder).encoder_id}~0.3'

# --- neighbors blended in

def plain_blend(vecs, sizes, b):
    "The definition, chunk by chunk."
    out, at = [], 0
    for n in sizes:
        v = [np.asarray(x, float) for x in vecs[at:at+n]]
        v = [x/np.linalg.norm(x) if x.any() else x for x in v]
        for i, x in enumerate(v):
            near = [v[j] for j in (i - 1, i + 1) if 0 <= j < n]
            y = (1 - b)*x + b*np.mean(near, axis=0) if near else x
            out.append(y/np.linalg.norm(y) if x.any() else x)
        at += n
    return np.array(out)

@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 5), max_size=6), st.sampled_from([.1, .3, .49]), st.integers(0, 99))
@example([], .3, 0)
@example([1], .3, 0)
def test_blend_by_definition(sizes, b, seed):
    vecs = np.random.default_rng(seed).integers(-1, 2, size=(sum(sizes), 3)).astype(np.float32)
    got = blend(vecs, sizes, b)
    assert got.shape == vecs.shape and (not len(got) or np.allclose(got, plain_blend(vecs, sizes, b), atol=1e-5))

def test_bad_vectors_are_not_blended_away():
    zero = lambda ts: [[0., 0.] if 'bad' in t else [1., 2.] for t in ts]
    nan = lambda ts: [[np.nan, 0.] if 'bad' in t else [1., 2.] for t in ts]
    for fn, why in (zero, 'zeros'), (nan, 'NaN'):
        db = database()
        with pytest.raises(VectorError, match=why): db.add_doc('good ' * 100 + 'bad ' * 200 + 'good ' * 100, 'T', emb_fn=fn, ctx_blend=.3)
        assert not db.t.docs.count

TEXT = '# Hive\n\n' + 'The frame is of wood. ' * 60 + '\n\n## Care\n\n' + 'It must be renewed every year. ' * 60

def stored(db):
    "Heading, text and vector of the chunks of a library, in order."
    info = store_info(db)
    sql = 'select node_id, heading, content, embedding from store order by doc_id, ord'
    return [(n, h, t, np.frombuffer(e, info.dtype).astype(float)) for n, h, t, e in rows(db, sql)]

def test_add_doc_blends_within_sections():
    db = database()
    db.add_doc(TEXT, 'Apiary', emb_fn=HashEncoder(), ctx_blend=.3)
    got = stored(db)
    nodes = [n for n, *_ in got]
    sizes = [nodes.count(n) for n in dict.fromkeys(nodes)]
    assert len(sizes) == 2 and min(sizes) > 2
    want = plain_blend(HashEncoder(dtype=np.float32)([f'{h}\n\n{t}' for _, h, t, _ in got]), sizes, .3)
    assert close([v for *_, v in got], want) and store_info(db).encoder == 'hash-256~0.3'
    assert store_encoder(db).b == .3

@pytest.mark.parametrize('how', ['add_doc', 'add_dir', 'store_chunks'])
def test_all_ways_in_blend_alike(tmp_path, how):
    one, two = database(), database()
    one.add_doc(TEXT, 'hive', source='s', emb_fn=HashEncoder(), ctx_blend=.3)
    (tmp_path/'hive.md').write_text(TEXT)
    if how == 'add_doc': two.add_doc(TEXT, 'hive', emb_fn=BlendEncoder(HashEncoder()))
    if how == 'add_dir': two.add_dir(tmp_path, emb_fn=HashEncoder(), ctx_blend=.3)
    if how == 'store_chunks':
        from litesearch.ingest import store_chunks
        two.add_doc(TEXT, 'hive', defer=(late := []))
        store_chunks(two.t.store, late, HashEncoder(), ctx_blend=.3)
    assert close([v for *_, v in stored(one)], [v for *_, v in stored(two)], 1e-3)
    assert store_info(two).encoder == 'hash-256~0.3'

def test_a_store_keeps_its_blend():
    db = database()
    db.add_doc(TEXT, 'Apiary', emb_fn=HashEncoder(), ctx_blend=.3)
    for other in (dict(emb_fn=HashEncoder()), dict(emb_fn=HashEncoder(), ctx_blend=.2), dict(emb_fn=HashEncoder(64), ctx_blend=.3)):
        with pytest.raises(StoreMismatch, match='hash-256~0.3'): db.add_doc('new', 'New', **other)
    assert db.add_doc('new', 'New', emb_fn=store_encoder(db))['chunks'] == 1
    plain = database()
    plain.add_doc(TEXT, 'Apiary', emb_fn=HashEncoder())
    with pytest.raises(StoreMismatch, match='hash-256~0.3'): plain.add_doc('new', 'New', emb_fn=HashEncoder(), ctx_blend=.3)
    for bad in (.5, -.1, 1):
        with pytest.raises(ValueError, match='ctx_blend'): plain.add_doc('new', 'New', emb_fn=HashEncoder(), ctx_blend=bad)

def test_an_edit_embeds_whole_sections_and_no_others():
    seen = Counting(HashEncoder())
    enc, db = BlendEncoder(seen), database()
    db.add_doc(TEXT, 'Apiary', source='s', emb_fn=enc)
    before, n = stored(db), len(seen.texts)
    seen.texts.clear()
    db.add_doc(TEXT + 'Or sooner.', 'Apiary', source='s', emb_fn=enc)
    after = stored(db)
    care = [t for _, h, t, _ in after if h.endswith('Care')]
    assert len(seen.texts) == len(care) < n and all('Care' in t for t in seen.texts)
    fresh = database()
    fresh.add_doc(TEXT + 'Or sooner.', 'Apiary', source='s', emb_fn=enc)
    assert close([v for *_, v in after], [v for *_, v in stored(fresh)], 1e-6)
    seen.texts.clear()
    assert db.add_doc(TEXT + 'Or sooner.', 'Apiary', source='s', emb_fn=enc)['skipped'] and not seen.texts

def test_one_call_for_many_documents(tmp_path):
    for i in range(5): (tmp_path/f'{i}.md').write_text(TEXT.replace('wood', f'wood {i}'))
    seen = Counting(HashEncoder())
    database().add_dir(tmp_path, emb_fn=BlendEncoder(seen))
    assert seen.calls == 1

# --- late chunking

@settings(max_examples=300, deadline=None)
@given(st.integers(0, 400), st.integers(1, 60))
def test_windows_tile_and_stay_within_the_model(n, size):
    windows = late_windows(n, size)
    assert [i for _, at, end in windows for i in range(at, end)] == list(range(n))
    preamble = round(.382*size)
    for first, at, end in windows:
        assert end - first <= size and at - first == min(at, preamble)
        assert end == n or end - first == size    # what the preamble does not need belongs to the content
    assert len(windows) <= 1 + max(0, n - size)/max(1, size - preamble) + 1

@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=8), st.data())
def test_each_token_has_one_chunk(sizes, data):
    ends = np.cumsum(sizes)
    starts = sorted(data.draw(st.lists(st.integers(0, max(0, int(ends[-1]) - 1)), max_size=20)))
    owner = token_owners(starts, ends.tolist())
    for s, o in zip(starts, owner):
        if ends[-1]: assert ends[o] > s >= ends[o] - sizes[o]

def one_by_one(enc, sections):
    "The same windows, each run by itself, and every token looked at."
    out = []
    for path, texts in sections:
        lead = enc.base.prompts.get('document', '').split() + (path[:100].split() if path else [])
        lead = lead[:enc.size//4]
        own = [(w, i) for i, t in enumerate(texts) for w in t.split()]
        got = [[] for _ in texts]
        for first, at, end in late_windows(len(own), enc.size - len(lead)):
            read = ['[CLS]', *lead, *(w for w, _ in own[first:end]), '[SEP]']
            states = rows_of(read)
            for k in range(at, end): got[own[k][1]].append(states[1 + len(lead) + k - first])
        out += [unit(np.mean(g, axis=0)) for g in got]
    return np.array(out)

texts_of = st.lists(st.lists(st.sampled_from(WORDS[:11]), min_size=1, max_size=30).map(lambda w: ' '.join(w) + ' '), min_size=1, max_size=6)

@pytest.fixture(scope='module')
def toy_folder(tmp_path_factory): return toy(tmp_path_factory.mktemp('late')) if has_onnx else None

@onnx
@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(['', 'Sky', 'Hive › Frames']), texts_of), min_size=1, max_size=4), st.integers(20, 60),
       st.sampled_from([{}, PROMPTS]), st.sampled_from([1, 3, 32]))
def test_late_vectors_window_by_window(toy_folder, sections, max_length, prompts, batch_size):
    enc = LateEncoder(toy_folder, max_length=max_length, prompts=prompts, batch_size=batch_size, dtype=np.float32)
    assert enc.size == max_length - 16
    assert close(enc.encode_sections(sections), one_by_one(enc, sections), 1e-4)
    assert close(enc.encode_sections(sections, group=1), one_by_one(enc, sections), 1e-4)

@onnx
def test_chunks_without_a_token_of_their_own(toy_folder):
    enc = LateEncoder(toy_folder, dtype=np.float32)
    got = enc.encode_sections([('', ['su', 'n moon', ' ', 'star']), ('Sky', [' '])])
    assert np.allclose(np.linalg.norm(got, axis=1), 1, atol=1e-5)
    state = rows_of(['[CLS]', 'sun', 'moon', 'star', '[SEP]'])
    assert close(got[0], unit(state[1])) and close(got[1], unit(state[2])) and close(got[3], unit(state[3]))
    assert close(got[2], by_hand('')) and close(got[4], by_hand('Sky'))
    assert enc.encode_sections([]).shape == (0, 8)

@onnx
def test_a_long_path_leaves_room(toy_folder):
    enc = LateEncoder(toy_folder, max_length=20, dtype=np.float32)
    sections = [('Sky › Air › Sky › Air', ['sun moon ', 'star '])]
    assert enc.size == 4 and close(enc.encode_sections(sections), one_by_one(enc, sections), 1e-4)

@onnx
@pytest.mark.parametrize('name', ['document', 'passage', 'corpus'])
def test_the_prompt_for_documents_goes_before_windows(toy_folder, name):
    enc, named = LateEncoder(toy_folder, prompts=dict(document='doc: ')), LateEncoder(toy_folder, prompts={name: 'doc: '})
    sections = [('Sky', ['sun moon ', 'star '])]
    assert named._lead(['']) == enc._lead(['']) != LateEncoder(toy_folder, prompts={})._lead([''])
    assert close(named.encode_sections(sections), enc.encode_sections(sections), 1e-4)

@onnx
def test_no_room_and_no_rows(toy_folder):
    with pytest.raises(ValueError, match='no room'): LateEncoder(toy_folder, max_length=17)
    with pytest.raises(ValueError, match='pooling'): LateEncoder(toy_folder, pooling='cls')

@onnx
def test_late_chunking_in_a_library(toy_folder, tmp_path):
    text = '# Sky\n\n' + 'sun moon star ' * 80 + '\n\n## Air\n\n' + 'cloud rain ' * 90
    enc = get_encoder(f'late:{toy_folder}')
    db = database(tmp_path/'lib.db')
    db.add_doc(text, 'Hive', emb_fn=doc_encoder(enc))
    got = stored(db)
    sections = {}
    for n, h, t, _ in got: sections.setdefault((n, h), []).append(t)
    want = one_by_one(enc, [(h, ts) for (_, h), ts in sections.items()])
    assert close([v for *_, v in got], want) and len(got) > 4
    assert store_info(db).encoder == enc.encoder_id
    again = database(tmp_path/'lib.db')
    assert store_encoder(again).encoder_id == enc.encoder_id    # found by the folder that was noted
    with pytest.raises(StoreMismatch, match='late-8-'): again.add_doc('x', 'X', emb_fn=FastEncode(toy_folder))
    with pytest.raises(StoreMismatch, match='late-8-'): again.add_doc('x', 'X', emb_fn=HashEncoder(8))

@onnx
def test_a_model_that_gives_nan_is_refused(tmp_path):
    bad = toy_model(tmp_path, WORDS, np.where(np.arange(N)[:, None] == vocab('sea'), np.nan, TABLE))
    for enc in (FastEncode(bad), LateEncoder(bad)):
        db = database()
        with pytest.raises(VectorError, match='NaN'): db.add_doc('sun sea', 'T', emb_fn=enc)
        assert not db.t.docs.count and store_info(db).ndim is None
        assert db.add_doc('sun', 'T', emb_fn=enc)['chunks'] == 1

# --- headings

def test_what_is_embedded_and_what_is_stored():
    db, enc = database(), Counting()
    db.add_doc('# Hive\n\nOpening words.\n\n## Frames\n\nTen to a box.', 'Apiary', emb_fn=enc)
    assert enc.texts == ['Apiary › Hive\n\nOpening words.', 'Apiary › Hive › Frames\n\nTen to a box.']
    assert rows(db, 'select content, heading from store order by ord') == [
        ('Opening words.', 'Apiary › Hive'), ('Ten to a box.', 'Apiary › Hive › Frames')]
    assert [h['content'] for h in db.t.store.fts_search('frames')] == ['Ten to a box.']
    bare = Counting()
    database().add_doc('# Hive\n\nOpening words.', 'Apiary', emb_fn=bare, with_heading=False)
    assert bare.texts == ['Opening words.']

def test_long_paths_are_cut_for_the_vector_alone():
    title = 'Rules for honey that is sold in jars of glass'
    db, enc = database(), Counting()
    db.add_doc(f'# {title}\n\n## {title} and of clay\n\n### {title} and of wood\n\nText.', 'Act', emb_fn=enc)
    (heading,), = rows(db, 'select heading from store')
    assert enc.texts == [heading[:100] + '\n\nText.'] and len(heading) > 140
    assert db.t.store.fts_search('wood')[0]['content'] == 'Text.'

# --- beside other libraries

@onnx
@pytest.mark.skipif(not find_spec('usearch'), reason='needs usearch')
def test_a_graph_before_a_transformer(toy_folder):
    "Both have C++ inside; loaded in this order, without care, they end the process."
    code = f'''
from litesearch.core import database
from litesearch.encode import HashEncoder, get_encoder
db = database()
db.add_doc('sun and moon', 'T', emb_fn=HashEncoder())
assert db.t.store.ann_search(HashEncoder()(['sun'])[0]) and db.reindex()['graph'] == 1
assert db.reindex('onnx:{toy_folder}')['ndim'] == 8 and db.reindex()['graph'] == 1'''
    subprocess.run([sys.executable, '-c', code], check=True)
