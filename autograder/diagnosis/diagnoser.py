"""Find the idea behind a wrong submission; name it only where it was seen, or the submission's numbers prove it."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from itertools import islice

from msgspec.structs import replace

from autograder.bridge import Bridge, SubmissionProgram
from autograder.course import Limits
from autograder.course.engine_styles import PLAIN, load_engine_styles, rewrite_solution_in_style
from autograder.course.misconceptions import Misconception, apply_misconceptions, load_misconceptions
from autograder.diagnosis import candidate_runs, mistake_naming, replays
from autograder.diagnosis.assignment_diagnosis import AssignmentDiagnosis, DiagnosisContext, Part
from autograder.diagnosis.candidate_runs import CandidateRunner
from autograder.diagnosis.code_location import CodeExcerpt, locate_counterexample
from autograder.diagnosis.counterexample import MOST_PROGRAMS, FailingProgram, find_counterexample
from autograder.diagnosis.counterexample_report import Counterexample
from autograder.diagnosis.diagnosis_model import NO_DIAGNOSIS, NONE, Cause, Diagnosis, Evidence
from autograder.diagnosis.fresh_program_runs import SubmissionRuns, run_fresh_programs
from autograder.diagnosis.general_names import ENDLESS, load_general_names
from autograder.diagnosis.load_diagnosis import load_diagnosis
from autograder.diagnosis.memoization import LruMemo
from autograder.diagnosis.misconception_matching import format_look
from autograder.diagnosis.mistake_naming import MistakeNamer, NamedParts
from autograder.diagnosis.observations import (
    Observed,
    can_learn_observations,
    current_input_hash,
    hash_observation_inputs,
    read_observations,
)
from autograder.diagnosis.part_examination import (
    LEFTOVERS,
    OutOfTime,
    Readings,
    examine_parts,
    learn_part_paths,
    select_wrong_readings,
)
from autograder.diagnosis.prefetched_readings import ReferenceReadings
from autograder.diagnosis.program_family import ProgramFamily
from autograder.diagnosis.program_runner import ProgramRunner, trace_programs
from autograder.diagnosis.reference_runs import ReferenceRunner
from autograder.diagnosis.replays import Replayer
from autograder.grading import GradedSubmission, Grader, TestResult
from autograder.grading.calibration_cache import PathCache
from autograder.grading.scripted_runs import KnownTranscripts
from autograder.grading.set_order_analysis import may_depend_on_set_order
from autograder.grading.suite_target import BridgeTarget
from autograder.safe_text import clean_name

log = logging.getLogger(__name__)

UNTRIED = ("blocked", "not attempted", "grader error")
CPU_SECONDS, MOST_SECONDS = 0.2, 2.0
"""Of one program, and of all; emergency brakes: work is counted."""
MOST_CHECKED = 200
"""Small programs that are tried on right alternatives."""
LEARN_STYLES_AT = 10
"""The diagnosis of one worker before which it learns what right programs in all styles are asked: that takes as long
as some of them, and spares each later one in such a style half of its messages."""
MOST_APART = 40
"""Programs tried where each needs a process of its own."""

OUT_OF_DATE = (
    "what the known mistakes look like is not up to date here; the staff can mend that with `autograder check`"
)
NO_TIME = "it used up the time that a submission has"
BUSY = "the machine was too busy to look into it"
FAULT = "it could not be looked into here; `autograder check` tells the staff why"
NO_MATCH = "each part by itself looks right, and what goes wrong when they meet fits no mistake that is known here"
NO_NAME = "what was seen of its parts has no name here"


def diagnose_and_time(diagnoser: Diagnoser, graded: GradedSubmission) -> tuple[Diagnosis, float]:
    """Return a diagnosis, and the seconds that it took."""
    started = time.perf_counter()
    return diagnoser.diagnose(graded), time.perf_counter() - started


def make_experiment_limits(limits: Limits) -> Limits:
    """Return limits for experiments, which are tiny: one that takes more CPU time than this does not end.

    Args:
        limits: the assignment's limits.
    """
    return replace(
        limits,
        cpu_seconds=min(CPU_SECONDS, limits.cpu_seconds),
        submission_seconds=min(MOST_SECONDS, limits.submission_seconds) + limits.import_seconds,
    )


class Diagnoser:
    """Diagnoses what one grader grades."""

    def __init__(
        self, grader: Grader, known: Mapping[str, Observed] | None = None, *, remembers: bool = True
    ) -> None:
        """Read nothing yet: a submission without a mistake costs nothing.

        Args:
            grader: gives the results that are diagnosed.
            known: what each misconception looks like; read from the generated file when None.
            remembers: whether to find out only once, for all submissions, what known mistakes do and what they were
                seen to explain; the diagnoses are the same without.
        """
        self._grader = grader
        self._assignment = grader.assignment
        self._given, self._remembers = known, remembers
        self._diagnosed = 0

    def diagnose(self, graded: GradedSubmission) -> Diagnosis:
        """Find what is behind the failed tests of a submission; unknown also where the course or the kit is at fault.

        Tests beyond the contract say nothing, nor does code that is not written yet.
        """
        try:
            found = self._diagnose(graded)
            return found if found is NONE else replace(found, compared_with=self._state, code=_locate(graded, found))
        except OutOfTime as up:
            return Diagnosis(verdict="unknown", reason=NO_TIME if up.by_itself else BUSY)
        except Exception:  # marks are given already: what goes wrong here costs nobody a report
            log.exception("the mistakes of %s could not be looked into", clean_name(graded.submission))
            return Diagnosis(verdict="unknown", reason=FAULT)

    def _diagnose(self, graded: GradedSubmission) -> Diagnosis:
        failed = [
            r for r in graded.results if not r.spec.beyond and r.outcome not in UNTRIED and r.outcome != "passed"
        ]
        if not failed or graded.program is None:
            return NONE
        if self._module is None:
            return Diagnosis(verdict="unknown", reason=NO_DIAGNOSIS)
        if any(result.cause == "submission" for result in failed):
            return Diagnosis(verdict="unknown", reason=NO_TIME)
        try:
            return self._explained(graded, graded.program, failed, self._module)
        finally:
            self._reference.end_process()

    def _explained(
        self,
        graded: GradedSubmission,
        program: SubmissionProgram,
        failed: Sequence[TestResult],
        module: AssignmentDiagnosis,
    ) -> Diagnosis:
        context = self._context(graded.has)
        subject, parts = module.make_programs(context), module.list_parts(context)
        bridge = self._grader.open_bridge(program, make_experiment_limits(self._assignment.limits))
        try:
            readings = _read_both_ways(parts, bridge, self._known_parts(), module.harmless_findings)
            seen = {finding.name for reading in readings.values() for finding in reading.findings}
            careful = ENDLESS in seen
            runner = ProgramRunner(subject, bridge, careful=careful)
            if seen.isdisjoint((*module.leaking_findings, LEFTOVERS)):
                found = find_counterexample(
                    subject, runner, runner.run_in_fresh_process, MOST_PROGRAMS, runner.prefetch
                )
            else:
                found = find_counterexample(
                    subject, runner.run_in_fresh_process, runner.run_in_fresh_process, MOST_APART
                )
            story = found.story if found else None
            replay = self._replayer.replay(bridge, story)
            if self._names is None:
                return Diagnosis(verdict="unknown", reason=OUT_OF_DATE, counterexample=story, replay=replay)
            held: list[SubmissionRuns] = []

            def tried() -> SubmissionRuns:
                narrow = self._narrow(subject, graded.has, readings, parts, module)
                held.append(run_fresh_programs(narrow, bridge, _near(narrow, found), careful=careful))
                return held[0]

            named = self._names.name_wrong_parts(readings, tried)
        finally:
            bridge.end_process()
        causes = _causes(named, parts, failed)
        if not causes:
            reason = NO_NAME if _wrong_by_themselves(readings, parts) else NO_MATCH
            return Diagnosis(verdict="unknown", reason=reason, counterexample=story, replay=replay)
        compared = held[0] if held and any(one.misconceptions for one in named) else None
        evidence = Evidence(
            tests=len({test for cause in causes for test in cause.tests}),
            programs=len(compared.traces) if compared else 0,
            telling=compared.failing_count if compared else 0,
            readings=sum(len(reading.seen) for reading in select_wrong_readings(readings).values()),
        )
        return Diagnosis(verdict="named", causes=causes, evidence=evidence, counterexample=story, replay=replay)

    def _narrow(
        self,
        subject: ProgramFamily,
        has: Collection[str],
        readings: Readings,
        parts: Sequence[Part],
        module: AssignmentDiagnosis,
    ) -> ProgramFamily:
        """Return programs to compare on: no bonus, since there are many ways to write one, unless one is wrong."""
        wrong = select_wrong_readings(readings)
        if any(part.name in wrong and not part.core for part in parts):
            return subject
        return module.make_programs(self._context(frozenset(has) - module.optional_names))

    def _context(self, has: Collection[str]) -> DiagnosisContext:
        return DiagnosisContext(self._assignment, frozenset(has), self._reference)

    @cached_property
    def _module(self) -> AssignmentDiagnosis | None:
        return load_diagnosis(self._assignment)

    @cached_property
    def _reference(self) -> ReferenceRunner:
        return ReferenceRunner(lambda: self._opened(self._solution))

    @cached_property
    def _solution(self) -> str:
        return self._assignment.solution_file.read_text(encoding="utf-8")

    def observe_wrong_parts(self, source: str, chosen: Collection[str] = ()) -> str:
        """Return what is wrong with the parts of a program of the course's own, as it is kept of misconceptions.

        Args:
            source: the program.
            chosen: names of the parts to look at; all when empty.

        Raises:
            OutOfTime: a clock struck twice.
            CourseFault: the diagnosis module cannot be used.
            KitFault: no process can be started.
        """
        if self._module is None:
            return ""
        try:
            readings = self._examine(self._module, source, chosen)
        except OutOfTime:
            readings = self._examine(self._module, source, chosen)
        return format_look({name: reading.digest for name, reading in select_wrong_readings(readings).items()})

    def _examine(self, module: AssignmentDiagnosis, source: str, chosen: Collection[str]) -> Readings:
        bridge = self._opened(source)
        try:
            context = self._context(BridgeTarget(bridge, bridge.load()).has)
            parts = [part for part in module.list_parts(context) if not chosen or part.name in chosen]
            return examine_parts(parts, bridge, None, module.harmless_findings)
        finally:
            bridge.end_process()

    def find_wrong_program(self, source: str) -> Counterexample | None:
        """Return a program on which a program of the course's own is wrong, if there is one among those tried.

        Of a right program, none is expected: these are the programs that submissions are compared on, and some small
        ones.

        Raises:
            CourseFault: the diagnosis module cannot be used.
            KitFault: no process can be started.
        """
        if self._module is None:
            return None
        bridge = self._opened(source)
        try:
            programs = self._module.make_programs(self._context(BridgeTarget(bridge, bridge.load()).has))
            tried = (*programs.draw_random_programs(), *islice(programs.enumerate_small_programs(), MOST_CHECKED))
            traces = trace_programs(ProgramRunner(programs, bridge), tried)
            again = ProgramRunner(programs, bridge, careful=True)
            wrong = (
                programs.explain_wrong_trace(program, trace)
                for program, trace in zip(tried, traces, strict=False)
                if not programs.is_trace_correct(program, trace)
                and not programs.is_trace_correct(program, again(program))  # a busy machine may have stopped it
            )
            return next(wrong, None)
        finally:
            bridge.end_process()
            self._reference.end_process()

    def _learned(self, catalogue: Collection[Misconception]) -> Mapping[str, Observed] | None:
        """Find out what the misconceptions look like, where that takes seconds; None where it takes longer."""
        if not can_learn_observations(self._assignment):
            return None
        known: dict[str, Observed] = {}
        for one in catalogue:
            try:
                if not one.chance:
                    known[one.id] = {PLAIN: self.observe_wrong_parts(apply_misconceptions(self._solution, one))}
            except OutOfTime as up:
                if not up.by_itself:  # another submission may find the machine less busy
                    raise
        return known

    @cached_property
    def _replayer(self) -> Replayer:
        return Replayer(lambda: self._opened(self._solution), replays.MOST_REMEMBERED if self._remembers else 0)

    @cached_property
    def _names(self) -> MistakeNamer | None:
        known = read_observations(self._assignment) if self._given is None else self._given
        catalogue = {one.id: one for one in load_misconceptions(self._assignment).misconceptions}
        known = self._learned(catalogue.values()) if known is None else known
        if known is None or self._module is None:
            return None
        return MistakeNamer(
            catalogue=catalogue,
            known={name: known[name] for name in catalogue if name in known},
            general=load_general_names(self._assignment),
            styles={style.id: style for style in load_engine_styles(self._assignment)},
            solution=self._solution,
            candidates=CandidateRunner(self._opened, candidate_runs.MOST_REMEMBERED if self._remembers else 0),
            confirmed=LruMemo(mistake_naming.MOST_REMEMBERED if self._remembers else 0),
            same_findings=self._module.same_findings,
        )

    def _known_parts(self) -> ReferenceReadings | None:
        """Return what right programs are asked, unless it would have to be learnt for a single diagnosis."""
        self._diagnosed += 1
        if not self._remembers or (self._diagnosed == 1 and not self._knows_styles):
            return None
        if self._diagnosed == LEARN_STYLES_AT and not self._knows_styles:
            for style in load_engine_styles(self._assignment):
                self._learn_parts(self._right_parts, rewrite_solution_in_style(style, self._solution, ()))
            self._part_cache.save(KnownTranscripts(self._right_parts.paths))
        return self._right_parts

    @cached_property
    def _part_cache(self) -> PathCache:
        return self._grader.open_part_cache(hash_observation_inputs(self._assignment))

    @cached_property
    def _kept_parts(self) -> ReferenceReadings | None:
        """What an earlier run learnt, in all styles; None if nothing was kept."""
        kept = ReferenceReadings()
        return kept if self._part_cache.load(KnownTranscripts(kept.paths)) else None

    @property
    def _knows_styles(self) -> bool:
        return self._kept_parts is not None

    @cached_property
    def _right_parts(self) -> ReferenceReadings:
        if self._kept_parts is not None:
            return self._kept_parts
        known = ReferenceReadings()
        self._learn_parts(known, self._solution)
        return known

    def _learn_parts(self, known: ReferenceReadings, source: str | None) -> None:
        """Learn what the parts of a right program are asked; nothing where there is none, or it takes too long."""
        if source is None or self._module is None:
            return
        bridge = self._opened(source)
        try:
            has = BridgeTarget(bridge, bridge.load()).has
            learn_part_paths(self._module.list_parts(self._context(has)), bridge, known)
        except OutOfTime:
            return
        finally:
            bridge.end_process()

    def _opened(self, source: str) -> Bridge:
        """Open a process for the source of the reference solution, with mistakes or without."""
        program = self._grader.make_program(source)
        return self._grader.open_bridge(program, make_experiment_limits(self._assignment.limits))

    @cached_property
    def _state(self) -> str:
        return (
            current_input_hash(self._assignment) if self._given is None else hash_observation_inputs(self._assignment)
        )


def _read_both_ways(
    parts: Sequence[Part], bridge: Bridge, known: ReferenceReadings | None, harmless: Collection[str]
) -> Readings:
    """Look at the parts; if all are right and a set may matter, look again with sets in the opposite order."""
    readings = examine_parts(parts, bridge, known, harmless)
    if _wrong_by_themselves(readings, parts) or not may_depend_on_set_order(bridge.program):
        return readings
    bridge.require_fresh_state()
    bridge.reversed_sets = True
    turned = examine_parts(parts, bridge, known, harmless)
    if _wrong_by_themselves(turned, parts):
        return turned
    bridge.reversed_sets = False
    bridge.require_fresh_state()
    return readings


def _wrong_by_themselves(readings: Readings, parts: Sequence[Part]) -> set[str]:
    """Return the names of wrong parts, without those that look at everything together."""
    return select_wrong_readings(readings).keys() - {part.name for part in parts if part.whole}


def _locate(graded: GradedSubmission, found: Diagnosis) -> CodeExcerpt | None:
    """Return the lines of the submission that its counterexample points to."""
    if graded.program is None or found.counterexample is None:
        return None
    return locate_counterexample(graded.program.sources_by_name(), found.counterexample, found.replay)


def _near(narrow: ProgramFamily, found: FailingProgram | None) -> object:
    """Return the smallest program that fails; None if it is not one of the programs to compare on."""
    return found.program if found is not None and narrow.includes_program(found.program) else None


def _causes(named: Sequence[NamedParts], parts: Sequence[Part], failed: Sequence[TestResult]) -> tuple[Cause, ...]:
    """Return a cause for each name with failed tests about its parts; the first also gets the tests left over."""
    about = {part.name: frozenset(part.about) for part in parts}
    whose: list[list[TestResult]] = [[] for _ in named]
    for result in failed:
        places = [
            place
            for place, one in enumerate(named)
            if any(not about[part].isdisjoint(result.spec.about) for part in one.parts)
        ]
        for place in places or [0] * bool(named):
            whose[place].append(result)
    causes = []
    for one, tests in zip(named, whose, strict=True):
        own = tuple(concept for mistake in one.misconceptions for concept in mistake.concepts)
        concepts = own or tuple(result.spec.concept for result in tests)
        if tests or len(named) == 1:
            causes.append(
                Cause(
                    misconceptions=one.suspects,
                    concepts=tuple(dict.fromkeys(concepts)),
                    tests=tuple(result.spec.id for result in tests),
                )
            )
    return tuple(causes)
