"""A child of its own keeps its output open after it has ended.

catalogue: 65
tiers: namespaces, restricted
falls for it: a runner that waits for the end of its output
verdict: crashed exit
"""

import os, time
try:
    if os.fork() == 0:
        time.sleep(6)
        os._exit(0)
except OSError: pass
def _backward(self): os._exit(1)
Value.backward = _backward
