"""Run the hidden suite on mutants: hundreds of copies of the solution with one thing wrong, which it must notice.

The method, and the word *equivalent* for a mutant that no test can notice, are those of Y. Jia and M. Harman, "An
Analysis and Survey of the Development of Mutation Testing" (2011), https://doi.org/10.1109/TSE.2010.62.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from autograder.author_checks.check_result import CheckResult
from autograder.author_checks.equivalent_mutants import load_equivalent_mutant_reasons
from autograder.author_checks.grading_pool import ProgramGradingPool, ProgressCallback
from autograder.author_checks.mutation import Mutant, make_mutants
from autograder.author_checks.program_sample import WHOLE, ProgramSampler
from autograder.course import Assignment
from autograder.course.given_code import load_solution_given_code_or_empty
from autograder.faults import CourseFault
from autograder.sandbox import SandboxConfig


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
    made, listed = _make_mutants_of_solution(assignment), load_equivalent_mutant_reasons(assignment)
    chosen = {*sample.choose_programs(one.id for one in made)}
    left_out = {one.id for one in made} - chosen
    listed = {id_: reason for id_, reason in listed.items() if id_ not in left_out}
    return MutationTestResults(
        _find_first_losses([one for one in made if one.id in chosen], assignment, sandbox, report_progress), listed
    )


def check_mutation_results(results: MutationTestResults) -> list[CheckResult]:
    """Return a result for each claim about mutants."""
    listed, losses = results.reason_by_equivalent_mutant, results.first_lost_test_by_mutant
    unknown = [f"unknown mutant {id_}" for id_ in listed if id_ not in losses]
    wrong = [f"the mutant {id_} loses {losses[id_]}" for id_ in listed if losses.get(id_)]
    kept = [f"the mutant {id_} gets full marks" for id_, loss in losses.items() if not loss and id_ not in listed]
    return [
        CheckResult(
            f"every one of {len(losses)} mutants of the solution loses marks, or is right for a reason",
            tuple(kept),
            _format_equivalents_entry_or_empty(
                [id_ for id_, loss in losses.items() if not loss and id_ not in listed]
            ),
        ),
        CheckResult(
            f"every one of {len(listed)} mutants listed as right exists and gets full marks", (*unknown, *wrong)
        ),
    ]


def _format_equivalents_entry_or_empty(mutant_ids: Sequence[str]) -> str:
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
    given = load_solution_given_code_or_empty(assignment).line_numbers
    try:
        return make_mutants(assignment.solution_file.read_text(encoding="utf-8"), given)
    except (OSError, UnicodeDecodeError, SyntaxError) as error:
        raise CourseFault(
            f"cannot use the solution: {error}", where=str(assignment.solution_file), advice="mend the solution"
        ) from error


def _find_first_losses(
    made: list[Mutant], assignment: Assignment, sandbox: SandboxConfig, report_progress: ProgressCallback
) -> dict[str, str]:
    """Return ``first_lost_test_by_mutant`` of ``MutationTestResults``, in the order of the file."""
    sources, methods = {one.id: one.source for one in made}, {one.id: one.affected_functions for one in made}
    with ProgramGradingPool(assignment, sandbox) as pool:
        return pool.find_first_failed_tests(sources, methods, report_progress)
