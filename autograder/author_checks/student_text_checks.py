"""Compare what a notebook and a handout say with the public suite and with ``grading.yml``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from autograder.course import Assignment
from autograder.faults import CourseFault, format_did_you_mean_suffix, raise_course_faults_if_any
from autograder.template.student_template_files import read_assignment_file_text

RUN_TESTS = re.compile(r"""^[^#\n]*\brun_tests\(\s*["']([^"'\n]*)["']""", re.M)
NOTEBOOK = "value.ipynb"
MARKS_HEAD = re.compile(r"\|\s*(?:marks|points)\s*\|\s*$", re.I)
ROW = re.compile(r"^\s*\|\s*(?:an? |the )?(?P<text>.*?)\s*\|\s*(?P<points>\d+(?:\.\d+)?)\s*\|\s*$", re.I)
MARKUP = re.compile(r"[*_`]+(?=\w)|(?<=\w)(?:\(\))?[*_`]+|(?<=\w)\(\)")


def require_notebook_public_test_files(assignment: Assignment) -> None:
    """Raise if the notebook runs a public test file that is not there.

    Raises:
        CourseFault: there is such a cell, or the script cannot be read.
    """
    script = assignment.notebook_script_path
    if not script.exists():
        return
    text = read_assignment_file_text(script)
    test_files = sorted(path.stem for path in assignment.public_suite_folder.glob("test_*.py"))
    raise_course_faults_if_any(
        [
            CourseFault(
                f"runs the public tests {match[1]!r}, which do not exist"
                f"{format_did_you_mean_suffix(match[1], test_files)}",
                where=f"{script}:{text.count(chr(10), 0, match.start(1)) + 1}",
                advice=f"write public/{match[1]}.py, or correct the cell",
            )
            for match in RUN_TESTS.finditer(text)
            if match[1] not in test_files
        ]
    )


def require_no_mention_of_missing_notebook(assignment: Assignment) -> None:
    """Raise if the handout or the README promises a notebook that students do not get.

    Raises:
        CourseFault: it does, or one of them cannot be read.
    """
    if assignment.notebook_script_path.exists():
        return
    faults = []
    for path in (assignment.folder / "handout.md", assignment.folder / "template" / "README.md"):
        text = read_assignment_file_text(path) if path.exists() else ""
        if NOTEBOOK in text:
            faults.append(
                CourseFault(
                    f"this page speaks of {NOTEBOOK}, which students do not get: there is no notebook.py",
                    where=f"{path}:{text[: text.index(NOTEBOOK)].count(chr(10)) + 1}",
                    advice="take it out of the page, or write notebook.py",
                )
            )
    raise_course_faults_if_any(faults)


def require_handout_points_match(assignment: Assignment) -> None:
    """Raise if the handout gives a concept other points than ``grading.yml``.

    Points are recognized behind a concept's name, as in ``Addition (40), dot product (40)``, and in the last column
    of a table under the heading "marks" or "points", where the first column begins with the name.

    Raises:
        CourseFault: points differ, or the handout cannot be read.
    """
    path = assignment.folder / "handout.md"
    points = {" ".join(concept.name.casefold().split()): concept.points for concept in assignment.concepts}
    raise_course_faults_if_any(
        [
            CourseFault(
                f"the handout gives {name!r} {stated:g} points, but grading.yml gives it {points[name]:g}",
                where=f"{path}:{line}",
                advice="make both the same",
            )
            for line, name, stated in _iterate_stated_points(read_assignment_file_text(path), [*points])
            if stated != points[name]
        ]
    )


def _iterate_stated_points(handout: str, concepts: list[str]) -> Iterator[tuple[int, str, float]]:
    """Yield each place of the handout that states points: the line's number, the concept and the points."""
    names = "|".join(re.escape(name) for name in sorted(concepts, key=len, reverse=True))
    text_pattern = re.compile(rf"(?:^|[.,;:]\s|^[-+]\s|\band\s)\s*({names}) \((\d+(?:\.\d+)?)(?: points| marks)?\)")
    row_pattern = re.compile(rf"({names})(?=\s*(?:$|[:,;(]))")
    in_marks_table = False
    for number, raw_line in enumerate(handout.splitlines(), start=1):
        line = MARKUP.sub("", raw_line).casefold()
        in_marks_table = bool(MARKS_HEAD.search(line)) or (in_marks_table and line.lstrip().startswith("|"))
        row = ROW.match(line) if in_marks_table else None
        if row and (name_match := row_pattern.match(row["text"])):
            yield number, name_match[1], float(row["points"])
        for match in () if row else text_pattern.finditer(line):
            yield number, match[1], float(match[2])
