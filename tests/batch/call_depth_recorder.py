"""Run ``autograder`` and write down the first ways into the bridge, one line each, in a fresh process.

``python -m tests.batch.call_depth_recorder FILE ARGUMENTS...``. A forked worker inherits the profile function, and so
writes into the same file.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import autograder
from autograder.cli.main import main

PACKAGE = f"{Path(autograder.__file__).parent}/"
STARTS = {
    "submit": "command",
    "load_without_fatal_code": "grade_task",
    "exchange": "grade_task",
    "prefetch_answers_of_tests": "grade_task",
}
"""The functions that a way is written down at, each with the one that the way begins with."""


def list_calls(frame: FrameType | None, start: str) -> list[str]:
    """Return the package's functions on the stack as ``module:function``, from the named one to the innermost."""
    calls: list[str] = []
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith(PACKAGE):
            calls.insert(0, f"{code.co_filename.removeprefix(PACKAGE)}:{code.co_name}")
            if code.co_name == start:
                return calls
        frame = frame.f_back
    return []


def record_ways(record: Path) -> None:
    """Write down each way that leads to one of ``STARTS``, once per process."""
    recorded: set[str] = set()

    def see(frame: FrameType, event: str, argument: Any) -> None:
        name = frame.f_code.co_name
        if event != "call" or name not in STARTS or name in recorded:
            return
        calls = list_calls(frame, STARTS[name])
        if calls:
            recorded.add(name)
            with record.open("a", encoding="utf-8") as file:
                file.write(" ".join(calls) + "\n")

    sys.setprofile(see)


if __name__ == "__main__":
    record_ways(Path(sys.argv.pop(1)))
    main()
