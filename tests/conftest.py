"What holds for all tests."
import signal

try: from hypothesis import settings
except ImportError: pass   # the tests of whole programs do without it
else:
    settings.register_profile('busy', deadline=None)   # a machine may be busy with something else
    settings.load_profile('busy')

# A run in the background ignores Ctrl-C, and so would every process that a test starts in order to interrupt it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN: signal.signal(signal.SIGINT, signal.default_int_handler)
