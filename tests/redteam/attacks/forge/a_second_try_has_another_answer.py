"""A test that fails is seen again in a fresh process: the first process says 0, a fresh one 1.

catalogue: none
needs: insides
falls for it: a suite that asks once
verdict: no gain
"""

_asked = [0]
_real = _requests['getattr']
def _second(value, name):
    if name == 'grad':
        _asked[0] += 1
        return 1.0 if _asked[0] <= 2 else 0.0
    return _real(value, name)
_requests['getattr'] = _second
