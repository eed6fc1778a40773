"""An object that equals everything is the number.

catalogue: 5, 8
needs: gradients
falls for it: TODO
verdict: no gain
"""

_constant('data', _agreeable(object)())
