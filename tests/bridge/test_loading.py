"""Whatever a submission does while it is loaded, what it defines beside that still works, in every tier."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from autograder.bridge import Loaded, StudentError
from autograder.course import Limits

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn

once = pytest.mark.parametrize("each_tier", ["process"], indirect=True)
"""For what is the same in every tier."""

SOON = Limits(import_seconds=0.3)
ROOM = Limits(memory_mb=128, output_kb=64)

BEFORE = "def before(): return 'before'"
AFTER = "def after(): return 'after'"


@pytest.fixture(autouse=True)
def _little_slack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.bridge.allowance.LOAD_SLACK", 0.5)


def loaded_around(hand_in: HandIn, trouble: str, limits: Limits = Limits()) -> Loaded:  # noqa: B008
    """Load trouble between two functions, in one file, which must both work afterwards."""
    submission = hand_in(f"{BEFORE}\n{trouble}\n{AFTER}", limits=limits)
    with submission.test() as student:
        assert student.get("before")() == "before"
        assert student.get("after")() == "after"
    return submission.loaded


# --- Code that fails.


def test_code_that_runs_well_leaves_no_note(hand_in: HandIn) -> None:
    assert loaded_around(hand_in, "x = 1") == Loaded()


def test_a_statement_that_raises_is_noted_with_its_line(hand_in: HandIn) -> None:
    (note,) = loaded_around(hand_in, "x = 1\ny = x.data\nz = 2").notes
    assert (note.kind, note.line, note.error) == ("failed", 3, "AttributeError")
    assert note.message == "'int' object has no attribute 'data'"


def test_what_follows_a_statement_that_raises_is_run(hand_in: HandIn) -> None:
    submission = hand_in("x = 1\n1 / 0\nx += 1\n1 / 0\nx += 1")
    with submission.test() as student:
        assert student.get("x") == 3
    assert [note.line for note in submission.loaded.notes] == [2, 4]


def test_an_exception_inside_a_function_is_noted_at_the_statement_that_called_it(hand_in: HandIn) -> None:
    (note,) = loaded_around(hand_in, "def f():\n    return 1 / 0\nf()").notes
    assert (note.line, note.error) == (4, "ZeroDivisionError")


@pytest.mark.parametrize("trouble", ["raise SystemExit(0)", "raise KeyboardInterrupt", "raise BaseException('x')"])
def test_exceptions_that_would_end_a_program_are_noted_like_others(hand_in: HandIn, trouble: str) -> None:
    (note,) = loaded_around(hand_in, trouble).notes
    assert note.kind == "failed"


def test_an_exception_that_refuses_to_be_shown_is_noted(hand_in: HandIn) -> None:
    trouble = "class Shy(Exception):\n    def __str__(self): raise SystemExit\nraise Shy"
    (note,) = loaded_around(hand_in, trouble).notes
    assert note.error == "Shy"


@once
def test_hundreds_of_failures_are_survived(hand_in: HandIn) -> None:
    notes = loaded_around(hand_in, "1 / 0\n" * 300).notes
    assert 1 <= len(notes) <= 300


def test_input_finds_nothing_to_read(hand_in: HandIn) -> None:
    (note,) = loaded_around(hand_in, "name = input('Your name? ')").notes
    assert (note.kind, note.error) == ("failed", "EOFError")


# --- Code that does not compile.


def test_a_syntax_error_costs_its_cell_alone(hand_in: HandIn) -> None:
    submission = hand_in(BEFORE, "x = 1\nif x\n    pass", AFTER)
    with submission.test() as student:
        assert student.get("before")() + student.get("after")() == "beforeafter"
        with pytest.raises(NameError):
            student.get("x")
    (note,) = submission.loaded.notes
    assert (note.kind, note.unit, note.line, note.error) == ("broken", 1, 2, "SyntaxError")


def test_a_syntax_error_in_a_file_is_noted_with_its_line(hand_in: HandIn) -> None:
    (note,) = hand_in(f"{BEFORE}\nclass Value\n    pass").loaded.notes
    assert (note.kind, note.line, note.message) == ("broken", 2, "expected ':'")


@once
@pytest.mark.parametrize(
    "trouble",
    [
        "x = (" + "(" * 100_000 + ")" * 100_000 + ")",
        "x = " + "[" * 100_000 + "]" * 100_000,
        "x = " + "-" * 100_000 + "1",
        "x = " + "not " * 100_000 + "1",
        "x = " + "1+" * 100_000 + "1",
        "x = " + "2**" * 100_000 + "1",
        "x = a" + ".b" * 100_000,
        "x = a" + "()" * 100_000,
        "x = " + "lambda: " * 100_000 + "1",
        "x = " + "1 if 1 else " * 100_000 + "1",
        "x = " + "f'{" * 1_000 + "1" + "}'" * 1_000,
        "".join(" " * depth + "if 1:\n" for depth in range(5_000)) + " " * 5_000 + "pass",
        "x = 'a\0b'",
        "x = '\ud800'",
        "x = 1\n\x0c\x1a",
        "x = 0x" + "f" * 100_000 + "\ny = " + "9" * 100_000,
        "return 1",
        "await x",
        "x = *",
        "x = b'é'",
        "from __future__ import braces",
        "nonlocal x",
        "\tx = 1\n        y = 2",
    ],
    ids=lambda text: ascii(text)[:24],
)
def test_text_that_no_parser_likes_costs_its_cell_alone(hand_in: HandIn, trouble: str) -> None:
    submission = hand_in(BEFORE, trouble, AFTER)
    with submission.test() as student:
        assert student.get("before")() + student.get("after")() == "beforeafter"
    assert {note.unit for note in submission.loaded.notes} <= {1}


@once
def test_very_long_lines_are_ordinary_lines(hand_in: HandIn) -> None:
    source = f"numbers = [{'1, ' * 200_000}]\ntext = '{'x' * 500_000}'\ndef lengths(): return len(numbers), len(text)"
    submission = hand_in(source)
    with submission.test() as student:
        assert student.get("lengths")() == (200_000, 500_000)
    assert submission.loaded.notes == ()


@once
def test_twenty_thousand_statements_are_run(hand_in: HandIn) -> None:
    with hand_in("x = 0\n" + "x += 1\n" * 20_000).test() as student:
        assert student.get("x") == 20_000


# --- Code that does not end.


@pytest.mark.parametrize(
    "trouble",
    [
        "while True: pass",
        "while True:\n    try:\n        while True: pass\n    except Exception: pass",
        "import time\ntime.sleep(60)",
        "import threading\nthreading.Event().wait()",
        "def f():\n    while True: pass\nf()",
    ],
    ids=["loop", "loop that catches exceptions", "sleep", "lock", "loop in a function"],
)
def test_code_without_an_end_is_left_out_with_a_note(hand_in: HandIn, trouble: str) -> None:
    started = time.monotonic()
    (note,) = loaded_around(hand_in, trouble, SOON).notes
    assert (note.kind, note.line) == ("timed out", 2 + trouble.count("\n") * trouble.startswith(("import", "def")))
    assert time.monotonic() - started < 3


def test_a_loop_that_catches_everything_is_left_out_with_a_note(hand_in: HandIn) -> None:
    trouble = "while True:\n    try:\n        while True: pass\n    except BaseException: pass"
    (note,) = loaded_around(hand_in, trouble, SOON).notes
    assert note.kind in ("timed out", "stopped")  # the alarm may strike outside of the ``try``
    assert note.line == 2


@once
@pytest.mark.parametrize(
    "trouble",
    [
        "import itertools\nsum(itertools.repeat(0))",
        "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile True: pass",
        "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
    ],
    ids=["endless sum", "loop without an alarm", "SIGSTOP"],
)
def test_code_that_cannot_be_interrupted_is_left_out_with_a_note(hand_in: HandIn, trouble: str) -> None:
    (note,) = loaded_around(hand_in, trouble, SOON).notes
    assert (note.kind, note.line) == ("stopped", 2 + trouble.count("\n"))


@once
def test_what_follows_many_statements_that_take_all_the_time_still_works(hand_in: HandIn) -> None:
    loaded_around(hand_in, "import time\n" + "time.sleep(0.1)\n" * 100, SOON)


def test_a_constructor_without_an_end_does_not_keep_its_class_from_being_loaded(hand_in: HandIn) -> None:
    source = "class Value:\n    def __init__(self, data):\n        while True: pass\n    def tanh(self): return 1"
    loaded = hand_in(source, defines=["Value"], limits=SOON).loaded
    assert loaded.defined == {"Value": "class"}
    assert {"__init__", "tanh"} <= loaded.features["Value"]


# --- Code that ends its process.


@pytest.mark.parametrize(
    ("trouble", "cause"),
    [
        ("__import__('os')._exit(0)", "exit"),
        ("__import__('os').kill(__import__('os').getpid(), 9)", "signal"),
        ("__import__('ctypes').string_at(0)", "signal"),
        ("__import__('os').closerange(0, 1024)", "exit"),
        ("while True: print('x' * 1000)", "flood"),
    ],
)
def test_a_statement_that_ends_the_process_is_left_out_with_a_note(hand_in: HandIn, trouble: str, cause: str) -> None:
    (note,) = loaded_around(hand_in, trouble, ROOM).notes
    assert (note.kind, note.line, note.error) == ("stopped", 2, cause)


def test_the_first_statement_and_the_last_may_both_end_the_process(hand_in: HandIn) -> None:
    submission = hand_in(f"__import__('os')._exit(0)\n{BEFORE}\n__import__('os')._exit(1)")
    with submission.test() as student:
        assert student.get("before")() == "before"
    assert [note.line for note in submission.loaded.notes] == [1, 3]


@once
def test_a_submission_that_ends_its_process_again_and_again_defines_nothing(hand_in: HandIn) -> None:
    loaded = hand_in(BEFORE + "\n__import__('os')._exit(0)" * 20, defines=["before"]).loaded
    assert loaded.defined == {}
    assert {note.kind for note in loaded.notes} == {"stopped"}


def test_a_constructor_that_ends_the_process_is_not_blamed_on_an_innocent_line(hand_in: HandIn) -> None:
    source = "class Value:\n    def __init__(self, data): __import__('os')._exit(0)\ndef innocent(): return 1"
    submission = hand_in(source, defines=["Value"])
    assert 3 not in [note.line for note in submission.loaded.notes]


def test_a_memory_bomb_is_left_out_with_a_note(hand_in: HandIn) -> None:
    (note,) = loaded_around(hand_in, "kept = []\nwhile True: kept.append(' ' * 1_000_000)", ROOM).notes
    assert (note.line, note.error) == (3, "MemoryError")


def test_a_recursion_without_an_end_is_left_out_with_a_note(hand_in: HandIn) -> None:
    (note,) = loaded_around(hand_in, "def f(): return f()\nf()").notes
    assert (note.line, note.error) == (3, "RecursionError")


def test_printing_costs_nothing(hand_in: HandIn) -> None:
    trouble = "import sys\nprint('x' * 20_000)\nprint('x' * 20_000, file=sys.stderr)"
    assert loaded_around(hand_in, trouble, ROOM).notes == ()


def test_a_thread_that_goes_on_costs_nothing(hand_in: HandIn) -> None:
    trouble = "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()"
    assert loaded_around(hand_in, trouble).notes == ()


# --- Packages that are not installed.

MISSING = [
    "import numpy",
    "import numpy as np\nnp.random.seed(0)\nx = np.zeros((2, 3))[0] * 2 + np.pi",
    "import torch.nn.functional as F\nF.relu(1)",
    "import torch.nn.functional\ntorch.nn.functional.relu(1)",
    "from torch.nn import Module, Linear as L\nL(2, 3)",
    "from numpy import *",
    "import matplotlib.pyplot as plt\nfig, (left, right) = plt.subplots(1, 2)\nplt.show()",
    "import matplotlib.pyplot as plt\nwith plt.style.context('x') as style: plt.plot([1])",
    "import numba\n@numba.jit\ndef f(): return 1\nassert f() == 1",
    "import numba\n@numba.jit(nopython=True)\ndef f(): return 1\nassert f() == 1",
    "import torch\n@torch.no_grad()\ndef f(): return 1\nassert f() == 1",
    "import torch\nclass Net(torch.nn.Module):\n    def __init__(self): super().__init__()\nNet()",
    "from torch import nn\nclass Net(nn.Module, dict): pass\nNet()",
    "import numpy as np\ndef f(x: np.ndarray, y=np.pi) -> np.float64: return x\nassert f(3) == 3",
    "import tqdm\nfor _ in tqdm.tqdm(range(3)): pass",
    "import sklearn\nif sklearn.__dict__ is None: pass",
    "import numpy as np\nnp.seterr(all='ignore')\nnp.x = 1\ndel np.x\nnp.add.at[1:2] = -np.e ** 2",
    "import numpy as np\nx = np.e < 3 and not np.pi",
    "import pytest\n@pytest.mark.parametrize('x', [1])\ndef test_f(x): pass",
]


@pytest.mark.parametrize("imports", MISSING, ids=lambda text: text.splitlines()[-1][:40])
def test_using_a_missing_package_outside_of_a_graded_call_is_harmless(hand_in: HandIn, imports: str) -> None:
    loaded = loaded_around(hand_in, imports)
    assert loaded.notes == ()
    assert loaded.missing == (imports.split()[1].partition(".")[0],)


@once
@pytest.mark.parametrize(
    "use",
    [
        "np.tanh(1.0)",
        "np.pi + 1",
        "2.0 * np.pi",
        "-np.pi",
        "np.e ** np.pi",
        "float(np.pi)",
        "[x for x in np.arange(3)]",
        "np.zeros(3)[0]",
        "bool(np.inf)",
        "np.pi < 3",
        "len(np.pi)",
        "math.tanh(np.pi)",
    ],
)
def test_using_a_missing_package_in_a_graded_call_names_it(hand_in: HandIn, use: str) -> None:
    with hand_in(f"import math\nimport numpy as np\ndef f(): return {use}").test() as student:
        with pytest.raises(ImportError, match="numpy") as caught:
            student.get("f")()
        assert isinstance(caught.value, StudentError)
        assert (caught.value.raised.package, caught.value.raised.line) == ("numpy", 3)


def test_importing_a_missing_package_in_a_graded_call_names_it(hand_in: HandIn) -> None:
    with hand_in("def f():\n    import torch").test() as student, pytest.raises(ImportError, match="torch"):
        student.get("f")()


def test_a_missing_package_that_is_returned_is_no_number(hand_in: HandIn) -> None:
    with hand_in("import numpy as np\ndef f(): return np.pi").test() as student:
        assert student.get("f")() != 3.14


@once
@pytest.mark.parametrize("error", ["ImportError", "ModuleNotFoundError", "Exception", ""])
def test_the_students_own_way_out_of_a_missing_package_is_taken(hand_in: HandIn, error: str) -> None:
    source = f"try:\n    import numpy as np\nexcept {error}:\n    np = None\ndef f(): return np is None"
    submission = hand_in(source)
    with submission.test() as student:
        assert student.get("f")() is True
    assert submission.loaded.notes == ()


def test_a_missing_package_does_not_replace_one_of_the_standard_library(hand_in: HandIn) -> None:
    source = "import numpy, math, json\ndef f(): return json.loads(str(math.floor(2.5)))"
    submission = hand_in(source)
    with submission.test() as student:
        assert student.get("f")() == 2
    assert submission.loaded.missing == ("numpy",)


def test_a_module_of_the_standard_library_that_does_not_exist_is_an_error(hand_in: HandIn) -> None:
    (note,) = loaded_around(hand_in, "import math.nothing").notes
    assert note.error == "ModuleNotFoundError"


def test_a_name_that_stands_for_a_missing_package_is_told(hand_in: HandIn) -> None:
    loaded = hand_in("from somewhere import Value", defines=["Value"]).loaded
    assert loaded.defined == {"Value": "missing package"}


def test_names_of_a_notebook_are_harmless(hand_in: HandIn) -> None:
    trouble = "get_ipython().run_line_magic('matplotlib', 'inline')\ndisplay(1)\nget_ipython().system('ls')"
    assert loaded_around(hand_in, trouble).notes == ()


# --- Ordinary Python.


def test_future_imports_hold_for_their_whole_unit(hand_in: HandIn) -> None:
    source = """
        from __future__ import annotations
        1 / 0
        class Value:
            def f(self, other: NotDefinedAnywhere) -> Value: return 1
        def annotation(): return Value.f.__annotations__["return"]
        """
    with hand_in(source).test() as student:
        assert student.get("annotation")() == "Value"


@once
@pytest.mark.parametrize("future", ["from __future__ import annotations", ""])
@pytest.mark.parametrize("options", ["", "(slots=True)", "(eq=False)", "(frozen=True)"])
def test_dataclasses_work(hand_in: HandIn, future: str, options: str) -> None:
    source = f"""{future}
