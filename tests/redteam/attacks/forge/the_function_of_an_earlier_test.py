"""A function of an earlier test is kept and called in every later one.

catalogue: none
needs: insides
falls for it: a bridge that believes functions of earlier tests to be wanted
verdict: no gain
"""

_kept = []
def _keep(self, function): _kept.append(function)
def _call_kept(self, function):
    earlier = _kept[-1]
    type(earlier).__call__.__globals__['functions'][earlier.number] = earlier  # it would do nothing otherwise
    earlier(); earlier()
Value.listen, Value.speak = _keep, _call_kept
