"""Names like those of tests, fixtures and results are defined, with the outcome beside them.

catalogue: 32
falls for it: plain pytest: json report and summary
verdict: no gain
"""

def test_forward(): pass
def test_backward(): pass
def pytest_runtest_makereport(item, call): return None
def student(): return None
max_score = score = 1000
weight = -1000
__test__ = True
Value.__name__ = Value.__qualname__ = 'accumulation.a-plus-a'
Value.__doc__ = 'passed'
