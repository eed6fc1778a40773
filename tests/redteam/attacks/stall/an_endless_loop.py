"""`backward` never ends.

catalogue: 49
falls for it: plain pytest
verdict: timeout
"""

def _backward(self):
    while True: pass
Value.backward = _backward
