"""Run the hidden suite on mutants: hundreds of copies of the solution with one thing wrong, which it must notice."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta, Struct

from autograder.author_checks.catalogue import (
    ProgramGradingPool,
    ProgressCallback,
    make_submission_from_source,
    map_in_workers,
)
from autograder.author_checks.results import WHOLE, CheckResult, ProgramSampler
from autograder.course import Assignment
from autograder.course.assignment_code import load_solution_given_code
from autograder.course.yaml_documents import read_list_file
from autograder.edits import Mutant, make_mutants
from autograder.faults import CourseFault
from autograder.sandbox import SandboxConfig
from autograder.workers.grading_worker import get_worker_grader

Sentence = Annotated[str, Meta(min_length=1)]


class EquivalentMutantGroup(Struct, frozen=True, forbid_unknown_fields=True):
    """Mutants that are right for the same reason."""

    reason: Sentence
    mutants: Annotated[tuple[Sentence, ...], Meta(min_length=1)]
    """The mutants' ids."""


class _EquivalentMutantsFile(Struct, frozen=True, forbid_unknown_fields=True):
    equivalents: tuple[EquivalentMutantGroup, ...] = ()


def load_equivalent_mutant_reasons(assignment: Assignment) -> dict[str, str]:
    """Read ``equivalents.yml`` beside the reference solution; return nothing when there is none.

    Returns:
        The reason by the mutant's id.

    Raises:
        CourseFault: the file is malformed, or names a mutant twice.
    """
    path = assignment.solution_file.with_name("equivalents.yml")
    advice = "write a list, `equivalents`, of groups with a `reason` and a list of `mutants`"
    groups = read_list_file(path, _EquivalentMutantsFile, "equivalents", advice).equivalents
    reasons: dict[str, str] = {}
    for group in groups:
        for id_ in group.mutants:
            if id_ in reasons:
                raise CourseFault(f"the mutant {id_} is listed twice", where=str(path), advice="keep one of them")
            reasons[id_] = group.reason
    return reasons


@dataclass(frozen=True, slots=True)
class MutationTestResults:
    """The result of the hidden suite on every mutant."""

    first_lost_test_by_mutant: dict[str, str]
    """The first test that each mutant fails, or why it is ungradable, by the mutant's id; empty with full marks."""
    reason_by_equivalent_mutant: dict[str, str]
    """The reasons why some mutants are right programs, by the mutant's id."""


def run_suite_on_mutants(
    assignment: Assignment, sandbox: SandboxConfig, report_progress: ProgressCallback, sample: ProgramSampler = WHOLE
) -> MutationTestResults:
    """Run every mutant of the solution, or a sample of them, up to its first failing test.

    Raises:
        CourseFault: the suite, the solution or ``equivalents.yml`` cannot be used.
        KitFault: no process can be started, or one ended.
    """
    mutants, reason_by_mutant = _make_mutants_of_solution(assignment), load_equivalent_mutant_reasons(assignment)
    chosen_ids = {*sample.sample_programs(mutant.id for mutant in mutants)}
    left_out_ids = {mutant.id for mutant in mutants} - chosen_ids
    tasks = {
        one.id: (one.id, one.source, frozenset(one.affected_functions)) for one in mutants if one.id in chosen_ids
    }
    with ProgramGradingPool(assignment, sandbox) as pool:
        losses = map_in_workers(pool.workers, _find_first_lost_test_in_worker, tasks, report_progress)
    return MutationTestResults(
        losses, {id_: reason for id_, reason in reason_by_mutant.items() if id_ not in left_out_ids}
    )


def _find_first_lost_test_in_worker(name: str, source: str, methods: frozenset[str]) -> str:
    """Return the first test that a program fails, those about the methods tried first, or why it is ungradable."""
    grader = get_worker_grader()
    tests_to_run_first = [
        spec.id
        for spec in grader.test_specs
        if not methods.isdisjoint(name.rpartition(".")[2] for name in spec.tested_names)
    ]
    return grader.find_first_failure(make_submission_from_source(name, source), tests_to_run_first)


def check_mutation_results(results: MutationTestResults) -> list[CheckResult]:
    """Return a result for each claim about mutants."""
    reason_by_mutant, loss_by_mutant = results.reason_by_equivalent_mutant, results.first_lost_test_by_mutant
    unnoticed_ids = [id_ for id_, loss in loss_by_mutant.items() if not loss and id_ not in reason_by_mutant]
    unknown_lines = [
        f"unknown mutant {id_} (take it out of equivalents.yml, or correct it)"
        for id_ in reason_by_mutant
        if id_ not in loss_by_mutant
    ]
    wrong_lines = [
        f"the mutant {id_} loses {loss_by_mutant[id_]}" for id_ in reason_by_mutant if loss_by_mutant.get(id_)
    ]
    return [
        CheckResult(
            f"every one of {len(loss_by_mutant)} mutants of the solution loses marks, or is right for a reason",
            tuple(f"the mutant {id_} gets full marks" for id_ in unnoticed_ids),
            _format_equivalents_entry(unnoticed_ids),
        ),
        CheckResult(
            f"every one of {len(reason_by_mutant)} mutants listed as right exists and gets full marks",
            (*unknown_lines, *wrong_lines),
        ),
    ]


def _format_equivalents_entry(mutant_ids: Sequence[str]) -> str:
    """Format mutants as an entry of ``equivalents.yml``, which lists right programs; empty without mutants."""
    if not mutant_ids:
        return ""
    quoted = [f"      - {json.dumps(id_, ensure_ascii=False)}" for id_ in mutant_ids]
    return "\n".join(
        [
            "# those that are right programs go into equivalents.yml, below `equivalents:`, with the reason",
            '  - reason: "Say why these are right."',
            "    mutants:",
            *quoted,
        ]
    )


def _make_mutants_of_solution(assignment: Assignment) -> list[Mutant]:
    given_lines = load_solution_given_code(assignment).line_numbers
    try:
        return make_mutants(assignment.solution_file.read_text(encoding="utf-8"), given_lines)
    except (OSError, UnicodeDecodeError, SyntaxError) as error:
        raise CourseFault(
            f"cannot use the solution: {error}", where=str(assignment.solution_file), advice="fix the solution"
        ) from error
