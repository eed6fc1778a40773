"""Measure graders on a generated class: what each kind of submission costs, and what becomes of those that hang."""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import get_args

from autograder.course import Assignment
from benchmarks.class_row import FULL, ClassRow, Fate, Hanging, Part
from benchmarks.generated_class import Kind, Made
from benchmarks.measure import Command, Cost, Ending, measure, measure_endings
from benchmarks.peers.kit import Kit
from benchmarks.peers.peer import Job, Peer

START = 2
"""Right submissions that tell the start-up by."""


class ClassBench:
    """Measures peers on one generated class."""

    def __init__(
        self, assignment: Assignment, course: Path, scratch: Path, made: Sequence[Made], limit: float
    ) -> None:
        """``limit``: seconds that a peer gets for a program, where nothing else ends it."""
        self._assignment = assignment
        self._course = course
        self._scratch = scratch
        self._by_kind = {kind: [one for one in made if one.kind == kind] for kind in get_args(Kind)}
        self._made = made
        self._limit = limit
        self._jobs = 0

    def kit_row(self, kit: Kit, at_once: int) -> ClassRow:
        """Measure the kit: each kind in a run of its own, and then the class.

        Raises:
            SystemExit: it failed, or a submission got no row in the gradebook.
        """
        start_up, parts, complete = self._parts(kit, ("right", "wrong", "ungradable"), at_once, None)
        job = self._job(self._made, at_once)
        cost = measure(kit.commands(job), 1)
        print(f"{kit.name}, {at_once} at once, the class of {len(self._made)}: {cost.seconds:.1f} s", file=sys.stderr)
        shares = kit.shares(job)
        if missing := [one.path.name for one in self._made if one.path.stem not in shares]:
            raise SystemExit(f"{kit.name}: the gradebook lacks {', '.join(missing)}")
        hanging = [
            _hanging(one, Ending("ended", kit.seconds(job, one.path), 0.0), shares)
            for one in self._by_kind["hanging"]
        ]
        return ClassRow(kit, at_once, start_up, parts, complete, hanging, cost)

    def peer_row(self, peer: Peer, kinds: Sequence[Kind], at_once: int, sample: int, *, hangs: bool) -> ClassRow:
        """Measure a peer on a sample of each kind.

        Args:
            peer: who grades.
            kinds: what it is measured on, ``right`` first.
            at_once: see ``Job``.
            sample: how many right and how many wrong ones, and half as many that cannot be graded; 0 takes all.
            hangs: whether it is tried on those that hang, on every one and each in a run of its own.
        """
        start_up, parts, complete = self._parts(peer, kinds, at_once, sample)
        hanging = self._hanging(peer, at_once) if hangs else []
        return ClassRow(peer, at_once, start_up, parts, complete, hanging)

    def _parts(
        self, peer: Peer, kinds: Sequence[Kind], at_once: int, sample: int | None
    ) -> tuple[float, dict[Kind, Part], bool]:
        limit = None if isinstance(peer, Kit) else self._limit
        first = self._graded(peer, self._by_kind["right"][:START], at_once, limit) if peer.warm else None
        start_up = start_cpu = 0.0
        parts: dict[Kind, Part] = {}
        complete = True
        for kind in kinds:
            found = self._by_kind[kind]
            several = found if not sample else _spread(found, sample if kind != "ungradable" else sample // 2)
            cost, endings, shares = self._graded(peer, several, at_once, limit)
            complete &= cost.complete
            if first and kind == "right":
                start_up, start_cpu = _start_up(first[0], cost, len(several))
            killed = [one for one in endings if one.how == "killed"] if not peer.warm else []
            ended = max(1, len(several) - len(killed))
            each = (cost.seconds - start_up - sum(one.seconds for one in killed) / at_once) / ended
            cpu_each = (cost.cpu_seconds - start_cpu - sum(one.cpu_seconds for one in killed)) / ended
            fates = _count(several, endings, shares, one_each=not peer.warm)
            parts[kind] = Part(len(several), len(found), max(0.0, each), max(0.0, cpu_each), fates)
            print(f"{peer.name}, {at_once} at once, {len(several)} {kind}: {cost.seconds:.1f} s", file=sys.stderr)
        return start_up, parts, complete

    def _hanging(self, peer: Peer, at_once: int) -> list[Hanging]:
        """Grade each in a run of its own, since in one with others it would take them along."""
        found = self._by_kind["hanging"]
        jobs = [self._job([one], 1) for one in found]
        commands: list[Command] = [command for job in jobs for command in peer.commands(job)]
        cost, endings = measure_endings(commands, at_once, self._limit)
        print(f"{peer.name}, {at_once} at once, {len(found)} hanging: {cost.seconds:.1f} s", file=sys.stderr)
        return [
            _hanging(one, ending, peer.shares(job)) for one, job, ending in zip(found, jobs, endings, strict=True)
        ]

    def _graded(
        self, peer: Peer, several: Sequence[Made], at_once: int, limit: float | None
    ) -> tuple[Cost, list[Ending], Mapping[str, float]]:
        job = self._job(several, at_once)
        commands = peer.commands(job)
        if limit is None:
            return measure(commands, at_once), [], peer.shares(job)
        cost, endings = measure_endings(commands, at_once, limit * math.ceil(len(several) / len(commands)))
        return cost, endings, peer.shares(job)

    def _job(self, several: Sequence[Made], at_once: int) -> Job:
        self._jobs += 1
        place = self._scratch / f"class-{self._jobs}"
        (place / "submissions").mkdir(parents=True)
        (place / "scratch").mkdir()
        paths = [Path(shutil.copy(one.path, place / "submissions")) for one in several]
        return Job(self._assignment, self._course, paths, place / "scratch", at_once, with_bonus=False)


def _spread(several: Sequence[Made], count: int) -> Sequence[Made]:
    """Return so many of them, evenly spread, one at least."""
    step = max(1, len(several) // max(1, count))
    return several[::step][: max(1, count)]


def _start_up(few: Cost, many: Cost, count: int) -> tuple[float, float]:
    """Return the seconds and the CPU seconds before the first submission and after the last."""
    if count <= START:
        return 0.0, 0.0
    each, cpu_each = (
        (more - less) / (count - START)
        for more, less in ((many.seconds, few.seconds), (many.cpu_seconds, few.cpu_seconds))
    )
    return max(0.0, few.seconds - START * each), max(0.0, few.cpu_seconds - START * cpu_each)


def _count(
    several: Sequence[Made], endings: Sequence[Ending], shares: Mapping[str, float], *, one_each: bool
) -> dict[Fate, int]:
    fates: dict[Fate, int] = {}
    for number, one in enumerate(several):
        share = shares.get(one.path.stem)
        how = endings[number].how if one_each else "ended"
        fate = _fate(how == "killed", share)
        fates[fate] = fates.get(fate, 0) + 1
    return fates


def _fate(killed: bool, share: float | None) -> Fate:
    if killed:
        return "killed"
    if share is None:
        return "no result"
    return "full marks" if share >= FULL else "graded"


def _hanging(one: Made, ending: Ending, shares: Mapping[str, float]) -> Hanging:
    share = shares.get(one.path.stem)
    return Hanging(one.what, ending.seconds, _fate(ending.how == "killed", share), share or 0.0)
