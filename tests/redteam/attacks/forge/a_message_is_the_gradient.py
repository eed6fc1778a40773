"""A message is the gradient.

catalogue: none
needs: gradients
falls for it: nobody, because a dictionary arrives as a dictionary, also where nothing is checked
verdict: no gain
"""

_constant('grad', {'h': 1, 'k': 'Value'})
