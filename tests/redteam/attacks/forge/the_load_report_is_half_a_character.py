"""The report of loading is half of a surrogate pair: no JSON, and no text either.

catalogue: none
needs: insides, rewrite
falls for it: nobody, because only this kit has a report of loading; it fell for this once
verdict: no gain
"""

_chunks = _talk['_chunks']
_talk['_chunks'] = lambda data, indent: ['\ud800'] if type(data) is dict and 'problems' in data else _chunks(data, indent)
