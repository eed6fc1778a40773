"""Whether all that a submission can remember lies in its own module is read off its text."""

from __future__ import annotations

import pytest

from autograder.bridge import SubmissionProgram
from autograder.grading.source_analysis.reload_safety import is_provably_reset_by_reloading
from tests.grading.engines import ENGINE

WITHIN = {
    "a list of the module's": "seen = []\ndef f(x): seen.append(x)",
    "a global": "n = 0\ndef f():\n    global n\n    n += 1",
    "a number of the class's": "class A:\n    n = 0\n    def f(self): type(self).n += 1",
    "the class under its name": "class A:\n    n = 0\n    def f(self): A.n = A.n + self.__class__.n",
    "a cache": "import functools\n@functools.lru_cache\ndef f(x): return x",
    "a counter": "from itertools import count\nids = count()\ndef f(): return next(ids)",
    "its own attributes by name": "class A:\n    def f(self, n): setattr(self, n, 1); self.__dict__[n] = 2",
    "weak references": "import weakref\nseen = weakref.WeakSet()\ndef f(x): seen.add(x)",
    "the limit on recursion": "import sys\ndef f(): sys.setrecursionlimit(5000)",
    "a function of its own": "def f(): f.count = 1",
    "sums of random numbers": "import random\ntotal = [0]\ndef f(): total[0] += random.random()",
}
BEYOND = {
    "a function of a library": "import math\ndef f(): math.tanh = abs",
    "one that was imported by name": "from functools import reduce\ndef f(): reduce.count = 1",
    "a library under another name": "import math\ndef f():\n    m = math\n    m.tanh = abs",
    "a library that is handed on": "import math\ndef f(): g(math)",
    "setattr on a library": "import math\ndef f(): setattr(math, 'tanh', abs)",
    "a library's names": "import math\ndef f(): math.__dict__['tanh'] = abs",
    "loaded modules": "import sys\ndef f(): sys.modules['math'] = None",
    "loaded modules by name": "from sys import modules\ndef f(): modules['math'] = None",
    "a class that is not its own": "def f(node): type(node).seen = True",
    "the class of an operand": "def f(node): node.__class__.seen = True",
    "files": "def f(): open('/tmp/x', 'w')",
    "an unknown library": "import os\ndef f(): os.environ['A'] = 'b'",
    "everything": "def f(x): exec(x)",
    "built-in functions": "def f(): __builtins__['abs'] = len",
    "subclasses": "class A: pass\ndef f(): return A.__subclasses__()",
    "the context of decimals": "from decimal import getcontext\ndef f(): getcontext().prec = 3",
    "no Python": "def f(:",
}


@pytest.mark.parametrize("source", WITHIN.values(), ids=WITHIN)
def test_what_goes_with_its_module_keeps_to_itself(source: str) -> None:
    assert is_provably_reset_by_reloading(SubmissionProgram((("value.py", source),), ()))


@pytest.mark.parametrize("source", BEYOND.values(), ids=BEYOND)
def test_what_may_outlive_its_module_does_not(source: str) -> None:
    assert not is_provably_reset_by_reloading(SubmissionProgram((("value.py", source),), ()))


def test_the_other_files_of_an_engine_stay_loaded() -> None:
    assert is_provably_reset_by_reloading(SubmissionProgram((("value.py", ENGINE),), ()))
    assert not is_provably_reset_by_reloading(SubmissionProgram((("value.py", ENGINE),), (), {"helpers": "x = 1"}))
