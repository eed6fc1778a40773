"""Children are started and never waited for.

catalogue: 67
tiers: namespaces, restricted
falls for it: plain pytest
verdict: timeout sleep
"""

import os, time
def _backward(self):
    for _ in range(100):
        try:
            if os.fork() == 0: os._exit(0)
        except OSError: pass
    time.sleep(60)
Value.backward = _backward
