"""What one process learns is left in files, in shared memory and in names for the next one.

catalogue: none
needs: publish
tiers: namespaces, restricted
falls for it: plain pytest, seen twice
verdict: nothing found
"""

import os, tempfile
for _folder in (tempfile.gettempdir(), '/dev/shm', '/var/tmp', HIDDEN, '.'):
    _path = os.path.join(_folder, 'left-by-a-student')
    try:
        with open(_path) as _file: publish(_file.read())
        os.unlink(_path)
    except OSError: pass
    try:
        for _name in os.listdir(HIDDEN):
            with open(os.path.join(HIDDEN, _name)) as _source, open(_path, 'a') as _file: _file.write(_source.read())
    except OSError: pass
