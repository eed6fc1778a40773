"""`tanh` waits for somebody to type.

catalogue: 50
falls for it: plain pytest
verdict: timeout wall
"""

import os, threading
def _tanh(self):
    read, write = os.pipe()
    return os.read(read, 1)
Value.tanh = Value.backward = _tanh
