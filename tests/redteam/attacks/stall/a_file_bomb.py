"""Files and folders are made until the disk or the inodes are used up.

catalogue: 58
tiers: namespaces, restricted
falls for it: plain pytest
verdict: no gain
"""

import os, tempfile, time
def _backward(self):
    end = time.monotonic() + 20
    try: folder = tempfile.mkdtemp(dir='/tmp')
    except OSError: folder = '.'
    number = 0
    while time.monotonic() < end:
        number += 1
        try:
            with open(f'{folder}/{number % 20}', 'ab') as file: file.write(bytes(1 << 10))
        except OSError: pass
Value.backward = _backward
