"""A changed function is compiled alone, and the code is what compiling the whole text gives."""

from __future__ import annotations

import dis
from itertools import islice
from pathlib import Path
from types import CodeType

import pytest

from autograder.bridge.inside.changed_code import ChangeableUnit
from autograder.bridge.messages import make_unit_change
from autograder.edits import propose_edits

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = '''\
import math

START = 1

def scale(x, by=START):
    """Scale it."""
    for _ in range(2):
        x = x * by
    return x

class Value:
    # how many there are
    count = 0

    def __init__(self, data, children=()):
        super().__init__()
        self.data, self.__children = data, children

    @property
    def children(self):
        return self.__children

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def _backward():
            self.grad += out.grad
        out._backward = _backward
        return out
'''


def compile_whole(text: str) -> CodeType:
    try:
        return compile(text, "value.py", "exec", dont_inherit=True)
    except SyntaxError:
        return compile("", "value.py", "exec", dont_inherit=True)


def read_code(code: CodeType) -> list[object]:
    """Return what a code object does; ``math.exp()`` may be a method's call, if ``import math`` is out of sight."""
    names = (code.co_varnames, code.co_freevars, code.co_cellvars, code.co_qualname, code.co_flags)
    steps: list[object] = []
    for step in dis.get_instructions(code):
        is_place = step.opcode in (*dis.hasjrel, *dis.hasjabs) or isinstance(step.argval, CodeType)
        if step.opname != "PUSH_NULL":
            steps.append((step.opname.replace("METHOD", "ATTR"), None if is_place else step.argval))
    inner = [read_code(constant) for constant in code.co_consts if isinstance(constant, CodeType)]
    return [names, code.co_firstlineno, sorted({line or 0 for *_, line in code.co_lines()}), steps, inner]


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("name", ["autograd-engine", "tokenizer", "neural-network"])
def test_every_small_change_of_a_solution_has_the_code_of_the_whole_text(name: str) -> None:
    (solution,) = (ROOT / "solutions" / name).glob("*.py")
    source = solution.read_text(encoding="utf-8")
    unit = ChangeableUnit("value.py", source, 0)
    compared = 0
    for edit in islice(propose_edits(source), 0, 900, 3):
        if edit.text.count("\n") == source.count("\n"):  # code knows its lines, and those below may move
            change = make_unit_change(0, source, edit.text)
            code = unit.compile_changed(change.start, change.end, change.text)
            assert read_code(code) == read_code(compile_whole(edit.text)), (edit.line, edit.old, edit.new)
            compared += 1
    assert compared > 100


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x = x * by", "x = x / by"),
        ("return self.__children", "return list(self.__children)"),
        ("self.grad += out.grad", "self.grad = super().grad"),  # other methods have to know of it
        ("        return out\n", "    return out\n"),
        ("        return out\n", "        return out\n    count = 1\n"),
        ("        return out\n", "        return out\n    def __neg__(self): return self\n"),
        ("        return out\n", "        return out\ncount = 1\n"),
        ("count = 0", "count = 1"),
        ("by=START", "by=2"),
        ("return x\n", "return x)\n"),
        ("return x\n", "return '\n"),
        ("START = 1", "START = '\\x00'"),
    ],
)
def test_a_change_that_is_more_than_a_functions_body_is_seen(old: str, new: str) -> None:
    start = PROGRAM.index(old)
    changed = PROGRAM.replace(old, new)
    code = ChangeableUnit("value.py", PROGRAM, 0).compile_changed(start, start + len(old), new)
    assert list_definitions(code) == list_definitions(compile_whole(changed))


def list_definitions(code: CodeType) -> dict[str, object]:
    names: dict[str, object] = {}
    exec(code, names)
    methods = vars(names["Value"]) if "Value" in names else {}
    return {name: describe(value) for name, value in {**names, **methods}.items() if name != "__builtins__"}


def describe(value: object) -> object:
    code = getattr(getattr(value, "fget", value), "__code__", None)
    return (read_code(code), getattr(value, "__defaults__", None)) if code else repr(type(value))