from dataclasses import dataclass, field
from typing import ClassVar

@dataclass{options}
class Value:
    data: float
    count: ClassVar[int] = 0
    grad: float = 0.0
    _prev: tuple = field(default=())
"""
    with hand_in(source).test() as student:
        value = student.get("Value")(2.0)
        assert (value.data, value.grad, value._prev) == (2.0, 0.0, ())


@pytest.mark.parametrize(
    "source",
    [
        "import enum\nclass E(enum.Enum):\n    a = 1\ndef f(): return E.a.value",
        "import typing\nclass P(typing.NamedTuple):\n    x: int = 1\ndef f(): return P().x",
        "import abc\nclass A(abc.ABC):\n    @abc.abstractmethod\n    def g(self): ...\n"
        "class B(A):\n    def g(self): return 1\ndef f(): return B().g()",
        "import functools\n@functools.total_ordering\nclass A:\n    def __lt__(self, o): return True\n"
        "    def __eq__(self, o): return False\ndef f(): return int(A() <= A())",
        "import contextlib, collections, itertools, functools, operator, statistics, random, copy\n"
        "def f(): return copy.deepcopy([1])[0]",
        "def f(): return len('x'.encode('utf-16-le')) - 1",
        "import ctypes.util, encodings.idna, importlib.resources, xml.dom.minidom, concurrent.futures\n"
        "def f(): return 1",
        "class Meta(type):\n    def __new__(m, n, b, d): return super().__new__(m, n, b, d | {'one': 1})\n"
        "class A(metaclass=Meta): pass\ndef f(): return A.one",
        "x = 0\ndef f():\n    global x\n    x += 1\n    return x",
        "def f():\n    match [1]:\n        case [n]: return n",
        "f = lambda: __import__('pickle').loads(__import__('pickle').dumps(1))",
        "import sys\ndef f(): return sys.modules[__name__].one\none = 1",
        "import inspect\nclass A:\n    def __init__(self, x): pass\n"
        "def f(): return len(inspect.signature(A).parameters)",
        "import threading\ndef f():\n    out = []\n    t = threading.Thread(target=out.append, args=(1,))\n"
        "    t.start(); t.join(); return out[0]",
    ],
)
def test_the_standard_library_is_there(hand_in: HandIn, source: str) -> None:
    submission = hand_in(source)
    with submission.test() as student:
        assert student.get("f")() == 1
    assert submission.loaded.notes == ()


def test_the_last_definition_counts(hand_in: HandIn) -> None:
    cells = [f"class Value:\n    version = {version}\nmade = Value()" for version in (1, 2, 3)]
    with hand_in(*cells).test() as student:
        assert student.get("Value").version == 3
        assert isinstance(student.get("made"), student.get("Value"))


def test_methods_that_are_added_later_count(hand_in: HandIn) -> None:
    cells = ["class Value: pass", "def tanh(self): return 1", "Value.tanh = tanh\nValue.relu = lambda self: 2"]
    submission = hand_in(*cells, defines=["Value"])
    with submission.test() as student:
        value = student.get("Value")()
        assert (value.tanh(), value.relu()) == (1, 2)
    assert {"tanh", "relu"} <= submission.loaded.features["Value"]


def test_what_stands_under_main_is_not_run(hand_in: HandIn) -> None:
    assert loaded_around(hand_in, "if __name__ == '__main__':\n    1 / 0").notes == ()


def test_a_name_that_is_not_defined_is_told_as_empty(hand_in: HandIn) -> None:
    loaded = hand_in("x = 1", defines=["Value", "x"]).loaded
    assert loaded.defined == {"Value": "", "x": "int"}


def test_functions_that_only_raise_not_implemented_error_are_stubs(hand_in: HandIn) -> None:
    source = """
        def stub(a):
            "What to do."
            raise NotImplementedError
        def other_stub(a): raise NotImplementedError("write me")
        def written(a): return a
        """
    loaded = hand_in(source, defines=["stub", "other_stub", "written"]).loaded
    assert loaded.defined == {"stub": "stub", "other_stub": "stub", "written": "function"}


def test_stubs_are_not_among_the_features_of_a_class(hand_in: HandIn) -> None:
    source = """
        class Value:
            def __init__(self, data): self.data = data
            def tanh(self): raise NotImplementedError
            def relu(self): return 1
        """
    features = hand_in(source, defines=["Value"]).loaded.features["Value"]
    assert {"data", "__init__", "relu"} <= features
    assert "tanh" not in features


# --- The student's other files.


def test_the_students_other_files_can_be_imported(hand_in: HandIn) -> None:
    modules = {"helpers": "def one(): return 1", "more": "from helpers import one\ndef two(): return one() + 1"}
    source = "import helpers\nfrom more import two as zwei\ndef f(): return helpers.one(), zwei()"
    submission = hand_in(source, modules=modules)
    with submission.test() as student:
        assert student.get("f")() == (1, 2)
    assert submission.loaded.missing == ()


def test_the_students_other_files_may_import_each_other(hand_in: HandIn) -> None:
    modules = {"a": "import b\none = 1\ndef f(): return b.two()", "b": "import a\ndef two(): return a.one + 1"}
    with hand_in("from a import f", modules=modules).test() as student:
        assert student.get("f")() == 2


def test_a_file_that_fails_is_noted_where_it_is_imported(hand_in: HandIn) -> None:
    submission = hand_in(f"{BEFORE}\nimport helpers", modules={"helpers": "1 / 0"})
    with submission.test() as student:
        assert student.get("before")() == "before"
    (note,) = submission.loaded.notes
    assert (note.line, note.error) == (2, "ZeroDivisionError")


def test_a_file_that_does_not_compile_is_noted_where_it_is_imported(hand_in: HandIn) -> None:
    (note,) = hand_in("import helpers", modules={"helpers": "if x"}).loaded.notes
    assert (note.kind, note.line, note.error) == ("failed", 1, "SyntaxError")


def test_a_missing_package_in_another_file_is_harmless_too(hand_in: HandIn) -> None:
    submission = hand_in("from helpers import f", modules={"helpers": "import numpy as np\ndef f(): return 1"})
    with submission.test() as student:
        assert student.get("f")() == 1
    assert submission.loaded.missing == ("numpy",)


def test_the_line_of_an_exception_in_another_file_is_told(hand_in: HandIn) -> None:
    with hand_in("from helpers import f", modules={"helpers": "def f():\n    return 1 / 0"}).test() as student:
        with pytest.raises(ZeroDivisionError) as caught:
            student.get("f")()
        assert isinstance(caught.value, StudentError)
        assert (caught.value.raised.unit, caught.value.raised.line) == ("helpers.py", 2)


def test_nothing_of_the_kit_is_among_the_modules(hand_in: HandIn) -> None:
    trouble = "import sys\nassert not [name for name in sys.modules if 'autograder' in name]"
    assert loaded_around(hand_in, trouble).notes == ()
