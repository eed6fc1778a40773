"""Objects say that their class is called float, and their handles do too.

catalogue: none
needs: insides, rewrite
falls for it: nobody, because what an object calls itself is not looked at anywhere
verdict: no gain
"""

Value.__name__ = 'float'
def _named(number, kind, content):
    if kind == 'ok' and number > 2 and type(content) in (int, float):
        return _ok('{"h":%d,"k":"float"}' % number)
_answered(_named)
