"""The report of loading notes failures in a file and in lines that do not exist.

catalogue: none
needs: insides, rewrite
falls for it: nobody, because only this kit has a report of loading; it fell for this once
verdict: no gain
"""

_chunks = _talk['_chunks']
def _wrong(data, indent):
    if type(data) is dict and 'problems' in data:
        data['problems'] = [dict(kind='failed', unit=unit, statement=-7, line=line, error='E', message='m')
                         for unit in (99, -5, 1 << 62) for line in (5, -5, 1 << 62)]
    return _chunks(data, indent)
_talk['_chunks'] = _wrong
