"""Find the packages that an assignment's own tests and diagnosis import, and that the kit does not bring along."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from autograder.course import Assignment
from autograder.diagnosis.diagnosis_module_loading import list_diagnosis_module_files
from autograder.platforms.gradescope.requirements_lock import LOCK_FILE


def list_course_requirements(assignment: Assignment) -> list[str]:
    """Return the packages to install besides the kit, by their names for pip; students' code cannot import them.

    Those that submissions may import too (``isolation.packages``) are left out.
    """
    lines = LOCK_FILE.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    locked = {Requirement(line.split("--hash=")[0]).name for line in lines if line.strip() and line[0] != "#"}
    installed = {canonicalize_name(name) for name in (*locked, *assignment.packages)}
    distributions = packages_distributions()
    names = {*_iterate_imported_modules(assignment)} - sys.stdlib_module_names - {"autograder"}
    possible = [[canonicalize_name(one) for one in distributions.get(name, ())] for name in names]
    return sorted({found[0] for found in possible if found and installed.isdisjoint(found)})


def _iterate_imported_modules(assignment: Assignment) -> Iterator[str]:
    """Yield the first part of each module that is imported; files that are not Python have been refused before."""
    hidden = assignment.hidden_suite_folder
    own = {path.stem for path in hidden.rglob("*.py")} | {path.name for path in hidden.iterdir() if path.is_dir()}
    for path in (*sorted(hidden.rglob("*.py")), *list_diagnosis_module_files(assignment)):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            else:
                continue
            yield from (name.partition(".")[0] for name in names if name.partition(".")[0] not in own)
