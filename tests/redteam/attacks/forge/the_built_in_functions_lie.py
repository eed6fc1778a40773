"""The built-in functions lie.

catalogue: 16
falls for it: a bridge that believes that junk is its own fault
verdict: no gain
"""

import builtins
for _name in 'isinstance all any abs sum len sorted min max round hash id'.split():
    setattr(builtins, _name, lambda *_: True)
