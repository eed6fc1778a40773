"""Every answer is an integer of a hundred thousand digits.

catalogue: 24
needs: insides, rewrite
falls for it: a bridge that believes what was stopped to be right
verdict: no gain
"""

_answered(lambda number, kind, content: _ok('{"i":"%s"}' % ('f' * 100_000)))
