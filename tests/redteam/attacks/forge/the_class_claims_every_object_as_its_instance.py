"""The class claims every object as its instance.

catalogue: none
falls for it: plain pytest: json report and summary
verdict: no gain
"""

class Meta(type):
    __instancecheck__ = __subclasscheck__ = lambda *_: True
Value = Meta('Value', (Value,), {})
