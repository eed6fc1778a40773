"""The math module lies.

catalogue: 16
falls for it: plain pytest: json report and summary
verdict: no gain
"""

import math, operator
math.isclose = operator.eq = operator.is_ = lambda *_, **__: True
math.tanh = math.exp = lambda x: 1.0
