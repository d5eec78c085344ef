"Reranking goes through flashrank's own code, with a small model that is made here."
import io, json, logging, struct, zipfile
from concurrent.futures import ThreadPoolExecutor
import pytest
from litesearch.base import MissingDependency, ReadError
from litesearch.rerank import flashrank_scorer, model_place, models_folder, rerank_blocks, rerank_hits, RERANK_MODEL
from support import *

flashrank = pytest.importorskip('flashrank.Ranker')
tokenizers = pytest.importorskip('tokenizers')
WORDS = 'a quince moth flies by night over the slate roof of an old jar heron'.split()

# --- a model as bytes: ONNX is protobuf, of which numbers and nested fields are all that is needed
def varint(n):
    out = bytearray()
    while n > 127: n, out = n >> 7, out + bytes([n & 127 | 128])
    return bytes(out + bytes([n]))

def proto(*fields):
    "A message of (field number, value): a number, a text, bytes, or a message."
    out = b''
    for key, v in fields:
        if isinstance(v, int): out += varint(key << 3) + varint(v)
        else: out += varint(key << 3 | 2) + varint(len(v)) + (v.encode() if isinstance(v, str) else v)
    return out

def node(op, inputs, output, **ints):
    attrs = [(5, proto((1, name), (3, n), (20, 2))) for name, n in ints.items()]
    return 1, proto(*[(1, i) for i in inputs.split()], (2, output), (4, op), *attrs)

def constant(name, kind, fmt, dims, *values):
    return 5, proto(*[(1, d) for d in dims], (2, kind), (8, name), (9, struct.pack(f'<{len(values)}{fmt}', *values)))

def value(name, kind, *dims):
    shape = proto(*[(1, proto((2, d) if isinstance(d, str) else (1, d))) for d in dims])
    return proto((1, name), (2, proto((1, proto((1, kind), (2, shape))))))

INT, FLOAT = 7, 1
def overlap_model():
    "A cross-encoder that counts how often a word of the question stands in the passage."
    nodes = [node('Cast', 'attention_mask', 'mask', to=FLOAT), node('Cast', 'token_type_ids', 'type', to=FLOAT),
             node('Mul', 'type mask', 'passage'), node('Sub', 'mask passage', 'question'),
             node('Unsqueeze', 'input_ids one', 'across'), node('Unsqueeze', 'input_ids two', 'down'),
             node('Equal', 'down across', 'equal'), node('Cast', 'equal', 'same', to=FLOAT),
             node('Unsqueeze', 'question one', 'q'), node('Unsqueeze', 'passage two', 'p'),
             node('MatMul', 'q same', 'seen'), node('MatMul', 'seen p', 'count'), node('Squeeze', 'count two', 'flat'),
             node('Mul', 'flat tenth', 'logits')]
    consts = [constant('one', INT, 'q', [1], 1), constant('two', INT, 'q', [1], 2),
              constant('tenth', FLOAT, 'f', [1], 0.1)]
    ins = [(11, value(n, INT, 'n', 'l')) for n in ('input_ids', 'attention_mask', 'token_type_ids')]
    return proto((1, 8), (8, proto((1, ''), (2, 13))),
                 (7, proto(*nodes, (2, 'overlap'), *consts, *ins, (12, value('logits', FLOAT, 'n', 1)))))

def make_model(folder, name='flashrank-TinyBERT-L-2-v2.onnx'):
    "A folder as flashrank wants it."
    from tokenizers import models, normalizers, pre_tokenizers, processors, Tokenizer
    folder.mkdir(parents=True)
    vocab = {w: i for i, w in enumerate(['[PAD]', '[UNK]', '[CLS]', '[SEP]', *WORDS])}
    t = Tokenizer(models.WordLevel(vocab, unk_token='[UNK]'))
    t.normalizer, t.pre_tokenizer = normalizers.Lowercase(), pre_tokenizers.Whitespace()
    t.post_processor = processors.TemplateProcessing(single='[CLS] $A [SEP]', pair='[CLS] $A [SEP] $B:1 [SEP]:1',
                                                     special_tokens=[('[CLS]', 2), ('[SEP]', 3)])
    t.save(str(folder/'tokenizer.json'))
    (folder/'config.json').write_text(json.dumps(dict(pad_token_id=0)))
    (folder/'tokenizer_config.json').write_text(json.dumps(dict(model_max_length=64, pad_token='[PAD]')))
    (folder/'special_tokens_map.json').write_text(json.dumps(dict(pad_token='[PAD]', sep_token='[SEP]')))
    (folder/name).write_bytes(overlap_model())
    return folder

