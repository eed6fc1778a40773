"""A thread forges answers.

catalogue: 22
needs: channel
falls for it: nobody, because whether a thread comes in time is chance
verdict: no gain
"""

def _forge():
    for n in range(1, 100_000): _answer(n, 1.0)
threading.Thread(target=_forge, daemon=True).start()
