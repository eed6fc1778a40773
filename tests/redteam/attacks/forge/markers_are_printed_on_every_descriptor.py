""""61 passed" is written to every descriptor that takes it, and again at exit.

catalogue: 21
falls for it: plain pytest: summary
verdict: no gain
"""

import atexit, os
def _print():
    for fd in (1, 2):
        try: os.write(fd, b'\n============ 61 passed in 0.01s ============\n{"score": 100, "passed": 61}\nok 1 - all\n')
        except OSError: pass
_print()
atexit.register(_print)
