"""Keep what the reference solution showed between runs: as long as nothing changes, it shows the same again.

Two files for each assignment, kit, Python and tier lie in the cache folder of the user who grades, for that user
alone: one for the reference, and one for what engines that are written otherwise are asked. If they cannot be
written, nothing is kept, and the tests are run on the reference at every start.
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
from autograder.grading.scripted import Transcripts
from autograder.kit import kit_version

CALIBRATION, OTHER_WAYS = ".calibration", ".ways"
MOST_KEPT = 20
"""Files of each kind in the folder; the oldest go first."""
UNUSABLE = (OSError, RuntimeError, msgspec.MsgspecError)
"""What a file may raise that is not there or not what it should be; the second where nobody knows a home."""
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


class Branch(msgspec.Struct, frozen=True, array_like=True):
    """A way through a test."""

    shared: int
    """How much of it is as in the one before it."""
    rest: tuple[tuple[bytes, bytes], ...]
    """The requests after that, and the answers as a test sees them."""
    ended: bool
    """Whether the test ended with them."""
    passed: dict[str, Fact] | None
    """What it found out for other tests; None where it did not pass, or nobody knows."""


class Branches(msgspec.Struct, frozen=True, array_like=True):
    """What one test asks of engines that are written one way or another."""

    test: str
    branches: tuple[Branch, ...]


def recall_calibration(hall: Hall) -> bool:
    """Learn what was kept of the reference; return False if nothing was, so that the reference must be tested."""
    known = hall.transcripts
    if known is None or not hall.assignment.solution.is_file():
        return False
    try:
        kept = msgspec.msgpack.decode(_file(hall, CALIBRATION).read_bytes(), type=tuple[Asked, ...])
    except UNUSABLE:
        return False
    for one in kept:
        exchanged: list[Exchanged] = [(request, Recalled(key)) for request, key in one.exchanged]
        known.paths.learn(one.test, exchanged, ended=one.ended)
        known.paths.finds[one.test] = one.found
        if one.ended:
            known.verdicts.keep(one.test, Transcript(asked=exchanged), PASSED, one.found)
    return True


def keep_calibration(hall: Hall) -> None:
    """Keep what the reference, which passed every test, showed; if it cannot be written, keep nothing."""
    known = hall.transcripts
    if known is None:
        return
    with suppress(*UNUSABLE):
        asked = [_asked(test, step, known.paths.finds[test]) for test, step in known.paths.first.items()]
        _write(_file(hall, CALIBRATION), asked)


def recall_other_ways(hall: Hall) -> bool:
    """Learn what was kept of engines that are written otherwise; return False if nothing was."""
    known = hall.transcripts
    if known is None:
        return False
    try:
        kept = msgspec.msgpack.decode(_file(hall, OTHER_WAYS).read_bytes(), type=tuple[Branches, ...])
    except UNUSABLE:
        return False
    for one in kept:
        way: list[tuple[bytes, bytes]] = []
        for branch in one.branches:
            way[branch.shared :] = branch.rest
            exchanged: list[Exchanged] = [(request, Recalled(key)) for request, key in way]
            known.paths.learn(one.test, exchanged, ended=branch.ended)
            if branch.passed is not None:
                known.verdicts.keep(one.test, Transcript(asked=exchanged), PASSED, branch.passed)
    return True


def keep_other_ways(hall: Hall) -> None:
    """Keep what engines that are written otherwise are asked; if it cannot be written, keep nothing."""
    known = hall.transcripts
    if known is None:
        return
    with suppress(*UNUSABLE):
        branches = [Branches(test, tuple(branches_of(known, test))) for test in known.paths.first]
        _write(_file(hall, OTHER_WAYS), branches)


def _write(file: Path, content: object) -> None:
    staff_files.make_folder(file.parent)
    written = file.with_suffix(f".{os.getpid()}")
    with staff_files.create(written) as opened:
        opened.write(msgspec.msgpack.encode(content))
    written.replace(file)
    for old in sorted(file.parent.glob(f"*{file.suffix}"), key=lambda one: one.stat().st_mtime)[:-MOST_KEPT]:
        old.unlink()


def _asked(test: str, first: Step, found: object) -> Asked:
    ((_, exchanged, ended),) = _ways(first)
    return msgspec.convert((test, exchanged, ended, found), Asked)


def branches_of(known: Transcripts, test: str) -> Iterator[Branch]:
    """Yield what is known of the ways through a test."""
    way: list[tuple[bytes, bytes]] = []
    for shared, rest, ended in _ways(known.paths.first[test]):
        way[shared:] = rest
        verdict = known.verdicts.of_way(test, way)
        passed = verdict is not None and verdict.ran.raised is None
        yield msgspec.convert((shared, rest, ended, verdict.found if verdict and passed else None), Branch)


def _ways(first: Step) -> Iterator[tuple[int, tuple[tuple[bytes, bytes], ...], bool]]:
    """Yield every way, as in ``Branch``; if a way goes no further, its last request gets an empty answer."""
    way: list[tuple[bytes, bytes]] = []
    shared = 0
    ahead: list[tuple[int, Step, bytes]] = [(0, first, key) for key in [*first.after][::-1] or [b""]]
    while ahead:
        depth, step, key = ahead.pop()
        shared = min(shared, depth)
        way[depth:] = [(step.request, key)]
        after = step.after.get(key)
        if after is None:
            yield shared, tuple(way[shared:]), key in step.after
            shared = len(way)
        else:
            ahead += [(depth + 1, after, answer) for answer in [*after.after][::-1] or [b""]]


def _file(hall: Hall, suffix: str) -> Path:
    assignment = hall.assignment
    everything = (kit_version(), assignment.version, sys.version, hall.supply.tier)
    digest = hashlib.sha256("\0".join(everything).encode()).hexdigest()[:16]
    folder = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(folder) / "autograder" / f"{assignment.name}-{digest}{suffix}"
