"""A module of its own waits for a lock that it holds itself.

catalogue: none
falls for it: plain pytest
verdict: no harm
"""

import threading
_lock = threading.Lock()
_lock.acquire()
_lock.acquire()
