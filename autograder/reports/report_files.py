"""Write score reports and pytest's records as JSON, whole or not at all, and read reports back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from autograder.faults import CallerFault, make_file_fault
from autograder.files import write_file_atomically
from autograder.reports.report_model import ScoreReport


def encode_report_json(report: ScoreReport) -> bytes:
    """Return a report as JSON: indented, keys in the order of the schema, a newline at the end."""
    return msgspec.json.format(msgspec.json.encode(report), indent=2) + b"\n"


def write_report_json(report: ScoreReport, path: Path) -> None:
    """Write a report, whole or not at all.

    Raises:
        CallerFault: the folder cannot be written to.
    """
    write_file_atomically(path, encode_report_json(report))


def write_pytest_record(pytest_record: dict[str, Any], path: Path) -> None:
    """Write pytest-json-report's record beside the report; it holds hidden tests and is for the staff alone.

    The file is in ASCII, because it quotes the student's code and a person may look at it in a terminal.
    """
    write_file_atomically(path, json.dumps(pytest_record, default=str, indent=1).encode() + b"\n")


def read_report_json(path: Path) -> ScoreReport:
    """Read a report back.

    Raises:
        CallerFault: the file is missing, or is not a score report of this or an earlier version.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=ScoreReport)
    except OSError as error:
        raise make_file_fault(error, path) from error
    except msgspec.MsgspecError as error:
        raise CallerFault(
            f"the file is not a score report: {error}", str(path), "name one that `autograder grade` wrote"
        ) from error
