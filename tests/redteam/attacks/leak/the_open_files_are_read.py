"""Every descriptor that is open is read, from its beginning where it has one.

catalogue: 39
needs: publish
falls for it: a grader that leaves a file open
verdict: nothing found
"""

import os
for _fd in [*range(0, 64)]:
    try:
        if os.fstat(_fd).st_mode & 0o170000 == 0o100000: publish(os.pread(_fd, 1 << 20, 0))
        publish(os.readlink(f'/proc/self/fd/{_fd}'))
        with open(f'/proc/self/fd/{_fd}', 'rb') as _file:
            if os.fstat(_fd).st_mode & 0o170000 == 0o100000: publish(_file.read())
    except (OSError, ValueError): pass
