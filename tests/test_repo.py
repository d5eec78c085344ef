"The repository agrees with itself: modules, notebooks, README, help, packaging."
import ast, importlib, inspect, json, re, shutil, subprocess, sys, tokenize
from configparser import ConfigParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MODULES = sorted(p for p in (ROOT/'litesearch').glob('*.py') if p.stem not in ('__init__', '_modidx'))
NBS = sorted((ROOT/'nbs').glob('*.ipynb'))

def settings():
    cfg = ConfigParser(delimiters=['='])
    cfg.read(ROOT/'settings.ini', encoding='utf-8')
    return cfg['DEFAULT']

def default_exp(nb):
    cells = json.loads(nb.read_text())['cells']
    found = re.search(r'#\|\s*default_exp\s+(\w+)', '\n'.join(''.join(c['source']) for c in cells))
    return found and found[1]

def stem(p): return p.stem


def test_every_module_has_its_notebook():
    assert sorted(filter(None, map(default_exp, NBS))) == [p.stem for p in MODULES]

@pytest.fixture(scope='module')
def exported(tmp_path_factory):
    "A copy of the project whose modules were exported anew."
    pytest.importorskip('nbdev')
    copy = tmp_path_factory.mktemp('copy')
    shutil.copytree(ROOT/'nbs', copy/'nbs', symlinks=True, ignore=shutil.ignore_patterns('.*', '_proc'))
    for name in ('settings.ini', 'setup.py', 'pyproject.toml', '_quarto.yml'): shutil.copy(ROOT/name, copy)
    code = 'from nbdev.doclinks import nbdev_export; nbdev_export(); from nbdev.clean import nbdev_clean; nbdev_clean()'
    subprocess.run([sys.executable, '-c', code], cwd=copy, check=True, capture_output=True, text=True)
    return copy

def test_modules_in_step(exported):
    made = {p.name: p.read_text() for p in (exported/'litesearch').glob('*.py')}
    kept = {p.name: p.read_text() for p in (ROOT/'litesearch').glob('*.py')}
    assert sorted(made) == sorted(kept), 'run nbdev_export'
    # __init__ is written by hand but for the version, which comes from settings.ini
    differ = [name for name in made if name != '__init__.py' and made[name] != kept[name]]
    assert not differ, 'run nbdev_export'
    assert f'__version__ = "{settings()["version"]}"' in kept['__init__.py']

@pytest.mark.parametrize('nb', NBS, ids=stem)
def test_notebook_clean(nb, exported):
    assert (exported/'nbs'/nb.name).read_text() == nb.read_text(), 'run nbdev_clean'

@pytest.mark.parametrize('path', MODULES, ids=stem)
def test_names_are_defined_once(path):
    names = [o.name for o in ast.parse(path.read_text()).body if isinstance(o, ast.FunctionDef | ast.ClassDef)]
    assert len(names) == len(set(names))

@pytest.mark.parametrize('nb', NBS, ids=stem)
def test_no_error_outputs(nb):
    outputs = [o for c in json.loads(nb.read_text())['cells'] for o in c.get('outputs', [])]
    assert not [o for o in outputs if o['output_type'] == 'error']

def documented(nb):
    "The cells that the documentation evaluates (exports and imports), and whether one of them does something else, too."
    found, mixed = [], False
    for source in (''.join(c['source']) for c in json.loads(nb.read_text())['cells'] if c['cell_type'] == 'code'):
        body = ast.parse(source).body
        imports = any(isinstance(n, ast.Import | ast.ImportFrom) for o in body for n in ast.walk(o))
        export = re.search(r'^#\|\s*export', source, re.M)
        if export or imports: found.append(source)
        mixed |= not export and imports and not all(isinstance(o, ast.Import | ast.ImportFrom) for o in body)
    return found, mixed

@pytest.mark.parametrize('nb', [nb for nb in NBS if documented(nb)[1]], ids=stem)
def test_imports_do_not_need_cells_that_the_documentation_leaves_out(nb):
    code = '\n\n'.join(documented(nb)[0])
    res = subprocess.run([sys.executable, '-c', code], cwd=ROOT/'nbs', capture_output=True, text=True)
    assert res.returncode == 0, res.stderr[-1500:]

def prose(nb): return '\n'.join(''.join(c['source']) for c in json.loads(nb.read_text())['cells'] if c['cell_type'] == 'markdown')

def relative_links(text):
    text = re.sub(r'^(```|~~~).*?^\1|`[^`\n]*`', '', text, flags=re.M | re.S)
    return [h for h in re.findall(r'\]\(([^)\s]+)\)', text) if not re.match('https?:|mailto:', h)]

def slug(title): return re.sub(r'\s+', '-', re.sub(r'[^\w\s.-]', '', title).strip().lower())

@pytest.mark.parametrize('nb', NBS, ids=stem)
def test_links_between_pages(nb):
    for href in relative_links(prose(nb)):
        page, _, place = href.partition('#')
        target = ROOT/'nbs'/page if page else nb
        assert target.suffix == '.ipynb' and target.exists(), f'{href}: link to the notebook; its page has another name'
        assert not place or place in map(slug, re.findall(r'^#+ +(.+)$', prose(target), re.M)), href

def test_every_notebook_makes_a_page_of_its_own():
    pages = [re.sub('^[0-9]+[a-z]*_', '', nb.stem) for nb in NBS]
    assert sorted(set(pages)) == sorted(pages), 'two notebooks would be written to one page'

def test_links_of_the_readme():
    links = relative_links((ROOT/'README.md').read_text())
    assert links and all((ROOT/h.partition('#')[0]).exists() for h in links), links

