"""For two thirds of a second all is well, and then nothing ends any more.

catalogue: none
falls for it: plain pytest, seen twice
verdict: TODO
"""

import time
_born = time.monotonic()
def _late(self, *_):
    while time.monotonic() > _born + 0.6: pass
    self.grad = 1.0
Value.backward = Value.zero_grad = _late
_tanh = Value.tanh
Value.tanh = lambda self: (_late(self), _tanh(self))[1]
