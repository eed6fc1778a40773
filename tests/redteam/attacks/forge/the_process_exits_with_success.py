"""The process exits with success.

catalogue: 3
falls for it: a bridge that believes an excuse
verdict: no gain
"""

import sys
Value.backward = lambda self: sys.exit(0)
