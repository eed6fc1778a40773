"""Choose the file to grade among several that a student handed in."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from functools import partial
from pathlib import PurePosixPath

from autograder.course import Assignment
from autograder.faults import make_file_fault
from autograder.safe_text import escape_for_sentence
from autograder.submissions.source_unit_reading import read_texts_with_magics
from autograder.submissions.submission_model import UngradableSubmission
from autograder.submissions.submitted_files import SubmittedFile, abbreviate_file_names, split_source_name

MAGIC_SIGNS = ("%", "!")
MOST_COMPARED = 100
"""Most files with the required names that are compared with the template, each of which is read for it."""


def choose_graded_file(
    sources: Sequence[SubmittedFile], assignment: Assignment
) -> tuple[SubmittedFile, tuple[str, ...]]:
    """Choose the file to grade among several, with notes on the files that are not graded."""
    if len(sources) == 1:
        return sources[0], ()
    definers = [file for file in sources if _defines_all(file, assignment.defines)]
    required = " and ".join(assignment.defines)
    if not definers:
        problem, advice = f"None of the files defines {required}", "Hand in the file with your own work."
        if any(defines_any(file, assignment.defines) for file in sources):
            problem = f"No file by itself defines {required}"
            advice = "Put your code into one file, and hand that in."
        raise UngradableSubmission("nothing-defined", f"{problem}: {abbreviate_file_names(sources)}. {advice}")
    is_compared = len(definers) <= MOST_COMPARED
    edited = [file for file in definers if not (is_compared and _is_untouched_template(file, assignment))]
    candidates = edited or definers[:1]
    preferences: list[Callable[[SubmittedFile], bool]] = [
        *(partial(_has_name, pattern) for pattern in assignment.graded_files),
        lambda file: split_source_name(PurePosixPath(file.name).name)[0].casefold() == "value",
        lambda file: file.suffix == file.source_suffix,
    ]
    for may_choose in preferences:
        if len(candidates) > 1:
            candidates = [*filter(may_choose, candidates)] or candidates
    if len(candidates) > 1:
        names = abbreviate_file_names(candidates)
        raise UngradableSubmission(
            "several-candidates",
            f"{len(candidates)} files define {required}: {names}. Hand in one of them, named "
            f"{list_usual_names(assignment)}. A course may say which one counts: `submission` in grading.yml.",
        )
    ungraded = [file for file in edited if file is not candidates[0]]
    graded_name = escape_for_sentence(candidates[0].name, 80)
    note = f"Graded {graded_name}; {abbreviate_file_names(ungraded)} also defines {required} and was not graded."
    return candidates[0], (note,) if ungraded else ()


def list_usual_names(assignment: Assignment) -> str:
    """Return the names under which students hand in their file."""
    names = [name for name in assignment.graded_files if "*" not in name] or ["value.py", "value.ipynb"]
    return " or ".join(names)


def defines_any(file: SubmittedFile, names: Sequence[str]) -> bool:
    """Return whether a file's text defines one of the names, as far as text can."""
    return any(_defines_all(file, [name]) for name in names)


def _has_name(pattern: str, file: SubmittedFile) -> bool:
    """Return whether a file has a name or a path like ``value.py``, ``src/value.py`` or ``*.ipynb``."""
    folders = pattern.count("/")
    stem, ending = split_source_name(file.name)
    path = "/".join(f"{stem}{ending}".split("/")[-1 - folders :])
    return fnmatchcase(path.casefold(), pattern.casefold())


def _defines_all(file: SubmittedFile, names: Sequence[str]) -> bool:
    text = file.content.decode("utf-8", "replace")
    line_start = r'(?:^|\\n|")[ \t]*' if file.is_notebook else r"^[ \t]*"
    assignment = r"[ \t]*(?::[^:=\n]*)?=[^=]"
    return all(
        re.search(rf"{line_start}(?:(?:class|def)\s+{re.escape(name)}\b|{re.escape(name)}{assignment})", text, re.M)
        for name in names
    )


def _is_untouched_template(file: SubmittedFile, assignment: Assignment) -> bool:
    """Return whether a file is the template's, as students got it (a notebook may have been run and saved)."""
    original = assignment.template_folder / ("value.ipynb" if file.is_notebook else "value.py")
    if not original.is_file():
        return False
    try:
        limit = assignment.limits.source_kb * 1024
        return _normalize_texts(read_texts_with_magics(file, limit)) == _normalize_texts(
            read_texts_with_magics(SubmittedFile(original.name, original.read_bytes()), limit)
        )
    except UngradableSubmission:
        return False
    except OSError as error:
        raise make_file_fault(error, original) from error


def _normalize_texts(texts: Sequence[str]) -> list[str]:
    """Return texts without lines that begin with a magic, in one style of line ends, and without empty ones."""
    normalized = (
        "\n".join(line for line in text.splitlines() if not line.startswith(MAGIC_SIGNS)).strip() for text in texts
    )
    return [text for text in normalized if text]
