"""An object that equals everything is the gradient.

catalogue: 5, 8
needs: gradients
falls for it: plain pytest: json report and summary
verdict: no gain
"""

_constant('grad', _agreeable(object)())
