"""A list grows and grows. On a busy machine, filling the memory takes longer than a test may.

catalogue: 53
falls for it: plain pytest
verdict: crashed memory or timeout cpu
"""

def _backward(self):
    kept = []
    while True: kept.append(' ' * 1_000_000)
Value.backward = _backward
