"""Find all mistakes in the files of an assignment at once, before anything is graded."""

from __future__ import annotations

import ast
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from autograder.author_checks.hidden_test_checks import (
    read_concepts_named_by_suite,
    require_all_tests_collected,
    require_defines_in_solution,
    require_valid_hidden_test_markers,
)
from autograder.author_checks.mutation import load_equivalent_mutant_reasons
from autograder.author_checks.results import CheckResult
from autograder.author_checks.typical import load_typical_submissions_file, make_source_of_typical_submission
from autograder.course import Assignment
from autograder.course.assignment_code import (
    get_syntax_error_line_and_message,
    load_solution_given_code,
    parse_python_file,
)
from autograder.course.misconceptions import (
    explain_failed_edit,
    list_alternative_solutions,
    load_misconception_catalogue,
    load_solution_styles,
    read_misconception_entries_and_faults,
)
from autograder.course.yaml_documents import YamlEntry
from autograder.diagnosis.definition import load_diagnosis_or_none
from autograder.faults import CourseFault, format_did_you_mean_suffix, list_course_faults, raise_course_faults_if_any
from autograder.grading.own_errors import iterate_global_statements
from autograder.template import render_student_template_files
from autograder.template.student_files import read_assignment_file_text


def _require_no_global_statements_in_suite(assignment: Assignment) -> None:
    """Raise if a function of a hidden suite has a ``global`` statement; leave out files that cannot be parsed.

    What it binds stays for the next submission that the same process grades, and is missing for the first one.

    Raises:
        CourseFault: there is such a statement; all of them are reported together.
    """
    faults = []
    for path in sorted(assignment.hidden_suite_folder.rglob("*.py")):
        try:
            tree = parse_python_file(path)
        except CourseFault:
            continue  # another check reports it
        faults += [
            CourseFault(
                f"a function of the hidden suite binds {', '.join(map(repr, statement.names))} as `global`, so one "
                "submission's test may see what another's left",
                where=f"{path}:{statement.lineno}",
                advice="use a local name, or return the value",
            )
            for statement in iterate_global_statements(tree)
        ]
    raise_course_faults_if_any(faults)


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


def _require_no_mention_of_missing_notebook(assignment: Assignment) -> None:
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


def _require_valid_misconception_files(assignment: Assignment, concepts_also_allowed: Collection[str]) -> None:
    """Raise if an entry is malformed, names no concept of the assignment, or has edits that cannot be used.

    Args:
        assignment: the assignment.
        concepts_also_allowed: the concepts that hidden tests name. If ``grading.yml`` does not list one of them, that
            is no mistake, because the suite may be newer than the course.

    Raises:
        CourseFault: there is such an entry; all mistakes in all entries are reported together.
    """
    entries, faults = read_misconception_entries_and_faults(assignment)
    course_concepts = [concept.name for concept in assignment.concepts]
    source = assignment.solution_file.read_text(encoding="utf-8")
    solution_is_python = _find_syntax_error(source) is None
    for entry in entries:
        faults += _find_unknown_concepts(entry, course_concepts, concepts_also_allowed)
        faults += _find_misfits(entry, source, solution_is_python=solution_is_python)
    raise_course_faults_if_any(sorted(faults, key=_compute_sort_key))
    load_misconception_catalogue(assignment)


def _compute_sort_key(fault: CourseFault) -> tuple[str, int]:
    path, _, rest = fault.where.rpartition(".yml:")
    line = rest.partition(":")[0]
    return path, int(line) if line.isdigit() else 0


def _find_unknown_concepts(
    entry: YamlEntry, course_concepts: Collection[str], suite_concepts: Collection[str]
) -> Iterator[CourseFault]:
    for field in ("concepts", "may_affect"):
        for place, name in enumerate(getattr(entry.value, field)):
            if name not in course_concepts and name not in suite_concepts:
                yield entry.make_fault_at(
                    f"unknown concept {name!r}{format_did_you_mean_suffix(name, course_concepts)}",
                    field,
                    str(place),
                    advice=f"choose from {', '.join(course_concepts)}, or add it to grading.yml",
                )


def _find_misfits(entry: YamlEntry, source: str, *, solution_is_python: bool) -> Iterator[CourseFault]:
    """Yield an error for each edit that does not fit; if all fit, one if the result is unchanged or no Python."""
    edited, do_edits_fit = source, True
    for place, edit in enumerate(entry.value.edits):
        if edited.count(edit.old) == 1:
            edited = edited.replace(edit.old, edit.new)
            continue
        do_edits_fit = False
        problem, advice = explain_failed_edit(edit.old, edited, source)
        yield entry.make_fault_at(problem, "edits", str(place), advice=advice)
    if do_edits_fit and edited == source:
        yield entry.make_fault_at("the edits change nothing", "edits", advice="write what is wrong after `new`")
    elif do_edits_fit and solution_is_python and (error := _find_syntax_error(edited)):
        line, message = get_syntax_error_line_and_message(error)
        text = (edited.splitlines() or [""])[line - 1].strip()
        yield entry.make_fault_at(
            f"the edited solution is not valid Python: {message}: {text!r}",
            "edits",
            advice="look at brackets and indentation",
        )


def _find_syntax_error(source: str) -> SyntaxError | ValueError | None:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError) as error:
        return error
    return None


Item = TypeVar("Item")
Reader = Callable[[Assignment], object]


def check_assignment_files(assignment: Assignment) -> CheckResult:
    """Read every file of an assignment, and return all problems found."""
    problems: dict[str, None] = {}
    for read_file in READERS:
        try:
            read_file(assignment)
        except CourseFault as fault:
            problems |= dict.fromkeys(map(_format_fault, list_course_faults(fault)))
    return CheckResult("the files of the assignment can be used", tuple(problems))


def _format_fault(fault: CourseFault) -> str:
    return f"{fault}\n{textwrap.indent(fault.details.rstrip(), '  ')}" if fault.details else str(fault)


def _check_solution(assignment: Assignment) -> None:
    parse_python_file(assignment.solution_file)


def _check_misconceptions(assignment: Assignment) -> None:
    if assignment.solution_file.is_file():
        _require_valid_misconception_files(assignment, read_concepts_named_by_suite(assignment))


def _check_typical_submissions(assignment: Assignment) -> None:
    submissions = load_typical_submissions_file(assignment).submissions
    _check_each(submissions, lambda submission: make_source_of_typical_submission(submission, assignment))


def _check_wheats(assignment: Assignment) -> None:
    _check_each(list_alternative_solutions(assignment), parse_python_file)


def _check_each(items: Iterable[Item], check: Callable[[Item], object]) -> None:
    """Check every item, and raise the faults of all of them together."""
    faults = []
    for item in items:
        try:
            check(item)
        except CourseFault as fault:
            faults.append(fault)
    raise_course_faults_if_any(faults)


READERS: tuple[Reader, ...] = (
    _check_solution,
    load_solution_given_code,
    render_student_template_files,
    require_notebook_public_test_files,
    _require_no_mention_of_missing_notebook,
    require_handout_points_match,
    require_defines_in_solution,
    require_valid_hidden_test_markers,
    require_all_tests_collected,
    _require_no_global_statements_in_suite,
    _check_wheats,
    _check_misconceptions,
    _check_typical_submissions,
    load_equivalent_mutant_reasons,
    load_solution_styles,
    load_diagnosis_or_none,
)
