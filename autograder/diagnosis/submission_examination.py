"""Examine one wrong submission: its parts, the smallest program that fails, and the known mistakes that fit."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from autograder.bridge import Bridge, SubmissionProgram
from autograder.diagnosis.counterexample_model import Counterexample
from autograder.diagnosis.counterexample_search import MOST_PROGRAMS, FailingProgram, search_smallest_failing_program
from autograder.diagnosis.diagnosis_definition import AssignmentDiagnosis, DiagnosablePart, DiagnosisContext
from autograder.diagnosis.diagnosis_resources import AssignmentDiagnosisResources
from autograder.diagnosis.experiment_request_learning import ExperimentRequestLearner
from autograder.diagnosis.naming.mistake_naming import NamedWrongPartGroup
from autograder.diagnosis.part_examination import LEFTOVERS, PartResults, examine_parts, select_wrong_parts
from autograder.diagnosis.part_experiment_prefetcher import KnownPartExperiments
from autograder.diagnosis.program_family import BatchableProgramFamily, DiagnosisProgramFamily
from autograder.diagnosis.program_runner import ProgramRunner
from autograder.diagnosis.random_program_traces import RandomProgramTraces, trace_random_and_failing_programs
from autograder.diagnosis.replay.backward_replay_records import Replay
from autograder.diagnosis.shared_diagnosis_tools import SharedDiagnosisTools
from autograder.grading import GradedSubmission
from autograder.grading.source_analysis.set_order_analysis import may_depend_on_set_order

MOST_APART = 40
"""How many programs are tried if each needs a process of its own."""

MOST_SENT_ALONE = 300
"""How many programs are tried if each is sent alone and all parts were right: no name depends on what they show."""


@dataclass(frozen=True, slots=True)
class SubmissionExamination:
    """What the experiments on one submission showed."""

    parts: Sequence[DiagnosablePart]
    results: PartResults
    counterexample: Counterexample | None
    replay: Replay | None
    named: list[NamedWrongPartGroup] | None
    """The wrong parts that have a name; None if nothing up to date is known of the known mistakes."""
    compared: RandomProgramTraces | None
    """The traces that were compared with those of known mistakes; None if none were."""


class SubmissionExaminer:
    """Examines submissions of one assignment with experiments, one submission after the other."""

    def __init__(
        self,
        resources: AssignmentDiagnosisResources,
        tools: SharedDiagnosisTools,
        request_learner: ExperimentRequestLearner | None,
    ) -> None:
        """Examine nothing yet.

        Args:
            resources: open the processes.
            tools: what all diagnoses of the assignment share.
            request_learner: gives the requests to prefetch; None to prefetch nothing.
        """
        self._resources, self._tools, self._request_learner = resources, tools, request_learner

    def examine(
        self, graded_submission: GradedSubmission, program: SubmissionProgram, definition: AssignmentDiagnosis
    ) -> SubmissionExamination:
        """Return what experiments on a submission show.

        Args:
            graded_submission: the submission.
            program: its code.
            definition: what the assignment's diagnosis module defines.

        Raises:
            ExaminationTimeout: a time limit was reached that says nothing about the submission.
            KitFault: no process can be started.
        """
        context = self._resources.make_diagnosis_context(graded_submission.implemented_names)
        family, parts = definition.make_programs(context), definition.list_parts(context)
        bridge = self._resources.acquire_experiment_bridge(
            program,
            graded_submission.stop_by_location,
            needs_fresh_processes=graded_submission.ran_each_test_fresh,
        )
        try:
            known = self._request_learner.get_or_learn_requests() if self._request_learner else None
            results = _examine_in_both_set_orders(parts, bridge, known, definition.harmless_findings)
            found = self._search_failing_program(family, bridge, results, definition, context)
            counterexample = found.counterexample if found else None
            replay = self._tools.replayer.replay_beside_reference_if_meaningful(bridge, counterexample)
            compared: list[RandomProgramTraces] = []

            def trace_programs() -> RandomProgramTraces:
                narrow = self._choose_programs_to_compare(
                    family, graded_submission.implemented_names, results, parts, definition
                )
                traces = trace_random_and_failing_programs(
                    narrow, bridge, _near(narrow, found), fresh_process_per_program=_was_stopped(results)
                )
                compared.append(traces)
                return traces

            named: list[NamedWrongPartGroup] | None = []
            if select_wrong_parts(results):  # otherwise no name fits, and the namer may take seconds to make
                namer = self._tools.mistake_namer
                named = namer.name_wrong_parts(results, trace_programs) if namer else None
        finally:
            bridge.end_process()
        return SubmissionExamination(parts, results, counterexample, replay, named, compared[0] if compared else None)

    def _search_failing_program(
        self,
        family: DiagnosisProgramFamily,
        bridge: Bridge,
        results: PartResults,
        definition: AssignmentDiagnosis,
        context: DiagnosisContext,
    ) -> FailingProgram | None:
        """Return the smallest failing program; if programs may affect each other, each gets its own process."""
        runner = ProgramRunner(family, bridge, fresh_process_per_program=_was_stopped(results))
        seen = {finding.finding_id for result in results.values() for finding in result.findings}
        if not seen.isdisjoint((*definition.leaking_findings, LEFTOVERS)):
            return search_smallest_failing_program(
                family, runner.run_in_fresh_process, runner.run_in_fresh_process, MOST_APART
            )
        is_slow = not isinstance(family, BatchableProgramFamily)
        return search_smallest_failing_program(
            family,
            runner,
            runner.run_in_fresh_process,
            MOST_SENT_ALONE if is_slow and not select_wrong_parts(results) else MOST_PROGRAMS,
            announce_programs=runner.announce_programs,
            get_hypothesis_programs=self._tools.make_generated_program_getter(family, context),
        )

    def _choose_programs_to_compare(
        self,
        program_family: DiagnosisProgramFamily,
        implemented_names: Collection[str],
        results: PartResults,
        parts: Sequence[DiagnosablePart],
        definition: AssignmentDiagnosis,
    ) -> DiagnosisProgramFamily:
        """Return the programs to compare on: without optional names, unless an optional part is wrong."""
        wrong = select_wrong_parts(results)
        if any(part.name in wrong and not part.is_required for part in parts):
            return program_family
        return definition.make_programs(
            self._resources.make_diagnosis_context(frozenset(implemented_names) - definition.optional_names)
        )


def _examine_in_both_set_orders(
    parts: Sequence[DiagnosablePart],
    bridge: Bridge,
    known_experiments: KnownPartExperiments | None,
    harmless_findings: Collection[str],
) -> PartResults:
    """Examine the parts; if all are right and set order may matter, examine them again with sets in reverse order."""
    results = examine_parts(parts, bridge, known_experiments, harmless_findings)
    if list_wrong_specific_parts(results, parts) or not may_depend_on_set_order(bridge.program):
        return results
    bridge.reset_before_next_test()
    bridge.reverses_set_order = True
    turned = examine_parts(parts, bridge, known_experiments, harmless_findings)
    if any(not turned[name].was_stopped for name in list_wrong_specific_parts(turned, parts)):
        return turned
    bridge.reverses_set_order = False
    bridge.reset_before_next_test()
    return results


def list_wrong_specific_parts(results: PartResults, parts: Sequence[DiagnosablePart]) -> set[str]:
    """Return the names of the wrong parts, without those that test everything together."""
    return select_wrong_parts(results).keys() - {part.name for part in parts if part.probes_everything}


def _was_stopped(results: PartResults) -> bool:
    return any(result.was_stopped for result in results.values())


def _near(narrow: DiagnosisProgramFamily, found: FailingProgram | None) -> object:
    """Return the smallest failing program; None if there is none, or if it is not in the family to compare on."""
    return found.program if found is not None and narrow.includes_program(found.program) else None
