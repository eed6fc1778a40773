"""Yes is the gradient.

catalogue: 7
needs: gradients
falls for it: plain pytest: json report and summary
verdict: no gain
"""

_constant('grad', True)
