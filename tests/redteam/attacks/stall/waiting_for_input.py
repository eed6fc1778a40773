"""`tanh` waits for somebody to type.

catalogue: 50
falls for it: plain pytest
verdict: timeout sleep
"""

import os
def _tanh(self):
    return os.read(os.eventfd(0), 8)
Value.tanh = Value.backward = _tanh
