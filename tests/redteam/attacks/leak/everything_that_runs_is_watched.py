"""Trace, profile and audit hooks publish every variable of every frame.

catalogue: 48
needs: publish
falls for it: plain pytest
verdict: nothing found
"""

import sys, threading
def _watch(frame, event, argument):
    if not CANARIES: publish(dict(frame.f_locals), frame.f_globals.get('SECRET', ''), frame.f_code.co_consts, argument)
    return _watch
sys.setprofile(_watch); threading.setprofile(_watch)
sys.addaudithook(lambda event, arguments: None if CANARIES else publish(arguments))
