"""Name the misconception behind a submission: it loses the same tests, and does the same on random programs."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from msgspec.structs import replace

from autograder.course import Assignment
from autograder.course.misconceptions import Misconception, apply_misconceptions, load_misconception_catalogue
from autograder.course.solution_styles import SolutionStyle, load_solution_styles, try_apply_style_and_mistakes
from autograder.diagnosis.diagnosis_model import Diagnosis, NamedMistake
from autograder.diagnosis.naming.misconception_observations_file import Observed, list_matching_misconceptions
from autograder.diagnosis.naming.mistake_candidate_runs import MistakeCandidateRunner
from autograder.diagnosis.random_program_traces import RandomProgramTraces
from autograder.grading import HiddenTestResult, HiddenTestSpec
from autograder.repair.repair_model import Repair

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


def make_named_mistake(misconception: Misconception) -> NamedMistake:
    """Return what a report says of a misconception."""
    return NamedMistake(
        id=misconception.id,
        title=misconception.title,
        explanation=misconception.explanation,
        hints=misconception.hints,
    )


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
