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
    "attributes by a known name": "class A:\n    def f(self): return getattr(self, 'n', 0)",
    "annotations of its own": "def f(): f.__annotations__['n'] = 1",
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
    "a list of a library": "import heapq\ndef f(): heapq.__all__.append(1)",
    "a list of a library by name": "from heapq import __all__ as names\ndef f(): names.append(1)",
    "a method of what a library holds": "import numpy as np\ndef f(): np.core.x.update(n=1)",
    "a path that grows with each loading": "import math\nmath.__path__.append(1)",
    "attributes by computed names": "def f(): return getattr(f, '__glo' + 'bals__')",
    "attributes by forbidden names": "def f(): return getattr(f, '__globals__')",
    "attributes by names, from a library": "import operator\ndef f(): operator.attrgetter('__globals__')(f)",
    "the frame of a generator": "def f(): return g().gi_frame.f_builtins",
    "built-in objects": "def f(): exit.n = 1",
    "a class of a library by another name": "from collections import Counter\ndef f():\n    k = Counter\n    k.n = 1",
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


def test_a_library_that_another_cell_imports_counts_too() -> None:
    cells = (("cell 1", "import heapq"), ("cell 2", "def f(): heapq.__all__.append(1)"))
    assert not is_provably_reset_by_reloading(SubmissionProgram(cells, ()))
