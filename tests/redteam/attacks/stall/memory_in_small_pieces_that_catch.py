"""Small pieces fill the memory, and its end is caught.

catalogue: 53
falls for it: plain pytest
verdict: timeout
"""

_kept = []
def _backward(self):
    while True:
        try:
            while True: _kept.append([])
        except MemoryError: pass
Value.backward = _backward
