"""Examine the parts of a submission one by one, by running experiments on them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial

from autograder.bridge import Bridge, StudentProxy, StudentStopped
from autograder.bridge.request_transcript import Exchange
from autograder.diagnosis.diagnosis_definition import DiagnosablePart
from autograder.diagnosis.part_experiment_log import (
    CLOCKS,
    STOP_FINDINGS,
    ExperimentFinding,
    ExperimentStopped,
    PartExperimentLog,
    PartExperimentResult,
    StoppedInOtherPart,
)
from autograder.diagnosis.part_experiment_prefetcher import KnownPartExperiments, PartExperimentPrefetcher
from autograder.diagnosis.program_readings import OUT_OF_TIME, STOP_KINDS, STUB
from autograder.grading.prefetching.prefetch_resynchronizer import PrefetchResynchronizer

LEFTOVERS = "earlier-graphs-leave-something"
MOST_STOPPED = 2
"""After this many parts whose experiments stop the process, the remaining parts are skipped."""
MOST_REPEATED = 4
"""How many wrong parts are examined once more in a process of their own."""

PartResults = Mapping[str, PartExperimentResult]
"""The results of parts that were examined, by the part's name."""


class ExaminationTimeout(Exception):
    """Raised if nothing can be said: the submission has used up its time, or a wall-clock limit was reached.

    Attributes:
        by_itself: whether the submission used up its time; otherwise a busy machine may be to blame.
    """

    def __init__(self, by_itself: bool) -> None:
        super().__init__(by_itself)  # unpickling in another process passes the arguments again
        self.by_itself = by_itself


def examine_parts(
    parts: Sequence[DiagnosablePart],
    bridge: Bridge,
    known_experiments: KnownPartExperiments | None = None,
    harmless_finding_ids: Collection[str] = (),
) -> dict[str, PartExperimentResult]:
    """Return the results of the experiments on each part, by its name.

    A part that depends on a wrong one is skipped, and so is an optional part if a required one is wrong: only first
    causes count. If earlier tests may have an effect, wrong parts are examined again in a process that ran nothing
    else.

    Args:
        parts: the parts; each comes after those that it depends on.
        bridge: the connection to the submission; nothing else may use it meanwhile.
        known_experiments: known requests and results, if any; they save time and change no result.
        harmless_finding_ids: ids of findings that do not affect experiments on other parts.

    Raises:
        ExaminationTimeout: a time limit was reached that says nothing about the part.
        KitFault: no process can be started.
    """
    results: dict[str, PartExperimentResult] = {}
    student = StudentProxy(bridge)
    prefetched = None
    if known_experiments and bridge.state.runs_code_anew:
        prefetched = PartExperimentPrefetcher(known_experiments, bridge, student, parts)
    examine = partial(_examine_part, student, bridge)
    for part in parts:
        if (
            _is_clear(part, parts, results, harmless_finding_ids)
            and sum(result.was_stopped for result in results.values()) < MOST_STOPPED
        ):
            result = prefetched.try_examine_on_prefetched_answers(part, examine) if prefetched else None
            results[part.name] = result or examine(part)
    wrong = [
        part for part in parts if part.name in select_wrong_parts(results) and not results[part.name].was_stopped
    ]
    for part in () if bridge.state.runs_code_anew else wrong[:MOST_REPEATED]:
        bridge.reset_before_next_test()
        results[part.name] = _compare_with_fresh_process(results[part.name], examine(part))
    return results


def learn_request_paths_of_parts(
    parts: Sequence[DiagnosablePart], bridge: Bridge, known_experiments: KnownPartExperiments
) -> None:
    """Learn the requests that the parts' experiments make to the reference solution, or to an alternative to it.

    Raises:
        ExaminationTimeout: see ``examine_parts``.
        KitFault: no process can be started.
    """
    student = StudentProxy(bridge)
    for part in parts:
        _examine_part(student, bridge, part)
        known_experiments.paths.add_path(
            part.name, bridge.transcript.exchanges, ends_test=bridge.transcript.is_repeatable
        )


def select_wrong_parts(results: PartResults) -> dict[str, PartExperimentResult]:
    """Return the results of the wrong parts, those with findings."""
    return {name: result for name, result in results.items() if result.findings}


def _is_clear(
    part: DiagnosablePart, parts: Sequence[DiagnosablePart], results: PartResults, harmless_findings: Collection[str]
) -> bool:
    wrong = select_wrong_parts(results)
    if part.probes_everything:
        return not wrong
    if not part.is_required and any(one.is_required and one.name in wrong for one in parts):
        return False
    spoilt = [name for name in part.prerequisite_parts if name in wrong]
    return all(finding.finding_id in harmless_findings for name in spoilt for finding in wrong[name].findings)


def _examine_part(
    student: StudentProxy,
    bridge: Bridge,
    part: DiagnosablePart,
    given: Sequence[Exchange] = (),
    resynchronizer: PrefetchResynchronizer | None = None,
) -> PartExperimentResult:
    """Run the experiments on a part, on prefetched answers if given; see ``ExaminePart``."""
    log = PartExperimentLog(part.name)
    try:
        bridge.begin_test()
        bridge.transcript.prefetched, bridge.transcript.is_closed = given, bool(given)
        if resynchronizer is not None:
            resynchronizer.attach_to_transcript(bridge.transcript)
        try:
            part.probe(log, student)
        finally:
            bridge.end_test_and_charge_time()
    except StoppedInOtherPart:
        pass  # that part's own experiments say what is wrong
    except (ExperimentStopped, StudentStopped) as stopped:
        kind = stopped.kind if isinstance(stopped, ExperimentStopped) else STOP_KINDS.get(stopped.cause, "")
        if stopped.cause in CLOCKS or kind == OUT_OF_TIME:
            raise ExaminationTimeout(by_itself=stopped.cause != "wall") from None
        log.lines.append(f"stopped {kind}".rstrip())
        log.findings[:] = [
            ExperimentFinding(
                STOP_FINDINGS[kind],
                {
                    "what": log.running_call or part.shown_name,
                    "on": f" on {log.current_experiment}" if log.current_experiment else "",
                },
            )
        ]
    if any(finding.quoted_values.get("error") == STUB for finding in log.findings):
        return PartExperimentResult(part.name, ("not written",))
    return log.make_part_result()


def _compare_with_fresh_process(first: PartExperimentResult, alone: PartExperimentResult) -> PartExperimentResult:
    """Return the result from a part's own process; if it is right only there, return a finding on earlier graphs."""
    if alone.findings or first.digest == alone.digest:
        return alone
    return PartExperimentResult(
        first.part_name, first.canonical_lines, (ExperimentFinding(LEFTOVERS, {"part": first.part_name}),)
    )
