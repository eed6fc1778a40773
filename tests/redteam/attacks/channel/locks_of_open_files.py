"""As with bytes that are locked, by the newer locks that belong to an open file and not to a process.

catalogue: 91
promise: locks
falls for it: side by side
verdict: nothing arrives
"""

import fcntl, struct
F_OFD_GETLK, F_OFD_SETLK = 36, 37
_file = open(FILES[0])
def _lock(kind, place): return struct.pack("hhqqi4x", kind, 0, place, 1, 0)
def send(bits):
    for place, bit in enumerate(bits):
        if bit: fcntl.fcntl(_file, F_OFD_SETLK, _lock(fcntl.F_RDLCK, 1 << 41 | place))
def receive(count):
    found = [fcntl.fcntl(_file, F_OFD_GETLK, _lock(fcntl.F_WRLCK, 1 << 41 | place)) for place in range(count)]
    return [int(struct.unpack("hhqqi4x", one)[0] != fcntl.F_UNLCK) for one in found]
