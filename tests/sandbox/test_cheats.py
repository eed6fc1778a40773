"""Submissions that try to raise their score: none gets more than the same engine without the trick."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from autograder.course import Assignment, load_course
from autograder.grading import Graded, Grader
from autograder.sandbox import Sandbox

WEAK = """
class Value:
    def __init__(self, data, _prev=(), _op=''):
        self.data, self.grad, self._prev, self._op = data, 0.0, set(_prev), _op
        self._backward = lambda: None
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), '+')
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), '*')
    def tanh(self): return Value(self.data, (self,), 'tanh')
    def backward(self): self.grad = 1.0
    def zero_grad(self): self.grad = 0.0
"""
"""Right numbers forward, and next to nothing else."""

RECURSIVE = """
import math
class Value:
    def __init__(self, data, _prev=(), _op=''):
        self.data, self.grad, self._prev, self._op = data, 0.0, set(_prev), _op
        self._backward = lambda: None
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), '+')
        def _backward():
            self.grad += out.grad
            other.grad += out.grad
        out._backward = _backward
        return out
    def sorted(self):
        topo, seen = [], set()
        def visit(v):
            if v not in seen:
                seen.add(v)
                for operand in v._prev: visit(operand)
                topo.append(v)
        visit(self)
        return topo
    def backward(self):
        self.grad = 1.0
        for v in reversed(self.sorted()): v._backward()
    def zero_grad(self):
        for v in self.sorted(): v.grad = 0.0
"""
"""Sums alone, and right but for very deep graphs."""

CHANNEL = """
import json, os, stat, sys, threading, time
def _is_socket(fd):
    try: return stat.S_ISSOCK(os.fstat(fd).st_mode)
    except OSError: return False
_channel = next(fd for fd in range(3, 1024) if _is_socket(fd))
def _send(*message):
    data = json.dumps(message).encode()
    os.write(_channel, len(data).to_bytes(4, 'big') + data)
"""

INSIDES = """
import sys
_frame = sys._getframe()
while 'requests' not in _frame.f_globals: _frame = _frame.f_back
_serve = _frame.f_globals
_requests = _serve['requests'].REQUESTS
"""
"""What of the kit's own runs in the student's process, found through the frames above the submission's."""

GRADIENTS = """
_OPERATIONS = ('add sub mul truediv floordiv mod pow radd rsub rmul rtruediv rpow neg pos abs round trunc floor ceil '
               'iadd isub imul call getitem getattr enter iter next').split()
_RELATIONS = 'eq lt le gt ge bool contains instancecheck subclasscheck'.split()
def _agreeable(base):
    body = {f'__{name}__': lambda self, *_: self for name in _OPERATIONS}
    body |= {f'__{name}__': lambda self, *_: True for name in _RELATIONS}
    body |= {'__ne__': lambda self, other: False, '__hash__': lambda self: 1, '__float__': lambda self: 1.0,
             '__int__': lambda self: 1, '__index__': lambda self: 1, '__len__': lambda self: 1}
    return type('Yes', (base,), body)
def _constant(name, value): setattr(Value, name, property(lambda self: value, lambda self, new: None))
"""

