"""A thread calls the tests' functions long after their test is over.

catalogue: none
needs: insides, rewrite
falls for it: a bridge that believes what was stopped to be right
verdict: no gain
"""

import threading, time
def _call():
    for count in range(2_000):
        time.sleep(0.001)
        _raw('[%d,"call",%d,[]]' % (1_000_000 + count, count % 40))
threading.Thread(target=_call, daemon=True).start()
