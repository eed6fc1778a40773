"""A list grows and grows.

catalogue: 53
falls for it: plain pytest
verdict: crashed memory
"""

def _backward(self):
    kept = []
    while True: kept.append(bytes(1_000_000))  # taken, not filled: how long it lasts does not depend on the machine
Value.backward = _backward
