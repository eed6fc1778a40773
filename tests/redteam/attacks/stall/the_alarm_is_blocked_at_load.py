"""At load, the alarm is blocked and its handler replaced before the loop begins.

catalogue: 64
falls for it: plain pytest
verdict: no harm
"""

import signal
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
signal.setitimer(signal.ITIMER_REAL, 0)
signal.signal(signal.SIGALRM, signal.SIG_IGN)
while True: pass
