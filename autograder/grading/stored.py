"""Keep what the reference solution showed between runs: as long as nothing changes, it shows the same again.

A file for each assignment, kit, Python and tier lies in the cache folder of whoever grades, for that user alone.
Where none can be written, nothing is kept, and the reference is put to the tests at every start.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from autograder import staff_files
from autograder.bridge.replay import Exchanged, Recalled, Transcript
from autograder.grading.hall import Hall
from autograder.grading.paths import Step
from autograder.grading.phases import Ran
from autograder.kit import kit_version

MOST_KEPT = 20
"""Files in the folder; the oldest go first."""
PASSED = Ran(None, (0.0, 0.0, 0.0))
Fact = bool | int | float | str | None


class Asked(msgspec.Struct, frozen=True, array_like=True):
    """What one test asked of the reference, and passed."""

    test: str
    exchanged: tuple[tuple[bytes, bytes], ...]
    """Its requests, and the answers as a test sees them."""
    ended: bool
    """Whether that is all that it asked."""
    found: dict[str, Fact]
    """What it found out about the reference for other tests."""


def recall_calibration(hall: Hall) -> bool:
    """Learn what was kept of the reference; False where nothing is, and the reference must be put to the tests."""
    known = hall.transcripts
    if known is None or not hall.assignment.solution.is_file():
        return False
    try:
        kept = msgspec.msgpack.decode(_file(hall).read_bytes(), type=tuple[Asked, ...])
    except (OSError, RuntimeError, msgspec.MsgspecError):
        return False
    for one in kept:
        exchanged: list[Exchanged] = [(request, Recalled(key)) for request, key in one.exchanged]
        known.paths.learn(one.test, exchanged, ended=one.ended)
        known.paths.finds[one.test] = one.found
        if one.ended:
            known.verdicts.keep(one.test, Transcript(asked=exchanged), PASSED, one.found)
    return True


def keep_calibration(hall: Hall) -> None:
    """Keep what the reference showed, which passed every test; where that cannot be written, nothing is kept."""
    known = hall.transcripts
    if known is None:
        return
    with suppress(OSError, RuntimeError, msgspec.MsgspecError):  # the second where nobody knows a home
        asked = [_asked(test, step, known.paths.finds[test]) for test, step in known.paths.first.items()]
        file = _file(hall)
        staff_files.make_folder(file.parent)
        written = file.with_suffix(f".{os.getpid()}")
        with staff_files.create(written) as opened:
            opened.write(msgspec.msgpack.encode(asked))
        written.replace(file)
        for old in sorted(file.parent.glob("*.calibration"), key=lambda one: one.stat().st_mtime)[:-MOST_KEPT]:
            old.unlink()


def _asked(test: str, first: Step, found: object) -> Asked:
    exchanged = tuple(_exchanged(first))
    return msgspec.convert((test, exchanged, exchanged[-1][1] != b"", found), Asked)


def _exchanged(step: Step | None) -> Iterator[tuple[bytes, bytes]]:
    """The one way that there is; a last request whose answer is not known gets an empty one."""
    while step is not None:
        answer, after = next(iter(step.after.items()), (b"", None))
        yield step.request, answer
        step = after


def _file(hall: Hall) -> Path:
    assignment = hall.assignment
    everything = (kit_version(), assignment.version, sys.version, hall.supply.tier)
    digest = hashlib.sha256("\0".join(everything).encode()).hexdigest()[:16]
    folder = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(folder) / "autograder" / f"{assignment.name}-{digest}.calibration"
