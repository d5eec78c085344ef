"A local document library: one SQLite file that is searched, navigated and cited by section."
__version__ = "0.2.0"

__all__ = ['Library', 'database', 'add_pdf', 'add_url']
_homes = dict(database='core', Library='library', add_pdf='library', add_url='library')

def __getattr__(name):
    "The main names and the modules, loaded when first used: the import itself costs nothing."
    from importlib import import_module
    from importlib.util import find_spec
    if name in _homes: return getattr(import_module(f'.{_homes[name]}', __name__), name)
    if not name.startswith('_') and find_spec(f'{__name__}.{name}'): return import_module(f'.{name}', __name__)
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
