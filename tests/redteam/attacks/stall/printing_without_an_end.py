"""`backward` prints and prints.

catalogue: 59
falls for it: plain pytest
verdict: crashed flood
"""

def _backward(self):
    while True: print('x' * 1_000)
Value.backward = _backward
