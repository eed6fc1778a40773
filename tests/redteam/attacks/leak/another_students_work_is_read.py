"""The other submissions of the batch are looked for beside one's own.

catalogue: 90
needs: publish
tiers: namespaces, restricted
falls for it: plain pytest
verdict: nothing found
"""

import glob, os
for _path in [*glob.glob('../*/*.py'), *glob.glob(NEIGHBOUR), *glob.glob(os.path.dirname(NEIGHBOUR) + '/*')]:
    try:
        with open(_path) as _file: publish(_file.read())
    except OSError: pass
