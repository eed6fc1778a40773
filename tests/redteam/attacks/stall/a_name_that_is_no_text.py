"""The process gives itself a name that is no text, so that nobody can read how long it computed.

catalogue: none
falls for it: nobody, because who reads bytes reads them
verdict: timeout
"""

import ctypes
try: ctypes.CDLL(None).prctl(15, b'\xff\xfe', 0, 0, 0)
except AttributeError: pass
def _backward(self):
    while True: pass
Value.backward = _backward
