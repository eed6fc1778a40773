"""Identify everything that decides a result, and pack a result as it is kept, without naming who handed it in."""

from __future__ import annotations

import hashlib
import json
import platform
import zlib
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import msgspec
from msgspec import structs

from autograder.course import Assignment
from autograder.diagnosis.naming import get_usable_observations_hash
from autograder.kit_version import get_kit_version_with_code_digest
from autograder.reports import SCHEMA_VERSION, ScoreReport
from autograder.submissions import UngradableSubmission
from autograder.submissions.submission_files import hash_files, read_raw_submission

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


LEVEL = 1
"""zlib's compression level. Level 1 shrinks a report to a tenth, in a third of the time of level 6."""


@dataclass(frozen=True, slots=True)
class PackedResult:
    """A result as the store keeps it: compressed JSON, without the name of whoever handed it in."""

    packed_report: bytes
    """The score report, packed; its submission has no name."""
    packed_pytest_record: bytes = b""
    """pytest-json-report's record, packed; empty when no test was run."""


def pack_anonymous_result(report: ScoreReport, pytest_record: dict[str, Any]) -> PackedResult:
    """Pack a report without its submission's id, so that equal submissions have equal reports, and a record."""
    anonymous_report = structs.replace(report, submission=structs.replace(report.submission, id=""))
    return PackedResult(pack_report(anonymous_report), pack_pytest_record(pytest_record))


def is_final_result(report: ScoreReport) -> bool:
    """Return whether a result is final.

    It is not if the grader failed in a test, or if a wall-clock limit was hit; then it is graded again.
    """
    return not (report.status.provisional or report.grader_error_count)


def pack_report(report: ScoreReport) -> bytes:
    """Compress a report into the form in which it travels and is kept."""
    return zlib.compress(msgspec.json.encode(report), LEVEL)


def unpack_report(packed_report: bytes) -> ScoreReport:
    """Return the report in ``packed_report``."""
    return msgspec.json.decode(zlib.decompress(packed_report), type=ScoreReport)


def pack_pytest_record(pytest_record: dict[str, Any]) -> bytes:
    """Compress pytest-json-report's record into the form in which it travels; an empty one becomes no bytes."""
    if not pytest_record:
        return b""
    try:
        text = msgspec.json.encode(pytest_record, enc_hook=str)
    except UnicodeEncodeError:  # a lone surrogate, which Python's json can write
        text = json.dumps(pytest_record, default=str).encode()
    return zlib.compress(text, LEVEL)


def encode_packed_pytest_record_as_json(packed_pytest_record: bytes) -> bytes:
    """Return a packed record for a person: indented, in ASCII, since it quotes the student's code."""
    text = zlib.decompress(packed_pytest_record)
    if text.isascii():
        with suppress(msgspec.MsgspecError):  # NaN or Infinity, which Python's json writes
            return msgspec.json.format(text, indent=1) + b"\n"
    return json.dumps(json.loads(text), indent=1).encode() + b"\n"
