"""Look at the parts of a submission one by one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from autograder.bridge import Bridge, StudentProxy, StudentStopped
from autograder.bridge.request_transcript import Exchange
from autograder.diagnosis.assignment_diagnosis import DiagnosedPart
from autograder.diagnosis.experiment_log import (
    ENDLESS,
    ExperimentFinding,
    ExperimentLog,
    ExperimentStopped,
    PartExperimentResult,
)
from autograder.diagnosis.part_reading_prefetcher import KnownPartRequestsAndReadings, PartReadingPrefetcher
from autograder.diagnosis.program_trace import STUB
from autograder.grading.prefetch_resynchronization import PrefetchResynchronizer

LEFTOVERS = "earlier-graphs-leave-something"
CLOCKS = ("wall", "submission")
"""Limits that say nothing of the part that is looked at: a busy machine reaches them, or earlier parts did."""
MOST_ENDLESS = 2
"""Parts that may fail to come back before the others are left alone."""
MOST_REPEATED = 4
"""Parts that are looked at once more in a process of their own."""

Readings = Mapping[str, PartExperimentResult]


class ExaminationOutOfTime(Exception):
    """Nothing can be said: the submission has used up all of its time, or a wall clock struck.

    Attributes:
        by_itself: whether the submission used up its time; otherwise a busy machine may be to blame.
    """

    def __init__(self, by_itself: bool) -> None:
        super().__init__(by_itself)  # from which it is made again where it comes from another process
        self.by_itself = by_itself


def examine_parts(
    parts: Sequence[DiagnosedPart],
    bridge: Bridge,
    known_requests_and_readings: KnownPartRequestsAndReadings | None = None,
    harmless_finding_ids: Collection[str] = (),
) -> dict[str, PartExperimentResult]:
    """Return what the experiments on each part gave.

    The experiments skip a part that depends on a wrong one, and a bonus beside a wrong core: the first cause counts.
    They look at wrong parts again in a process that ran nothing else, where that may make a difference.

    Args:
        parts: the parts; those that others depend on come first.
        bridge: the connection to the submission; nothing else may run there meanwhile.
        known_requests_and_readings: what is known beforehand, if anything; the readings are the same without.
        harmless_finding_ids: findings that spoil no experiment on other parts.

    Raises:
        ExaminationOutOfTime: a clock struck.
        KitFault: no process can be started.
    """
    readings: dict[str, PartExperimentResult] = {}
    student = StudentProxy(bridge)
    prefetched = None
    if known_requests_and_readings and bridge.state.tests_are_independent:
        prefetched = PartReadingPrefetcher(known_requests_and_readings, bridge, student, parts)

    def read(
        part: DiagnosedPart, given: Sequence[Exchange] = (), resynchronizer: PrefetchResynchronizer | None = None
    ) -> PartExperimentResult:
        return _read(part, student, bridge, given, resynchronizer)

    for part in parts:
        if (
            _is_clear(part, parts, readings, harmless_finding_ids)
            and sum(map(_is_endless, readings.values())) < MOST_ENDLESS
        ):
            reading = prefetched.try_get_reading_by_prefetched_answers(part, read) if prefetched else None
            readings[part.name] = reading or read(part)
    wrong = [
        part
        for part in parts
        if part.name in select_wrong_readings(readings) and not _is_endless(readings[part.name])
    ]
    for part in () if bridge.state.tests_are_independent else wrong[:MOST_REPEATED]:
        bridge.make_next_test_start_fresh()
        readings[part.name] = _read_again_in_fresh_process(readings[part.name], read(part))
    return readings


def learn_request_paths_of_parts(
    parts: Sequence[DiagnosedPart], bridge: Bridge, known_requests_and_readings: KnownPartRequestsAndReadings
) -> None:
    """Learn what the parts of the reference solution, or of an alternative to it, are asked.

    Raises as ``examine_parts`` does.
    """
    student = StudentProxy(bridge)
    for part in parts:
        _read(part, student, bridge)
        known_requests_and_readings.add_requests_just_made(part, bridge)


def select_wrong_readings(readings: Readings) -> dict[str, PartExperimentResult]:
    """Return the readings in which something is wrong."""
    return {name: reading for name, reading in readings.items() if reading.findings}


def _is_clear(
    part: DiagnosedPart, parts: Sequence[DiagnosedPart], readings: Readings, harmless_findings: Collection[str]
) -> bool:
    wrong = select_wrong_readings(readings)
    if part.probes_everything:
        return not wrong
    if not part.is_required and any(one.is_required and one.name in wrong for one in parts):
        return False
    spoilt = [name for name in part.prerequisite_parts if name in wrong]
    return all(finding.finding_id in harmless_findings for name in spoilt for finding in wrong[name].findings)


def _is_endless(reading: PartExperimentResult) -> bool:
    return any(finding.finding_id == ENDLESS for finding in reading.findings)


def _read(
    part: DiagnosedPart,
    student: StudentProxy,
    bridge: Bridge,
    given: Sequence[Exchange] = (),
    resynchronizer: PrefetchResynchronizer | None = None,
) -> PartExperimentResult:
    """Look at a part; for ``given`` and ``resynchronizer``, see ``part_reading_prefetcher.Read``."""
    log = ExperimentLog(part.name)
    try:
        bridge.begin_test()
        bridge.transcript.prefetched, bridge.transcript.is_closed = given, bool(given)
        if resynchronizer is not None:
            resynchronizer.attach_to_transcript(bridge.transcript)
        try:
            part.probe(log, student)
        finally:
            bridge.end_test_and_charge_time()
    except (ExperimentStopped, StudentStopped) as stopped:
        if stopped.cause in CLOCKS:
            raise ExaminationOutOfTime(by_itself=stopped.cause == "submission") from None
        log.lines.append("stopped")
        log.findings[:] = [
            ExperimentFinding(
                ENDLESS,
                {"what": part.shown_name, "on": f" on {log.current_experiment}" if log.current_experiment else ""},
            )
        ]
    if any(finding.quoted_values.get("error") == STUB for finding in log.findings):
        return PartExperimentResult(part.name, ("not written",))
    return log.make_part_experiment_result()


def _read_again_in_fresh_process(first: PartExperimentResult, alone: PartExperimentResult) -> PartExperimentResult:
    """Return what a part does in a process of its own; if it is right only there, blame earlier graphs."""
    if alone.findings or first.digest == alone.digest:
        return alone
    return PartExperimentResult(
        first.part_name, first.canonical_lines, (ExperimentFinding(LEFTOVERS, {"part": first.part_name}),)
    )
