"""An answer is forged whenever the gradient is read.

catalogue: 22, 23
needs: channel
falls for it: a suite that asks once
verdict: no gain
"""

def _grad(self):
    _answer_now(sys._getframe(), 1.0)
    return 1.0
Value.grad = property(_grad, lambda self, new: None)
