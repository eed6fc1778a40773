"""What Python kept of the tests in its cache of compiled code is read.

catalogue: 28, 45
needs: publish
tiers: namespaces, restricted
falls for it: plain pytest
verdict: nothing found
"""

import glob
for _path in [*glob.glob('./**/*.pyc', recursive=True), *glob.glob(HIDDEN + '/**/*.pyc', recursive=True)]:
    try:
        with open(_path, 'rb') as _file: publish(_file.read())
    except OSError: pass
