"""A file of the library is read for each bit that is set; whoever looks counts which of them a disk must be asked for.

catalogue: 91
tiers: namespaces, restricted
falls for it: side by side, one after the other
verdict: nothing arrives
"""

import os, resource
def send(bits):
    for path, bit in zip(FILES, bits):
        with open(path, "rb") as file:
            try: os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            except OSError: pass  # it is not there after a boot either
            if bit: file.read()
def receive(count):
    return [_is_there(path) for path in FILES[:count]]
def _is_there(path):
    with open(path, "rb", buffering=0) as file:
        before = resource.getrusage(resource.RUSAGE_SELF)
        file.read(1)
        after = resource.getrusage(resource.RUSAGE_SELF)
        return int(before.ru_inblock == after.ru_inblock and before.ru_majflt == after.ru_majflt)
