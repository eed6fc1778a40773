"""A list grows and grows.

catalogue: 53
falls for it: plain pytest
verdict: crashed memory
"""

def _backward(self):
    kept = []
    while True: kept.append(' ' * 1_000_000)
Value.backward = _backward
