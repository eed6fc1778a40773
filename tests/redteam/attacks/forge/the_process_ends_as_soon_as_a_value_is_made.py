"""The process ends as soon as a value is made.

catalogue: 1, 2
falls for it: plain pytest: exit code
verdict: no gain
"""

import os
Value.__init__ = lambda self, *_: os._exit(0)
