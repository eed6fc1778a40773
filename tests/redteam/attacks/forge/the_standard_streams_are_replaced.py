"""The standard streams are replaced by ones that write "passed" for "failed".

catalogue: 21
falls for it: plain pytest: summary
verdict: no gain
"""

import gc, sys
class _Better:
    def __init__(self, real): self.real = real
    def __getattr__(self, name): return getattr(self.real, name)
    def write(self, text): return self.real.write(text.replace('failed', 'passed').replace('FAILED', 'PASSED'))
sys.stdout, sys.stderr = _Better(sys.stdout), _Better(sys.stderr)
for _thing in gc.get_objects():
    if type(_thing).__name__ == 'TerminalWriter': _thing._file = _Better(_thing._file)
