"""A stand-in like object is the gradient.

catalogue: none
needs: gradients
falls for it: nobody, because what an object calls itself is not looked at anywhere
verdict: no gain
"""

_constant('grad', type('StandIn', (), {'_number': 1, '_request_sender': None, '_class_name': 'float'})())
