"""Remember that an assignment was proven, so that it is not proven again while nothing that decides it has changed.

What decides it: the files of the assignment, its solution and its template, what ``grading.yml`` says of it, the
generated pages' parts about it, the kit, Python, the installed packages, the tier, and how much was tried.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import distributions

import msgspec

from autograder.author_checks.report_card import (
    get_report_card_path_of_course,
    remove_timings,
    split_page_by_assignment,
)
from autograder.author_checks.typical_submission_marks import get_marks_table_path_of_course
from autograder.cache_folder import get_cache_file_path, write_cache_file_and_prune
from autograder.course import Assignment
from autograder.kit_version import get_kit_version_with_code_digest
from autograder.sandbox import SandboxConfig

SUFFIX = ".proof"
WRITTEN_BY_TOOLS = {"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".ipynb_checkpoints"}
UNUSABLE = (OSError, RuntimeError, msgspec.MsgspecError)
"""Errors of a file that is missing or malformed; the second is raised where the user has no home."""


class PassedAssignmentCheck(msgspec.Struct, frozen=True):
    """When all claims about an assignment were found to hold, and how many claims there were."""

    proven_at: datetime
    claim_count: int


def try_compute_check_cache_key(assignment: Assignment, sandbox: SandboxConfig, check_extent: str) -> str | None:
    """Return the name of everything that decides what is found now; None where a file cannot be read.

    Args:
        assignment: the assignment.
        sandbox: where code is run.
        check_extent: how much is tried: ``quick``, ``whole``, or which sample.

    Returns:
        The assignment's name and 32 hexadecimal digits.
    """
    digest = hashlib.sha256()
    try:
        for part in _iterate_what_decides(assignment, sandbox, check_extent):
            digest.update(f"{len(part)}\0".encode() + part)
    except (OSError, UnicodeError):
        return None
    return f"{assignment.name}-{digest.hexdigest()[:32]}"


def find_earlier_passed_check(cache_key: str) -> PassedAssignmentCheck | None:
    """Return when all claims were found to hold with everything as it is now; None if that is not known."""
    try:
        return msgspec.msgpack.decode(
            get_cache_file_path(cache_key + SUFFIX).read_bytes(), type=PassedAssignmentCheck
        )
    except UNUSABLE:
        return None


def cache_passed_check(cache_key: str, claim_count: int) -> None:
    """Remember that all claims hold; if that cannot be written, remember nothing.

    Args:
        cache_key: of what was proven; it must be the same before and after.
        claim_count: how many claims were looked at.
    """
    with suppress(*UNUSABLE):
        record = PassedAssignmentCheck(datetime.now(UTC).replace(microsecond=0), claim_count)
        write_cache_file_and_prune(get_cache_file_path(cache_key + SUFFIX), msgspec.msgpack.encode(record))


def _iterate_what_decides(assignment: Assignment, sandbox: SandboxConfig, extent: str) -> Iterator[bytes]:
    packages = sorted(f"{one.name} {one.version}" for one in distributions())
    yield from (
        one.encode() for one in (extent, get_kit_version_with_code_digest(), sys.version, sandbox.tier, *packages)
    )
    yield repr(assignment).encode()
    for folder in (assignment.folder, assignment.solution_file.parent, assignment.template_folder):
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(assignment.course_folder)  # the course may lie in any folder
            if path.is_file() and not WRITTEN_BY_TOOLS.intersection(inside.parts):
                yield str(inside).encode("utf-8", "surrogateescape")
                yield path.read_bytes()
    for page in (get_report_card_path_of_course(assignment), get_marks_table_path_of_course(assignment)):
        sections = split_page_by_assignment(page.read_text(encoding="utf-8")) if page.is_file() else {}
        yield remove_timings(sections.get(assignment.name, "")).encode()
