"""A repair in plain words: a sentence for each kind of change, and a ladder for students."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from autograder.course.model import RepairLevel
from autograder.edits import EditKind
from autograder.repair.model import Edit, Repair, redact_repair
from autograder.repair.words import (
    ToldMistake,
    say_change,
    say_line,
    say_method,
    say_what_it_mends,
    tell_mistakes,
)
from tests.reports.sample import an_edit


def edit_of(kind: EditKind, old: str = "", new: str = "", **parts: Any) -> Edit:
    return an_edit(kind=kind, old=old, new=new, function="Value.__mul__", **parts)


def told(*edits: Edit, level: RepairLevel = "change", **parts: Any) -> tuple[ToldMistake, ...]:
    """What a student reads at a level."""
    repair = redact_repair(Repair(edits=edits, mends=("a",), proven=True, **parts), level)
    assert repair is not None
    return tell_mistakes(repair, ["a"])


SENTENCES = [
    (edit_of("assignment", "=", "+="), "`=` is used where `+=` is needed."),
    (edit_of("operator", "+", "*"), "`+` is used where `*` is needed."),
    (edit_of("comparison", "is", "=="), "`is` is used where `==` is needed."),
    (
        edit_of("condition", "x in seen", "x not in seen"),
        "the condition is `x in seen`, and `x not in seen` is needed.",
    ),
    (edit_of("condition", "x in seen", "True"), "what depends on `x in seen` should always be done."),
    (edit_of("condition", "x in seen", "False"), "what depends on `x in seen` should never be done."),
    (edit_of("constant", "1.0", "0.0"), "`1.0` stands where `0.0` is needed."),
    (edit_of("sign", "out.grad", "-out.grad"), "`out.grad` stands where `-out.grad` is needed."),
    (edit_of("name", "self.grad", "out.grad"), "`self.grad` is used where `out.grad` is needed."),
    (edit_of("attribute", "data", "grad"), "`data` is used where `grad` is needed."),
    (edit_of("operands", "b - a", "a - b"), "`b - a` stands where `a - b` is needed."),
    (edit_of("term", "", "* out.grad"), "`* out.grad` is missing."),
    (edit_of("term", "+ 1", ""), "`+ 1` should not be there."),
    (edit_of("argument", "self", "other"), "a call gets `self` where it needs `other`."),
    (edit_of("argument", "", "(self, other)"), "a call does not get `(self, other)`, which it needs."),
    (edit_of("argument", "out", ""), "a call gets `out`, which it should not get."),
    (edit_of("call", "topo", "reversed(topo)"), "`topo` is used where `reversed(topo)` is needed."),
    (edit_of("call", "", "out()"), "the call `out()` is missing."),
    (edit_of("call", "abs(x)", ""), "the call `abs(x)` should not be there."),
    (edit_of("default", "[]", "()"), "the default is `[]` where `()` is needed."),
    (
        edit_of("default", "def g():", "def g(b=b):"),
        "`def g():` reads its variables when it is called, not when it is made: `def g(b=b):` keeps them.",
    ),
    (edit_of("remove statement", "self.grad = 0"), "the statement `self.grad = 0` should not be there."),
]


@pytest.mark.parametrize(("edit", "sentence"), SENTENCES)
def test_a_change_is_told_with_its_place_and_both_pieces(edit: Edit, sentence: str) -> None:
    assert say_change([edit]) == f"In line 31, inside `__mul__`, {sentence}"


def test_equal_changes_of_several_lines_are_told_once() -> None:
    edits = [edit_of("name", "1.0", "out.grad", line=line, end_line=line) for line in (16, 17)]
    assert say_change(edits) == "In lines 16 and 17, inside `__mul__`, `1.0` is used where `out.grad` is needed."


def test_a_statement_that_moves_is_told_once_with_both_places() -> None:
    gone = edit_of("move statement", line=3, end_line=3, before="    a()", after="")
    come = edit_of("move statement", line=7, end_line=7, before="b()", after="b()\na()")
    for edits in ([gone, come], [come, gone]):
        assert (
            say_change(edits) == "In line 3, inside `__mul__`, `a()` is in the wrong place: it belongs below line 7."
        )


def test_a_line_that_changes_and_brings_another_is_told_with_both() -> None:
    edit = edit_of("term", "b + c", "b", before="a += b + c", after="a += b\na += c")
    assert say_change([edit]).endswith("`b + c` stands where `b` is needed, and below it `a += c`.")


def test_a_default_that_all_calls_share_is_told_as_that() -> None:
    header = "def f(a={}):"
    after = f"{header.format(None)}\n    if a is None:\n        a = set()"
    edit = edit_of("default", "set()", "None", before=header.format("set()"), after=after)
    assert say_change([edit]).endswith("the default `set()` is made once, and all calls share it.")


def test_another_method_that_calls_no_helper_of_the_students_names_the_helper_as_well() -> None:
    edit = edit_of("method", before="for v in self.topo():\n    print(v)", after="for v in nodes:\n    print(v)")
    assert ", or in `topo`, which `__mul__` calls: with another `__mul__`" in say_change([edit])


def test_a_method_that_should_not_be_there_is_told_by_its_name() -> None:
    method = "    def __eq__(self, other):\n        return self.data == other.data"
    edit = an_edit(
        kind="remove method", line=7, end_line=8, before=method, after="", function="Value.__eq__", old="", new=""
    )
    assert say_change([edit]) == "In lines 7 to 8, the method `__eq__` should not be there."


def test_of_another_method_the_lines_are_told_and_not_its_text() -> None:
    method = an_edit(
        kind="method", function="Value.zero_grad", line=40, end_line=52, after="secret = 1", old="mine", new="secret"
    )
    assert say_change([method]) == (
        "The mistake lies somewhere in `zero_grad`, lines 40 to 52: with another `zero_grad` everything else holds."
    )
    added = an_edit(kind="method", function="Value.zero_grad", line=40, end_line=40, before="a", after="a\nb")
    assert "somewhere in `zero_grad`, below line 40:" in say_change([added])
    (mistake,) = tell_mistakes(Repair(edits=(method,), proven=True), [])
    assert mistake.diffs == ()


@pytest.mark.parametrize("kind", get_args(EditKind))
def test_each_kind_has_a_sentence_even_where_the_pieces_are_not_known(kind: EditKind) -> None:
    said = say_change([edit_of(kind)])
    assert said.endswith(".")
    assert "``" not in said


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        ([an_edit()], "Look at line 31, in `__mul__`."),
        ([an_edit(), an_edit(line=33, end_line=33)], "Look at lines 31 and 33, in `__mul__`."),
        ([an_edit(end_line=35)], "Look at lines 31 to 35, in `__mul__`."),
        ([an_edit(function="")], "Look at line 31."),
        ([an_edit(file="code cell 3")], "Look at line 31 of code cell 3, in `__mul__`."),
        (
            [an_edit(), an_edit(line=40, end_line=40, function="Value.backward")],
            "Look at line 31, in `__mul__`, and line 40, in `backward`.",
        ),
    ],
)
def test_lines_are_told_with_their_methods(edits: list[Edit], said: str) -> None:
    assert say_line(edits) == said


@pytest.mark.parametrize(
    ("function", "name"),
    [
        ("Value.__mul__._backward", "`Value.__mul__`"),
        ("train", "`train`"),
        ("train.step", "`train`"),
        ("value.__add__", "`value.__add__`"),
        ("", "the lines outside of all functions"),
    ],
)
def test_a_method_is_told_with_its_class_and_without_what_is_inside(function: str, name: str) -> None:
    assert say_method([an_edit(function=function)]) == f"Something in {name} is not right yet"


def test_each_level_tells_one_step_more() -> None:
    levels: tuple[RepairLevel, ...] = ("method", "line", "kind", "change")
    steps = {level: told(an_edit(mends=("a",)), level=level)[0].steps for level in levels}
    assert steps["method"] == ()
    assert steps["line"] == ("Look at line 31, in `__mul__`.",)
    assert steps["kind"] == (
        *steps["line"],
        "Look at line 31, in `__mul__`, where a name or an expression is used that is not the right one.",
    )
    assert steps["change"] == (
        *steps["kind"],
        "In line 31, inside `__mul__`, `self.grad` is used where `out.grad` is needed.",
    )


def test_edits_that_mend_the_same_tests_are_one_mistake() -> None:
    repair = Repair(edits=(an_edit(mends=("a",)), an_edit(line=50, mends=("b",)), an_edit(line=33, mends=("a",))))
    assert [mistake.mends for mistake in tell_mistakes(repair, ["a", "b"])] == [("a",), ("b",)]


def test_of_several_mistakes_the_last_says_that_together_they_are_all() -> None:
    edits = (an_edit(mends=("a",)), an_edit(line=50, mends=("b",)))
    first, second = tell_mistakes(Repair(edits=edits, mends=("a", "b"), proven=True, complete=True), ["a", "b"])
    assert first.summary == "This mends 1 of 2 failed tests."
    assert second.summary.endswith("When all of them are put right, all that is asked for holds.")


def test_another_method_that_mends_a_part_is_not_said_to_mend_all() -> None:
    method = an_edit(kind="method", function="Value.zero_grad", line=40, end_line=52)
    (mistake,) = tell_mistakes(Repair(edits=(method,), mends=method.mends, proven=True), [*method.mends, "c"])
    assert mistake.title == (
        "A mistake lies somewhere in `zero_grad`, lines 40 to 52: with another `zero_grad` more of the tests pass."
    )


def test_the_staff_reads_the_change_and_the_other_change_that_would_do() -> None:
    other = an_edit(line=40, end_line=40, new="2.0", old="1.0")
    (mistake,) = tell_mistakes(Repair(edits=(an_edit(),), others=((other,),), complete=True, proven=True), [])
    assert mistake.title == "In line 31, inside `__mul__`, `self.grad` is used where `out.grad` is needed."
    assert mistake.summary == (
        "With this, all that is asked for holds. "
        "Another change that would do: In line 40, inside `__mul__`, `1.0` is used where `2.0` is needed."
    )


def test_a_student_who_does_not_see_the_tests_reads_no_number_of_them() -> None:
    assert say_what_it_mends(["a", "b"], [], is_complete=False) == "Putting it right mends a part of what fails."
    assert say_what_it_mends(["a"], ["a", "c"], is_complete=False) == "Putting it right mends 1 of 2 failed tests."


@pytest.mark.parametrize("piece", ["a`b`", "x\x1b[31m", "\u202ex", "x" * 500])
def test_no_piece_of_a_student_begins_or_ends_code_or_steers_a_terminal(piece: str) -> None:
    said = say_change([an_edit(piece)])
    assert said.count("`") == 6
    assert said.isprintable()
    assert len(said) < 200
