"""Write what nbgrader takes for a class: ``grades.csv`` like ``nbgrader export``'s, and a ``feedback`` folder."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from autograder.platforms.feedback import feedback_page
from autograder.platforms.model import Change, Export, Given, Result, Results
from autograder.platforms.nbgrader.table import HEADER, assignment_of, people_of, put, row_of
from autograder.submissions.paths import Unusable, inner_path
from autograder.text import clean, clean_name


def write_class(results: Results, given: Given) -> Export:
    """Make ``grades.csv``, and ``feedback/<student>/<assignment>/<notebook>.html`` for each submission.

    If the table that nbgrader exported is given, the numbers go into this assignment's rows there; every other byte
    of it stays.
    """
    counting = [result for result in results.rows if result.attempt_counts]
    unmatched: list[str] = []
    students: dict[str, Result] = {}
    for result in counting:
        for person in people_of(result):
            if not person.id or re.search(r"[,\r\n]", person.id) or person.id in students:
                why = "has another result already" if person.id in students else "is no student_id of nbgrader's"
                unmatched.append(f"{clean_name(result.name)}: '{clean(person.id, 80)}' {why}")
            else:
                students[person.id] = result
    files = dict(_feedback(students, results, given))
    if given.sheet is None:
        rows = [row_of(result, student, results, given) for student, result in students.items()]
        table = "".join(f"{line}\n" for line in (HEADER, *rows))
        changes = [Change(clean_name(one), "", row.split(",")[-2]) for one, row in zip(students, rows, strict=True)]
        files["grades.csv"] = table.encode("utf-8", "surrogateescape")
        return Export(files, tuple(changes), tuple(unmatched))
    content, changes, found = put(given.sheet, given.sheet_name or "the sheet", students, results, given)
    unmatched += [
        f"{clean_name(result.name)}: {clean_name(student)} is not in {given.sheet_name}"
        for student, result in students.items()
        if student not in found
    ]
    missing = tuple(clean_name(student) for student in found if student not in students)
    return Export({"grades.csv": content, **files}, tuple(changes), tuple(unmatched), missing)


def _feedback(students: Mapping[str, Result], results: Results, given: Given) -> Iterator[tuple[str, bytes]]:
    """Yield a page for each student, named as the notebook is, because nbgrader looks for that name."""
    for student, result in students.items():
        notebooks = [PurePosixPath(name) for name in result.report.submission.files if name.endswith(".ipynb")]
        page = notebooks[0].stem if len(notebooks) == 1 else "value"
        folder = f"feedback/{student}/{assignment_of(result, results, given)}"
        try:
            if "/" in student or len(inner_path(f"{folder}/{page}.html").parts) != 4:
                continue
        except Unusable:
            continue
        yield f"{folder}/{page}.html", feedback_page(result.report)
