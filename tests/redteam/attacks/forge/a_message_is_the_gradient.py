"""A message is the gradient.

catalogue: none
needs: gradients
falls for it: TODO
verdict: no gain
"""

_constant('grad', {'h': 1, 'k': 'Value'})
