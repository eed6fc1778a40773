"""Every answer is a list of handles whose numbers all have one hash.

catalogue: none
needs: insides, rewrite
falls for it: nobody, because plain pytest has no channel
verdict: crashed protocol
"""

_body = _ok('{"l":[' + ','.join('{"h":%d,"k":"V"}' % (k * ((1 << 61) - 1)) for k in range(5, 30_005)) + ']}')
_answered(lambda number, kind, content: _body)
