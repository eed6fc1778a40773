"""Repair every named wrong program, and tell the author where the repair lies elsewhere than the name."""

from __future__ import annotations

from autograder.author_checks.catalogue import DiagnosedCatalogue, OpenProgressBar, ProgramGradingPool, map_in_workers
from autograder.author_checks.results import CheckResult
from autograder.course import Assignment
from autograder.diagnosis import Diagnosis
from autograder.diagnosis.naming import add_repair
from autograder.grading import GradedSubmission
from autograder.repair.search import find_repair_of_graded
from autograder.sandbox import SandboxConfig
from autograder.workers.grading_worker import get_worker_grader

MOST_TRIED = 400
"""Changes that are tried first for each mistake; what was planted in the solution is undone by one of the first."""


def check_names_against_repairs(
    assignment: Assignment, sandbox: SandboxConfig, population: DiagnosedCatalogue, open_progress_bar: OpenProgressBar
) -> CheckResult:
    """Check that what repairs a misconception lies in a function that the misconception changes.

    Students are told the repair alone where the two contradict each other, so such a name is never read.

    Args:
        assignment: the assignment.
        sandbox: where code is run.
        population: the graded and diagnosed programs. Pairs are left out: a repair of one part contradicts nothing.
        open_progress_bar: opens a progress bar.

    Raises:
        KitFault: no process can be started, or one ended.
    """
    named = {
        one.id: (population.graded_wrong_programs[one.id], population.get_diagnosis(one.id))
        for one in population.catalogue.misconceptions
        if population.is_named_as_itself(one.id)
    }
    with ProgramGradingPool(assignment, sandbox) as pool, open_progress_bar("repairing misconceptions") as progress:
        places = map_in_workers(pool.workers, _find_contradicting_place, named, progress)
    return CheckResult(
        f"the repair of each of {len(named)} named misconceptions lies where the misconception does",
        tuple(
            f"{name} is repaired in {place}, which it does not change, so its name is never shown: "
            "let it change that function, or add a test that only the misconception fails"
            for name, place in places.items()
            if place
        ),
    )


def _find_contradicting_place(graded: GradedSubmission, diagnosis: Diagnosis) -> str:
    """Return the function that a complete repair changes where that takes the names back; empty otherwise."""
    grader, place = get_worker_grader(), ""
    for most_tried in (
        MOST_TRIED,
        grader.assignment.feedback.repair_candidates,
    ):  # a submission's search goes further
        repair = find_repair_of_graded(grader, graded, most_tried)
        if add_repair(diagnosis, repair, grader.assignment, grader.test_specs).causes:
            return ""
        place = repair.edits[0].function
    return place
