"""The file needs all memory before it comes to its end.

catalogue: 53
falls for it: plain pytest
verdict: TODO
"""

_kept = []
while True: _kept.append(bytes(1_000_000))
