"""Every folder from here upwards is walked, and every small file read.

catalogue: 34
needs: publish
tiers: namespaces, restricted
falls for it: plain pytest
verdict: nothing found
"""

import os, time
_end = time.monotonic() + 0.3
for _root in ('.', HIDDEN, os.path.dirname(HIDDEN), '/tmp', '/'):
    for _folder, _folders, _files in os.walk(_root):
        for _name in _files:
            try:
                with open(os.path.join(_folder, _name), 'rb') as _file: publish(_file.read(20_000))
            except OSError: pass
        if time.monotonic() > _end or CANARIES: break
