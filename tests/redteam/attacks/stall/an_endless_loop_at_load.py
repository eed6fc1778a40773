"""The file never comes to its end.

catalogue: 49
falls for it: plain pytest
verdict: TODO
"""

while True: pass
