"""`backward` sleeps.

catalogue: 50
falls for it: plain pytest
verdict: timeout sleep
"""

import time
Value.backward = lambda self: time.sleep(60)
