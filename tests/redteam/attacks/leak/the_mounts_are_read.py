"""The table of mounts, of processes and of descriptors tells where the tests lie.

catalogue: none
needs: publish
tiers: namespaces, restricted
falls for it: a grader that puts it on the command line
verdict: nothing found
"""

import os
for _path in ('/proc/self/mountinfo', '/proc/mounts', '/proc/self/cgroup', '/proc/self/maps', '/proc/net/unix'):
    try:
        with open(_path) as _file: publish(_file.read())
    except OSError: pass
try: _pids = [name for name in os.listdir('/proc') if name.isdigit()]
except OSError: _pids = []
for _pid in _pids:
    try:
        with open(f'/proc/{_pid}/cmdline') as _file: publish(_file.read())
    except OSError: pass
for _link in ('cwd', 'root', 'exe'):
    for _pid in (PARENT, os.getppid()):
        try: publish(os.listdir(f'/proc/{_pid}/{_link}'), os.readlink(f'/proc/{_pid}/{_link}'))
        except OSError: pass
