"""Look at the parts of a submission one by one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from autograder.bridge import Bridge, StudentProxy, StudentStopped
from autograder.bridge.transcript import Exchanged
from autograder.diagnosis.assignment_diagnosis import Part
from autograder.diagnosis.experiment_log import ExperimentLog, PartReading, ProbeFinding, ProbeStopped
from autograder.diagnosis.general_names import ENDLESS
from autograder.diagnosis.prefetched_readings import PrefetchedReadings, ReferenceReadings
from autograder.diagnosis.program_trace import STUB

LEFTOVERS = "earlier-graphs-leave-something"
CLOCKS = ("wall", "submission")
"""Limits that say nothing of the part that is looked at: a busy machine reaches them, or earlier parts did."""
MOST_ENDLESS = 2
"""Parts that may fail to come back before the others are left alone."""
MOST_REPEATED = 4
"""Parts that are looked at once more in a process of their own."""

Readings = Mapping[str, PartReading]


class OutOfTime(Exception):
    """Nothing can be said: the submission has used up all of its time, or a wall clock struck.

    Attributes:
        by_itself: whether the submission used up its time; otherwise a busy machine may be to blame.
    """

    def __init__(self, by_itself: bool) -> None:
        super().__init__(by_itself)  # from which it is made again where it comes from another process
        self.by_itself = by_itself


def examine_parts(
    parts: Sequence[Part],
    bridge: Bridge,
    known: ReferenceReadings | None = None,
    harmless: Collection[str] = (),
) -> dict[str, PartReading]:
    """Return what the experiments on each part gave.

    The experiments skip a part that depends on a wrong one, and a bonus beside a wrong core: the first cause counts.
    They look at wrong parts again in a process that ran nothing else, where that may make a difference.

    Args:
        parts: the parts; those that others depend on come first.
        bridge: the connection to the submission; nothing else may run there meanwhile.
        known: what is known beforehand, if anything; the readings are the same without.
        harmless: findings that spoil no experiment on other parts.

    Raises:
        TimeUp: a clock struck.
        KitFault: no process can be started.
    """
    readings: dict[str, PartReading] = {}
    student = StudentProxy(bridge)
    beforehand = PrefetchedReadings(known, bridge, student, parts) if known and bridge.is_stateless else None

    def read(part: Part, given: Sequence[Exchanged] | None = ()) -> PartReading:
        return _read(part, student, bridge, given)

    for part in parts:
        if _is_clear(part, parts, readings, harmless) and sum(map(_is_endless, readings.values())) < MOST_ENDLESS:
            reading = beforehand.get_reading(part, read) if beforehand else None
            readings[part.name] = reading or read(part)
    wrong = [
        part
        for part in parts
        if part.name in select_wrong_readings(readings) and not _is_endless(readings[part.name])
    ]
    for part in () if bridge.is_stateless else wrong[:MOST_REPEATED]:
        bridge.require_fresh_state()
        readings[part.name] = _told_apart(readings[part.name], read(part))
    return readings


def learn_part_paths(parts: Sequence[Part], bridge: Bridge, known: ReferenceReadings) -> None:
    """Learn what the parts of the reference solution, or of an alternative to it, are asked.

    Raises as ``examine_parts`` does.
    """
    student = StudentProxy(bridge)
    for part in parts:
        _read(part, student, bridge)
        known.learn_part(part, bridge)


def select_wrong_readings(readings: Readings) -> dict[str, PartReading]:
    """Return the readings in which something is wrong."""
    return {name: reading for name, reading in readings.items() if reading.findings}


def _is_clear(part: Part, parts: Sequence[Part], readings: Readings, harmless: Collection[str]) -> bool:
    wrong = select_wrong_readings(readings)
    if part.whole:
        return not wrong
    if not part.core and any(one.core and one.name in wrong for one in parts):
        return False
    spoilt = [name for name in part.after if name in wrong]
    return all(finding.name in harmless for name in spoilt for finding in wrong[name].findings)


def _is_endless(reading: PartReading) -> bool:
    return any(finding.name == ENDLESS for finding in reading.findings)


def _read(part: Part, student: StudentProxy, bridge: Bridge, given: Sequence[Exchanged] | None = ()) -> PartReading:
    """Look at a part; for ``given``, see ``Read``."""
    log = ExperimentLog(part.name)
    try:
        if given is not None:
            bridge.begin_test()
            bridge.transcript.given, bridge.transcript.closed = given, bool(given)
        try:
            part.probe(log, student)
        finally:
            bridge.end_test()
    except (ProbeStopped, StudentStopped) as stopped:
        if stopped.cause in CLOCKS:
            raise OutOfTime(by_itself=stopped.cause == "submission") from None
        log.lines.append("stopped")
        log.findings[:] = [ProbeFinding(ENDLESS, {"what": part.told, "on": f" on {log.doing}" if log.doing else ""})]
    if any(finding.quotes.get("error") == STUB for finding in log.findings):
        return PartReading(part.name, ("not written",))
    return log.make_part_reading()


def _told_apart(first: PartReading, alone: PartReading) -> PartReading:
    """Return what a part does in a process of its own; if it is right only there, blame earlier graphs."""
    if alone.findings or first.digest == alone.digest:
        return alone
    return PartReading(first.component, first.seen, (ProbeFinding(LEFTOVERS, {"part": first.component}),))
