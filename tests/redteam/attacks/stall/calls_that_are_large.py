"""Calls of a function that does not exist carry eight megabytes each, and none is answered.

catalogue: none
needs: insides, rewrite
falls for it: nobody, because plain pytest has no channel
verdict: no gain
"""

_body = ('[1,"call",0,[{"l":[' + ','.join(['{"d":[]}'] * 500_000) + ']}]]').encode()
def _flood(self):
    while True: _raw(_body)
Value.backward = Value.tanh = _flood
