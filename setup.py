"All metadata lives in `settings.ini`; this file only reads it."
from configparser import ConfigParser
from pathlib import Path
from setuptools import setup, find_packages

config = ConfigParser(delimiters=['='])
config.read(Path(__file__).parent/'settings.ini', encoding='utf-8')
cfg = config['DEFAULT']
statuses = ['1 - Planning', '2 - Pre-Alpha', '3 - Alpha', '4 - Beta', '5 - Production/Stable', '6 - Mature', '7 - Inactive']

setup(
    name=cfg['lib_name'], version=cfg['version'], description=cfg['description'], keywords=cfg['keywords'],
    author=cfg['author'], author_email=cfg['author_email'], url=cfg['git_url'], license='Apache-2.0',
    long_description=(Path(__file__).parent/'README.md').read_text(encoding='utf-8'),
    long_description_content_type='text/markdown',
    packages=[*find_packages(include=['litesearch', 'litesearch.*']), 'litesearch.samples', 'litesearch.samples.handbook'],
    package_dir={'litesearch.samples': 'samples'}, include_package_data=True, zip_safe=False,
    package_data={'litesearch': ['SKILL.md'], 'litesearch.samples': ['*.pdf', '*.txt'], 'litesearch.samples.handbook': ['*.md']},
    python_requires='>=' + cfg['min_python'], install_requires=cfg['requirements'].split(),
    extras_require={o: cfg[f'{o}_requirements'].split() for o in ('dev', 'static', 'onnx', 'e5', 'minilm', 'rerank',
                                                                      'plots', 'parquet')},
    entry_points={'console_scripts': cfg.get('console_scripts', '').split(), 'nbdev': [f"{cfg['lib_name']}={cfg['lib_name']}._modidx:d"]},
    classifiers=['Development Status :: ' + statuses[int(cfg['status']) - 1], 'Intended Audience :: Developers',
                 'Programming Language :: Python :: 3', 'Operating System :: OS Independent'],
)
