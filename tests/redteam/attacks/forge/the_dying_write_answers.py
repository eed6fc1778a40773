"""Objects write forged answers when they are collected.

catalogue: none
needs: channel
falls for it: a bridge that believes answers to later questions
verdict: no gain
"""

_number = [2]
class _Last:
    def __del__(self):
        _number[0] += 1
        _answer(_number[0], 1.0)
_init = Value.__init__
def _made(self, *arguments):
    _init(self, *arguments)
    self._last = _Last()
    _Last()
Value.__init__ = _made
