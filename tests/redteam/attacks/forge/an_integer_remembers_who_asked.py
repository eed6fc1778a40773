"""The gradient is an int of its own class whose every conversion is what was set last.

catalogue: none
needs: gradients
falls for it: plain pytest: json report and summary
verdict: no gain
"""

class Sly(_agreeable(int)):
    last = 1.0
    def _give(self, *_): return Sly.last
    __pos__ = __int__ = __float__ = __index__ = _give
def _set(self, new): Sly.last = new
Value.grad = property(lambda self: Sly(1), _set)
