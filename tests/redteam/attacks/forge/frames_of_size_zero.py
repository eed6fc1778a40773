"""A hundred thousand empty frames come before the answer.

catalogue: none
needs: channel
falls for it: a bridge that believes what was stopped to be right
verdict: no gain
"""

_real_tanh = Value.tanh
def _tanh(self):
    os.write(_channel, bytes(4) * 10_000)
    return _real_tanh(self)
Value.tanh = Value.relu = _tanh
