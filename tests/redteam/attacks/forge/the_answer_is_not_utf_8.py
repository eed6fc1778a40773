"""Every answer is bytes that are no text.

catalogue: 24
needs: insides, rewrite
falls for it: a bridge that believes what was stopped to be right
verdict: no gain
"""

_answered(lambda number, kind, content: _ok(b'"\xff\xfe\xc0"'))