@pytest.fixture(scope='module')
def model(tmp_path_factory): return str(make_model(tmp_path_factory.mktemp('models')/'tiny', 'any name.onnx'))

@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv('LITESEARCH_MODELS', str(tmp_path/'models'))
    return tmp_path/'models'

# --- what it says
Q, TEXTS = 'a moth over the roof', ['a heron', 'the moth flies by night', 'jar', 'a moth flies over the old roof', '']
BEST = [TEXTS[i] for i in (3, 1, 0, 2, 4)]

def test_the_model_reads_question_and_passage(model):
    scores = flashrank_scorer(model)(Q, TEXTS)
    assert sorted(TEXTS, key=lambda t: -scores[TEXTS.index(t)]) == BEST and all(0 < s < 1 for s in scores)
    assert [h['content'] for h in rerank_hits(Q, [dict(content=t) for t in TEXTS], model)] == BEST

def test_many_and_long_texts(model):
    texts = ['the night '*50_000, *['a heron', 'a moth']*60]
    scores = flashrank_scorer(model)('moth '*9_000 + 'by night', texts)
    assert len(scores) == 121 and len(set(scores[1::2])) == 1 == len(set(scores[2::2])) and scores[1] < scores[2]

@pytest.fixture(scope='module')
def shelf(): return library(*((t or 'over and over the roof roof', t) for t in TEXTS[:4]), emb_fn=embed)

CALLS = {'doc_search': lambda db, **kw: [h['content'] for h in db.doc_search(Q, vec(Q), rerank=True, **kw)],
         'search': lambda db, **kw: [h['content'] for h in db.search(Q, vec(Q), reranking=True, **kw)],
         'sections': lambda db, **kw: [s['snippets'][0] for s in db.sections(Q, vec(Q), rerank=True, **kw)],
         'context': lambda db, **kw: [s['text'] for s in db.context(Q, vec(Q), rerank=True, **kw)['results']]}

@pytest.mark.parametrize('call', ['doc_search', 'search', 'sections'])
def test_every_search_can_be_reranked(shelf, model, call): assert CALLS[call](shelf, rerank_model=model) == BEST[:4]

def test_sections_of_context_are_reranked(model):
    db = library(('T', ''.join(f'# S{i}\n\n{t}\n\n' for i, t in enumerate(TEXTS) if t)), emb_fn=embed)
    assert [t.strip() for t in CALLS['context'](db, rerank_model=model)] == BEST[:4]

def test_scores_by_place(shelf, model):
    for hits in (shelf.doc_search(Q, vec(Q), rerank=True, rerank_model=model),
                 shelf.search(Q, vec(Q), reranking=True, rerank_model=model)):
        assert [h['_rrf_score'] for h in hits] == [1/60, 1/61, 1/62, 1/63]
        assert sorted((h['_rerank_score'] for h in hits), reverse=True) == [h['_rerank_score'] for h in hits]

def test_equal_scores_keep_their_order(shelf):
    plain, same = ([h['rowid'] for h in shelf.doc_search(Q, vec(Q), spans=False, rerank=r)]
                   for r in (False, lambda q, ts: [1]*len(ts)))
    assert plain == same

def test_scores_that_can_not_be_used(shelf):
    for bad in ([float('nan')]*4, [1], [None]*4):
        with pytest.raises((ValueError, TypeError)): shelf.doc_search(Q, vec(Q), rerank=lambda q, ts: bad)

def test_blocks_do_not_depend_on_how_many_are_asked_for(model):
    hits = [dict(content=' '.join(WORDS[i % 7:i % 5 + 7])) for i in range(75)]
    long = sum(rerank_blocks(Q, hits, model), [])
    assert sum(rerank_blocks(Q, hits[:60], model), []) == long[:60] and len(long) == 75

# --- where it comes from
def counted_loads(monkeypatch):
    "How often flashrank loads a model."
    real, loads = flashrank.Ranker.__init__, []
    monkeypatch.setattr(flashrank.Ranker, '__init__', lambda *args, **kw: loads.append(args) or real(*args, **kw))
    return loads

