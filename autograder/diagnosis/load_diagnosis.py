"""Load an assignment's diagnosis module: ``diagnosis.py`` or a package ``diagnosis/`` in the assignment's folder."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from autograder.course import Assignment
from autograder.diagnosis.assignment_diagnosis import AssignmentDiagnosis
from autograder.faults import CourseFault, make_file_fault

NAME = "diagnosis"
"""The module, and what it must define."""
ADVICE = "see docs/new-assignment.md"


def list_diagnosis_files(assignment: Assignment) -> list[Path]:
    """Return the files of an assignment's diagnosis module, its own file first; none where it has no such module."""
    single, package = assignment.folder / f"{NAME}.py", assignment.folder / NAME
    if single.is_file():
        return [single]
    if not (package / "__init__.py").is_file():
        return []
    return [package / "__init__.py", *(path for path in sorted(package.rglob("*.py")) if path.parent != package
            or path.name != "__init__.py")]  # fmt: skip


def load_diagnosis_module(assignment: Assignment) -> ModuleType | None:
    """Run an assignment's diagnosis module, once as long as its files stay the same; None where it has none.

    Its name in ``sys.modules`` is made of its path and content, so that modules of several assignments and courses
    do not meet. In a package, modules import each other relatively: ``from .graphs import Graph``.

    Raises:
        CourseFault: it cannot be read, or raises an exception.
    """
    files = list_diagnosis_files(assignment)
    if not files:
        return None
    name = f"diagnosis_of_{assignment.name.replace('-', '_')}_{_hash(files)}"
    if name in sys.modules:
        return sys.modules[name]
    folders = [str(files[0].parent)] if files[0].name == "__init__.py" else None
    spec = importlib.util.spec_from_file_location(name, files[0], submodule_search_locations=folders)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # nothing is written into a course unasked
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        for loaded in [one for one in sys.modules if one == name or one.startswith(f"{name}.")]:
            del sys.modules[loaded]
        raise CourseFault(
            f"{type(error).__name__}: {error}", where=_place(error, files), advice="mend it, or take it out"
        ) from error
    finally:
        sys.dont_write_bytecode = writes
    return module


def load_diagnosis(assignment: Assignment) -> AssignmentDiagnosis | None:
    """Return what an assignment's diagnosis module provides; None where it has none.

    Raises:
        CourseFault: the module cannot be used.
    """
    module = load_diagnosis_module(assignment)
    if module is None:
        return None
    found = getattr(module, NAME, None)
    if not isinstance(found, AssignmentDiagnosis):
        raise CourseFault(
            f"does not define `{NAME}`, an AssignmentDiagnosis", where=str(module.__file__), advice=ADVICE
        )
    return found


def _hash(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        try:
            content = path.read_bytes()
        except OSError as error:
            raise make_file_fault(error, path, kind=CourseFault) from error
        digest.update(f"\0{path.resolve()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def _place(error: Exception, files: list[Path]) -> str:
    """Return the line of the module that an exception comes from, as ``file:line``."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}"
    return [*_lines(error, {str(path) for path in files}), str(files[0])][0]


def _lines(error: Exception, files: set[str]) -> Iterator[str]:
    """Yield the lines in these files that an exception went through, the innermost first."""
    places = []
    traceback = error.__traceback__
    while traceback is not None:
        places.append((traceback.tb_frame.f_code.co_filename, traceback.tb_lineno))
        traceback = traceback.tb_next
    yield from (f"{file}:{line}" for file, line in reversed(places) if file in files)
