"""Read given code: the parts of a reference solution that students get as they are, and that are not graded.

``# BEGIN GIVEN`` and ``# END GIVEN``, each on a line of its own at the left margin, enclose whole statements.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from autograder.course.model import Assignment
from autograder.faults import CourseFault

BEGIN_GIVEN, END_GIVEN = "# BEGIN GIVEN", "# END GIVEN"
LIKE_A_MARKER = re.compile(r"#\s*(BEGIN|END)\s*GIVEN\b", re.I)
SOLUTION_MARKER = re.compile(r"# (BEGIN|END) SOLUTION( ONLY)?")


@dataclass(frozen=True, slots=True)
class GivenCode:
    """The given code of one assignment."""

    source: str
    """The solution up to its last given line, with every line that is not given left empty."""
    definitions: dict[str, ast.stmt]
    """The statement that defines each name, for classes, functions and variables. Imported names are left out."""

    @property
    def line_numbers(self) -> frozenset[int]:
        """Return the numbers of the lines that are given."""
        return frozenset(number for number, line in enumerate(self.source.splitlines(), start=1) if line.strip())


NOTHING_GIVEN = GivenCode("", {})


def load_solution_given_code(assignment: Assignment) -> GivenCode:
    """Return the given code of an assignment's solution; nothing if there is no solution.

    Raises:
        CourseFault: the solution cannot be read, its markers do not match, or ``defines`` lists a given name.
    """
    path = assignment.solution_file
    try:
        source = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return NOTHING_GIVEN
    except (OSError, UnicodeDecodeError) as error:
        raise CourseFault(f"cannot read the solution: {error}", where=str(path), advice="save it as UTF-8") from error
    given = parse_given_code(source, str(path))
    if both := [name for name in assignment.defines if name in given.definitions]:
        raise CourseFault(
            f"`{both[0]}` is given code, and grading.yml lists it under `defines` of {assignment.name}",
            where=f"{path}:{given.definitions[both[0]].lineno}",
            advice="take it out of `defines`, which names what students write, or move the markers",
        )
    return given


def parse_given_code(solution_source: str, source_name: str) -> GivenCode:
    """Return the given code of a solution.

    Args:
        solution_source: the solution's text.
        source_name: the solution's path, for errors.

    Raises:
        CourseFault: a marker has no partner, stands inside another pair or is misspelt; or the lines between two
            markers are not Python by themselves.
    """
    lines = solution_source.splitlines()
    kept, opened = [""] * len(lines), 0
    within_solution = ""
    for number, line in enumerate(lines, start=1):
        text, place = line.strip(), f"{source_name}:{number}"
        if LIKE_A_MARKER.match(text) and line not in (BEGIN_GIVEN, END_GIVEN):
            raise CourseFault(
                f"this marker is malformed: {line}",
                place,
                f"write {BEGIN_GIVEN} or {END_GIVEN}, at the margin, with nothing else",
            )
        if SOLUTION_MARKER.fullmatch(text):
            if opened:
                raise CourseFault(
                    f"{text} stands inside the given code of line {opened}", place, f"write {END_GIVEN} before it"
                )
            within_solution = text if "BEGIN" in text else ""
        elif text == BEGIN_GIVEN:
            if opened or within_solution:
                around = f"{BEGIN_GIVEN} of line {opened}" if opened else within_solution
                raise CourseFault(f"{text} stands inside {around}", where=place, advice="close the first one")
            opened = number
        elif text == END_GIVEN:
            if not opened:
                raise CourseFault(f"{text} closes nothing", where=place, advice=f"write {BEGIN_GIVEN} above it")
            _parse(lines[opened : number - 1], opened, source_name)
            opened = 0
        elif opened:
            kept[number - 1] = line
    if opened:
        raise CourseFault(
            f"{BEGIN_GIVEN} is never closed", f"{source_name}:{opened}", f"write {END_GIVEN} below the given code"
        )
    given = "\n".join(kept).rstrip() + "\n" if any(kept) else ""
    statements = ast.parse(given).body
    return GivenCode(
        given, {name: statement for statement in statements for name in list_defined_names_except_imports(statement)}
    )


def _parse(lines: list[str], start: int, where: str) -> None:
    """Raise ``CourseFault`` unless the lines between two markers are valid Python by themselves."""
    try:
        ast.parse("\n".join(lines))
    except (SyntaxError, ValueError) as error:
        line = start + (getattr(error, "lineno", None) or 1)
        raise CourseFault(
            f"this given code is not valid Python by itself: {getattr(error, 'msg', error)}",
            where=f"{where}:{line}",
            advice="put the markers around whole statements",
        ) from error


def list_defined_names_except_imports(statement: ast.AST) -> list[str]:
    """Return the names of the class, function or variables that a statement itself defines, nested ones left out."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            pass
        case ast.AnnAssign(target=target, value=value) if value is not None:
            targets = [target]
        case _:
            return []
    parts = (part for target in targets for part in ast.walk(target))
    return [part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
