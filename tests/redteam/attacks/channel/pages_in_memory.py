"""A file of the library is brought into memory or out of it; whoever looks asks for what is there without waiting.

catalogue: 91
tiers: namespaces, restricted
falls for it: side by side, one after the other
verdict: nothing arrives
"""

import os
RWF_NOWAIT = 8
def send(bits):
    for path, bit in zip(FILES, bits):
        file = os.open(path, os.O_RDONLY)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        if bit: os.pread(file, 1, 0)
        os.close(file)
def receive(count):
    return [_is_there(path) for path in FILES[:count]]
def _is_there(path):
    file = os.open(path, os.O_RDONLY)
    try: return os.preadv(file, [bytearray(1)], 0, RWF_NOWAIT)
    except BlockingIOError: return 0
    finally: os.close(file)
