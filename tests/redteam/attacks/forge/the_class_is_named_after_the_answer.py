"""Asked for any name, the process gives the one that is hoped for.

catalogue: none
needs: insides
falls for it: a suite that asks once
verdict: no gain
"""

_requests['get'] = lambda name: Value if name == 'Value' else 1.0
_requests['type name'] = lambda value: 'float'
_requests['repr'] = lambda value: '1.0'
