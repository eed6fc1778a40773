"""A list that equals everything is the operands.

catalogue: 8
needs: gradients
falls for it: TODO
verdict: no gain
"""

_constant('_prev', _agreeable(list)())
