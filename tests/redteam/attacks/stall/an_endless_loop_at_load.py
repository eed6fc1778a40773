"""The file never comes to its end.

catalogue: 49
falls for it: plain pytest
verdict: no harm
"""

while True: pass
