"""The garbage collector calls back, and never gets an answer.

catalogue: none
falls for it: plain pytest
verdict: timeout
"""

import gc
def _hang(phase, info):
    while True: pass
def _backward(self):
    gc.callbacks.append(_hang)
    gc.collect()
Value.backward = _backward
