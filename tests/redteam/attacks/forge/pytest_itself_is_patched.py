"""pytest is found and told that every test passes.

catalogue: 13, 14
falls for it: plain pytest: exit code and json report and summary
verdict: no gain
"""

import sys
try:
    import _pytest.python, _pytest.reports
    _pytest.python.Function.runtest = lambda self: None
    _from = _pytest.reports.TestReport.from_item_and_call
    def _passed(item, call):
        call.excinfo = None
        return _from(item, call)
    _pytest.reports.TestReport.from_item_and_call = staticmethod(_passed)
except ImportError: pass
