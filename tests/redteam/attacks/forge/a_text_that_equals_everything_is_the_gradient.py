"""A text that equals everything is the gradient.

catalogue: 6
needs: gradients
falls for it: plain pytest: json report and summary
verdict: no gain
"""

_constant('grad', _agreeable(str)('1'))
