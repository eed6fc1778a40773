"""Every signal that can be ignored is, and then a loop runs.

catalogue: 64
falls for it: plain pytest
verdict: timeout
"""

import signal
def _backward(self):
    for number in signal.valid_signals():
        try: signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError): pass
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    while True: pass
Value.backward = _backward
