"""Pipes are made until the number of the next one says it all; whoever looks makes one more.

catalogue: 91
tiers: namespaces, restricted
falls for it: side by side, one after the other
verdict: nothing arrives
"""

import os
WIDTH = 64
def _next():
    read, write = os.pipe()
    number = os.fstat(read).st_ino
    os.close(read); os.close(write)
    return number
def _on_one_processor():
    try: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    except OSError: pass
def send(bits):
    _on_one_processor()
    wanted = sum(bit << place for place, bit in enumerate(bits)) * WIDTH + WIDTH // 4
    while _next() % (WIDTH << len(bits)) != wanted: pass
def receive(count):
    _on_one_processor()
    found = _next() % (WIDTH << count) // WIDTH
    return [found >> place & 1 for place in range(count)]
