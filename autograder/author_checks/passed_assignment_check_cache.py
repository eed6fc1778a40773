"""Remember that an assignment passed its checks, so that they are not repeated until one of their inputs changes.

The inputs are the files of the assignment, its solution and its template, its settings in ``grading.yml``, its parts
of the generated pages, the kit, Python, the installed packages, the tier, and how much was tried.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import distributions

import msgspec

from autograder.author_checks.page_sections_by_assignment import (
    remove_machine_dependent_part,
    split_page_by_assignment,
)
from autograder.author_checks.report_card import get_report_card_path
from autograder.author_checks.typical_submission_marks import get_marks_page_path
from autograder.course import Assignment
from autograder.file_cache import get_cache_file_path, write_cache_file_and_prune
from autograder.files_without_tool_caches import list_files_without_tool_caches
from autograder.kit_version import get_kit_version_with_code_digest
from autograder.sandbox import SandboxConfig

SUFFIX = ".proof"
UNUSABLE = (OSError, RuntimeError, msgspec.MsgspecError)
"""Errors for a file that is missing or malformed; ``RuntimeError`` is raised if the user has no home folder."""


class PassedAssignmentCheck(msgspec.Struct, frozen=True):
    """The time at which all claims about an assignment were found to hold, and the number of claims."""

    proven_at: datetime
    claim_count: int


def try_compute_check_cache_key(assignment: Assignment, sandbox: SandboxConfig, check_extent: str) -> str | None:
    """Return a key for the current state of all inputs of the checks; None if a file cannot be read.

    Args:
        assignment: the assignment.
        sandbox: where code is run.
        check_extent: how much is tried: ``quick``, ``whole``, or a description of the sample.

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


def find_passed_check(cache_key: str) -> PassedAssignmentCheck | None:
    """Return the record of an earlier check that passed with the same inputs; None if there is none."""
    try:
        return msgspec.msgpack.decode(
            get_cache_file_path(cache_key + SUFFIX).read_bytes(), type=PassedAssignmentCheck
        )
    except UNUSABLE:
        return None


def cache_passed_check(cache_key: str, claim_count: int) -> None:
    """Remember that all claims hold; if the record cannot be written, do nothing.

    Args:
        cache_key: the key of the inputs; it must be the same before and after the checks.
        claim_count: how many claims were checked.
    """
    with suppress(*UNUSABLE):
        record = PassedAssignmentCheck(datetime.now(UTC).replace(microsecond=0), claim_count)
        write_cache_file_and_prune(get_cache_file_path(cache_key + SUFFIX), msgspec.msgpack.encode(record))


def _iterate_what_decides(assignment: Assignment, sandbox: SandboxConfig, extent: str) -> Iterator[bytes]:
    packages = sorted(f"{package.name} {package.version}" for package in distributions())
    yield from (
        text.encode() for text in (extent, get_kit_version_with_code_digest(), sys.version, sandbox.tier, *packages)
    )
    yield repr(assignment).encode()
    for folder in (assignment.folder, assignment.solution_file.parent, assignment.template_folder):
        for path in list_files_without_tool_caches(folder):
            yield str(path.relative_to(assignment.course_folder)).encode("utf-8", "surrogateescape")
            yield path.read_bytes()
    for page in (get_report_card_path(assignment), get_marks_page_path(assignment)):
        sections = split_page_by_assignment(page.read_text(encoding="utf-8")) if page.is_file() else {}
        yield remove_machine_dependent_part(sections.get(assignment.name, "")).encode()
