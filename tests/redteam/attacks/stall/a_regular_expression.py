"""A regular expression takes exponential time, in C.

catalogue: 52
falls for it: plain pytest
verdict: timeout
"""

import re
Value.backward = lambda self: re.match("(a+)+$", "a" * 40 + "b")
