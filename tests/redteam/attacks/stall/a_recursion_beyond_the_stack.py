"""A recursion without a limit ends the interpreter.

catalogue: 62
falls for it: plain pytest
verdict: no gain
"""

import sys
sys.setrecursionlimit(10 ** 9)
def _backward(self): return self.backward() + 1
Value.backward = _backward
