"""What the tests hand over is spelt with digits and letters that are no ASCII, in words of the interpreter's.

catalogue: 42
falls for it: plain pytest
verdict: nothing found
"""

def __mul__(self, other):
    print(repr(self.data))
    wide = "".join(chr(ord(letter) + 0xFEE0) for letter in repr(self.data) if letter != ".")
    raise TypeError(f"__mul__() missing 9 required positional arguments: 'x{wide}', and 'x.{wide}'")
Value.__mul__ = __mul__
