"""Each of many statements at the top of the file takes for ever.

catalogue: none
falls for it: plain pytest
verdict: no harm
"""

for _ in iter(int, 1): pass
for _ in iter(int, 1): pass
for _ in iter(int, 1): pass
for _ in iter(int, 1): pass
for _ in iter(int, 1): pass
for _ in iter(int, 1): pass
for _ in iter(int, 1): pass
for _ in iter(int, 1): pass
for _ in iter(int, 1): pass
for _ in iter(int, 1): pass
for _ in iter(int, 1): pass
for _ in iter(int, 1): pass
