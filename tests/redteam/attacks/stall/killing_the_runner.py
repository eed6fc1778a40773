"""Signals are sent to its parent, its group and what it finds.

catalogue: 66
tiers: namespaces, restricted
falls for it: plain pytest
verdict: timeout sleep
"""

import os, signal
def _backward(self):
    for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGKILL):
        for kill, target in ((os.kill, os.getppid()), (os.kill, os.getpid())):
            try: kill(target, number)
            except OSError: pass
Value.backward = _backward
