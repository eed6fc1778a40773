"""Name the misconception behind a submission: it loses the same tests, and does the same on random programs."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from autograder.bridge import Bridge
from autograder.course import Assignment
from autograder.course.misconceptions import (
    PLAIN,
    Misconception,
    SolutionStyle,
    apply_misconceptions,
    list_misconception_files,
    load_misconception_catalogue,
    load_solution_styles,
    try_apply_style_and_mistakes,
)
from autograder.diagnosis.caches import LruCache
from autograder.diagnosis.definition import DiagnosisProgramFamily, list_diagnosis_module_files
from autograder.diagnosis.model import Diagnosis
from autograder.diagnosis.program_runner import ProgramRunner, trace_until_second_stop
from autograder.diagnosis.readings import ProgramReadings, are_traces_alike, was_stopped
from autograder.faults import CourseFault, make_file_fault, translate_file_errors
from autograder.files import list_files_without_tool_caches
from autograder.grading import HiddenTestResult, HiddenTestSpec
from autograder.grading.results import LOST_OUTCOMES
from autograder.repair.model import Repair

LostTests = dict[str, str]
"""A digest of what each lost test saw, by the test's id."""
Observed = dict[str, LostTests]
"""What is lost with a misconception, by the style's id; a style that is missing loses what the plain one does."""
UNTRIED = ("blocked", "not attempted", "grader error")
"""Outcomes that say nothing of a mistake."""
DIGITS = 8


class _ObservationsFile(msgspec.Struct, frozen=True):
    state: str
    tests: list[str]
    misconceptions: dict[str, dict[str, str]]
    """For each style, the lost tests by their place in ``tests``: ``0 1f2e3d4c, 7 0a1b2c3d``."""


def digest_lost_tests(results: Iterable[HiddenTestResult]) -> LostTests:
    """Return what the lost tests saw, without tests beyond the contract."""
    return {
        result.spec.id: hashlib.sha256(f"{result.outcome}\n{result.observed_behavior}".encode()).hexdigest()[:DIGITS]
        for result in results
        if result.outcome in LOST_OUTCOMES and not result.spec.asks_beyond_contract
    }


def list_matching_misconceptions(
    results: Sequence[HiddenTestResult], observed: Mapping[str, Observed], styles: Sequence[str] = (PLAIN,)
) -> list[tuple[str, str]]:
    """Return the misconceptions that lose the same tests as a submission in the same way, each with its style.

    Only tests that the submission attempted count, so that one without the bonus matches as well.

    Args:
        results: the submission's tests.
        observed: what is lost with each misconception.
        styles: the styles to try; the matches in the first come first.
    """
    lost = digest_lost_tests(results)
    attempted = {result.spec.id for result in results if result.outcome not in UNTRIED}
    return [
        (name, style)
        for style in styles
        for name, by_style in observed.items()
        if lost
        and lost
        == {test: digest for test, digest in by_style.get(style, by_style[PLAIN]).items() if test in attempted}
    ]


def get_observations_file_path(assignment: Assignment) -> Path:
    """Return the path of an assignment's file of observations."""
    return assignment.solution_file.parent / "observations.json"


