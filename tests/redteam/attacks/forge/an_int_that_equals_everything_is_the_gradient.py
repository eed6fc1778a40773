"""An int that equals everything is the gradient.

catalogue: 6
needs: gradients
falls for it: TODO
verdict: no gain
"""

_constant('grad', _agreeable(int)(1))
