"""The file prints without an end before anything is asked.

catalogue: 59
falls for it: plain pytest
verdict: no gain
"""

while True:
    try: print("x" * 100_000)
    except OSError: pass
