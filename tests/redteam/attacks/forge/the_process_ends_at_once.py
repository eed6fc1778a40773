"""The process ends at once.

catalogue: 1
falls for it: plain pytest: exit code
verdict: no gain
"""

import os
os._exit(0)
