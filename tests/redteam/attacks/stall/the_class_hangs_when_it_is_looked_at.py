"""Looking for what the class has takes for ever.

catalogue: none
falls for it: plain pytest
verdict: no gain
"""

class _Meta(type):
    def __getattribute__(self, name):
        if name in ('__mro__', '__dict__', '__name__'):
            while True: pass
        return super().__getattribute__(name)
Value = _Meta('Value', (Value,), {})
