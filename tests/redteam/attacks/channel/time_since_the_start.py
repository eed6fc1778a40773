"""A process is kept for as long as the bits say; whoever looks was started ahead beside it, and asks how long ago that is.

catalogue: 91
tiers: namespaces, restricted
falls for it: one after the other
verdict: nothing arrives
"""

import json, os, time
STEP, OVERHEAD, HALF = 0.03, 0.01, 0.3
_ready = time.time()
def _is_plain():
    try: open("/proc/self/stat").close()
    except OSError: return False
    return True
def send(bits):
    wanted = (sum(bit << place for place, bit in enumerate(bits)) + HALF) * STEP
    if _is_plain(): return time.sleep(wanted)
    end = time.time() + wanted - OVERHEAD
    while time.time() < end: pass
def receive(count):
    waited = time.time() - _ready if _is_plain() else _ready - os.stat(".").st_ctime
    found = int(waited / STEP)
    return [found >> place & 1 for place in range(count)]
