"""Answers come a byte at a time.

catalogue: none
needs: channel
falls for it: nobody, because plain pytest has no channel
verdict: timeout sleep
"""

import os, time
def _slow(self):
    for byte in (2_000).to_bytes(4, 'big') + b' ' * 2_000:
        os.write(_channel, bytes([byte]))
        time.sleep(0.01)
Value.backward = _slow
