"""The environment and the command line of the parents are read.

catalogue: 35, 36
needs: publish
tiers: namespaces, restricted
falls for it: plain pytest
verdict: nothing found
"""

import os
for _pid in (PARENT, os.getppid(), 'self', 1):
    for _name in ('environ', 'cmdline', 'comm', 'status'):
        try:
            with open(f'/proc/{_pid}/{_name}', 'rb') as _file: publish(_file.read())
        except OSError: pass
