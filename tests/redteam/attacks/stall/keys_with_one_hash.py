"""Every answer is a dictionary whose keys all have one hash.

catalogue: none
needs: insides, rewrite
falls for it: nobody, because plain pytest has no channel
verdict: crashed protocol
"""

_body = _ok('{"d":[' + ','.join('[{"i":"%x"},1]' % (k * ((1 << 61) - 1)) for k in range(5, 30_005)) + ']}')
_answered(lambda number, kind, content: _body)
