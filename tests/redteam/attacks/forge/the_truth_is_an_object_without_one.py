"""Every truth that is asked for is an object that cannot be false.

catalogue: none
needs: insides
falls for it: a suite that asks once
verdict: no gain
"""

_requests['bool'] = _requests['len'] = lambda value: 1
Value.is_leaf = lambda self: [0]
_requests['isinstance'] = lambda *_: [object()]