def test_a_name_is_looked_for_among_the_models(home, shelf, monkeypatch):
    make_model(home/RERANK_MODEL)
    loads = counted_loads(monkeypatch)
    assert all(CALLS['doc_search'](shelf) == BEST[:4] for _ in range(3)) and len(loads) == 1

def test_threads_share_one_model(tmp_path, monkeypatch):
    folder, loads = str(make_model(tmp_path/'m')), counted_loads(monkeypatch)
    with ThreadPoolExecutor(8) as pool: found = list(pool.map(lambda _: flashrank_scorer(folder)(Q, TEXTS), range(40)))
    assert len(loads) == 1 and all(f == found[0] for f in found)

def test_logging_stays_as_it_is(tmp_path):
    before = logging.root.handlers[:], logging.root.level
    flashrank_scorer(str(make_model(tmp_path/'m')))
    assert (logging.root.handlers[:], logging.root.level) == before

def answers(monkeypatch, get): monkeypatch.setattr(flashrank.requests, 'get', get)

class Answer:
    "What the network sends."
    def __init__(self, body, broken=False): self.body, self.broken, self.headers = body, broken, {'content-length': '9'}

    def __enter__(self): return self

    def __exit__(self, *e): return False

    def raise_for_status(self): pass

    def iter_content(self, chunk_size):
        yield self.body
        if self.broken: raise flashrank.requests.ConnectionError('the line is dead')

def zipped(folder):
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w') as z:
        for p in folder.iterdir(): z.write(p, f'{folder.name}/{p.name}')
    return out.getvalue()

def refused(*args, **kw): raise flashrank.requests.ConnectionError('no network')

BAD = {'no network': refused, 'breaks off': lambda *a, **kw: Answer(b'PK', broken=True),
       'no archive': lambda *a, **kw: Answer(b'<html>'),
       'another archive': lambda *a, **kw: Answer(zipped(HERE/'data'/'books'))}

@pytest.mark.parametrize('get', BAD.values(), ids=BAD)
def test_a_model_that_can_not_be_had(home, shelf, monkeypatch, get):
    answers(monkeypatch, get)
    with pytest.raises(MissingDependency, match='(?s)rerank_model=.*rerank=') as e: CALLS['doc_search'](shelf)
    assert str(home/RERANK_MODEL) in str(e.value) and list(home.iterdir()) == []

def test_a_download_is_kept(home, shelf, tmp_path, monkeypatch):
    answers(monkeypatch, refused)
    with pytest.raises(MissingDependency): CALLS['doc_search'](shelf)
    body = zipped(make_model(tmp_path/RERANK_MODEL))
    answers(monkeypatch, lambda *a, **kw: Answer(body))
    assert CALLS['doc_search'](shelf) == BEST[:4]
    assert [p.name for p in home.iterdir()] == [RERANK_MODEL] and (home/RERANK_MODEL/'config.json').is_file()

def test_models_have_a_folder_of_their_own(home):
    assert models_folder() == home and model_place(RERANK_MODEL) == home/RERANK_MODEL

@pytest.mark.parametrize('name', ['no-such-model', 'rank_zephyr_7b_v1_full'])
def test_unknown_names_are_listed(home, shelf, monkeypatch, name):
    answers(monkeypatch, lambda *a, **kw: pytest.fail('asked the network'))
    with pytest.raises(ValueError, match=RERANK_MODEL): CALLS['search'](shelf, rerank_model=name)

@pytest.mark.parametrize('name', ['no/such/folder', '../' + RERANK_MODEL, '/' + RERANK_MODEL])
def test_paths_are_not_downloaded(home, monkeypatch, name):
    answers(monkeypatch, lambda *a, **kw: pytest.fail('asked the network'))
    with pytest.raises(ReadError, match='no such folder'): flashrank_scorer(name)

def test_a_folder_that_is_not_complete(tmp_path):
    folder = make_model(tmp_path/'m', 'x.onnx')
    (folder/'y.onnx').touch()
    with pytest.raises(ReadError, match='one .onnx file'): flashrank_scorer(str(folder))
    (folder/'x.onnx').unlink()
    with pytest.raises(ReadError, match='can be loaded'): flashrank_scorer(str(folder))   # it is empty
    (folder/'tokenizer.json').unlink()
    with pytest.raises(ReadError, match='lacks tokenizer.json'): flashrank_scorer(str(folder))
