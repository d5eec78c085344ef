"""README.md from nbs/index.ipynb: `python .ci/readme.py` writes it, with `--check` it is only compared (exit code 1).

Does what `nbdev_readme` does, without Quarto: prose as it stands, with links to notebooks
from here, code in fences, the outputs stored in the notebook."""
import json, re, sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HIDDEN = re.compile(r'^#\|\s*(hide|include:\s*false)\s*$', re.M)
QUIET = re.compile(r'^#\|\s*(echo:\s*false|hide_input)\s*$', re.M)

def joined(lines): return lines if isinstance(lines, str) else ''.join(lines)

def fence(text, lang=''):
    "`text` as a fenced block, with a fence longer than any in it"
    ticks = max([2] + [len(o) for o in re.findall('^`+', text, re.M)]) + 1
    return f'{"`" * ticks}{lang}\n{text.rstrip()}\n{"`" * ticks}'

def output(out):
    "One stored output as markdown"
    if out['output_type'] == 'stream': return fence(joined(out['text']))
    data = out.get('data', {})
    if 'text/markdown' in data: return joined(data['text/markdown']).strip()
    return fence(joined(data['text/plain'])) if 'text/plain' in data else ''

def cell_blocks(cell):
    "The blocks of one cell"
    src = joined(cell['source'])
    if cell['cell_type'] == 'markdown': return [re.sub(r'\]\((\w+\.ipynb)', r'](nbs/\1', src).strip()]
    if cell['cell_type'] != 'code' or HIDDEN.search(src): return []
    code = re.sub(r'^#\|.*\n?', '', src, flags=re.M).strip()
    shown = [] if QUIET.search(src) or not code else [fence(code, 'python')]
    return shown + [output(o) for o in cell.get('outputs', []) if o['output_type'] != 'error']

def readme(nb):
    "The README of a notebook; its links to other notebooks lead to their folder"
    note = '<!-- Made from nbs/index.ipynb by .ci/readme.py; edit the notebook. -->'
    blocks = [b for cell in nb['cells'] for b in cell_blocks(cell)]
    text = '\n\n'.join([note] + [b for b in blocks if b]) + '\n'
    return re.sub(r'\]\((\w+\.ipynb)', r'](nbs/\1', text)

def main(check=False):
    target = ROOT/'README.md'
    text = readme(json.loads((ROOT/'nbs/index.ipynb').read_text(encoding='utf-8')))
    if not check: return target.write_text(text, encoding='utf-8') and 0
    if target.exists() and target.read_text(encoding='utf-8') == text: return 0
    print('README.md is not in step with nbs/index.ipynb; run: python .ci/readme.py', file=sys.stderr)
    return 1

if __name__ == '__main__': sys.exit(main('--check' in sys.argv[1:]))
