"""Memory is asked for again and again, and searched for what was in it before.

catalogue: 38
needs: publish
falls for it: nobody, because what malloc gives is chance
verdict: nothing found
"""

import ctypes
_libc = ctypes.CDLL(None)
_libc.malloc.restype = ctypes.c_void_p
_libc.malloc.argtypes = [ctypes.c_size_t]
for _size in (64, 512, 4096, 1 << 16, 1 << 20):
    for _ in range(20):
        _place = _libc.malloc(_size)
        if _place: publish(ctypes.string_at(_place, _size))
