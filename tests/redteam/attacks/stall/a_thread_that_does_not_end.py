"""Threads that are no daemons keep the process from ending.

catalogue: 65
falls for it: plain pytest
verdict: no harm
"""

import threading, time
threading.Thread(target=time.sleep, args=(60,)).start()
threading.Thread(target=lambda: [time.sleep(1) for _ in range(60)]).start()
