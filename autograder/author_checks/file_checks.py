"""Find every mistake in the files of an assignment at once, before anything is run."""

from __future__ import annotations

import ast
import difflib
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from autograder.author_checks.check_result import CheckResult
from autograder.author_checks.equivalent_mutants import load_equivalent_mutants
from autograder.author_checks.typical_submissions import load_typical_submissions, make_typical_source
from autograder.course import Assignment
from autograder.course.engine_styles import load_engine_styles
from autograder.course.given_code import list_names_defined, load_given_code
from autograder.course.misconceptions import (
    apply_misconceptions,
    list_misconception_files,
    list_wheat_files,
    load_misconceptions,
)
from autograder.diagnosis.general_names import load_general_names
from autograder.faults import CourseFault, list_course_faults, raise_course_faults
from autograder.grading.hidden_suite import HiddenSuite
from autograder.template import build_template

Reader = Callable[[Assignment], object]


def check_files(assignment: Assignment) -> CheckResult:
    """Read every file of an assignment, and say what is wrong in each."""
    problems: dict[str, None] = {}
    for read in READERS:
        try:
            read(assignment)
        except CourseFault as fault:
            problems |= dict.fromkeys(map(_describe, list_course_faults(fault)))
    return CheckResult("the files of the assignment can be used", tuple(problems))


def _describe(fault: CourseFault) -> str:
    return f"{fault}\n{textwrap.indent(fault.details.rstrip(), '  ')}" if fault.details else str(fault)


def _check_solution(assignment: Assignment) -> None:
    _parse(assignment.solution_file)


def _check_markers(assignment: Assignment) -> None:
    """Raise if a marker names something that does not occur in the reference solution."""
    source = assignment.solution_file.read_text(encoding="utf-8")
    names = SolutionNames(source)
    faults: dict[tuple[Path, str], CourseFault] = {}
    with HiddenSuite(assignment) as suite:
        places = suite.test_locations
        for spec in suite.specs:
            for name in spec.needs:
                if not names.can_mean(name):
                    place = places[spec.id]
                    where = f"{place.file}:{place.line}: {place.function}"
                    faults.setdefault((place.file, name), _describe_unknown(name, names.known, where))
    raise_course_faults([*faults.values()])


def _describe_unknown(name: str, known: Sequence[str], where: str) -> CourseFault:
    close = difflib.get_close_matches(name, known, 1)
    guess = f"; did you mean {close[0]!r}?" if close else ""
    return CourseFault(
        f"a marker `about` or `needs` names {name!r}, which the solution does not have{guess}",
        where=where,
        advice="name a function, a method, or a class with its method: 'MLP.parameters'",
    )


class SolutionNames:
    """What markers may name.

    Attributes:
        known: functions, classes, and members of classes as ``parameters`` and as ``MLP.parameters``.
    """

    def __init__(self, source: str) -> None:
        self._words = {*re.findall(r"\w+", source)}
        self._inherits: dict[str, bool] = {}
        found: dict[str, None] = {}
        for statement in ast.parse(source).body:
            if isinstance(statement, ast.ClassDef | ast.FunctionDef):
                found[statement.name] = None
            if isinstance(statement, ast.ClassDef):
                self._inherits[statement.name] = bool(statement.bases or statement.decorator_list)
                for member in _list_members(statement):
                    found |= {f"{statement.name}.{member}": None, member: None}
        self.known = [*found]

    def can_mean(self, name: str) -> bool:
        """Return whether a name is there, or may be: what is inherited or set by other code stands in the text."""
        owner, _, member = name.rpartition(".")
        if name in self.known or member not in self._words:
            return name in self.known
        return not owner or self._inherits.get(owner, False)


def _list_members(owner: ast.ClassDef) -> Iterator[str]:
    """Yield the names of a class's methods, of what its body assigns, and of what methods set on ``self``."""
    for statement in owner.body:
        yield from list_names_defined(statement)
    for node in ast.walk(owner):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def _check_misconceptions(assignment: Assignment) -> None:
    """Raise if an edit does not fit, or makes something that is no Python."""
    source = assignment.solution_file.read_text(encoding="utf-8")
    files = list_misconception_files(assignment)
    faults = []
    for one in load_misconceptions(assignment).misconceptions:
        where = next((f"{path}: {one.id}" for path in files if f"id: {one.id}\n" in path.read_text("utf-8")), one.id)
        try:
            ast.parse(apply_misconceptions(source, one))
        except CourseFault as fault:
            faults.append(CourseFault(fault.what, where, fault.advice))
        except (SyntaxError, ValueError) as error:
            faults.append(CourseFault(f"its edits make no Python: {error}", where, "look at their indentation"))
    raise_course_faults(faults)


def _check_typical(assignment: Assignment) -> None:
    faults = []
    for one in load_typical_submissions(assignment).submissions:
        try:
            make_typical_source(one, assignment)
        except CourseFault as fault:
            faults.append(fault)
    raise_course_faults(faults)


def _check_wheats(assignment: Assignment) -> None:
    faults = []
    for path in list_wheat_files(assignment):
        try:
            _parse(path)
        except CourseFault as fault:
            faults.append(fault)
    raise_course_faults(faults)


def _parse(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise CourseFault("is missing", where=str(path), advice="write it; grading needs it") from error
    except (OSError, UnicodeDecodeError) as error:
        raise CourseFault(f"cannot be read: {error}", where=str(path), advice="save it as UTF-8") from error
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        message = getattr(error, "msg", error)
        raise CourseFault(f"is not Python: {message}", where=f"{path}:{line}", advice="mend the line") from error


READERS: tuple[Reader, ...] = (
    _check_solution,
    load_given_code,
    build_template,
    _check_markers,
    _check_wheats,
    _check_misconceptions,
    _check_typical,
    load_equivalent_mutants,
    load_engine_styles,
    load_general_names,
)
