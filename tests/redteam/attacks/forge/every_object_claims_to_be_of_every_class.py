"""Every object claims to be of every class.

catalogue: none
falls for it: TODO
verdict: no gain
"""

Value.__class__ = property(lambda self: type('Any', (float, ), {}))
