"""Each operation takes a while, and the report of loading says that a wall clock struck: it would be graded once more.

catalogue: 66
needs: insides, rewrite
falls for it: nobody, because only this kit has a report of loading; it fell for this once
verdict: timeout
"""

import time

for _name in ("tanh", "backward", "zero_grad", "__add__", "__mul__"):

    def _later(self, *arguments, _real=getattr(Value, _name)):
        time.sleep(0.3)
        return _real(self, *arguments)

    setattr(Value, _name, _later)
_chunks = _talk["_chunks"]


def _busy(data, indent):
    if type(data) is dict and "problems" in data:
        data["problems"] = [dict(kind="stopped", unit=0, statement=0, line=1, error="wall", message="it took too long")]
    return _chunks(data, indent)


_talk["_chunks"] = _busy
