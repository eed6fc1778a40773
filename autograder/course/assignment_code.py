"""Parse and load the course's own Python files, and the given code in its solutions."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, TracebackType

from autograder.course.model import Assignment
from autograder.faults import CourseFault, translate_file_errors

PROGRAM_END = "this file ends the program while it is imported"
ADVICE_ON_PROGRAM_END = 'take sys.exit() or unittest.main() out, or put it below `if __name__ == "__main__":`'


def list_assignment_module_files(assignment: Assignment, module_name: str) -> list[Path]:
    """Return the files of a module: ``NAME.py``, or those of the package ``NAME/``, ``__init__.py`` first.

    The list is empty if there is no such module.
    """
    single, package = assignment.folder / f"{module_name}.py", assignment.folder / module_name / "__init__.py"
    if single.is_file():
        return [single]
    if not package.is_file():
        return []
    return [package, *(path for path in sorted(package.parent.rglob("*.py")) if path != package)]


def load_assignment_module_if_present(assignment: Assignment, module_name: str) -> ModuleType | None:
    """Import a module of an assignment; return None if it is missing.

    The module runs again only if one of its files has changed. Its name in ``sys.modules`` contains a hash of its
    paths and contents, so that modules of several assignments and courses do not clash. In a package, modules import
    each other relatively: ``from .graphs import Graph``.

    Raises:
        CourseFault: the module cannot be read, raises an exception, or ends the program.
    """
    files = list_assignment_module_files(assignment, module_name)
    if not files:
        return None
    full = f"{module_name}_of_{assignment.name.replace('-', '_')}_{_hash(files)}"
    if full in sys.modules:
        return sys.modules[full]
    folders = [str(files[0].parent)] if files[0].name == "__init__.py" else None
    spec = importlib.util.spec_from_file_location(full, files[0], submodule_search_locations=folders)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[full] = module
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # leave no __pycache__ in the course
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        for loaded in [one for one in sys.modules if one == full or one.startswith(f"{full}.")]:
            del sys.modules[loaded]
        if isinstance(error, KeyboardInterrupt):
            raise
        raise _make_fault(error, module_name, files) from error
    finally:
        sys.dont_write_bytecode = writes
    return module


def _hash(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        with translate_file_errors(path, fault_class=CourseFault):
            content = path.read_bytes()
        digest.update(f"\0{path.resolve()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def _make_fault(error: BaseException, module_name: str, files: list[Path]) -> CourseFault:
    where = find_innermost_line(error, files) or str(files[0])
    if isinstance(error, SystemExit):
        return CourseFault(PROGRAM_END, where=where, advice=ADVICE_ON_PROGRAM_END)
    if isinstance(error, SyntaxError) and error.filename:
        where = f"{error.filename}:{error.lineno}"
    return CourseFault(
        f"cannot load the {module_name} module: {type(error).__name__}: {error}",
        where=where,
        advice="fix it, or take it out",
    )


def find_innermost_line(error: BaseException, files: Iterable[Path]) -> str:
    """Return the innermost line of these files that an exception passed, as ``file:line``; empty without any."""
    names = {str(path) for path in files}
    places = [(step.tb_frame.f_code.co_filename, step.tb_lineno) for step in _iterate_steps(error)]
    return next((f"{file}:{line}" for file, line in reversed(places) if file in names), "")


def _iterate_steps(error: BaseException) -> Iterator[TracebackType]:
    """Yield the steps of an exception's traceback, the outermost first."""
    step = error.__traceback__
    while step is not None:
        yield step
        step = step.tb_next


def parse_python(source: str, source_name: str) -> ast.Module:
    """Parse a file of the course.

    Args:
        source: the file's text.

    Raises:
        CourseFault: the text is not valid Python.
    """
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError) as error:
        line, message = get_syntax_error_line_and_message(error)
        raise CourseFault(
            f"this line is not valid Python: {message}", where=f"{source_name}:{line}", advice="fix the line"
        ) from error


def parse_python_file(path: Path) -> ast.Module:
    """Read and parse a file of the course.

    Raises:
        CourseFault: it is missing, is not UTF-8 text, or is not Python.
    """
    try:
        source = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise CourseFault(f"{path.name} is missing", where=str(path), advice="write it; grading needs it") from error
    except (OSError, UnicodeDecodeError) as error:
        raise CourseFault(f"cannot read {path.name}: {error}", where=str(path), advice="save it as UTF-8") from error
    return parse_python(source, str(path))


def get_syntax_error_line_and_message(error: SyntaxError | ValueError) -> tuple[int, str]:
    """Return the line and the message of an error that the parser raised; line 1 if the error names none."""
    if isinstance(error, SyntaxError):
        return error.lineno or 1, error.msg
    return 1, str(error)


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
            try:
                ast.parse("\n".join(lines[opened : number - 1]))
            except (SyntaxError, ValueError) as error:
                line_number, message = get_syntax_error_line_and_message(error)
                raise CourseFault(
                    f"this given code is not valid Python by itself: {message}",
                    where=f"{source_name}:{opened + line_number}",
                    advice="put the markers around whole statements",
                ) from error
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
