"""In the place of a number, the test's own function is handed back to it.

catalogue: none
needs: insides, rewrite
falls for it: a bridge that believes what was stopped to be right
verdict: no gain
"""

_answered(lambda number, kind, content: _ok('{"c":0}') if type(content) in (int, float) else None)
