"""Compare what a notebook and a handout say with the public suite and with ``grading.yml``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from autograder.course import Assignment
from autograder.faults import CourseFault, format_did_you_mean_suffix, raise_course_faults_if_any
from autograder.template.student_template_files import read_assignment_file_text

RUN_TESTS = re.compile(r"""^[^#\n]*\brun_tests\(\s*["']([^"'\n]*)["']""", re.M)
NOTEBOOK = "value.ipynb"
MARKS_HEAD = re.compile(r"\|\s*(?:marks|points)\s*\|\s*$", re.I)
ROW = re.compile(r"^\s*\|\s*+(?:an? |the )?(?P<text>.*)\|\s*(?P<points>\d+(?:\.\d+)?)\s*\|\s*$", re.I)
MARKUP = re.compile(r"(?<![*_`])[*_`]+(?=\w)|(?<=\w)(?:\(\))?[*_`]+|(?<=\w)\(\)")


NO_CONCEPT = re.compile(r"(?:all|bonus|sum|together|total)\b")
MIN_KNOWN_CONCEPTS = 2
"""Concepts with points in a table or line from which on another entry there is taken for a concept, too."""


@dataclass(frozen=True, slots=True)
class _StatedPoints:
    """A place of the handout that gives something points."""

    line: int
    name: str
    points: float
    table_line: int
    """The line where its table begins, or its own line outside a table."""


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
    """Raise if the handout gives a concept other points than ``grading.yml``, or points to what is no concept there.

    Points are recognized behind a concept's name, as in ``Addition (40), dot product (40)``, and in the last column
    of a table under the heading "marks" or "points", where the first column begins with the name. What stands in the
    same way beside two concepts is taken for a concept, in other words if one with its points is not named otherwise.

    Raises:
        CourseFault: points differ, a concept does not exist, or the handout cannot be read.
    """
    path = assignment.folder / "handout.md"
    points = {" ".join(concept.name.casefold().split()): concept.points for concept in assignment.concepts}
    stated = [*_iterate_stated_points(read_assignment_file_text(path), [*points])]
    known_count = Counter(one.table_line for one in stated if one.name in points)
    points_in_other_words = {value for name, value in points.items() if name not in {one.name for one in stated}}
    faults = []
    for one in stated:
        problem = advice = ""
        is_foreign = one.name not in points and one.points not in points_in_other_words
        if is_foreign and known_count[one.table_line] >= MIN_KNOWN_CONCEPTS:
            problem = f"the handout gives points to {one.name!r}, which is not a concept of grading.yml"
            problem += format_did_you_mean_suffix(one.name, [*points])
            advice = "add the concept to grading.yml, or correct the handout"
        elif one.points != points.get(one.name, one.points):
            problem = f"the handout gives {one.name!r} {one.points:g} points, but grading.yml gives it "
            problem += f"{points[one.name]:g}"
            advice = "make both the same"
        if problem:
            faults.append(CourseFault(problem, where=f"{path}:{one.line}", advice=advice))
    raise_course_faults_if_any(faults)


def _iterate_stated_points(handout: str, concepts: list[str]) -> Iterator[_StatedPoints]:
    """Yield each place of the handout that states points, of a concept or of something else."""
    names = "|".join(re.escape(name) for name in sorted(concepts, key=len, reverse=True))
    text_pattern = re.compile(
        rf"(?:^|[.,;:]\s|^[-+]\s|\band\s)\s*({names}|[a-z]\w*(?: \w+){{0,4}}) \((\d+(?:\.\d+)?)(?: points| marks)?\)"
    )
    row_pattern = re.compile(rf"(?:{names})(?=\s*(?:$|[:,;(]))|[^,:;(]+")
    table_line = 0
    for number, raw_line in enumerate(handout.splitlines(), start=1):
        line = MARKUP.sub("", raw_line).casefold()
        if MARKS_HEAD.search(line):
            table_line = number
        elif not line.lstrip().startswith("|"):
            table_line = 0
        row = ROW.match(line) if table_line else None
        if row and (name_match := row_pattern.match(row["text"])) and not NO_CONCEPT.match(name_match[0]):
            yield _StatedPoints(number, name_match[0].strip(), float(row["points"]), table_line)
        for match in () if row else text_pattern.finditer(line):
            if not NO_CONCEPT.match(match[1]):
                yield _StatedPoints(number, match[1], float(match[2]), number)
