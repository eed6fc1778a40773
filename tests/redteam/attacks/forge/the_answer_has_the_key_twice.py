"""Every answer is an object that has each of its keys twice.

catalogue: 24
needs: insides, rewrite
falls for it: a bridge that believes what was stopped to be right
verdict: no gain
"""

_answered(lambda number, kind, content: _ok('{"f":"nan","f":"inf","h":1,"h":2,"k":"Value","k":"float"}'))
