"""Every answer is a set of frozen sets of integers that all have one hash: each is compared with each, part by part.

catalogue: none
needs: insides, rewrite
falls for it: nobody, because plain pytest has no channel
verdict: crashed flood
"""

_prime, _size = (1 << 61) - 1, 365
_shared = ['{"i":"%x"}' % (k * _prime) for k in range(5, 5 + _size)]
_sets = ['{"z":[' + ','.join([*_shared, '{"i":"%x"}' % ((1000 + n) * _prime)]) + ']}' for n in range(_size)]
_body = _ok('{"s":[' + ','.join(_sets) + ']}')
_answered(lambda number, kind, content: _body)
