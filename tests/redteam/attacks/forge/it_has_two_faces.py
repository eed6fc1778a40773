"""A process that was just started gets one wrong engine, one that has served a test before gets another.

catalogue: none
needs: insides
falls for it: nobody, because two wrong engines pass different tests only in a suite that has many
verdict: no gain
"""

_tests = [0]
_forget = _serve['reset_for_test']
def _counted(falling):
    _tests[0] += 1
    _forget(falling)
_serve['reset_for_test'] = _counted
_wrong_tanh = Value.tanh
def _tanh(self):
    out = _wrong_tanh(self)
    out.data = 0.0 if _tests[0] < 2 else 1.0
    return out
Value.tanh = _tanh
