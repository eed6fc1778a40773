"""Processes are ended until the number of what they print to says it all; whoever looks has the next such number.

catalogue: 91
tiers: namespaces, restricted
falls for it: one after the other
verdict: nothing arrives
"""

import os
NEEDS_A_LATER_PROCESS, WIDTH = True, 512
def _number_of_a_new_pipe():
    read, write = os.pipe()
    number = os.fstat(read).st_ino
    os.close(read); os.close(write)
    return number
def _is_said(number, bits):
    wanted = sum(bit << place for place, bit in enumerate(bits)) * WIDTH
    return 0 <= number % (WIDTH << len(bits)) - wanted < WIDTH // 4
def send(bits):
    try:
        while not _is_said(_number_of_a_new_pipe(), bits): pass
    except PermissionError:
        if not _is_said(os.fstat(1).st_ino, bits): os._exit(0)
def receive(count):
    found = os.fstat(1).st_ino % (WIDTH << count) // WIDTH
    return [found >> place & 1 for place in range(count)]
