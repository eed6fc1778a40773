"""The file prints without an end before anything is asked.

catalogue: 59
falls for it: plain pytest
verdict: TODO
"""

while True: print("x" * 100_000)
