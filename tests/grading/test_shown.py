"""Text of a student's process is shown only where it says nothing that its author does not know."""

from __future__ import annotations

from dataclasses import replace

import pytest
from msgspec import structs

from autograder.bridge.submission_program import LoadProblem, LoadResult
from autograder.course import Assignment
from autograder.course.model import Visibility
from autograder.grading.interpreter_messages import (
    collect_showable_words,
    get_showable_syntax_message,
)
from autograder.grading.loading_notes import find_ungradable_reason, list_loading_notes
from autograder.submissions import SourceUnit, Submission

SOURCE = "class Value:\n    def tanh(self): return other.data ** 17\nraise ValueError(text)\n"
WORDS = collect_showable_words([SOURCE])
BROKEN = "class Value:\n    def tanh(self\n"


def test_what_the_parser_says_is_shown_when_it_says_so_here_too() -> None:
    assert get_showable_syntax_message(BROKEN, "'(' was never closed", WORDS) == "'(' was never closed"
    assert get_showable_syntax_message(BROKEN, "'(' was never closed 0.48", WORDS) == ""


def test_what_only_the_compiler_says_is_shown_when_it_is_one_of_its_sentences() -> None:
    assert get_showable_syntax_message("return 1", "'return' outside function", WORDS) == "'return' outside function"
    assert get_showable_syntax_message("return 1", "0.48151623421", WORDS) == ""


def loading_sentence(error: str, message: str, *, told: bool = True) -> str:
    submission = Submission("s", "", (), (SourceUnit("value.py", SOURCE),))
    note = LoadProblem("failed", 0, 1, 3, error, message)
    (sentence,) = list_loading_notes(submission, LoadResult(problems=(note,)), 1.0, may_quote_process=told)
    return sentence


def test_a_note_on_loading_keeps_to_the_rule() -> None:
    where = "value.py, line 3, `raise ValueError(text)`: "
    rest = "; this statement was left out, and the rest was run."
    assert (
        loading_sentence("NameError", "name 'text' is not defined")
        == f"{where}NameError: name 'text' is not defined{rest}"
    )
    assert loading_sentence("ValueError", "0.48151623421") == f"{where}ValueError{rest}"
    assert loading_sentence("Error_0_48151623421", "") == f"{where}it raised an exception{rest}"


def test_where_students_do_not_see_what_tests_say_they_see_no_words_of_loading_either() -> None:
    shown = loading_sentence("NameError", "name 'text' is not defined", told=False)
    assert shown.startswith("value.py, line 3, `raise ValueError(text)`: it raised an exception;")


def test_a_line_or_a_file_that_does_not_exist_is_not_shown() -> None:
    submission = Submission("s", "", (), (SourceUnit("value.py", SOURCE),))
    notes = (LoadProblem("timed out", 0, 1, 48151623421, "", ""), LoadProblem("timed out", 7, 0, 3, "", ""))
    (sentence,) = list_loading_notes(submission, LoadResult(problems=notes), 1.0)
    assert sentence == "value.py: this did not end within 1 s; this statement was left out, and the rest was run."


@pytest.mark.parametrize("may_quote_process", [True, False])
def test_a_package_is_said_to_be_missing_if_the_source_imports_it(may_quote_process: bool) -> None:
    source = "import numpy.linalg\nfrom typing import override\nd4 = d8 = None  # 48151623\n"
    submission = Submission("s", "", (), (SourceUnit("value.py", source),))
    missing = ("numpy", "typing.override", "d4", "d4.d8.d4", "48151623", "linalg", "typing.d4")
    result = LoadResult(missing_packages=missing)
    newer, packages = list_loading_notes(submission, result, 1.0, may_quote_process=may_quote_process)
    assert newer.startswith("`typing.override` is not in Python ")
    assert packages.startswith("numpy is not installed where your code is graded.")


@pytest.mark.parametrize(("hidden_tests", "told"), [("visible", " (its type is float)"), ("hidden", "")])
def test_the_type_of_what_is_no_class_is_told_where_students_see_what_tests_say(
    engine: Assignment, hidden_tests: Visibility, told: str
) -> None:
    submission = Submission("s", "", (), (SourceUnit("value.py", "Value = 3.0"),))
    assignment = replace(engine, feedback=structs.replace(engine.feedback, hidden_tests=hidden_tests))
    reason = find_ungradable_reason(submission, LoadResult({"Value": "float"}), assignment, ())
    assert reason is not None
    assert reason.message == f"`Value` is not a class{told}. Define it with `class Value:`."
