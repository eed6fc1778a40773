"""Collecting a value takes for ever.

catalogue: none
falls for it: plain pytest
verdict: no gain
"""

def _del(self):
    while True: pass
Value.__del__ = _del
