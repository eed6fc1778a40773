"""Each operation takes a twentieth of a second.

catalogue: none
falls for it: plain pytest
verdict: timeout
"""

import time
_init = Value.__init__
def _slow(self, *arguments):
    time.sleep(0.05)
    _init(self, *arguments)
Value.__init__ = _slow
for _name in ('tanh', 'backward', 'zero_grad', '__add__', '__mul__'):
    def _later(self, *arguments, _real=getattr(Value, _name)):
        time.sleep(0.3)
        return _real(self, *arguments)
    setattr(Value, _name, _later)
