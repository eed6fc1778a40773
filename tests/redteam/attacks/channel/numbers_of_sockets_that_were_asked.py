"""Each socket is given a number when it is first asked for one: sockets are asked until the next number says it all.

catalogue: 91
tiers: namespaces, restricted
falls for it: side by side, one after the other
verdict: nothing arrives
"""

import ctypes, os, socket
_libc = ctypes.CDLL(None, use_errno=True)
SOL_SOCKET, SO_COOKIE, WIDTH = 1, 57, 4
def _ask(descriptor):
    number, size = ctypes.c_uint64(), ctypes.c_uint32(8)
    if _libc.getsockopt(descriptor, SOL_SOCKET, SO_COOKIE, ctypes.byref(number), ctypes.byref(size)):
        raise OSError(ctypes.get_errno(), "denied")
    return number.value
def _ask_channel():
    for descriptor in range(3, 64):
        try: return _ask(descriptor)
        except OSError: continue
    raise PermissionError
def _next():
    try: one, other = socket.socketpair()
    except PermissionError: return _ask_channel(), False
    with one, other: return _ask(one.fileno()), True
def send(bits):
    wanted, is_more = sum(bit << place for place, bit in enumerate(bits)) * WIDTH, True
    while is_more:
        number, is_more = _next()
        if 0 <= number % (WIDTH << len(bits)) - wanted < WIDTH // 2: return
    os._exit(0)
def receive(count):
    found = _next()[0] % (WIDTH << count) // WIDTH
    return [found >> place & 1 for place in range(count)]
