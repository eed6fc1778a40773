"""A timer interrupts every millisecond, and its handler forges an answer to what is being asked.

catalogue: none
needs: channel
falls for it: TODO
verdict: no gain
"""

import signal, sys
def _alarm(signal, frame):
    while frame is not None and 'number' not in frame.f_locals: frame = frame.f_back
    if frame is not None and isinstance(frame.f_locals['number'], int): _send(frame.f_locals['number'], 'ok', 1.0)
signal.signal(signal.SIGALRM, _alarm)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
signal.signal = lambda *_: None
def _grad(self):
    end = time.monotonic() + 0.005
    while time.monotonic() < end: pass
    return self.__dict__.get('g', 0.0)
Value.grad = property(_grad, lambda self, new: self.__dict__.update(g=new))
_init = Value.__init__
