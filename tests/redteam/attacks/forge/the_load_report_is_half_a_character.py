"""The report of loading is half of a surrogate pair: no JSON, and no text either.

catalogue: none
needs: insides, rewrite
falls for it: TODO
verdict: no gain
"""

_chunks = _talk['_chunks']
_talk['_chunks'] = lambda data, indent: ['\ud800'] if type(data) is dict and 'notes' in data else _chunks(data, indent)
