"""Code written for a newer Python: its annotations, and the names of its library that this one lacks."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import pytest

from autograder.bridge import StudentError
from autograder.bridge.inside.newer_python import NEWER
from tests.bridge.shared import once

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn


MISSING = [
    (module, name)
    for module, names in NEWER.items()
    for name in names
    if not hasattr(importlib.import_module(module), name)
]
lacking = pytest.mark.skipif(not MISSING, reason="this Python has all that is known of newer ones")


# --- Annotations.


def test_a_class_may_be_named_by_annotations_in_its_own_body(hand_in: HandIn) -> None:
    source = """
        class Value:
            parts: list[Value]
            def __init__(self, data): self.data = data
            def __add__(self, other: Value) -> Value: return Value(self.data + other.data)
        def f(): return (Value(1) + Value(2)).data
        """
    submission = hand_in(source)
    with submission.test() as student:
        assert student.get("f")() == 3
    assert submission.loaded.problems == ()


def test_annotations_may_name_what_is_defined_below(hand_in: HandIn) -> None:
    submission = hand_in("x = 1\ndef f(y: Later) -> Later: return y\nz: Later = x\nclass Later: pass")
    with submission.test() as student:
        assert student.get("f")(2) == 2
        assert student.get("z") == 1
    assert submission.loaded.problems == ()


def test_a_name_that_is_missing_elsewhere_too_is_an_error(hand_in: HandIn) -> None:
    source = "x = 1\nclass Value:\n    def f(self) -> Vlaue: pass\n    g = Vlaue\ny = 2"
    submission = hand_in(source)
    (note,) = submission.loaded.problems
    assert (note.kind, note.error, note.statement) == ("failed", "NameError", 1)
    with submission.test() as student:
        assert student.get("y") == 2


def test_annotations_that_can_be_evaluated_are(hand_in: HandIn) -> None:
    source = """
        class Value:
            def f(self, other: int) -> float: pass
        def kinds(): return [kind.__name__ for kind in Value.f.__annotations__.values()]
        """
    with hand_in(source).test() as student:
        assert student.get("kinds")() == ["int", "float"]


def test_a_dataclass_keeps_its_kinds_of_fields_when_it_names_itself(hand_in: HandIn) -> None:
    source = """
        import dataclasses
        from dataclasses import KW_ONLY, InitVar, dataclass, field, fields
        from typing import ClassVar

        @dataclass(eq=False)
        class Value:
            data: float
            seed: InitVar[float]
            count: ClassVar[int] = 0
            more: dataclasses.InitVar[int] = 0
            _: KW_ONLY
            grad: float = 0.0
            parent: Value | None = None
            children: tuple[Value, ...] = field(default=())
            def __post_init__(self, seed, more): self.data += seed + more

        def names(): return [one.name for one in fields(Value)]
        def made(): return Value(1.0, 2.0, 3, grad=4.0).data
        def positional():
            try: Value(1.0, 2.0, 3, 4.0)
            except TypeError: return "keyword only"
        """
    submission = hand_in(source)
    with submission.test() as student:
        assert student.get("names")() == ["data", "grad", "parent", "children"]
        assert student.get("made")() == 6.0
        assert student.get("positional")() == "keyword only"
    assert submission.loaded.problems == ()


def test_type_hints_of_such_a_class_can_be_read(hand_in: HandIn) -> None:
    source = """
        from typing import get_type_hints
        class Value:
            def __add__(self, other: Value) -> Value: pass
        def f(): return get_type_hints(Value.__add__)["other"] is Value
        """
    with hand_in(source).test() as student:
        assert student.get("f")() is True


# --- Names of a newer standard library.


@pytest.mark.first_cases(8)
@lacking
@pytest.mark.parametrize(("module", "name"), MISSING)
def test_importing_a_name_that_is_newer_than_this_python_is_harmless(hand_in: HandIn, module: str, name: str) -> None:
    submission = hand_in(f"from {module} import {name}\ndef f(): return 1")
    with submission.test() as student:
        assert student.get("f")() == 1
    assert (submission.loaded.problems, submission.loaded.missing_packages) == ((), (f"{module}.{name}",))


@lacking
@once
@pytest.mark.parametrize(
    "decorated",
    ["def f(self): return 1", "@property\ndef f(self): return 1", "@staticmethod\ndef f(): return 1"],
)
def test_as_a_decorator_it_leaves_what_it_decorates(hand_in: HandIn, decorated: str) -> None:
    module, name = MISSING[-1]
    body = "\n".join(f"    {line}" for line in f"@mark\n{decorated}".splitlines())
    source = (
        f"from {module} import {name} as mark\nclass A:\n{body}\n"
        "def g():\n    f = A().f\n    return f if f == 1 else f()"
    )
    with hand_in(source).test() as student:
        assert student.get("g")() == 1


@lacking
def test_using_it_in_a_graded_call_names_it(hand_in: HandIn) -> None:
    module, name = MISSING[0]
    with hand_in(f"from {module} import {name}\ndef f(): return {name}(1, 2)").test() as student:
        with pytest.raises(ImportError) as caught:
            student.get("f")()
        assert isinstance(caught.value, StudentError)
        assert caught.value.raised.package == f"{module}.{name}"


@lacking
def test_the_students_own_way_out_is_taken(hand_in: HandIn) -> None:
    module, name = MISSING[0]
    trying = f"try:\n    from {module} import {name}\nexcept ImportError:\n    {name} = None"
    submission = hand_in(f"{trying}\ndef f(): return {name} is None")
    with submission.test() as student:
        assert student.get("f")() is True
    assert submission.loaded.missing_packages == ()


def test_a_name_that_no_library_has_is_an_error(hand_in: HandIn) -> None:
    (note,) = hand_in("from math import tahn").loaded.problems
    assert (note.kind, note.error) == ("failed", "ImportError")
