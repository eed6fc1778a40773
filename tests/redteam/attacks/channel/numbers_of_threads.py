"""Threads are started until the number of the next one says it all; whoever looks starts one more.

catalogue: 91
promise: numbers
tiers: namespaces, restricted
falls for it: side by side, one after the other
verdict: nothing arrives
"""

import _thread, threading
WIDTH = 64
def _next():
    told, done = [], threading.Event()
    def tell(): told.append(threading.get_native_id()); done.set()
    _thread.start_new_thread(tell, ()); done.wait()
    return told[0]
def send(bits):
    wanted = sum(bit << place for place, bit in enumerate(bits)) * WIDTH + WIDTH // 4
    for _ in range(100_000):
        if 0 <= _next() % (WIDTH << len(bits)) - wanted < WIDTH // 4: return
def receive(count):
    found = _next() % (WIDTH << count) // WIDTH
    return [found >> place & 1 for place in range(count)]