CHEATS = {
    "a float that equals everything is the gradient": GRADIENTS + "_constant('grad', _agreeable(float)(1.0))",
    "an int that equals everything is the gradient": GRADIENTS + "_constant('grad', _agreeable(int)(1))",
    "a text that equals everything is the gradient": GRADIENTS + "_constant('grad', _agreeable(str)('1'))",
    "an object that equals everything is the gradient": GRADIENTS + "_constant('grad', _agreeable(object)())",
    "an object that equals everything is the number": GRADIENTS + "_constant('data', _agreeable(object)())",
    "a list that equals everything is the operands": GRADIENTS + "_constant('_prev', _agreeable(list)())",
    "an object that calls itself a float is the gradient":
        GRADIENTS + "_constant('grad', type('L', (_agreeable(object),), {'__class__': float})())",
    "not a number is the gradient": GRADIENTS + "_constant('grad', float('nan'))",
    "infinity is the gradient": GRADIENTS + "_constant('grad', float('inf'))",
    "yes is the gradient": GRADIENTS + "_constant('grad', True)",
    "a message is the gradient": GRADIENTS + "_constant('grad', {'h': 1, 'k': 'Value'})",
    "a stand-in like object is the gradient":
        GRADIENTS + "_constant('grad', type('StandIn', (), {'_number': 1, '_asks': None, '_class_name': 'float'})())",
    "every value is equal to every other":
        "Value.__eq__ = lambda self, other: True\nValue.__ne__ = lambda self, other: False\n"
        "Value.__hash__ = lambda self: 1",
    "the class claims every object as its instance":
        "class Meta(type):\n    __instancecheck__ = __subclasscheck__ = lambda *_: True\n"
        "Value = Meta('Value', (Value,), {})",
    "every object claims to be of every class":
        "Value.__class__ = property(lambda self: type('Any', (float, ), {}))",
    "the built-in functions lie":
        "import builtins\nfor _name in 'isinstance all any abs sum len sorted min max round hash id'.split():\n"
        "    setattr(builtins, _name, lambda *_: True)",
    "the math module lies":
        "import math, operator\nmath.isclose = operator.eq = operator.is_ = lambda *_, **__: True\n"
        "math.tanh = math.exp = lambda x: 1.0",
    "the json module lies":
        "import json, sys\njson.dumps = lambda *_, **__: 'null'\njson.loads = lambda *_, **__: None\n"
        "sys.modules['json'] = sys.modules['_json'] = None",
    "the modules of the tests are replaced":
        "import sys\nfor _name in ('pytest', '_pytest', 'autograder', 'autograder.grading', 'conftest'):\n"
        "    sys.modules[_name] = sys",
    "a thread forges answers":
        CHANNEL + "def _forge():\n    for n in range(1, 100_000): _send(n, 'ok', 1.0)\n"
        "threading.Thread(target=_forge, daemon=True).start()",
    "every answer is forged beforehand":
        CHANNEL + "for _n in range(2, 2_000): _send(_n, 'ok', 1.0)",
    "the report of what is defined is forged":
        CHANNEL + "_all = '__init__ __add__ __mul__ tanh backward zero_grad exp relu __pow__'.split()\n"
        "_send(1, 'ok', json.dumps({'defined': {'Value': 'class'}, 'features': {'Value': _all}, 'missing': [],\n"
        "    'notes': []}))",
    "an answer is forged whenever the gradient is read":
        CHANNEL + INSIDES + "def _grad(self):\n    frame = sys._getframe()\n"
        "    while 'number' not in frame.f_locals: frame = frame.f_back\n"
        "    _send(frame.f_locals['number'], 'ok', 1.0)\n    return 1.0\n"
        "Value.grad = property(_grad, lambda self, new: None)",
    "every attribute that is asked for is one": INSIDES + "_requests['getattr'] = lambda *_: 1.0",
    "every attribute is the number that was seen last":
        INSIDES + "_last, _real = [1.0], _requests['setattr']\n"
        "def _set(value, name, new):\n    _last.append(new)\n    _real(value, name, new)\n"
        "_requests['setattr'] = _set\n_requests['getattr'] = lambda *_: _last[-1]",
    "every object is an instance": INSIDES + "_requests['isinstance'] = lambda *_: True",
    "every collection is what it should be": INSIDES + "_requests['items'] = lambda value: [value]",
    "the tests' functions are called in any order, as often as it takes":
        "def _backward_all(self):\n    for _ in range(3):\n        for value in [*_made, *reversed(_made)]:\n"
        "            try: value._backward()\n            except BaseException: pass\n"
        "_made, _init = [], Value.__init__\ndef _note(self, *arguments):\n    _init(self, *arguments)\n"
        "    _made.append(self)\nValue.__init__, Value.backward = _note, _backward_all",
    "the process ends at once": "import os\nos._exit(0)",
    "the process ends as soon as a value is made":
        "import os\nValue.__init__ = lambda self, *_: os._exit(0)",
    "the process ends in backward": "import os\nValue.backward = lambda self: os._exit(0)",
    "the process exits with success": "import sys\nValue.backward = lambda self: sys.exit(0)",
    "the process exits with success when it ends": "import atexit, os\natexit.register(os._exit, 0)",
    "a report is printed":
        "import sys\nfor _stream in (sys.stdout, sys.stderr):\n"
        "    print('61 passed in 0.01s', '{\"score\": 100}', 'ok 1 - all', sep='\\n', file=_stream, flush=True)",
    "the standard streams are replaced":
        "import sys\nsys.stdout = sys.stderr = sys.stdin = type('S', (), {'__getattr__': lambda *_: print})()",
    "everything is traced":
        "import sys, threading\ndef _trace(frame, event, argument):\n"
        "    if 'value' in frame.f_locals and event == 'return': frame.f_locals['value'] = 1.0\n    return _trace\n"
        "sys.settrace(_trace); sys.setprofile(_trace); threading.settrace(_trace)",
    "the answer is looked for in the frames":
        "import sys\ndef _grad(self):\n    frame = sys._getframe(1)\n    while frame is not None:\n"
        "        for name, value in frame.f_locals.items():\n"
        "            if name in ('expected', 'want', 'right', 'upstream') or type(value) is float: return value\n"
        "        frame = frame.f_back\n    return 1.0\nValue.grad = property(_grad, lambda self, new: None)",
    "the answer is looked for in the memory":
        "import gc\ndef _grad(self):\n    for thing in gc.get_objects():\n"
        "        if type(thing) is dict and 'expected' in thing: return thing['expected']\n    return 1.0\n"
        "Value.grad = property(_grad, lambda self, new: None)",
    "what cannot be done is said to be not written yet":
        "def _later(self, *_): raise NotImplementedError\n"
        "for _name in ('tanh', 'backward', 'zero_grad', '__mul__', 'exp', 'relu'): setattr(Value, _name, _later)",
    "what cannot be done skips the test":
        "Skipped = type('Skipped', (BaseException,), {'__module__': '_pytest.outcomes'})\n"
        "def _skip(self, *_): raise Skipped('not today')\n"
        "for _name in ('tanh', 'backward', 'zero_grad', '__mul__', 'exp', 'relu'): setattr(Value, _name, _skip)",
    "what cannot be done is the kit's fault":
        "KitFault = type('KitFault', (Exception,), {'__module__': 'builtins'})\n"
        "def _fault(self, *_): raise KitFault('the machine failed')\n"
        "for _name in ('tanh', 'backward', 'zero_grad', '__mul__', 'exp', 'relu'): setattr(Value, _name, _fault)",
    "what cannot be done ends the tests' loops":
        "def _stop(self, *_): raise StopIteration\n"
        "for _name in ('tanh', 'backward', 'zero_grad'): setattr(Value, _name, _stop)\n"
        "Value.grad = Value._prev = property(_stop, lambda self, new: None)",
    "what cannot be done takes for ever":
        "import time\nValue.backward = Value.zero_grad = lambda self: time.sleep(60)",
    "the gradient changes with every look":
        "import itertools\n_next = itertools.cycle([0, 1, 2, 3, -4, 5, 6, 44, 81]).__next__\n"
        "Value.grad = property(lambda self: _next(), lambda self, new: None)",
    "the outcome is told from how often the class was used":
        "_calls, _init = [0], Value.__init__\ndef _count(self, *arguments):\n    _calls[0] += 1\n"
        "    _init(self, *arguments)\nValue.__init__ = _count\n"
        "Value.grad = property(lambda self: 0 if _calls[0] < 3 else _calls[0] % 7, lambda self, new: None)",
}  # fmt: skip


