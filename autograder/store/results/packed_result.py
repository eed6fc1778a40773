"""Pack one result as it is kept, without naming who handed it in, and unpack it."""

from __future__ import annotations

import json
import zlib
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import structs

from autograder.reports import ScoreReport

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
