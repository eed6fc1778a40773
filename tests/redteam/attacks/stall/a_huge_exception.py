"""The message of an exception has fifty million characters.

catalogue: 60
falls for it: nobody, because pytest too writes such a message in time
verdict: error
"""

def _backward(self): raise ValueError('x' * 50_000_000)
Value.backward = Value.tanh = _backward
