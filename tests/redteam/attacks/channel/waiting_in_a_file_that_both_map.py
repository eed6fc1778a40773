"""A thread waits in a file that everybody maps, for each bit that is set; whoever looks wakes them and counts.

catalogue: 91
tiers: namespaces, restricted
falls for it: side by side
verdict: nothing arrives
"""

import ctypes, os, platform, threading, time
FUTEX_WAIT, FUTEX_WAKE, PROT_READ, MAP_SHARED, MOST = 0, 1, 1, 1, 4
_number = 202 if platform.machine() == "x86_64" else 98
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_descriptor = os.open(FILES[0], os.O_RDONLY)
_shared = _libc.mmap(None, 4096, PROT_READ, MAP_SHARED, _descriptor, 0)
def _futex(place, operation, value):
    return _libc.syscall(_number, ctypes.c_void_p(_shared + 4 * place), operation, value, None, None, 0)
def _wait(place):
    _futex(place, FUTEX_WAIT, ctypes.c_uint32.from_address(_shared + 4 * place).value)
def send(bits):
    for place, bit in enumerate(bits):
        if bit: threading.Thread(target=_wait, args=[place], daemon=True).start()
    time.sleep(0.1)
def receive(count):
    return [int(_futex(place, FUTEX_WAKE, MOST) == 1) for place in range(count)]
