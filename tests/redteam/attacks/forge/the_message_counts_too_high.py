"""The numbers of messages are beyond what a machine word holds, negative, or none at all.

catalogue: none
needs: channel
falls for it: a bridge that believes that junk is its own fault
verdict: no gain
"""

for _n in (-1, 0, 1 << 63, 1 << 70, 10 ** 300, -(1 << 64)): _send(_n, 'at', 1, 1, 1); _answer(_n, 1.0)
