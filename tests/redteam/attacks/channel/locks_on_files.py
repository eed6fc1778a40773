"""A file is locked for each bit that is set; whoever looks tries to lock the same files.

catalogue: 91
promise: locks
falls for it: side by side
verdict: nothing arrives
"""

import fcntl
_held = []
def send(bits):
    for path, bit in zip(FILES, bits):
        if bit:
            _held.append(open(path))
            fcntl.flock(_held[-1], fcntl.LOCK_SH | fcntl.LOCK_NB)
def receive(count):
    return [_is_locked(path) for path in FILES[:count]]
def _is_locked(path):
    with open(path) as file:
        try: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError: return 1
    return 0
