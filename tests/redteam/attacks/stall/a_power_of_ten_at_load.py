"""A power is computed at load, in C, where no alarm is heard.

catalogue: 52
falls for it: plain pytest
verdict: no harm
"""

_power = 10 ** 10 ** 8
