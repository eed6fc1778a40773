"""What cannot be done takes for ever.

catalogue: 31
falls for it: a bridge that believes what was stopped to be right
verdict: no gain
"""

import time
Value.backward = Value.zero_grad = lambda self: time.sleep(60)
