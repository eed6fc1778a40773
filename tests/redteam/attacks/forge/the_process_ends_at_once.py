"""The process ends at once.

catalogue: 1
falls for it: TODO
verdict: no gain
"""

import os
os._exit(0)
