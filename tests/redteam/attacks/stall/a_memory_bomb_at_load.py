"""The file needs all memory before it comes to its end.

catalogue: 53
falls for it: plain pytest
verdict: no gain
"""

_kept = []
while True:
    try: _kept.append(bytes(1_000_000))
    except MemoryError: _kept.clear()
