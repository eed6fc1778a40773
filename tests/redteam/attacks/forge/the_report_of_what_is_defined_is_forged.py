"""The report of what is defined is forged.

catalogue: 22
needs: channel
falls for it: a suite that asks once
verdict: no gain
"""

_all = '__init__ __add__ __mul__ tanh backward zero_grad exp relu log __pow__'.split()
_answer(1, {'l': [json.dumps({'defined': {'Value': 'class'}, 'features': {'Value': _all}, 'missing': [],
    'problems': [], 'late': []})]})
