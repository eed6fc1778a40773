"""The garbage collector is made to run at every step, and forges an answer each time.

catalogue: none
needs: channel, insides
falls for it: a bridge that believes that junk is its own fault
verdict: no gain
"""

import gc, weakref
_asked = [2]
def _forge(phase, info):
    if phase == 'stop': _answer(_asked[0] + 1, 1.0)
gc.callbacks.append(_forge)
gc.set_threshold(1, 1, 1)
class _Ring: pass
def _ring(*_):
    ring = _Ring(); ring.self = ring
    weakref.finalize(ring, _forge, 'stop', None)
_init = Value.__init__
Value.__init__ = lambda self, *arguments: (_ring(), _init(self, *arguments))[1]
