"""The process stops itself, and nobody continues it.

catalogue: 63
falls for it: plain pytest
verdict: timeout sleep
"""

import os, signal
def _backward(self): os.kill(os.getpid(), signal.SIGSTOP)
Value.backward = _backward
