"""At load, a loop catches the alarm that would end it, again and again.

catalogue: 51
falls for it: plain pytest
verdict: no harm
"""

while True:
    try:
        while True: pass
    except BaseException: pass
