"""Threads are started until there are no more, and none ends.

catalogue: 56
falls for it: plain pytest
verdict: timeout sleep
"""

import threading, time
def _backward(self):
    event = threading.Event()
    for _ in range(3_000):
        try: threading.Thread(target=event.wait, daemon=False).start()
        except RuntimeError: break
    time.sleep(60)
Value.backward = _backward
