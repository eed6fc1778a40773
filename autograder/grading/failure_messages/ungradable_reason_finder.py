"""Decide whether a loaded submission can be graded at all."""

from __future__ import annotations

from autograder.bridge.submission_program import LoadResult
from autograder.course import Assignment
from autograder.grading.failure_messages.loading_notes import NOTHING_ADVISED, describe_missing_definitions
from autograder.grading.failure_messages.showable_interpreter_messages import PYTHON_NAMES
from autograder.submissions import Submission, UngradableSubmission


def find_ungradable_reason(
    submission: Submission, load_result: LoadResult, assignment: Assignment, loading_notes: tuple[str, ...]
) -> UngradableSubmission | None:
    """Say why a loaded submission cannot be graded; return None when it can.

    Args:
        submission: the submission as it was read.
        load_result: what the submission defines.
        assignment: the assignment, which says what a submission must define.
        loading_notes: sentences on how the submission was read and loaded.
    """
    found = _problem(submission, load_result, assignment, loading_notes)
    return UngradableSubmission(*found, sha256=submission.sha256, files=submission.files) if found else None


def _problem(
    submission: Submission, load_result: LoadResult, assignment: Assignment, notes: tuple[str, ...]
) -> tuple[str, str] | None:
    """Return the stable key of a problem, and what to tell the student; None without a problem."""
    missing = [name for name in assignment.defines if not load_result.kind_by_name.get(name)]
    if missing == list(assignment.defines):
        if any(note.kind == "broken" for note in load_result.problems):
            first = notes[len(submission.notes)]
            todo = "Fix this line, run" if first.endswith(NOTHING_ADVISED) else "Then run"
            return "syntax-error", f"{first} {todo} the file once, and hand it in again."
        if not load_result.kind_by_name:
            return (
                "cannot-be-loaded",
                "The code ends its process whenever it is loaded. Take that out and hand it in again.",
            )
        return "nothing-defined", describe_missing_definitions(submission, missing)
    for name in assignment.defines:
        kind = load_result.kind_by_name.get(name, "")
        if name[0].isupper() and kind and kind != "class":
            if kind == "missing package":
                return "not-a-class", (
                    f"`{name}` comes from a module that was not handed in, and is not installed here. Hand in the "
                    "file that defines it as well, or put its code into this one."
                )
            words = PYTHON_NAMES if assignment.feedback.hidden_tests == "visible" else frozenset()
            told = f" (its type is {kind})" if kind in words | {"stub"} else ""
            return "not-a-class", f"`{name}` is not a class{told}. Define it with `class {name}:`."
    return None
