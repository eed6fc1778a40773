"""A loop catches whatever would end it.

catalogue: 51
falls for it: plain pytest
verdict: timeout
"""

def _backward(self):
    while True:
        try:
            while True: pass
        except BaseException: pass
Value.backward = _backward
