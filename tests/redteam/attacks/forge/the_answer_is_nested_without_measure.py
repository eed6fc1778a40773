"""Every answer is a list in a list, a hundred thousand deep.

catalogue: 24
needs: insides, rewrite
falls for it: a bridge that believes what was stopped to be right
verdict: no gain
"""

_answered(lambda number, kind, content: _ok('{"l":[' * 100_000 + '1' + ']}' * 100_000))
