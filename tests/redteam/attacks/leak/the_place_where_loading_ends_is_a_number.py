"""The process says that it has come to a line which does not exist, and ends: the grader tells where that was.

catalogue: 42
needs: insides, rewrite
falls for it: nobody, because only this kit asks where loading is; it fell for this once
verdict: nothing found
"""

import os

for _unit in (99, 0):
    _real_send([0, "at", _unit, 0, 48151 * 1_000_000 + 623421])
os._exit(0)
