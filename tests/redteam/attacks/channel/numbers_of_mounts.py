"""Processes are ended until the number of what is mounted for them says it all; whoever looks has the next such numbers.

catalogue: 91
tiers: namespaces, restricted
falls for it: nobody: nothing is mounted for plain processes
verdict: nothing arrives
"""

import ctypes, os, platform
_number = 332 if platform.machine() == "x86_64" else 291
_libc = ctypes.CDLL(None, use_errno=True)
AT_FDCWD, MOUNT_NUMBER, AT_OFFSET, WIDTH = -100, 0x4000, 0x90, 64
def _of_the_folder():
    found = ctypes.create_string_buffer(256)
    if _libc.syscall(_number, AT_FDCWD, b"/tmp", 0, MOUNT_NUMBER, found): raise OSError(ctypes.get_errno(), "denied")
    return int.from_bytes(found.raw[AT_OFFSET:AT_OFFSET + 8], "little")
def send(bits):
    wanted = sum(bit << place for place, bit in enumerate(bits)) * WIDTH
    if not 0 <= _of_the_folder() % (WIDTH << len(bits)) - wanted < WIDTH // 2: os._exit(0)
def receive(count):
    found = _of_the_folder() % (WIDTH << count) // WIDTH
    return [found >> place & 1 for place in range(count)]