def test_readme_in_step():
    res = subprocess.run([sys.executable, str(ROOT/'.ci/readme.py'), '--check'], capture_output=True, text=True)
    assert res.returncode == 0, res.stderr

def prose(nb): return '\n'.join(''.join(c['source']) for c in json.loads(nb.read_text())['cells'] if c['cell_type'] == 'markdown')

def test_links_between_pages_lead_to_pages():
    "Links name notebooks, which GitHub, Jupyter and Quarto all find; the built pages have other names."
    linked = [(nb.name, o) for nb in NBS for o in re.findall(r'\]\(([\w./-]+\.(?:ipynb|html|md))(?:#[^)]*)?\)', prose(nb))]
    assert len(linked) > 60 and not [o for o in linked if not (ROOT/'nbs'/o[1]).is_file()]
    named = re.findall(r'\]\(([\w./-]+\.(?:ipynb|html|md))\)', (ROOT/'README.md').read_text())
    assert named and not [o for o in named if not (ROOT/o).is_file()]

def test_readme_has_the_commands_that_ci_runs():
    readme, ci = (ROOT/'README.md').read_text(), (ROOT/'.ci/run').read_text()
    tests = re.search(r'^\{ (python3 -m venv .*pytest); \}', ci, re.M)[1]
    assert f'\n{tests}\n' in readme
    assert re.search(r'^python3 -m venv .venv && .*litesearch add samples && .*litesearch research ', readme, re.M)

@pytest.mark.parametrize('path', MODULES, ids=stem)
def test_lines_fit(path):
    long = [i for i,line in enumerate(path.read_text().splitlines(), 1) if len(line) > 120 and '__all__' not in line]
    assert not long

@pytest.mark.parametrize('path', MODULES, ids=stem)
def test_style(path):
    text = path.read_text()
    assert '\t' not in text
    with path.open('rb') as f: assert not [o.start for o in tokenize.tokenize(f.readline) if o.string == ';']
    tree = ast.parse(text)
    defs = [o for o in ast.walk(tree) if isinstance(o, (ast.FunctionDef, ast.AsyncFunctionDef))]
    body = {o.name: o.end_lineno - o.body[0].lineno + 1 for o in defs}
    assert not {name: n for name,n in body.items() if n > 40}
    bare = [o.lineno for o in ast.walk(tree) if isinstance(o, ast.ExceptHandler) and o.type is None]
    assert not bare

@pytest.mark.parametrize('path', MODULES, ids=stem)
def test_public_names_are_documented(path):
    mod = importlib.import_module(f'litesearch.{path.stem}')
    public = [getattr(mod, name) for name in mod.__all__]
    own = [o for o in public if (inspect.isfunction(o) or inspect.isclass(o)) and o.__module__ == mod.__name__]
    assert not [o.__name__ for o in own if not inspect.getdoc(o)]

@pytest.mark.parametrize('name', ['add', 'sync', 'search', 'research', 'navigate', 'toc', 'read', 'evidence', 'note', 'report', 'status'])
def test_help_is_complete(name):
    from litesearch.cli import _parser
    for action in _parser(name)._actions:
        assert action.help, f'{name}: {action.dest} has no help'
    assert _parser(name).description

def test_nothing_heavy_at_import():
    heavy = ['pymupdf', 'usearch', 'selectolax', 'html_to_markdown', 'docutils', 'chardet', 'tqdm',
             'multiprocessing.pool', 'tokenizers', 'onnxruntime', 'httpx']
    code = f'import sys, litesearch.cli; print([o for o in {heavy} if o in sys.modules])'
    res = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert res.stdout.strip() == '[]'

def test_import_loads_nothing_and_a_database_has_every_method():
    code = """if 1:
        import sys, litesearch
        assert not {'numpy', 'fastlite', 'litesearch.core'} & set(sys.modules), 'import litesearch should load nothing'
        db = litesearch.database()
        print(' '.join(n for c in (type(db), type(db.t.store)) for n in vars(c)))
    """
    res = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, cwd=ROOT, check=True)
    patched = [f.name for p in MODULES for f in ast.parse(p.read_text()).body if isinstance(f, ast.FunctionDef)
               and any(getattr(d, 'id', '') == 'patch' for d in f.decorator_list)
               and f.args.args[0].annotation.id in ('Database', 'Table')]
    assert len(patched) > 20 and not set(patched) - set(res.stdout.split())

def test_import_of_everything_brings_the_main_names():
    code = 'from litesearch import *; print(Library.__name__, database.__name__, add_pdf.__name__, add_url.__name__)'
    res = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert res.stdout.split() == ['Library', 'database', 'add_pdf', 'add_url']

def test_sample_pdf_is_what_the_script_makes(tmp_path):
    pymupdf = pytest.importorskip('pymupdf')
    script = [sys.executable, str(ROOT/'samples/make_pdf.py'), str(tmp_path/'new.pdf')]
    subprocess.run(script, check=True, capture_output=True)
    def shown(path):
        with pymupdf.open(path) as doc: return doc.get_toc(), [page.get_text() for page in doc]
    assert shown(tmp_path/'new.pdf') == shown(ROOT/'samples/hive-scale-manual.pdf')

def test_quarto_settings_are_shared_and_complete():
    assert (ROOT/'nbs/_quarto.yml').read_text() == (ROOT/'_quarto.yml').read_text()
    named = re.findall(r'[\w.]+\.ipynb', (ROOT/'_quarto.yml').read_text())
    assert sorted(named) == [p.name for p in NBS]
