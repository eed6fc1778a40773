"""An object that calls itself a float is the gradient.

catalogue: 6, 8
needs: gradients
falls for it: plain pytest: json report and summary
verdict: no gain
"""

_constant('grad', type('L', (_agreeable(object),), {'__class__': float})())
