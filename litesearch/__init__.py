"A local document library: one SQLite file that is searched, navigated and cited by section."
__version__ = "0.2.0"

# These modules add methods to `Database` and `Table`; heavy libraries load where they are used.
from . import ann, files, fts, ingest, navigate, retrieve, search, store, vector
