"""Its limits are set anew, those of its parent lowered, and its priority with them.

catalogue: 66
tiers: namespaces, restricted
falls for it: plain pytest
verdict: timeout
"""

import os, resource
for _name in [name for name in dir(resource) if name.startswith('RLIMIT_')]:
    _kind = getattr(resource, _name)
    try: resource.setrlimit(_kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    except (OSError, ValueError): pass
try: os.nice(-20)
except OSError: pass
try: resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (1, 1))
except (OSError, AttributeError): pass
def _backward(self):
    while True: pass
Value.backward = _backward
