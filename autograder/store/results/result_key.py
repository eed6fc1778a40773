"""Identify everything that decides a result: the submission's content, and the rules of grading."""

from __future__ import annotations

import hashlib
import json
import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from autograder.course import Assignment
from autograder.diagnosis.naming.misconception_observations_file import get_usable_observations_hash
from autograder.kit_version import get_kit_version_with_code_digest
from autograder.reports import SCHEMA_VERSION
from autograder.submissions import UngradableSubmission
from autograder.submissions.raw_submission import read_raw_submission
from autograder.submissions.submitted_files import hash_files

ANY_MISCONCEPTIONS_STATE = "any"
"""The state of known mistakes for a result that names none, and therefore holds in any such state."""


@dataclass(frozen=True, slots=True)
class SubmissionDigests:
    """Digests of a submission: of its bytes, and of its bytes with its file names.

    The names matter, because a message may quote them.
    """

    identity: str
    """Equal for two submissions if and only if no grader can tell them apart; 64 hexadecimal digits."""
    sha256: str
    """The digest of the bytes alone, as in the report; empty if nothing could be read."""


@dataclass(frozen=True, slots=True)
class GradingRules:
    """Everything besides the submission that decides a result."""

    assignment: str
    version: str
    kit: str
    """See ``get_kit_version_with_code_digest``."""
    environment_hash: str
    """Tier, interpreter, packages and form of the report: 16 hexadecimal digits."""
    misconceptions_state: str
    """The state of the known mistakes; empty if there is no usable one."""


def compute_submission_digests(submission_path: Path, reading_problem: str, max_bytes: int) -> SubmissionDigests:
    """Read the bytes at ``submission_path`` and return their digests, without parsing them as a submission.

    Args:
        submission_path: a file, folder or zip.
        reading_problem: why nothing can be read there; see ``SubmissionEntry``.
        max_bytes: bytes that a submission may have.
    """
    if reading_problem:
        return SubmissionDigests(_compute_hash("problem", reading_problem), "")
    try:
        raw_submission = read_raw_submission(submission_path, max_bytes)
    except UngradableSubmission as error:
        return SubmissionDigests(_compute_hash("unreadable", error.reason, error.message, error.sha256), error.sha256)
    sha256 = hash_files(list(raw_submission.files))
    kind = "folder" if raw_submission.is_folder else "file"
    names = sorted(file.name for file in raw_submission.files)
    return SubmissionDigests(_compute_hash(kind, sha256, *names), sha256)


def make_grading_rules(assignment: Assignment, tier: str) -> GradingRules:
    """Return the rules that decide results of an assignment here and now.

    Args:
        assignment: the assignment.
        tier: the isolation tier of submissions.
    """
    packages = {name: _find_installed_version(name) for name in sorted(assignment.packages)}
    environment = _compute_hash(
        tier, platform.python_version(), SCHEMA_VERSION, *(f"{name} {number}" for name, number in packages.items())
    )
    return GradingRules(
        assignment.name,
        assignment.version,
        get_kit_version_with_code_digest(),
        environment[:16],
        get_usable_observations_hash(assignment),
    )


def convert_rules_to_columns(rules: GradingRules) -> dict[str, str]:
    """Return rules as columns of a row."""
    return {name: getattr(rules, name) for name in GradingRules.__slots__}


def _find_installed_version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _compute_hash(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()  # in ASCII: a name may be no text