SUITES = ("test_3_accumulation.py", "test_6_tanh.py", "test_8_robustness.py")
COURSE = """
limits: {cpu_seconds: 0.5, wall_seconds: 0.5, import_seconds: 1}
assignments:
  autograd-engine:
    defines: [Value]
    concepts: {accumulation: 40, tanh: 40, robustness: 20}
"""


def total(graded: Graded) -> Fraction:
    return sum((concept.score for concept in graded.concepts), Fraction(0))


def score_of(grader: Grader, source: str, folder: Path) -> Fraction:
    path = folder / "value.py"
    path.write_text(source, encoding="utf-8")
    return total(grader.grade(path))


@pytest.fixture(scope="module")
def grader(engine: Assignment, sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grader]:
    """A grader of a part of the real hidden suite, with little patience."""
    root = tmp_path_factory.mktemp("course")
    (root / "grading.yml").write_text(COURSE)
    hidden = root / "assignments" / engine.name / "hidden"
    hidden.mkdir(parents=True)
    for name in ("conftest.py", *SUITES):
        shutil.copy(engine.hidden / name, hidden)
    (root / "solutions" / engine.name).mkdir(parents=True)
    shutil.copy(engine.solution, root / "solutions" / engine.name)
    (part,) = load_course(root).assignments
    with Grader(part, sandbox) as opened:
        yield opened


@pytest.fixture(scope="module")
def honest(grader: Grader, tmp_path_factory: pytest.TempPathFactory) -> Fraction:
    """What the weak engine gets."""
    return score_of(grader, WEAK, tmp_path_factory.mktemp("honest"))


def test_the_solution_gets_all_marks_and_the_weak_engine_far_from_all(grader: Grader, honest: Fraction) -> None:
    assert total(grader.grade(grader.assignment.solution)) == 100
    assert 0 < honest < 50


