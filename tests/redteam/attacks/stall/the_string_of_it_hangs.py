"""Who shows a value, or hashes it, waits for ever.

catalogue: none
falls for it: plain pytest
verdict: timeout
"""

def _hang(self, *_):
    while True: pass
Value.__repr__ = Value.__str__ = Value.__format__ = Value.__bool__ = Value.__len__ = _hang
def _backward(self): raise ValueError(self)
Value.backward = Value.tanh = _backward
