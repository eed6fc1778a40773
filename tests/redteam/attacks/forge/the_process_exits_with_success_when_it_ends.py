"""The process exits with success when it ends.

catalogue: 4
falls for it: plain pytest: exit code
verdict: no gain
"""

import atexit, os
atexit.register(os._exit, 0)
