"""Explain how a submission was read and loaded, and why it cannot be graded."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import groupby

from autograder.bridge.submission_program import LoadProblem, LoadResult
from autograder.course import Assignment
from autograder.grading.explanations import collect_disclosable_facts
from autograder.grading.interpreter_messages import (
    PYTHON_NAMES,
    describe_end_of_program,
    find_hint_for_showable_message,
    get_showable_syntax_message,
    is_known_name,
)
from autograder.submissions import SourceUnit, Submission, UngradableSubmission
from autograder.submissions.common_slips import NUMBERED, explain_common_syntax_error, find_misspelling
from autograder.submissions.source_definitions import (
    list_imported_names,
    list_redefinition_notes,
    list_top_level_definitions,
)
from autograder.text import choose_by_count, escape_for_sentence, join_with_and

TEMPLATE_MODULES = ("notebook_check", "otter")
"""Modules that the template's notebook imports. They are not needed for grading, so no note mentions them."""
NOTHING_ADVISED = ("nothing of it could be run.", "this cell was left out.")
"""Endings of a sentence on code that does not compile, if the sentence gives no advice."""
PYTHON = f"Python {sys.version_info.major}.{sys.version_info.minor}"


def list_loading_notes(
    submission: Submission,
    load_result: LoadResult,
    statement_time_limit_seconds: float,
    *,
    may_quote_process: bool = True,
) -> list[str]:
    """Return sentences on how a submission's code was read, what did not run well, and what it defines wrongly.

    Args:
        submission: the submission as it was read.
        load_result: the result of loading it, as its process reported it.
        statement_time_limit_seconds: how long a statement may take.
        may_quote_process: whether students see the messages of tests. If they do not, no text of the process is shown
            here either.
    """
    words = collect_disclosable_facts(submission).known_words if may_quote_process else frozenset()
    sentences = [*submission.notes]
    if any(load_result.kind_by_name.values()):  # otherwise they are told as the reason why nothing can be graded
        sentences += submission.unread_definitions
    problems = [note for note in load_result.problems if 0 <= note.unit < len(submission.units)]
    for unit, notes in groupby(problems, key=lambda note: note.unit):
        first, *more = notes
        also = (
            f" So were {len(more)} more after it." if len(more) > 1 else " So was one more after it." if more else ""
        )
        sentences.append(
            _describe_problem(first, submission, submission.units[unit], statement_time_limit_seconds, words) + also
        )
    left_out = {(note.unit, note.statement) for note in load_result.problems}
    sentences += list_redefinition_notes(submission.units, load_result.kind_by_name, left_out)
    if misnamed := _list_misspelt_names(submission, load_result):
        sentences.append(_describe_missing_definitions(submission, misnamed))
    return sentences + _describe_missing_packages(submission, load_result)


def _describe_missing_definitions(submission: Submission, undefined_names: Sequence[str]) -> str:
    """Say which of the names that the assignment asks for a submission does not define."""
    is_notebook = submission.unread_definitions or sum(not unit.given for unit in submission.units) > 1
    start = f"The {'notebook' if is_notebook else 'file'} defines no"
    likes = {name: _find_similar_name(submission, name) for name in undefined_names}
    sentences = [
        f"{start} `{name}`. It defines `{like}`: did you mean that? Rename it to `{name}`, everywhere."
        for name, like in likes.items()
        if like
    ]
    if unlike := [f"`{name}`" for name, like in likes.items() if not like]:
        advice = f"Start from the template and keep the name {unlike[0]}."
        sentences.append(f"{start} {' and no '.join(unlike)}. {' '.join(submission.unread_definitions) or advice}")
    return " ".join(sentences)


def _list_misspelt_names(submission: Submission, load_result: LoadResult) -> list[str]:
    """Return the missing names that resemble one the submission defines; none if it lacks every name."""
    missing = [name for name, kind in load_result.kind_by_name.items() if not kind]
    if len(missing) == len(load_result.kind_by_name):
        return []  # then it cannot be graded, and the student is told why
    return [name for name in missing if _find_similar_name(submission, name)]


def _find_similar_name(submission: Submission, name: str) -> str:
    return escape_for_sentence(
        find_misspelling(name, (found.name for found in list_top_level_definitions(submission.units))), 60
    )


def _describe_problem(
    note: LoadProblem, submission: Submission, unit: SourceUnit, seconds: float, words: frozenset[str]
) -> str:
    """Describe a problem in a sentence; ``words`` are the words of the process that may be shown."""
    name, source = escape_for_sentence(unit.name, 80), unit.source
    lines = source.splitlines()
    line = lines[note.line - 1] if 0 < note.line <= len(lines) else ""
    text = line.strip()
    shown = f", `{escape_for_sentence(text, 60)}`" if text else ""
    is_there = 0 < note.line <= source.count("\n") + 1
    place = f"{name}, line {note.line}{shown}" if is_there else name
    rest = "this statement was left out, and the rest was run."
    match note.kind:
        case "broken":
            message = get_showable_syntax_message(source, note.message, words)
            known = explain_common_syntax_error(source, note.line, message)
            what = known[0] if known else f"{message} (SyntaxError)" if message else "this is not Python"
            alone = sum(not one.given for one in submission.units) == 1
            rest = "nothing of it could be run." if alone else "this cell was left out."
            rest += f" {known[1]}" if known else ""
        case "timed out":
            what = f"this did not end within {seconds:g} s"
        case "stopped":
            what = escape_for_sentence(note.message)
        case _ if note.error == "NameError" and NUMBERED.match(line):
            what, advice = explain_common_syntax_error(source, note.line, note.message) or ("", "")
            rest += f" {advice}"
        case _ if ends := describe_end_of_program(note.error, note.message):
            what = f"this {ends}"
        case _:
            kind = note.error if is_known_name(note.error, words) else "it raised an exception"
            may_show = find_hint_for_showable_message(note.message, words) is not None
            what = f"{kind}: {escape_for_sentence(note.message)}" if may_show else kind
    return f"{place}: {what}; {rest}"


def _describe_missing_packages(submission: Submission, load_result: LoadResult) -> list[str]:
    """Say which packages, and which names of a newer Python, are not there: of those that the source imports."""
    there: list[str] = []
    if missing := {*load_result.missing_packages}:
        sources = (*(unit.source for unit in submission.units), *submission.modules.values())
        there = [name for name in list_imported_names(sources) if name in missing]
    foreign = [name for name in there if "." not in name and name not in TEMPLATE_MODULES]
    packages = [escape_for_sentence(name, 40) for name in foreign[:10]]
    newer = [f"`{escape_for_sentence(name, 60)}`" for name in there if "." in name][:10]
    sentences = []
    if newer:
        are = choose_by_count(len(newer), "is", "are")
        stand_ins_are = choose_by_count(len(newer), "a stand-in is", "stand-ins are")
        sentences.append(
            f"{join_with_and(newer)} {are} not in {PYTHON}, with which your code is graded; "
            f"{stand_ins_are} used. Importing costs nothing; calling it in a graded method does."
        )
    if packages:
        are = choose_by_count(len(packages), "is", "are")
        sentences.append(
            f"{join_with_and(packages)} {are} not installed where your code is graded. Importing costs "
            "nothing; using it in a graded method does."
        )
    return sentences


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
        return "nothing-defined", _describe_missing_definitions(submission, missing)
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