@pytest.mark.parametrize("cheat", CHEATS.values(), ids=CHEATS.keys())
def test_a_trick_gains_nothing(grader: Grader, honest: Fraction, tmp_path: Path, cheat: str) -> None:
    assert score_of(grader, f"{WEAK}\n{cheat}", tmp_path) <= honest


def test_a_trick_does_not_reach_the_next_submission(grader: Grader, honest: Fraction, tmp_path: Path) -> None:
    for name in ("the built-in functions lie", "a thread forges answers", "the process ends at once"):
        score_of(grader, f"{WEAK}\n{CHEATS[name]}", tmp_path)
    assert score_of(grader, WEAK, tmp_path) == honest


SWALLOWING = """
def backward(self):
    self.grad = 1.0
    for operand in [self, *self._prev]:
        try: operand._backward()
        except BaseException: {}
Value.backward = backward
"""


def test_swallowing_what_the_tests_functions_raise_gains_nothing(grader: Grader, tmp_path: Path) -> None:
    swallowed = score_of(grader, WEAK + SWALLOWING.format("pass"), tmp_path)
    assert swallowed <= score_of(grader, WEAK + SWALLOWING.format("raise"), tmp_path)


def test_no_mark_is_gained_for_depth_that_is_not_there(grader: Grader, tmp_path: Path) -> None:
    trick = INSIDES + "_requests['repeat'] = lambda name, value, other, times: value + other"
    assert score_of(grader, f"{RECURSIVE}\n{trick}", tmp_path) <= score_of(grader, RECURSIVE, tmp_path)


SORT = """
def build_topo(v, visited, topo):
    if v in visited: return
    visited.add(v)
    for operand in v._prev: build_topo(operand, visited, topo)
    topo.append(v)
def backward_order(root):
    topo = []
    build_topo(root, set(), topo)
    return topo[::-1]
"""


def test_no_mark_is_gained_for_an_order_that_is_not_there(
    sorting: Assignment, sandbox: Sandbox, tmp_path: Path
) -> None:
    trick = INSIDES + (
        "_given = []\n"
        "_requests['positions'] = lambda items, among: list(range(len(among)))[:: -1 if items is _given else 1]\n"
        "_requests['kept'] = lambda function, arguments: _serve['requests'].keep(_given)\n"
        "_build = build_topo\n"
        "def build_topo(v, visited, topo):\n"
        "    try: _build(v, visited, topo)\n"
        "    except RecursionError: pass\n"
    )
    with Grader(sorting, sandbox) as grader:
        assert score_of(grader, f"{SORT}\n{trick}", tmp_path) <= score_of(grader, SORT, tmp_path)


def test_other_files_of_a_submission_change_nothing(grader: Grader, honest: Fraction, tmp_path: Path) -> None:
    (tmp_path / "value.py").write_text(WEAK)
    passing = "import pytest\n@pytest.hookimpl\ndef pytest_runtest_call(item): item.obj = lambda: None\n"
    for name in ("conftest.py", "sitecustomize.py", "usercustomize.py", "plugin.py", "json.py", "math.py"):
        (tmp_path / name).write_text(passing)
    for name in ("pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"):
        (tmp_path / name).write_text(
            "[pytest]\naddopts = --collect-only\n[tool.pytest.ini_options]\naddopts = '-k x'\n"
        )
    (tmp_path / "test_hidden.py").write_text("def test_forward(): pass\n")
    (tmp_path / "autograder").mkdir()
    (tmp_path / "autograder" / "__init__.py").write_text(passing)
    assert total(grader.grade(tmp_path)) == honest


def test_a_link_to_the_solution_is_not_followed(grader: Grader, tmp_path: Path) -> None:
    handed_in = tmp_path / "handed-in"
    handed_in.mkdir()
    (handed_in / "value.py").symlink_to(grader.assignment.solution)
    (handed_in / "more").symlink_to(grader.assignment.solution.parent)
    assert total(grader.grade(handed_in)) == 0
    assert total(grader.grade(handed_in / "value.py")) == 0


def test_importing_the_solution_gains_nothing(grader: Grader, honest: Fraction, tmp_path: Path) -> None:
    copy = tmp_path / "somewhere.py"
    shutil.copy(grader.assignment.solution, copy)
    copy.chmod(0o644)
    places = [str(tmp_path), str(grader.assignment.solution.parent), str(grader.assignment.root)]
    trick = f"import sys\nsys.path[:0] = {places!r}\ntry: from somewhere import Value\nexcept ImportError: pass"
    assert score_of(grader, f"{WEAK}\n{trick}", tmp_path) <= honest