def hash_observation_inputs(assignment: Assignment) -> str:
    """Hash everything that names depend on: tests, conventions, solution, misconceptions, styles and diagnosis."""
    digest = hashlib.sha256(msgspec.json.encode(assignment.conventions))
    data = (*list_misconception_files(assignment), assignment.solution_file.parent / "styles.yml")
    hidden = list_files_without_tool_caches(assignment.hidden_suite_folder)
    for path in (*hidden, *list_diagnosis_module_files(assignment), assignment.solution_file, *data):
        with translate_file_errors(path, fault_class=CourseFault):
            content = path.read_bytes() if path.is_file() else b""
        digest.update(f"\0{path.name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def read_observations_if_current(assignment: Assignment) -> dict[str, Observed] | None:
    """Return the stored observations of each misconception; None if there are none, or if they are out of date.

    Raises:
        CourseFault: the file cannot be read.
    """
    if not list_misconception_files(assignment):
        return {}
    kept = _read(assignment)
    if kept is None or kept.state != hash_observation_inputs(assignment):
        return None
    return {
        name: {style: _parse_lost_tests(text, kept.tests) for style, text in by_style.items()}
        for name, by_style in kept.misconceptions.items()
    }


def get_usable_observations_hash(assignment: Assignment) -> str:
    """Return the current hash of what observations depend on; empty if there are no usable observations."""
    try:
        is_usable = read_observations_if_current(assignment) is not None
        return hash_observation_inputs(assignment) if is_usable else ""
    except CourseFault:
        return ""


def encode_observations_file(assignment: Assignment, observed_misconceptions: Mapping[str, Observed]) -> bytes:
    """Return the content of the file of observations; see ``Observed``."""
    tests = sorted({test for styles in observed_misconceptions.values() for lost in styles.values() for test in lost})
    places = {test: place for place, test in enumerate(tests)}
    misconceptions = {
        name: {
            style: ", ".join(f"{places[test]} {digest}" for test, digest in sorted(lost.items()))
            for style, lost in sorted(without_repeated_styles(by_style).items())
        }
        for name, by_style in sorted(observed_misconceptions.items())
    }
    kept = _ObservationsFile(hash_observation_inputs(assignment), tests, misconceptions)
    return msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n"


def without_repeated_styles(observed: Observed) -> Observed:
    """Return the same without the styles that lose what the plain one does."""
    return {style: lost for style, lost in observed.items() if style == PLAIN or lost != observed[PLAIN]}


def _parse_lost_tests(text: str, tests: Sequence[str]) -> LostTests:
    pairs = (entry.split(" ") for entry in text.split(", ") if entry)
    return {tests[int(place)]: digest for place, digest in pairs}


def _read(assignment: Assignment) -> _ObservationsFile | None:
    path = get_observations_file_path(assignment)
    try:
        return msgspec.json.decode(path.read_bytes(), type=_ObservationsFile)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise make_file_fault(error, path, fault_class=CourseFault) from error
    except msgspec.MsgspecError as error:
        advice = f"make it anew with `autograder check {assignment.name} --update`"
        raise CourseFault(f"the observations are malformed: {error}", where=str(path), advice=advice) from error


@dataclass(frozen=True, slots=True)
class RandomProgramTraces:
    """A submission's traces on random programs, and on variants of the smallest program that fails."""

    program_family: DiagnosisProgramFamily
    programs: tuple[Any, ...]
    traces: tuple[ProgramReadings, ...]
    """The trace of each program."""

    @property
    def failing_count(self) -> int:
        """Return how many programs ran to their end, or raised an exception, and have a wrong trace."""
        return sum(
            not was_stopped(trace) and not self.program_family.is_trace_correct(p, trace)
            for p, trace in zip(self.programs, self.traces, strict=True)
        )

    @property
    def conclusive_count(self) -> int:
        """Return how many programs were not stopped; a stop says nothing about the others."""
        return sum(not was_stopped(trace) for trace in self.traces)

    def agrees_with_traces(self, other_traces: Sequence[ProgramReadings]) -> bool:
        """Return whether other traces show the same: each is equal, or both are correct where several results are.

        A program that was stopped on either side is left out.

        Args:
            other_traces: traces on these programs, up to one that was stopped.
        """
        is_correct = self.program_family.is_trace_correct
        return all(
            was_stopped(one)
            or was_stopped(other)
            or are_traces_alike(one, other)
            or (is_correct(program, one) and is_correct(program, other))
            for program, one, other in zip(self.programs, self.traces, other_traces, strict=False)
        )


def trace_random_and_failing_programs(
    program_family: DiagnosisProgramFamily,
    bridge: Bridge,
    failing_program: Any = None,
    *,
    fresh_process_per_program: bool = False,
) -> RandomProgramTraces:
    """Run random programs on a submission, and variants of the smallest program that fails.

    The run ends when the submission's process was stopped for the second time.

    Args:
        program_family: makes the programs.
        bridge: the connection to the submission; nothing else may run there.
        failing_program: a program that fails; None for none.
        fresh_process_per_program: see ``ProgramRunner``.

    Raises:
        KitFault: no process can be started.
    """
    programs = program_family.draw_random_programs()
    if failing_program is not None and program_family.includes_program(failing_program):
        programs += program_family.make_programs_of_same_shape(failing_program)
    bridge.reset_before_next_test()
    runner = ProgramRunner(program_family, bridge, fresh_process_per_program=fresh_process_per_program)
    traces = trace_until_second_stop(runner, programs)
    return RandomProgramTraces(program_family, programs[: len(traces)], tuple(traces))


MOST_REMEMBERED = 1_000
"""How many lists of traces are remembered; a list has about 30 traces."""


class MistakeCandidateRunner:
    """Runs candidates, and remembers their traces.

    The traces do not depend on a submission: candidates are the course's own code, and a run is the same every time.
    A run in which a process was stopped is not remembered, since a busy machine may have caused that.
    """

    def __init__(self, open_bridge: Callable[[str], Bridge]) -> None:
        """Run nothing yet.

        Args:
            open_bridge: opens a process for a source text; this object ends it.
        """
        self._open_process = open_bridge
        self._traces: LruCache[tuple[str, Sequence[Any]], Sequence[ProgramReadings]] = LruCache(MOST_REMEMBERED)

    def behaves_like_submission(self, candidate_source: str, submission_runs: RandomProgramTraces) -> bool:
        """Return whether a candidate does the same as a submission on the submission's programs.

        Raises:
            KitFault: no process can be started.
        """
        key = candidate_source, submission_runs.programs
        traces = self._traces.get(key)
        if traces is None:
            bridge = self._open_process(candidate_source)
            try:
                careful = any(map(was_stopped, submission_runs.traces))
                runner = ProgramRunner(submission_runs.program_family, bridge, fresh_process_per_program=careful)
                traces = trace_until_second_stop(runner, submission_runs.programs)
            finally:
                bridge.end_process()
            if not any(map(was_stopped, traces)):
                self._traces.store(key, traces)
        return submission_runs.agrees_with_traces(traces)


MOST_TRIED = 12
"""How many misconceptions, each in a style, are compared with one submission."""
NO_NAME = "no known mistake does exactly this"
SEVERAL_NAMES = "several known mistakes do exactly this, and nothing tells them apart"


@dataclass(frozen=True)
class MistakeNamer:
    """Names the misconceptions behind submissions to one assignment."""

    assignment: Assignment
    observed_misconceptions: Mapping[str, Observed]
    candidate_runner: MistakeCandidateRunner

    @cached_property
    def _catalogue(self) -> dict[str, Misconception]:
        return {one.id: one for one in load_misconception_catalogue(self.assignment).misconceptions}

    @cached_property
    def _styles(self) -> dict[str, SolutionStyle]:
        return {style.id: style for style in load_solution_styles(self.assignment) if style.mistakes}

    @cached_property
    def _solution(self) -> str:
        return self.assignment.solution_file.read_text(encoding="utf-8")

    def list_proven_misconceptions(
        self, results: Sequence[HiddenTestResult], trace_programs: Callable[[], RandomProgramTraces]
    ) -> list[Misconception]:
        """Return the misconceptions that do the same as a submission in all that is tried, one for each title.

        Args:
            results: the submission's tests.
            trace_programs: returns the submission's traces on random programs; called only if a misconception loses
                the same tests.

        Raises:
            CourseFault: the catalogue or the styles cannot be used.
            KitFault: no process can be started.
        """
        matches = list_matching_misconceptions(results, self.observed_misconceptions, [*self._styles])
        proven: dict[str, Misconception] = {}
        for name, style in matches[:MOST_TRIED]:
            one = self._catalogue.get(name)
            if one is None or one.title in proven:
                continue
            source = try_apply_style_and_mistakes(self._styles[style], self._solution, [one])
            if source is not None and self.candidate_runner.behaves_like_submission(source, trace_programs()):
                proven[one.title] = one
        return [*proven.values()]


def add_repair(
    diagnosis: Diagnosis, repair: Repair, assignment: Assignment, test_specs: Sequence[HiddenTestSpec]
) -> Diagnosis:
    """Return a diagnosis with its repair; a name that the repair contradicts is taken out.

    Raises:
        CourseFault: the catalogue cannot be used.
    """
    diagnosis = replace(diagnosis, repair=repair, repair_pending=False)
    named = {one.id for cause in diagnosis.causes for one in cause.misconceptions}
    if not named or not repair.complete:
        return diagnosis
    solution = assignment.solution_file.read_text(encoding="utf-8")
    tested = frozenset(name.rpartition(".")[2] for spec in test_specs for name in spec.tested_names)
    catalogue = load_misconception_catalogue(assignment).misconceptions
    wrong = [apply_misconceptions(solution, one) for one in catalogue if one.id in named]
    if all(is_contradicted_by_repair(repair, solution, one, tested) for one in wrong):
        return replace(diagnosis, verdict="unknown", reason=NO_NAME, causes=(), evidence=None)
    return diagnosis


def is_contradicted_by_repair(
    repair: Repair, solution: str, wrong_solution: str, tested_names: Collection[str]
) -> bool:
    """Return whether a repair changes none of the functions that a misconception changes in the solution.

    Helpers that no test knows say nothing: another program may do the same in another place.

    Args:
        repair: the repair.
        solution: the reference solution.
        wrong_solution: the same with the misconception.
        tested_names: names of the methods and functions that hidden tests are about.
    """
    right, wrong = _dump_functions(solution), _dump_functions(wrong_solution)
    changed = {name for name in right.keys() | wrong.keys() if right.get(name) != wrong.get(name)}
    repaired = {
        next((name for name in right if f"{edit.function}.".startswith(f"{name}.")), "") for edit in repair.edits
    }
    return bool(
        repair.complete
        and changed
        and repaired
        and changed.isdisjoint(repaired)
        and all(name.rpartition(".")[2] in tested_names for name in changed | repaired)
    )


def _dump_functions(source: str) -> dict[str, str]:
    """Return each function and each method of a class as text that can be compared, by its qualified name."""
    functions = {}
    for node in ast.parse(source).body:
        owner, members = (f"{node.name}.", node.body) if isinstance(node, ast.ClassDef) else ("", [node])
        for member in members:
            if isinstance(member, ast.FunctionDef):
                functions[f"{owner}{member.name}"] = ast.dump(member)
    return functions
