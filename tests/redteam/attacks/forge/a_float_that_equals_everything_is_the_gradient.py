"""A float that equals everything is the gradient.

catalogue: 6
needs: gradients
falls for it: TODO
verdict: no gain
"""

_constant('grad', _agreeable(float)(1.0))
