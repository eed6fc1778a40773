"""`backward` sleeps.

catalogue: 50
falls for it: plain pytest
verdict: TODO
"""

import time
Value.backward = lambda self: time.sleep(60)
