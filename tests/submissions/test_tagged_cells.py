"""Of several cells that define a name, the one with the tag counts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.course import Assignment
from autograder.submissions import Submission, read_submission
from tests.machine import cost_of
from tests.submissions.nbformat_notebooks import cell, notebook

Handed = Callable[..., Submission]

FIRST = "class Value:\n    first = True\n"
SECOND = "class Value:\n    second = True\n"
NOTE = "code cell 2 has the tag `solution`, so Value is taken from there; Value in code cell 1 was left out."


@pytest.fixture
def handed(tmp_path: Path, engine: Assignment) -> Handed:
    """Read a notebook of these cells, as nbformat writes it."""

    def read(*cells: Any, assignment: Assignment = engine) -> Submission:
        path = tmp_path / "value.ipynb"
        path.write_text(nbformat.writes(notebook(*cells)), encoding="utf-8")
        return read_submission(path, assignment)

    return read


def defined(submission: Submission) -> dict[str, Any]:
    """What the units define, one after the other, as in a kernel."""
    names: dict[str, Any] = {}
    for unit in submission.units:
        exec(unit.source, names)
    return names


LEFT_OUT = "{}, so Value is taken from there; Value in {} was left out."
ONE, TWO, THREE = ("code cell 1", "code cell 2", "code cell 3")
TAGGED = {
    "above it": ([FIRST, cell(SECOND, "other", "solution")], LEFT_OUT.format(f"{TWO} has the tag `solution`", ONE)),
    "typed in capitals": ([FIRST, cell(SECOND, " SOLUTION\t")], NOTE),
    "below it": ([cell(SECOND, "solution"), FIRST], LEFT_OUT.format(f"{ONE} has the tag `solution`", TWO)),
    "the last of several": (
        [FIRST, cell("class Value: ...", "solution"), cell(SECOND, "solution")],
        LEFT_OUT.format(f"{TWO} and {THREE} have the tag `solution`", ONE),
    ),
}


@pytest.mark.parametrize(("cells", "note"), TAGGED.values(), ids=TAGGED)
def test_a_tagged_cell_wins_over_others_above_and_below(handed: Handed, cells: list[Any], note: str) -> None:
    read = handed(*cells)
    assert hasattr(defined(read)["Value"], "second")
    assert read.notes == (note,)


@pytest.mark.parametrize(
    "cells",
    [[FIRST, cell(SECOND, "hint")], [FIRST, cell("a = Value()", "solution"), SECOND]],
    ids=["without the tag", "the tag on a cell that defines nothing asked for"],
)
def test_without_a_tagged_definition_the_last_counts_and_nothing_is_said(handed: Handed, cells: list[Any]) -> None:
    read = handed(*cells)
    assert hasattr(defined(read)["Value"], "second")
    assert read.notes == ()


def test_a_tag_on_the_only_definition_changes_nothing(handed: Handed) -> None:
    plain, tagged = handed("x = 1", FIRST), handed("x = 1", cell(FIRST, "solution"))
    assert [unit.source for unit in tagged.units] == [unit.source for unit in plain.units]
    assert tagged.notes == ()


def test_what_the_tagged_cell_needs_of_a_left_out_one_is_there(handed: Handed) -> None:
    helpers = "import math\nLIMIT = 3\n\ndef helper():\n    return Value, math.pi\n\n"
    read = handed(helpers + FIRST, cell("limit = math.floor(LIMIT)\n" + SECOND, "solution"))
    names = defined(read)
    assert names["limit"] == 3
    assert names["helper"]()[0] is names["Value"]
    assert hasattr(names["Value"], "second")


def test_what_a_left_out_cell_does_to_its_own_class_is_left_out(handed: Handed) -> None:
    patched = FIRST + "\ndef tanh(self):\n    return 'of the first'\n\nValue.tanh = tanh\nprint(Value().tanh())\n"
    names = defined(handed(cell(SECOND, "solution"), patched))
    assert not hasattr(names["Value"], "tanh")
    assert "tanh" in names


def test_a_class_that_is_opened_again_in_another_cell_keeps_what_it_gets(handed: Handed) -> None:
    read = handed(FIRST, cell(SECOND, "solution"), "def tanh(self): return 1\nValue.tanh = tanh", "a = Value()")
    assert defined(read)["a"].tanh() == 1


@pytest.mark.parametrize(
    "again",
    [
        "class Value(Value):\n    third = True",
        "def with_third(kind):\n    kind.third = True\n    return kind\n\nValue = with_third(Value)",
        "try:\n    Value\nexcept NameError:\n    pass\nelse:\n    class Value(Value):\n        third = True",
    ],
)
def test_a_class_that_is_built_on_is_not_defined_twice(handed: Handed, again: str) -> None:
    read = handed(cell(SECOND, "solution"), again)
    kind = defined(read)["Value"]
    assert (kind.second, kind.third) == (True, True)
    assert read.notes == ()


def test_a_tagged_cell_that_builds_on_an_untagged_one_keeps_it(handed: Handed) -> None:
    read = handed(FIRST, cell("class Value(Value):\n    second = True", "solution"))
    kind = defined(read)["Value"]
    assert (kind.first, kind.second) == (True, True)
    assert read.notes == ()


@pytest.mark.parametrize(
    "other",
    [
        "from mine import Value",
        "from mine import Engine as Value",
        "Value = Engine = int",
        "Value: type = int",
        "try:\n    from mine import Value\nexcept ImportError:\n    Value = None",
        "Value, other = int, 3",
        "@print\nclass Value: ...",
    ],
)
def test_any_way_to_give_the_name_a_meaning_is_a_definition(handed: Handed, other: str) -> None:
    read = handed(cell(SECOND, "solution"), other)
    assert hasattr(defined(read)["Value"], "second")
    assert len(read.notes) == 1


def test_a_tagged_cell_that_is_no_python_leaves_the_others(handed: Handed) -> None:
    read = handed(FIRST, cell("class Value:\n    def (", "solution"))
    assert read.units[0].source.rstrip() == FIRST.rstrip()
    assert read.notes == ()


def test_each_name_is_looked_at_by_itself(handed: Handed, sorting: Assignment) -> None:
    both = "def build_topo():\n    return 1\n\ndef backward_order():\n    return build_topo()"
    read = handed(both, cell("def build_topo():\n    return 2", "solution"), assignment=sorting)
    assert defined(read)["backward_order"]() == 2
    assert len(read.notes) == 1


def test_lines_keep_their_numbers_in_a_cell_of_which_something_is_left_out(handed: Handed) -> None:
    source = "é = 1; Value = (3,\n 4); x = 2\n@print\nclass Value:\n    a = 1\n\nassert False, 'line 7'"
    left = handed(cell(SECOND, "solution"), source).units[1].source
    assert left.split("\n") == ["é = 1;", "pass; x = 2", "", "", "pass", "", "assert False, 'line 7'"]


def test_a_long_cell_is_left_out_whole(handed: Handed) -> None:
    read = handed(FIRST + "# long\n" * 5000, cell(SECOND, "solution"))
    assert read.units[0].source == ""
    assert hasattr(defined(read)["Value"], "second")


@pytest.mark.first_cases(1)
@pytest.mark.parametrize(
    "text", ["Value=[" + "[]," * 5400 + "]", "x=Value" + "\nValue=1" * 2000], ids=["lists", "lines"]
)
def test_hostile_cells_are_looked_through_in_little_time(handed: Handed, text: str) -> None:
    plain = cost_of(lambda: handed("class Value: ...", *[text] * 60))
    tagged = cost_of(lambda: handed(cell("class Value: ...", "solution"), *[text] * 60))
    assert tagged < plain + 16


def test_of_very_many_cells_those_with_the_definition_are_left_out_whole(handed: Handed) -> None:
    uses = ["Value(1)\n" + "# use\n" * 500] * 60
    read = handed("import math\n" + FIRST, cell(SECOND, "solution"), *uses)
    assert [unit.source for unit in read.units[:1]] == [""]
    assert read.notes == (NOTE,)
    assert len(read.units) == 62


def test_a_tree_that_is_deep_is_looked_through(handed: Handed) -> None:
    deep = "Value = x" + ".x" * 900 + "\nx = 1" + "+1" * 900
    assert len(handed(deep, cell(SECOND, "solution")).notes) == 1


@pytest.mark.parametrize(
    "metadata",
    [
        {"tags": "solution"},
        {"tags": {"solution": 1}},
        {"tags": [["solution"], None]},
        {"tags": ["solutions"]},
        {"x": 1},
    ],
    ids=str,
)
def test_what_is_no_such_tag_says_nothing(tmp_path: Path, engine: Assignment, metadata: Any) -> None:
    made = json.loads(nbformat.writes(notebook(FIRST, SECOND)))
    made["cells"][0]["metadata"] = metadata
    path = tmp_path / "value.ipynb"
    path.write_text(json.dumps(made), encoding="utf-8")
    assert read_submission(path, engine).notes == ()


def test_a_tag_counts_in_a_notebook_that_only_python_can_read(tmp_path: Path, engine: Assignment) -> None:
    made = json.loads(nbformat.writes(notebook(FIRST, cell(SECOND, "solution"))))
    made["cells"][0]["metadata"]["plot"] = float("nan")
    path = tmp_path / "value.ipynb"
    path.write_text(json.dumps(made), encoding="utf-8")
    assert "NaN" in path.read_text(encoding="utf-8")
    assert read_submission(path, engine).notes == (NOTE,)
