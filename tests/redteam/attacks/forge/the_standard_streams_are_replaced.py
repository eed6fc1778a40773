"""The standard streams are replaced.

catalogue: 21
falls for it: TODO
verdict: no gain
"""

import sys
sys.stdout = sys.stderr = sys.stdin = type('S', (), {'__getattr__': lambda *_: print})()
