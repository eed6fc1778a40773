"""A source is compiled that no parser survives.

catalogue: 69
falls for it: plain pytest
verdict: timeout
"""

def _backward(self):
    for text in ('(' * 100_000 + ')' * 100_000, '-' * 500_000 + '1', '[' * 99 + ']' * 99, 'x' + '.x' * 200_000):
        try: compile(text, 'deep', 'eval')
        except (SyntaxError, MemoryError, RecursionError): pass
    while True: pass
Value.backward = _backward
