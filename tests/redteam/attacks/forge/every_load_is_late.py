"""The report of loading says that a statement was late, again and again.

catalogue: none
needs: insides, rewrite
falls for it: nobody, because only this kit asks what was late
verdict: no gain
"""

_chunks, _times = _talk['_chunks'], [0]
def _late(data, indent):
    if type(data) is dict and 'problems' in data: data['late'] = [[id(data), -5], [1 << 62, 3]]
    return _chunks(data, indent)
_talk['_chunks'] = _late
