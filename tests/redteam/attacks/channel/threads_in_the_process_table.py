"""As many threads are started as the bits say; whoever looks counts those of the processes beside it.

catalogue: 91
promise: paths
tiers: namespaces, restricted
falls for it: side by side
verdict: nothing arrives
"""

import os, threading
_end = threading.Event()
AT_LEAST = 3
def send(bits):
    for _ in range(AT_LEAST + sum(bit << place for place, bit in enumerate(bits))):
        threading.Thread(target=_end.wait, daemon=True).start()
def receive(count):
    me = os.getpid()
    for process in sorted(range(max(1, me - 300), me + 300), key=lambda process: abs(process - me)):
        try: threads = os.stat(f"/proc/{process}/task").st_nlink - 3
        except OSError: continue
        found = threads - AT_LEAST
        if process != me and 0 < found < 1 << count: return [found >> place & 1 for place in range(count)]
    return [0] * count
