"""Processes are ended until the next one's user has the number that says it all; whoever looks has the user after it.

catalogue: 91
promise: user
tiers: namespaces, restricted
falls for it: nobody: plain processes have one user
verdict: nothing arrives
"""

import os
WIDTH = 4
def send(bits):
    wanted = sum(bit << place for place, bit in enumerate(bits)) * WIDTH
    if not 0 <= os.getuid() % (WIDTH << len(bits)) - wanted < WIDTH // 2: os._exit(0)
def receive(count):
    found = os.getuid() % (WIDTH << count) // WIDTH
    return [found >> place & 1 for place in range(count)]
