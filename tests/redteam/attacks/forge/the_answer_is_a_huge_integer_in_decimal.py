"""Every answer is an integer of a million decimal digits.

catalogue: 24
needs: insides, rewrite
falls for it: a bridge that believes what was stopped to be right
verdict: no gain
"""

_answered(lambda number, kind, content: _ok('9' * 1_000_000))
