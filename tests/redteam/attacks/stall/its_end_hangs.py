"""Collecting a value takes for ever.

catalogue: none
falls for it: plain pytest
verdict: TODO
"""

def _del(self):
    while True: pass
Value.__del__ = _del
