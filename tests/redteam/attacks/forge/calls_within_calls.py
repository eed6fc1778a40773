"""Inside every call of a test's function, all of the test's functions are called again.

catalogue: none
needs: insides, rewrite
falls for it: a suite that asks once
verdict: no gain
"""

def _receive_and_call(depth=0):
    for function in range(6):
        _talk['send_message_at_once']([depth, 'call', function, []])
_backwards = Value.backward
def _backward(self):
    _backwards(self)
    _visit = getattr(self, '_visitor', None)
Value.backward = _backward
def _visit(self, visitor):
    visitor(visitor, visitor)
    visitor([visitor], {1: visitor})
    visitor(); visitor()
Value.visit = lambda self, visitor: [visitor() for _ in range(3)]
def _zero(self):
    _receive_and_call()
    self.grad = 0.0
Value.zero_grad = _zero
