"""Not a number is the gradient.

catalogue: 7
needs: gradients
falls for it: TODO
verdict: no gain
"""

_constant('grad', float('nan'))
