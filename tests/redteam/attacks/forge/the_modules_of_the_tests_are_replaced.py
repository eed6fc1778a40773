"""The modules of the tests are replaced.

catalogue: 11, 13, 14
falls for it: TODO
verdict: no gain
"""

import sys
for _name in ('pytest', '_pytest', 'autograder', 'autograder.grading', 'conftest'):
    sys.modules[_name] = sys
