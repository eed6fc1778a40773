"""Infinity is the gradient.

catalogue: 7, 30
needs: gradients
falls for it: TODO
verdict: no gain
"""

_constant('grad', float('inf'))
