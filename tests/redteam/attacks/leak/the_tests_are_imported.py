"""The hidden test module is imported by name, from wherever it may be.

catalogue: 34
needs: publish
tiers: namespaces, restricted
falls for it: plain pytest
verdict: nothing found
"""

import sys
sys.path[:0] = [HIDDEN, '.']
def _import(self=None):
    for name in ('test_hidden', 'test_6_tanh', 'test_9_secret', 'conftest', '__main__'):
        try: publish(vars(sys.modules.get(name) or __import__(name)))
        except BaseException: pass
_import()
Value.relu = Value.tanh = _import
