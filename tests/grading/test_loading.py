"""What is said of a submission that was read or loaded otherwise than its author meant: what, where, what to do."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.course import Assignment
from autograder.grading import Grader
from autograder.grading.graded_submission import GradedSubmission
from autograder.sandbox import SandboxConfig
from autograder.submissions import SourceUnit, Submission
from autograder.submissions.source_definitions import list_redefinition_notes
from tests.submissions.handed_in import notebook

Hand = Callable[..., GradedSubmission]

PYTHON = f"Python {sys.version_info.major}.{sys.version_info.minor}"
SOLVED = "class Value:\n    def __init__(self, data):\n        self.data = data\n        self.grad = 0.0\n"
OTHER = "class Value:\n    def __init__(self, data):\n        self.data = -data\n"


@pytest.fixture
def hand_in(grader: Grader, tmp_path: Path) -> Hand:
    """Grade a file of this text."""

    def graded(text: str, name: str = "value.py") -> GradedSubmission:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return grader.grade(tmp_path / name)

    return graded


def message_or_notes(graded: GradedSubmission) -> str:
    return graded.message or " ".join(graded.notes)


def passed(graded: GradedSubmission) -> set[str]:
    return {result.spec.id for result in graded.test_results if result.outcome == "passed"}


def twice(*sources: str) -> list[str]:
    names = ["value.py"] if len(sources) == 1 else [f"code cell {n}" for n in range(1, len(sources) + 1)]
    return list_redefinition_notes(
        [SourceUnit(name, text) for name, text in zip(names, sources, strict=True)], ["Value"]
    )


# --- Two definitions of one name.


def test_of_two_definitions_in_a_file_both_lines_are_told_and_the_last_counts(hand_in: Hand) -> None:
    graded = hand_in(f"{OTHER}\n\n{SOLVED}")
    assert message_or_notes(graded) == "`Value` is defined twice: value.py, lines 1 and 6. The last one counts."
    assert passed(graded) == passed(hand_in(SOLVED))


def test_a_method_that_is_defined_twice_is_told(hand_in: Hand) -> None:
    stub = "    def __add__(self, other):\n        raise NotImplementedError\n"
    graded = hand_in(f"{SOLVED}    def __add__(self, other):\n        return Value(1)\n{stub}")
    assert (
        message_or_notes(graded) == "`Value.__add__` is defined twice: value.py, lines 5 and 7. The last one counts."
    )


@pytest.mark.parametrize(
    "source",
    [
        f"{SOLVED}\nclass Value(Value):\n    pass\n",
        f"{SOLVED}\nclass Node:\n    pass\nclass Node:\n    pass\n",
        f"{SOLVED}    @property\n    def x(self): return 1\n    @x.setter\n    def x(self, y): pass\n",
        f"try:\n    import nothing\nexcept ImportError:\n    {SOLVED.replace(chr(10), chr(10) + '    ')}",
        SOLVED,
    ],
    ids=["builds on it", "a class of their own", "a property", "either of two", "once"],
)
def test_what_does_not_replace_anything_is_not_told(source: str) -> None:
    assert twice(source) == []


def test_a_definition_that_failed_does_not_count(hand_in: Hand) -> None:
    graded = hand_in(f"{SOLVED}\nclass Value:\n    x = 1 / 0\n")
    assert "twice" not in message_or_notes(graded)
    assert "value.py, line 7, `x = 1 / 0`: ZeroDivisionError" in message_or_notes(graded)


def test_of_several_files_that_define_it_the_one_that_was_graded_is_told(grader: Grader, tmp_path: Path) -> None:
    (tmp_path / "value.py").write_text(SOLVED)
    (tmp_path / "older.py").write_text(OTHER)
    assert (
        message_or_notes(grader.grade(tmp_path)) == "Graded value.py; older.py also defines Value and was not graded."
    )


# --- A notebook that is called a Python file.


def test_a_notebook_saved_as_a_python_file_is_graded_as_a_notebook(hand_in: Hand) -> None:
    graded = hand_in(notebook("import math", SOLVED))
    assert message_or_notes(graded).startswith(
        "value.py holds a notebook, not Python text, and was graded as a notebook."
    )
    assert passed(graded) == passed(hand_in(SOLVED))


def test_other_json_with_a_python_files_name_is_told(hand_in: Hand) -> None:
    graded = hand_in('{"nbformat": 4, "x": 1}')
    assert "value.py is not a Jupyter notebook. Open it in Jupyter" in message_or_notes(graded)


# --- Names that are not quite the ones that are asked for.


@pytest.mark.parametrize("name", ["value", "Values", "Valu", "VALUE", "Vlaue"])
def test_a_class_of_nearly_the_right_name_is_told(hand_in: Hand, name: str) -> None:
    graded = hand_in(SOLVED.replace("Value", name))
    assert message_or_notes(graded) == (
        f"The file defines no `Value`. It defines `{name}`: did you mean that? Rename it to `Value`, everywhere."
    )


def test_a_name_that_differs_in_capitals_alone_comes_first(hand_in: Hand) -> None:
    assert "It defines `value`:" in message_or_notes(hand_in("class Values: pass\nclass value: pass\n"))


def test_a_function_of_nearly_the_right_name_is_told(sorting: Assignment, sandbox: SandboxConfig) -> None:
    text = sorting.solution_file.read_text(encoding="utf-8").replace("def build_topo(", "def build_top(")
    with Grader(sorting, sandbox) as grader:
        some = grader.grade_submission(Submission("x", "", ("value.py",), (SourceUnit("value.py", text),)))
        none = grader.grade_submission(
            Submission("x", "", ("value.py",), (SourceUnit("value.py", "def build_top(): 0"),))
        )
    did_you_mean = "It defines `build_top`: did you mean that? Rename it to `build_topo`, everywhere."
    assert message_or_notes(some) == f"The file defines no `build_topo`. {did_you_mean}"
    assert did_you_mean in message_or_notes(none)
    assert "The file defines no `backward_order`. Start from the template" in message_or_notes(none)


# --- What is no Python.

SLIPS = {
    "merge marks": (
        f"x = 0\n<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> main\n{SOLVED}",
        "line 2, `<<<<<<< HEAD`: git could not join two versions here",
        "delete the marks `<<<<<<<`, `=======` and `>>>>>>>` (lines 2, 4 and 6)",
    ),
    "a merge inside brackets": (
        f"x = [\n<<<<<<< HEAD\n1,\n=======\n2,\n>>>>>>> main\n]\n{SOLVED}",
        "git could not join two versions here",
        "(lines 2, 4 and 6)",
    ),
    "a shell's prompt": (f">>> import math\n{SOLVED}", "line 1, `>>> import math`: `>>>` is the prompt", "Take the"),
    "a continued prompt": (f"... x = 1\n{SOLVED}", "`...` is the prompt of a shell", "Take the prompts out"),
    "IPython's prompt": (f"In [3]: import math\n{SOLVED}", "`In [3]:` is the prompt", "Take the prompts out"),
    "a fence": (
        f"```python\n{SOLVED}```\n",
        "line 1, `ˋˋˋpython`: this line marks code in a chat",
        "Delete this line",
    ),
    "the fence's end": (f"{SOLVED}```\n", "line 5", "Delete this line and the one that closes it"),
    "typographic quotes": (f"{SOLVED}x = “a”\n", "line 5, `x = “a”`: `“` is a typographic", "plain ones"),
    "one such quote": (f"{SOLVED}x = 'a’\n", "`’` is a typographic quotation mark", "plain ones"),
    "a long minus": (f"{SOLVED}x = 3 − 1\n", "`−` (minus sign) is not part of Python", "type what should stand"),
    "an invisible space": (f"{SOLVED}x =\u00a01\n", "an invisible character (no-break space)", "Delete it"),
    "tabs and spaces": (
        f"{SOLVED}def f():\n\tif 1:\n        return 2\n",
        "line 7, `return 2`: some lines are indented with tabs and some with spaces",
        "Use four spaces everywhere",
    ),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_well_known_slip_is_told_with_its_line_and_what_to_do(hand_in: Hand, slip: str) -> None:
    source, what, todo = SLIPS[slip]
    graded = hand_in(source)
    assert graded.status == "syntax-error"
    assert what in message_or_notes(graded)
    assert todo in message_or_notes(graded)
    assert message_or_notes(graded).endswith("Then run the file once, and hand it in again.")


def test_in_a_notebook_a_slip_costs_its_cell_alone(hand_in: Hand) -> None:
    graded = hand_in(notebook("```python\nx = 1\n```", SOLVED), "value.ipynb")
    assert "code cell 1, line 1" in message_or_notes(graded)
    assert "this cell was left out. Delete this line" in message_or_notes(graded)
    assert passed(graded)


@pytest.mark.parametrize("source", ["x = = 1  # it’s “so”", 'x = = """\n>>> f()\n```\n"""', "if 1:\nx = 1"])
def test_any_other_syntax_error_is_told_in_pythons_words(hand_in: Hand, source: str) -> None:
    assert message_or_notes(hand_in(source)).endswith("Fix this line, run the file once, and hand it in again.")


# --- What a newer Python has.


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python has it")
def test_a_name_of_a_newer_library_is_told_and_costs_nothing(hand_in: Hand, engine: Assignment) -> None:
    text = engine.solution_file.read_text(encoding="utf-8")
    assert "    def __add__(" in text
    graded = hand_in(
        "from typing import override\n" + text.replace("    def __add__(", "    @override\n    def __add__(")
    )
    assert message_or_notes(graded) == (
        f"`typing.override` is not in {PYTHON}, with which your code is graded; a stand-in is used. "
        "Importing costs nothing; calling it in a graded method does."
    )
    assert {result.outcome for result in graded.test_results} == {"passed"}
