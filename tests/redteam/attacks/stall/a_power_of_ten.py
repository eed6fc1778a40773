"""`tanh` computes a power that takes hours.

catalogue: 52
falls for it: plain pytest
verdict: timeout
"""

Value.tanh = Value.backward = lambda self: Value(10 ** 10 ** 8)
