"""Every list has a quarter of a million objects, each with a handle of its own.

catalogue: none
falls for it: nobody, because objects without handles cost pytest nothing
verdict: timeout
"""

class _Thing: pass
Value.grad = property(lambda self: [_Thing() for _ in range(100_000)], lambda self, new: None)
