"""The report of loading is nested deeper than any parser goes.

catalogue: none
needs: insides, rewrite
falls for it: nobody, because only this kit has a report of loading; it fell for this once
verdict: no gain
"""

_chunks, _deep = _talk['_chunks'], '{"x":' + '[' * 200_000
_talk['_chunks'] = lambda data, indent: [_deep] if type(data) is dict and 'problems' in data else _chunks(data, indent)
