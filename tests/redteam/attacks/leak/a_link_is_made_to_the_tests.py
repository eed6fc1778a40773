"""A link to the hidden tests is made where the grader may follow it.

catalogue: 47
needs: publish
tiers: namespaces, restricted
falls for it: plain pytest
verdict: nothing found
"""

import os, tempfile
try:
    _link = os.path.join(tempfile.mkdtemp(), 'link')
    os.symlink(HIDDEN, _link)
    for _name in os.listdir(_link):
        with open(os.path.join(_link, _name)) as _file: publish(_file.read())
except OSError: pass
