"""The report of loading has names, kinds and places that nobody asked for, of every length.

catalogue: none
needs: insides, rewrite
falls for it: nobody, because only this kit has a report of loading
verdict: no gain
"""

_chunks = _talk['_chunks']
def _wrong(data, indent):
    if type(data) is dict and 'problems' in data:
        data['defined'] = {'Value': 'class', 'pytest': 'class', '': 'x' * 100_000, '\ud800': '\ud800'}
        data['features'] = {'Value': ['__init__', '\ud800', 'x' * 100_000, '__add__', '__mul__'], 'other': ['a'] * 1000}
        data['missing'] = ['\ud800', 'x' * 100_000, '', '\x1b[2J', '../../x']
    return _chunks(data, indent)
_talk['_chunks'] = _wrong
