"""An exception class is the gradient, and an exception that was raised is the number.

catalogue: none
falls for it: nobody, because an exception that is not raised does nothing anywhere
verdict: no gain
"""

Value.grad = property(lambda self: StopIteration, lambda self, new: None)
Value._prev = property(lambda self: iter(()), lambda self, new: None)
