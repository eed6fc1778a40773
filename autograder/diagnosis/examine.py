"""Look at the parts of a submission one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autograder.bridge import Bridge, Student, StudentStopped
from autograder.bridge.replay import Exchanged
from autograder.diagnosis.beforehand import Beforehand, KnownParts
from autograder.diagnosis.general import ENDLESS
from autograder.diagnosis.parts import MILD, Part
from autograder.diagnosis.probes.reading import Finding, Lab, Reading, Stopped
from autograder.diagnosis.trace import STUB

LEFTOVERS = "earlier-graphs-leave-something"
CLOCKS = ("wall", "submission")
"""Limits that say nothing of the part that is looked at: a busy machine reaches them, or earlier parts did."""
MOST_ENDLESS = 2
"""Parts that may fail to come back before the others are left alone."""
MOST_REPEATED = 4
"""Parts that are looked at once more in a process of their own."""

Readings = Mapping[str, Reading]


class TimeUp(Exception):
    """Nothing can be said: the submission has used up all of its time, or a wall clock struck.

    Attributes:
        by_itself: whether the submission used up its time; otherwise a busy machine may be to blame.
    """

    def __init__(self, *, by_itself: bool) -> None:
        super().__init__()
        self.by_itself = by_itself


def examine(parts: Sequence[Part], bridge: Bridge, known: KnownParts | None = None) -> dict[str, Reading]:
    """Return what the experiments on each part gave.

    The experiments skip a part that depends on a wrong one, and a bonus beside a wrong core: the first cause counts.
    They look at wrong parts again in a process that ran nothing else, where that may make a difference.

    Args:
        parts: the parts; those that others depend on come first.
        bridge: the connection to the submission; nothing else may run there meanwhile.
        known: what is known beforehand, if anything; the readings are the same without.

    Raises:
        TimeUp: a clock struck.
        KitFault: no process can be started.
    """
    readings: dict[str, Reading] = {}
    student = Student(bridge)
    beforehand = Beforehand(known, bridge, student, parts) if known and bridge.keeps_nothing else None

    def read(part: Part, given: Sequence[Exchanged] = ()) -> Reading:
        return _read(part, student, bridge, given)

    for part in parts:
        if _is_clear(part, parts, readings) and sum(map(_is_endless, readings.values())) < MOST_ENDLESS:
            reading = beforehand.reading(part, read) if beforehand else None
            readings[part.name] = reading or read(part)
    wrong = [part for part in parts if part.name in wrong_parts(readings) and not _is_endless(readings[part.name])]
    for part in () if bridge.keeps_nothing else wrong[:MOST_REPEATED]:
        bridge.renew()
        readings[part.name] = _told_apart(readings[part.name], read(part))
    return readings


def learn_parts(parts: Sequence[Part], bridge: Bridge) -> KnownParts:
    """Learn what the parts of the reference solution are asked. Raises as ``examine`` does."""
    known, student = KnownParts(), Student(bridge)
    for part in parts:
        _read(part, student, bridge)
        known.learn(part, bridge)
    return known


def wrong_parts(readings: Readings) -> dict[str, Reading]:
    """Return the readings in which something is wrong."""
    return {name: reading for name, reading in readings.items() if reading.findings}


def _is_clear(part: Part, parts: Sequence[Part], readings: Readings) -> bool:
    wrong = wrong_parts(readings)
    if part.whole:
        return not wrong
    if not part.core and any(one.core and one.name in wrong for one in parts):
        return False
    spoilt = [name for name in part.after if name in wrong]
    return all(MILD.issuperset(finding.name for finding in wrong[name].findings) for name in spoilt)


def _is_endless(reading: Reading) -> bool:
    return any(finding.name == ENDLESS for finding in reading.findings)


def _read(part: Part, student: Student, bridge: Bridge, given: Sequence[Exchanged] = ()) -> Reading:
    """Look at a part; ``given`` holds all the answers if they are known already, else it is empty."""
    lab = Lab(part.name)
    try:
        bridge.begin_test()
        bridge.transcript.given, bridge.transcript.closed = given, bool(given)
        try:
            part.probe(lab, student)
        finally:
            bridge.end_test()
    except (Stopped, StudentStopped) as stopped:
        if stopped.cause in CLOCKS:
            raise TimeUp(by_itself=stopped.cause == "submission") from None
        lab.lines.append("stopped")
        lab.findings[:] = [Finding(ENDLESS, {"what": part.told, "on": f" on {lab.doing}" if lab.doing else ""})]
    if any(finding.quotes.get("error") == STUB for finding in lab.findings):
        return Reading(part.name, ("not written",))
    return lab.reading()


def _told_apart(first: Reading, alone: Reading) -> Reading:
    """Return what a part does in a process of its own; if it is right only there, blame earlier graphs."""
    if alone.findings or first.digest == alone.digest:
        return alone
    return Reading(first.component, first.seen, (Finding(LEFTOVERS, {"part": first.component}),))
