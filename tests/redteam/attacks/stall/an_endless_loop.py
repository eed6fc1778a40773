"""`backward` never ends.

catalogue: 49
falls for it: plain pytest
verdict: TODO
"""

def _backward(self):
    while True: pass
Value.backward = _backward
