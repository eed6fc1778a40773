"""Whatever is raised is answered with the number that is right most often.

catalogue: none
needs: insides, rewrite
falls for it: a suite that asks once
verdict: no gain
"""

_answered(lambda number, kind, content: _ok('1.0') if kind == 'raised' else None)
