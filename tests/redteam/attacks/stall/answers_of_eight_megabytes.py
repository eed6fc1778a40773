"""Every answer is a text of just below eight megabytes.

catalogue: 61
needs: insides, rewrite
falls for it: nobody, because plain pytest has no channel
verdict: no gain
"""

_long = _ok('"' + 'x' * 8_000_000 + '"')
_answered(lambda number, kind, content: _long if type(content) in (int, float) else None)
