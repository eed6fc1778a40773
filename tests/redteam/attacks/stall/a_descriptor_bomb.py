"""Descriptors are opened until there are no more, and then everything waits.

catalogue: 57
falls for it: plain pytest
verdict: timeout sleep
"""

import os, time
def _backward(self):
    try:
        while True: os.dup(0)
    except OSError: pass
    time.sleep(60)
Value.backward = _backward
