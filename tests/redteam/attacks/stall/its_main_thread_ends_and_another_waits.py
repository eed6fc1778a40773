"""The main thread ends without a word, and another one waits: the process neither runs nor sleeps.

catalogue: 65
falls for it: plain pytest
verdict: timeout sleep
"""

import ctypes, platform, threading, time


def _backward(self):
    threading.Thread(target=time.sleep, args=(60,)).start()
    ctypes.CDLL(None).syscall(60 if platform.machine() == "x86_64" else 93, 0)


Value.backward = _backward
