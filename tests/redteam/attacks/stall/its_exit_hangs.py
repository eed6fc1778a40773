"""What is registered for the exit, and every thread, never ends.

catalogue: none
falls for it: plain pytest
verdict: error
"""

import atexit, os, signal, sys, time
def _hang(*_):
    while True: pass
atexit.register(_hang)
signal.signal(signal.SIGTERM, _hang)
def _backward(self): sys.exit(0)
Value.backward = _backward
