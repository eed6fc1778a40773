"""Refuse modules that a hidden suite imports from places that are no part of the assignment."""

from __future__ import annotations

import importlib.metadata
import os
import re
import site
import sys
import sysconfig
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import autograder
from autograder.course import Assignment
from autograder.faults import CourseFault
from autograder.grading.suite_collection_faults import advise_on_import
from autograder.grading.suite_source_locations import find_suite_file_or_none


def find_faults_of_outside_modules(
    loaded_before: Collection[str], assignment: Assignment, suite_modules: Collection[str]
) -> list[CourseFault]:
    """Return a fault for each module that a suite imported from elsewhere than its folder and what is installed.

    Such a module is neither part of the assignment's version nor of what is packed for a platform.

    Args:
        loaded_before: the names in ``sys.modules`` before the suite was collected.
        assignment: the assignment of the suite.
        suite_modules: the names of the modules and packages that lie beside the tests.
    """
    folder = assignment.hidden_suite_folder
    outside = [
        (name, file, _find_import(name, folder)) for name, file in iterate_outside_modules(loaded_before, folder)
    ]
    imported_by_suite = [one for one in outside if one[2]]  # the others are imported by these
    return [
        CourseFault(
            f"the suite imports {file}, which lies outside its folder",
            where=where or str(folder),
            advice=advise_on_import(name, assignment, suite_modules),
        )
        for name, file, where in imported_by_suite or outside
    ]


def iterate_outside_modules(loaded_before: Collection[str], suite_folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and file of each module that was loaded since then and is neither the suite's nor installed."""
    for name in sys.modules.keys() - loaded_before:
        file = _get_file_or_empty(sys.modules.get(name))
        if not file or find_suite_file_or_none(file, suite_folder) or is_installed_file(file):
            continue
        if name.partition(".")[0] not in _list_distributed_modules():
            yield name, file


def _get_file_or_empty(module: ModuleType | None) -> str:
    file = getattr(module, "__file__", None)
    return os.path.abspath(file) if isinstance(file, str) else ""


def is_installed_file(file_name: str) -> bool:
    """Return whether a file belongs to Python, to an installed package or to the kit."""
    return file_name.startswith(_list_installed_folders()) or os.path.realpath(file_name).startswith(
        _list_installed_folders()
    )


@cache
def _list_installed_folders() -> tuple[str, ...]:
    """Return the folders of Python, of installed packages, of those installed in place, and of the kit."""
    packages = {*site.getsitepackages(), site.getusersitepackages()}
    packages |= {sysconfig.get_path(kind) for kind in ("purelib", "platlib")}
    folders = {*packages, *(sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib"))}
    folders |= {str(Path(autograder.__file__).parent), *_read_path_files(packages)}
    return tuple(
        sorted({f"{path}{os.sep}" for one in folders for path in (os.path.abspath(one), os.path.realpath(one))})
    )


def _read_path_files(package_folders: Collection[str]) -> Iterator[str]:
    """Yield the folders that ``.pth`` files name: packages that ``pip install --editable`` installed in place."""
    for folder in package_folders:
        for file in Path(folder).glob("*.pth"):
            try:
                lines = file.read_text(encoding="utf-8").splitlines()
            except (OSError, ValueError):
                continue
            yield from (line for line in lines if os.path.isabs(line) and os.path.isdir(line))


@cache
def _list_distributed_modules() -> frozenset[str]:
    """Return the names of all modules that installed packages declare; only a doubtful module is looked up here."""
    return frozenset(importlib.metadata.packages_distributions())


def _find_import(module_name: str, suite_folder: Path) -> str:
    """Return the first line of a suite that imports a module; an empty text if none names it."""
    top = re.escape(module_name.partition(".")[0])
    line = re.compile(rf"^[ \t]*(?:from|import)[ \t]+(?:[^\n#]*[ ,])?{top}\b", re.MULTILINE)
    for path in sorted(suite_folder.rglob("*.py")):
        source = path.read_text(encoding="utf-8", errors="replace")
        found = line.search(source)
        if found:
            return f"{path}:{source.count(chr(10), 0, found.start()) + 1}"
    return ""
