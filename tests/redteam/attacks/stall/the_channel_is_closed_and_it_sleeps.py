"""The channel is closed and the process goes on.

catalogue: none
needs: channel
falls for it: nobody, because plain pytest has no channel
verdict: crashed protocol
"""

import time
def _backward(self):
    os.close(_channel)
    time.sleep(60)
Value.backward = _backward
