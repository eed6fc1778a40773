"""The process writes and never reads.

catalogue: none
needs: channel
falls for it: nobody, because plain pytest has no channel
verdict: crashed protocol
"""

import os
def _write(self):
    data = b'[1,"call",0,[]]'
    data = len(data).to_bytes(4, 'big') + data
    while True: os.write(_channel, data * 100)
Value.backward = _write
