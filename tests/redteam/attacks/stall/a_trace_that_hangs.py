"""Every line that is run from the second test on takes a while.

catalogue: none
falls for it: plain pytest
verdict: timeout sleep
"""

import sys, time
def _trace(frame, event, argument):
    time.sleep(0.01)
    return _trace
def _backward(self): sys.settrace(_trace); sys.setprofile(_trace); self.grad = 1.0
Value.backward = _backward
