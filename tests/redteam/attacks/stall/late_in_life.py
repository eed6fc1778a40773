"""The first ten values are made at once, and the next one never.

catalogue: none
falls for it: plain pytest
verdict: timeout
"""

_count, _init = [0], Value.__init__
def _made(self, *arguments):
    _count[0] += 1
    while _count[0] > 10: pass
    _init(self, *arguments)
Value.__init__ = _made
