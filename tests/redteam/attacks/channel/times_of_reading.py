"""A file of the library is read for each bit that is set; whoever looks asks which were read a moment ago.

catalogue: 91
promise: reading
tiers: namespaces, restricted
falls for it: side by side, one after the other
verdict: nothing arrives
"""

import os, time
def send(bits):
    for path, bit in zip(FILES, bits):
        if bit:
            with open(path, "rb") as file: file.read(1)
def receive(count):
    return [int(abs(time.time() - os.stat(path).st_atime) < 30) for path in FILES[:count]]
