"""A byte of a file is locked for each bit that is set; whoever looks asks which of them are.

catalogue: 91
promise: locks
falls for it: side by side
verdict: nothing arrives
"""

import fcntl, struct
_file = open(FILES[0])
def _lock(kind, place): return struct.pack("hhqqi4x", kind, 0, place, 1, 0)
def send(bits):
    for place, bit in enumerate(bits):
        if bit: fcntl.fcntl(_file, fcntl.F_SETLK, _lock(fcntl.F_RDLCK, 1 << 40 | place))
def receive(count):
    found = [fcntl.fcntl(_file, fcntl.F_GETLK, _lock(fcntl.F_WRLCK, 1 << 40 | place)) for place in range(count)]
    return [int(struct.unpack("hhqqi4x", one)[0] != fcntl.F_UNLCK) for one in found]
