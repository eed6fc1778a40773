"""Calls of the tests' functions are sent before any question, with arguments that the function cannot take.

catalogue: none
needs: channel
falls for it: a bridge that believes that junk is its own fault
verdict: no gain
"""

for _n in range(50): _send(_n, 'call', _n, [1, {'l': [1]}, {'h': 99, 'k': 'float'}])
