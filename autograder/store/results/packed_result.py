"""Pack one result as it is kept, without naming who handed it in, and unpack it."""

from __future__ import annotations

import json
import zlib
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import structs

from autograder.grading import GradedSubmission
from autograder.reports import ScoreReport
from autograder.reports.report_decoding import decode_report

LEVEL = 1
"""zlib's compression level. Level 1 shrinks a report to a tenth, in a third of the time of level 6."""


class ObservationsForRegrade(msgspec.Struct, frozen=True):
    """Observations during grading that are not in the report, and that a later regrade needs."""

    observation_by_test_id: dict[str, str] = msgspec.field(default_factory=dict, name="observed")
    """The observation of each test that did not pass, by its id; see ``HiddenTestResult``."""
    implemented_names: tuple[str, ...] = msgspec.field(default=(), name="has")
    """The names that the submission has."""
    ran_each_test_fresh: bool = msgspec.field(default=False, name="apart")
    """See ``GradedSubmission.ran_each_test_fresh``."""


@dataclass(frozen=True, slots=True)
class PackedResult:
    """A result as the store keeps it: compressed JSON, without the name of whoever handed it in."""

    packed_report: bytes
    """The score report, packed; its submission has no name."""
    packed_pytest_record: bytes = b""
    """pytest-json-report's record, packed; empty when no test was run."""
    packed_observations_for_regrade: bytes = b""
    """An ``ObservationsForRegrade``, packed."""


def make_observations_for_regrade(graded: GradedSubmission) -> ObservationsForRegrade:
    """Return what is kept of a graded submission beside its report."""
    observations = {
        result.spec.id: result.observed_behavior for result in graded.test_results if result.observed_behavior
    }
    return ObservationsForRegrade(observations, tuple(sorted(graded.implemented_names)), graded.ran_each_test_fresh)


def pack_anonymous_result(
    report: ScoreReport, pytest_record: dict[str, Any], regrade_data: ObservationsForRegrade
) -> PackedResult:
    """Pack the three parts of a result.

    They are the report without its submission's id, pytest's record, and what a regrade needs.
    """
    return PackedResult(
        pack_report(_copy_report_without_submission_id(report)),
        pack_pytest_record(pytest_record),
        zlib.compress(msgspec.json.encode(regrade_data), LEVEL),
    )


def _copy_report_without_submission_id(report: ScoreReport) -> ScoreReport:
    """Return a report without the submission's id, so that equal submissions have equal reports."""
    return structs.replace(report, submission=structs.replace(report.submission, id=""))


def is_final_result(report: ScoreReport) -> bool:
    """Return whether a result is final.

    It is not if the grader failed in a test, or if a wall-clock limit was hit; then it is graded again.
    """
    return not (report.status.provisional or report.grader_error_count)


def pack_report(report: ScoreReport) -> bytes:
    """Compress a report into the form in which it travels and is kept."""
    return zlib.compress(msgspec.json.encode(report), LEVEL)


def unpack_report(packed_report: bytes) -> ScoreReport:
    """Return the report in ``packed_report``, which this or an earlier version of the kit packed."""
    return decode_report(zlib.decompress(packed_report))


def pack_pytest_record(pytest_record: dict[str, Any]) -> bytes:
    """Compress pytest-json-report's record into the form in which it travels; an empty one becomes no bytes."""
    if not pytest_record:
        return b""
    try:
        text = msgspec.json.encode(pytest_record, enc_hook=str)
    except UnicodeEncodeError:  # a lone surrogate, which Python's json can write
        text = json.dumps(pytest_record, default=str).encode()
    return zlib.compress(text, LEVEL)


def unpack_pytest_record_or_empty(packed_pytest_record: bytes) -> dict[str, Any]:
    """Return the record in ``packed_pytest_record``."""
    record: dict[str, Any] = json.loads(zlib.decompress(packed_pytest_record)) if packed_pytest_record else {}
    return record


def encode_packed_pytest_record_as_json(packed_pytest_record: bytes) -> bytes:
    """Return a packed record for a person: indented, in ASCII, since it quotes the student's code."""
    text = zlib.decompress(packed_pytest_record)
    if text.isascii():
        with suppress(msgspec.MsgspecError):  # NaN or Infinity, which Python's json writes
            return msgspec.json.format(text, indent=1) + b"\n"
    return json.dumps(json.loads(text), indent=1).encode() + b"\n"


def unpack_observations(packed_observations_for_regrade: bytes) -> ObservationsForRegrade:
    """Unpack what a regrade needs; return empty observations if the argument is empty.

    Raises:
        zlib.error: the data cannot be decompressed.
        msgspec.DecodeError: it is not JSON of this shape.
    """
    return (
        msgspec.json.decode(zlib.decompress(packed_observations_for_regrade), type=ObservationsForRegrade)
        if packed_observations_for_regrade
        else ObservationsForRegrade()
    )
