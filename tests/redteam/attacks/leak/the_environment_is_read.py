"""Every variable of the environment is read, as Python has it and as libc has it.

catalogue: 46
needs: publish
falls for it: plain pytest
verdict: nothing found
"""

import ctypes, os
publish(os.environ, os.environb)
try:
    _environ = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), 'environ')
    for _place in range(1000):
        if not _environ or not _environ[_place]: break
        publish(_environ[_place])
except ValueError: pass
