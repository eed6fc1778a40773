"""An object that equals everything is the gradient.

catalogue: 5, 8
needs: gradients
falls for it: TODO
verdict: no gain
"""

_constant('grad', _agreeable(object)())
