"""A function of an earlier test is kept and called in every later one, with whatever is at hand.

catalogue: none
needs: insides
falls for it: TODO
verdict: no gain
"""

_kept = []
_set = _requests['setattr']
def _keep(value, name, new):
    if callable(new): _kept.append(new)
    _set(value, name, new)
_requests['setattr'] = _keep
_sets = _requests['setattrs']
def _keep_all(changes):
    _kept.extend(new for _, _, new in changes if callable(new))
    _sets(changes)
_requests['setattrs'] = _keep_all
def _visit(self, visitor=None):
    if visitor is not None and not _kept: _kept.append(visitor)
    for function in _kept[:3]: function()
Value.visit = _visit
def _backward(self):
    self.grad = 1.0
    for function in _kept[:3]: function()
Value.backward = _backward
