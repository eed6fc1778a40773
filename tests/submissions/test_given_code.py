"""Given code: which part of a solution it is, and what of a submission it replaces. Nothing is run here."""

from __future__ import annotations

import pytest

from autograder.course.assignment_code import BEGIN_GIVEN, END_GIVEN, GivenCode, parse_given_code
from autograder.faults import CourseFault
from autograder.submissions import SourceUnit, Submission, UngradableSubmission
from autograder.submissions.source_definitions import restore_given_code

HERE = "solutions/nets/value.py"
SOLUTION = f'''"""A net."""

{BEGIN_GIVEN}
import math

RATE = 0.5


class Value:
    """A number."""

    def tanh(self):
        return math.tanh(1)


{END_GIVEN}
class Neuron:
    # BEGIN SOLUTION
    secret = 1
    # END SOLUTION
'''
OWN = "class Neuron:\n    w = Value()\n"


@pytest.fixture
def given() -> GivenCode:
    return parse_given_code(SOLUTION, HERE)


def nested(definition: str, depth: int) -> str:
    """A source that defines something beside a statement of some depth."""
    return f"{definition}\nif 0: z = {'-' * depth}1\n"


def restored(given: GivenCode, *cells: str, **modules: str) -> Submission:
    units = tuple(SourceUnit(f"code cell {number}", cell) for number, cell in enumerate(cells, start=1))
    return restore_given_code(Submission("ada", "", (), units, modules), given)


# The solution


def test_given_code_has_the_lines_that_it_has_in_the_solution(given: GivenCode) -> None:
    solution = SOLUTION.splitlines()
    for number, line in enumerate(given.source.splitlines()):
        assert line in ("", solution[number])
    assert "class Value:" in given.source
    assert "secret" not in given.source


def test_classes_functions_and_variables_are_given_and_imports_are_not(given: GivenCode) -> None:
    assert set(given.definitions) == {"RATE", "Value"}


@pytest.mark.parametrize(
    ("source", "line", "what"),
    [
        (f"x = 1\n{BEGIN_GIVEN}\ny = 2\n", 2, "is never closed"),
        (f"x = 1\n{END_GIVEN}\n", 2, "closes nothing"),
        (f"{BEGIN_GIVEN}\n{BEGIN_GIVEN}\n{END_GIVEN}\n", 2, "inside # BEGIN GIVEN of line 1"),
        (f"{BEGIN_GIVEN}\n# BEGIN SOLUTION\n# END SOLUTION\n{END_GIVEN}\n", 2, "inside the given code of line 1"),
        (f"# BEGIN SOLUTION\n{BEGIN_GIVEN}\n{END_GIVEN}\n# END SOLUTION\n", 2, "inside # BEGIN SOLUTION"),
        (f"class A:\n    {BEGIN_GIVEN}\n    x = 1\n    {END_GIVEN}\n", 2, "this marker is malformed"),
        ("x = 1\n# begin given\n", 2, "this marker is malformed"),
        ("# BEGIN GIVEN code\n", 1, "this marker is malformed"),
        (
            f"{BEGIN_GIVEN}\nx = 1\ndef f():\n{END_GIVEN}\n    return 1\n",
            3,
            "this given code is not valid Python by itself",
        ),
    ],
)
def test_a_wrong_marker_is_told_with_file_and_line(source: str, line: int, what: str) -> None:
    with pytest.raises(CourseFault, match=what) as caught:
        parse_given_code(source, HERE)
    assert caught.value.where == f"{HERE}:{line}"
    assert caught.value.advice


# The submission


@pytest.mark.parametrize(
    "same",
    ["as handed out", "class Value:\n    'mine' ;  # a comment\n    def tanh ( self ): return math.tanh( 1 )\n"],
    ids=["as handed out", "other comments, layout and docstrings"],
)
def test_given_code_that_is_unchanged_is_left_out_without_a_note(given: GivenCode, same: str) -> None:
    submission = restored(given, given.source + OWN if same == "as handed out" else same)
    assert "class Value" not in submission.units[1].source
    assert submission.notes == ()


def test_lines_keep_their_numbers(given: GivenCode) -> None:
    changed = f"@decorated\nclass Value:\n    x = (1,\n         2)\nRATE = 3; rest = 4\n{OWN}"
    before, after = changed.splitlines(), restored(given, changed).units[1].source.splitlines()
    assert after.index("class Neuron:") == before.index("class Neuron:")
    assert after[4] == "pass; rest = 4"
    assert after[:3] == ["", "", ""]
    compile("\n".join(after), "after", "exec")


def test_a_change_under_if_or_try_is_left_out(given: GivenCode) -> None:
    source = "try:\n    from engine import Value\nexcept ImportError:\n    class Value: ...\nif 1:\n    RATE = 2\n"
    submission = restored(given, source)
    text = submission.units[1].source
    compile(text, "after", "exec")
    assert "engine" not in text
    assert "class" not in text
    assert "RATE" not in text


def test_of_an_import_only_the_given_name_is_left_out(given: GivenCode) -> None:
    submission = restored(given, "from engine import (\n    Value,\n    helper as h,\n)\nx = 1\n")
    assert submission.units[1].source == "\n\n\nfrom engine import helper as h\nx = 1\n"
    assert submission.notes == ()


@pytest.mark.parametrize(
    "own",
    [
        "class Value(Value):\n    def half(self): ...\nValue.double = lambda self: 2\nRATE = RATE / 2\n",
        "def f():\n    Value = 1\n    class RATE: ...\n    return Value\n",
        "class Value(:\n",
        "x;" * 100_000,
    ],
    ids=["builds on the original", "local names", "not Python", "long, without a given name"],
)
def test_what_changes_nothing_that_is_given_stays(given: GivenCode, own: str) -> None:
    submission = restored(given, own)
    assert submission.units[1].source == own
    assert submission.notes == ()


def test_files_beside_the_submission_take_the_original_from_it(given: GivenCode) -> None:
    submission = restored(given, "from layers import Neuron\n", layers=f"class Value:\n    x = 1\n\n\n{OWN}")
    assert submission.modules["layers"].startswith("\nfrom submission import Value\n")
    assert "line 1" in submission.notes[0]
    assert "layers.py" in submission.notes[0]


def test_without_given_code_a_submission_is_what_it_was() -> None:
    submission = Submission("ada", "", (), (SourceUnit("value.py", OWN),))
    assert restore_given_code(submission, parse_given_code("x = 1\n", HERE)) is submission


# Sources that are hard to read


def test_the_original_is_restored_in_a_source_that_is_deeper_than_calls_may_be(given: GivenCode) -> None:
    left = restored(given, nested("class Value: pass", 1100))
    assert "class Value" not in left.units[1].source


def test_a_deep_original_is_compared_without_an_error(given: GivenCode) -> None:
    deep = "class Value:\n    rate = " + "-" * 600 + "1\n"
    assert "`Value` is given" in restored(given, deep).notes[0]


@pytest.mark.parametrize("source", [nested("class Value: pass", 2500), "class Value: pass\n" + "x;" * 100_000])
def test_a_source_that_cannot_be_compared_is_not_graded(given: GivenCode, source: str) -> None:
    with pytest.raises(UngradableSubmission, match="to be compared with the given code") as caught:
        restored(given, source)
    assert caught.value.reason == "too-large"


def test_all_definitions_of_a_line_are_left_out(given: GivenCode) -> None:
    assert restored(given, "RATE = 10; Value = 1; y = 2").units[1].source == "pass; pass; y = 2"
