"""The hidden tests are opened by their path, as somebody who knows the folder would.

catalogue: 34
needs: publish
tiers: namespaces, restricted
falls for it: plain pytest
verdict: nothing found
"""

import glob, os
for _place in (HIDDEN, '.', os.getcwd()):
    for _path in glob.glob(_place + '/**/*.py', recursive=True)[:200]:
        try:
            with open(_path) as _file: publish(_file.read())
        except OSError: pass
