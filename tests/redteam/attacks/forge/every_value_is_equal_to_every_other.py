"""Every value is equal to every other.

catalogue: 5, 8
falls for it: plain pytest: json report and summary
verdict: no gain
"""

Value.__eq__ = lambda self, other: True
Value.__ne__ = lambda self, other: False
Value.__hash__ = object.__hash__
