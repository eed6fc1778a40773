"""What goes to a worker and what comes back: plain data, so that a worker may be on another machine."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from autograder.course import Assignment
from autograder.reports import ScoreReport
from autograder.sandbox import Sandbox
from autograder.submissions import Unreadable
from autograder.submissions.read import Collected

LEVEL = 1
"""How hard zlib tries: the first level makes a tenth of a report, in a third of the time that the sixth takes."""


@dataclass(frozen=True, slots=True)
class Task:
    """One submission to grade."""

    name: str
    path: Path
    problem: str = ""
    """Why nothing can be read there; see ``Entry``."""
    collected: Collected | Unreadable | None = None
    """What lay there, or why it could not be taken, for a worker that may not see ``path``; None when it does."""


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a task."""

    name: str
    score: float = 0.0
    status: str = ""
    grader_errors: int = 0
    report: bytes = b""
    """The score report, packed; empty when there is none."""
    raw: bytes = b""
    """pytest-json-report's record, packed; empty when no test was run."""
    failure: str = ""
    """Set when the kit failed, and there is no report."""


Work = Callable[[Task], Done]
"""What is done with a task; ``grade_task``, but for tests."""


@dataclass(frozen=True, slots=True)
class Workers:
    """Where submissions are graded, ready for use.

    Local processes and a cluster look alike from here: ``run_batch`` hands ``grade_task`` and a task to the executor
    and waits for the future.
    """

    executor: Executor
    at_once: Callable[[], int]
    """How many tasks should be handed out at this moment; a cluster may grow."""


OpenWorkers = Callable[[Assignment, Sandbox], AbstractContextManager[Workers]]
"""Starts workers for an assignment, and stops them at the end of the ``with``."""


def pack(report: ScoreReport) -> bytes:
    """A report as it travels and is kept."""
    return zlib.compress(msgspec.json.encode(report), LEVEL)


def unpack(packed: bytes) -> ScoreReport:
    """The report in ``packed``."""
    return msgspec.json.decode(zlib.decompress(packed), type=ScoreReport)


def pack_raw(raw: dict[str, Any]) -> bytes:
    """pytest-json-report's record as it travels; nothing for nothing."""
    return zlib.compress(json.dumps(raw, default=str).encode(), LEVEL) if raw else b""


def unpack_raw(packed: bytes) -> dict[str, Any]:
    """The record in ``packed``."""
    raw: dict[str, Any] = json.loads(zlib.decompress(packed)) if packed else {}
    return raw
