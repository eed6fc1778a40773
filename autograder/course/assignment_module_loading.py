"""Load Python modules from an assignment's folder: the course's own code, which runs in the grader's process."""

from __future__ import annotations

import dis
import hashlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType, TracebackType

from autograder.course.course_import_time_limit import ImportTimeout, limit_import_time
from autograder.course.model import Assignment
from autograder.faults import CourseFault, translate_file_errors

PROGRAM_END = "this file ends the program while it is imported"
ADVICE_ON_PROGRAM_END = 'take sys.exit() or unittest.main() out, or put it below `if __name__ == "__main__":`'
_timeouts: dict[str, CourseFault] = {}
"""The faults of modules that took too long, so that each version of a file hangs only once in a process."""


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

    Args:
        assignment: the assignment.
        module_name: the name of the module.

    Raises:
        CourseFault: the module cannot be read, raises an exception, ends the program, or takes too long.
    """
    files = list_assignment_module_files(assignment, module_name)
    if not files:
        return None
    full = f"{module_name}_of_{assignment.name.replace('-', '_')}_{_hash(files)}"
    if full in sys.modules:
        return sys.modules[full]
    if full in _timeouts:
        raise _timeouts[full].with_traceback(None)
    folders = [str(files[0].parent)] if files[0].name == "__init__.py" else None
    spec = importlib.util.spec_from_file_location(full, files[0], submodule_search_locations=folders)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[full] = module
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # leave no __pycache__ in the course
    try:
        with limit_import_time(files[0]):
            spec.loader.exec_module(module)
    except BaseException as error:
        for loaded in [one for one in sys.modules if one == full or one.startswith(f"{full}.")]:
            del sys.modules[loaded]
        if isinstance(error, KeyboardInterrupt) and not _was_raised_by_statement(error):
            raise  # Ctrl-C
        fault = _make_fault(error, module_name, files)
        if isinstance(error, ImportTimeout):
            _timeouts[full] = fault
        raise fault from error
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
    if isinstance(error, ImportTimeout):
        return CourseFault(
            f"this line was still running after {error.seconds:g} s of importing the {module_name} module",
            where=where,
            advice="look for a loop without an end, or for something that it waits for",
        )
    if isinstance(error, SystemExit | KeyboardInterrupt):
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


def _was_raised_by_statement(error: BaseException) -> bool:
    """Return whether a ``raise`` raised an exception. Ctrl-C raises ``KeyboardInterrupt`` without one."""
    *_, last = _iterate_steps(error)
    return dis.opname[last.tb_frame.f_code.co_code[last.tb_lasti]] == "RAISE_VARARGS"


def _iterate_steps(error: BaseException) -> Iterator[TracebackType]:
    """Yield the steps of an exception's traceback, the outermost first."""
    step = error.__traceback__
    while step is not None:
        yield step
        step = step.tb_next
