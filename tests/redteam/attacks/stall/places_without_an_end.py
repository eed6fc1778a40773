"""The process tells without an end that it is about to be loaded.

catalogue: none
needs: channel
falls for it: nobody, because plain pytest has no channel
verdict: timeout
"""

def _flood(self):
    while True: _send(0, 'at', 1, 1, 1)
Value.backward = Value.tanh = _flood
