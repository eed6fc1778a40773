"""Every number is infinite, and so is every tolerance that is computed from one.

catalogue: 30
falls for it: TODO
verdict: no gain
"""

Value.grad = property(lambda self: float('inf'), lambda self, new: None)
Value.data = property(lambda self: 1e308 * 10, lambda self, new: None)
