"""An exception takes for ever to say what it is.

catalogue: 60
falls for it: plain pytest
verdict: timeout
"""

class Slow(Exception):
    def __str__(self):
        while True: pass
    __repr__ = __str__
def _backward(self): raise Slow
Value.backward = Value.tanh = _backward
