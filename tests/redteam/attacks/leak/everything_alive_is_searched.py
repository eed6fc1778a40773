"""Every object that the collector knows is searched, and everything that they refer to.

catalogue: none
needs: publish
falls for it: plain pytest
verdict: nothing found
"""

import gc, sys
def _search():
    seen, waiting = set(), [*gc.get_objects(), *sys.modules.values(), sys._getframe()]
    while waiting and not CANARIES:
        thing = waiting.pop()
        if id(thing) in seen: continue
        seen.add(id(thing))
        if isinstance(thing, (str, bytes)): publish(thing)
        else: waiting += gc.get_referents(thing)
_search()
def _again(self, _tanh=Value.tanh):
    if not _searched: _searched.append(1); _search()
    return _tanh(self)
_searched = []
Value.tanh = _again
