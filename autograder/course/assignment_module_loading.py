"""Load Python modules from an assignment's folder: the course's own code, which runs in the grader's process."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from autograder.course.model import Assignment
from autograder.faults import CourseFault, make_file_fault


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
        CourseFault: the module cannot be read, or raises an exception.
    """
    files = list_assignment_module_files(assignment, module_name)
    if not files:
        return None
    full_name = f"{module_name}_of_{assignment.name.replace('-', '_')}_{_hash_files(files)}"
    if full_name in sys.modules:
        return sys.modules[full_name]
    folders = [str(files[0].parent)] if files[0].name == "__init__.py" else None
    spec = importlib.util.spec_from_file_location(full_name, files[0], submodule_search_locations=folders)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[full_name] = module
    dont_write, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # leave no __pycache__ in the course
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        for imported_name in [
            imported_name
            for imported_name in sys.modules
            if imported_name == full_name or imported_name.startswith(f"{full_name}.")
        ]:
            del sys.modules[imported_name]
        raise CourseFault(
            f"cannot load the {module_name} module: {type(error).__name__}: {error}",
            where=_find_line(error, files),
            advice="mend it, or take it out",
        ) from error
    finally:
        sys.dont_write_bytecode = dont_write
    return module


def _hash_files(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        try:
            content = path.read_bytes()
        except OSError as error:
            raise make_file_fault(error, path, fault_class=CourseFault) from error
        digest.update(f"\0{path.resolve()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def _find_line(error: Exception, files: list[Path]) -> str:
    """Return the innermost line of the module that an exception passed, as ``file:line``; else the module's file."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}"
    return next(_iterate_traceback_lines(error, {str(path) for path in files}), str(files[0]))


def _iterate_traceback_lines(error: Exception, files: set[str]) -> Iterator[str]:
    """Yield the lines of these files in an exception's traceback, the innermost first."""
    locations = []
    traceback = error.__traceback__
    while traceback is not None:
        locations.append((traceback.tb_frame.f_code.co_filename, traceback.tb_lineno))
        traceback = traceback.tb_next
    yield from (f"{file}:{line}" for file, line in reversed(locations) if file in files)
