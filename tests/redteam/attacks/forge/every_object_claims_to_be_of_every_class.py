"""Every object claims to be of every class.

catalogue: none
falls for it: plain pytest: json report and summary
verdict: no gain
"""

Value = type('Value', (Value,), {'__class__': property(lambda self: type('Any', (float,), {}))})
