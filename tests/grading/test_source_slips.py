"""Slips are found in the source alone, and right code has none."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.grading.source_slips import (
    OF_LISTS,
    find_dataclasses_with_generated_eq,
    find_slips,
)
from tests.grading.engines import ENGINE, SORT, edited

METHOD = "class Value:\n    def {}(self, other):\n"
CALLS = "    def backward(self): self._backward()\n"


def hints(source: str) -> list[str]:
    return [slip.hint for slip in find_slips({"value.py": source})]


def test_right_engines_have_no_slips(root: Path) -> None:
    for wheat in sorted((root / "solutions").glob("*/wheats/*.py")):
        slips = find_slips({"value.py": wheat.read_text(encoding="utf-8")})
        # a helper may give a generator: that is said only where a test got one in place of a list
        assert [slip.hint for slip in slips if slip.message_pattern is not OF_LISTS] == [], wheat.name
    assert hints(ENGINE) == hints(SORT) == []


@pytest.mark.parametrize(
    "body",
    [
        "        def _backward(): pass\n        out._backward = _backward\n",
        "        def _backward(): pass\n        return Value(1, _backward)\n",
        "        def _backward(): pass\n        out.backward = _backward\n        out._backward = _backward\n",
        "        def check(): pass\n        check()\n",
        "        @register\n        def _backward(): pass\n",
        "        def helper(x): pass\n",
        "        self.grad += +other.grad\n",
        "        return self.items.sort() or self.items\n",
    ],
)
def test_what_may_be_meant_is_no_slip(body: str) -> None:
    assert hints(METHOD.format("__add__") + body + CALLS) == []


def test_a_slip_names_its_line_and_explains_only_tests_of_its_own_method() -> None:
    (slip,) = find_slips({"value.py": edited(ENGINE, ("            node._backward()", "            node._backward"))})
    assert "Line 43" in slip.hint
    assert slip.explains_failure(["backward"], "the gradients are 0, 0")
    assert not slip.explains_failure(["zero_grad"], "the gradients are 0, 0")
    assert not slip.explains_failure(["backward"], "the numbers are 1, 2")


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("    for one in x:\n        yield one\n", "Line 3: `yield` lets `f` give a generator."),
        (
            "    return (one for one in x)\n",
            "Line 2: `(... for ...)` is a generator. Make a list of it: `[... for ...]`.",
        ),
        ("    return reversed(x)\n", "Line 2: `reversed` gives no list. Make one of it: `list(reversed(...))`."),
    ],
)
def test_a_generator_in_place_of_a_list_is_told_where_a_list_is_wanted(body: str, hint: str) -> None:
    (slip,) = find_slips({"value.py": f"def f(x):\n{body}"})
    assert slip.hint.startswith(hint)
    assert slip.explains_failure(["f"], "it gives no list")
    assert slip.explains_failure(["f"], "object of type 'generator' has no len()")
    assert not slip.explains_failure(["f"], "it gives 1, 2")


def test_texts_of_the_students_are_not_quoted() -> None:
    assert "<b>" not in "".join(hints("def f(x):\n    x['<b>`']._backward\n"))


def test_a_dataclass_with_its_own_eq_is_told_from_one_without() -> None:
    plain = "@dataclass\nclass A:\n    x: int\n"
    own = "@dataclasses.dataclass(frozen=True)\nclass B:\n    def __eq__(self, other): return True\n"
    assert find_dataclasses_with_generated_eq({"value.py": plain + own}) == {"A"}
