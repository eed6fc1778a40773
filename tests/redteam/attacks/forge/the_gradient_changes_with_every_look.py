"""The gradient changes with every look.

catalogue: none
falls for it: TODO
verdict: no gain
"""

import itertools
_next = itertools.cycle([0, 1, 2, 3, -4, 5, 6, 44, 81]).__next__
Value.grad = property(lambda self: _next(), lambda self, new: None)
