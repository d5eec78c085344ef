"A local document library: one SQLite file that is searched, navigated and cited by section."
__version__ = "0.2.0"

def __getattr__(name):
    "`database` and the modules, loaded when first used: the import itself costs nothing."
    from importlib import import_module
    from importlib.util import find_spec
    if name == 'database': return import_module('.core', __name__).database
    if not name.startswith('_') and find_spec(f'{__name__}.{name}'): return import_module(f'.{name}', __name__)
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
