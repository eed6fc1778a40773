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
from itertools import islice
from pathlib import Path
from types import ModuleType

import autograder
from autograder.course import Assignment
from autograder.faults import CourseFault
from autograder.grading.suite.suite_collection_faults import advise_on_import
from autograder.grading.suite.suite_tracebacks import find_suite_file_or_none


def find_outside_module_faults(
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
        (name, file, _find_import(name, folder)) for name, file in iterate_stray_modules(loaded_before, folder)
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


def iterate_stray_modules(loaded_before: Collection[str], suite_folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and file of each module that was loaded since then and is neither the suite's nor installed."""
    for name in sorted(sys.modules.keys() - loaded_before):
        file = _get_file(sys.modules.get(name))
        if not file or find_suite_file_or_none(file, suite_folder) or is_installed_module(name, file):
            continue
        if name.partition(".")[0] not in _list_distributed_modules():
            yield name, file


def _get_file(module: ModuleType | None) -> str:
    file = getattr(module, "__file__", None)
    return os.path.abspath(file) if isinstance(file, str) else ""


def is_installed_module(module_name: str, file_name: str) -> bool:
    """Return whether a module belongs to Python, to an installed package or to the kit.

    Args:
        module_name: its full name, such as ``numpy.linalg``.
        file_name: the absolute path of its file.
    """
    if any(one.startswith(_list_installed_folders()) for one in (file_name, os.path.realpath(file_name))):
        return True
    depth = module_name.count(".") + (os.path.basename(file_name) == "__init__.py")
    search_folder = next(islice(Path(file_name).parents, depth, None), None)
    return str(search_folder) in _list_folders_in_search_path_files()


@cache
def _list_package_folders() -> frozenset[str]:
    kinds = (sysconfig.get_path(kind) for kind in ("purelib", "platlib"))
    return frozenset({*site.getsitepackages(), site.getusersitepackages(), *kinds})


@cache
def _list_installed_folders() -> tuple[str, ...]:
    """Return the folders of Python, of installed packages and of the kit, each with a slash at its end."""
    python = (sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib"))
    folders = {*_list_package_folders(), *python, str(Path(autograder.__file__).parent)}
    return tuple({f"{path}{os.sep}" for one in folders for path in (os.path.abspath(one), os.path.realpath(one))})


@cache
def _list_folders_in_search_path_files() -> frozenset[str]:
    """Return the folders that ``.pth`` files name: packages that ``pip install --editable`` installed in place."""
    found = set[str]()
    for file in (file for folder in _list_package_folders() for file in Path(folder).glob("*.pth")):
        try:
            found.update(line for line in file.read_text(encoding="utf-8").splitlines() if os.path.isabs(line))
        except (OSError, ValueError):
            continue
    return frozenset(map(os.path.normpath, found))


@cache
def _list_distributed_modules() -> frozenset[str]:
    """Return the names of all modules that installed packages declare; only a doubtful module is looked up here."""
    return frozenset(importlib.metadata.packages_distributions())


def _find_import(module_name: str, suite_folder: Path) -> str:
    """Return the first line of a suite that imports a module; an empty text if none names it."""
    top = re.escape(module_name.partition(".")[0])
    line = re.compile(rf"^[ \t]*(?:from|import)[ \t](?:[^\n#]*[ \t,])?{top}\b", re.MULTILINE)
    for path in sorted(suite_folder.rglob("*.py")):
        source = path.read_text(encoding="utf-8", errors="replace")
        found = line.search(source)
        if found:
            return f"{path}:{source.count(chr(10), 0, found.start()) + 1}"
    return ""
