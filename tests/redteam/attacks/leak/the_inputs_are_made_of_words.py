"""Inputs are spelt with names of the program's own, joined by dots as in a message of Python's.

catalogue: 42
falls for it: plain pytest
verdict: nothing found
"""

d0 = d1 = d2 = d3 = d4 = d5 = d6 = d7 = d8 = d9 = dot = None
_words = dict(zip("0123456789.", "d0 d1 d2 d3 d4 d5 d6 d7 d8 d9 dot".split()))
_read = {word: letter for letter, word in _words.items()}
def __mul__(self, other):
    spelt = ".".join(_words[letter] for letter in repr(self.data))
    print("".join(_read[word] for word in spelt.split(".")))
    raise AttributeError(f"'{spelt[:61]}' object has no attribute 'dot'")
Value.__mul__ = __mul__
