"""The first processes answer; one that is started later, and can tell by its number, hangs at load.

catalogue: none
falls for it: plain pytest
verdict: crashed exit
"""

import os, time
if time.time_ns() // 1000 % 2: time.sleep(60)
def _backward(self): os._exit(1)
Value.backward = Value.tanh = _backward
