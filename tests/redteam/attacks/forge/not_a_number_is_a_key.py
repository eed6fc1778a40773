"""Operands come in dictionaries whose keys are not numbers, and are found under each of them.

catalogue: none
needs: insides, rewrite
falls for it: nobody, because a dictionary is no number anywhere
verdict: no gain
"""

def _keys(number, kind, content):
    if type(content) in (int, float): return _ok('{"d":[[{"f":"nan"},1.0],[{"f":"nan"},1.0]]}')
_answered(_keys)
