"""The gradient is a float of its own class that gives another number at every look.

catalogue: none
needs: gradients
falls for it: plain pytest: json report and summary
verdict: no gain
"""

class Sly(_agreeable(float)):
    looks = 0
    def _next(self, *_):
        Sly.looks += 1
        return float(Sly.looks % 5)
    __pos__ = __float__ = __add__ = __radd__ = _next
_constant('grad', Sly(2.0))
