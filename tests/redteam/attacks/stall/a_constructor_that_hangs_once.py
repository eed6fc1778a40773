"""Making a value takes for ever, the first time in each process.

catalogue: none
falls for it: plain pytest
verdict: no gain
"""

_first, _init = [], Value.__init__
def _made(self, *arguments):
    if not _first:
        _first.append(1)
        while True: pass
    _init(self, *arguments)
Value.__init__ = _made
