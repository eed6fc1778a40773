"""Find the smallest change of a student's own text after which its tests pass, and prove it by the whole suite.

Programs are corrected by such a search since R. Singh, S. Gulwani and A. Solar-Lezama, *Automated Feedback Generation
for Introductory Programming Assignments* (2013), https://doi.org/10.1145/2491956.2462195. Here the edits are generic,
and nobody has to describe the mistakes of an assignment.
"""

from __future__ import annotations

from collections.abc import Mapping

from autograder.bridge import SubmissionProgram
from autograder.course.model import FeedbackSettings
from autograder.grading import GradedSubmission, Grader
from autograder.repair.repair_model import NO_REPAIR, Repair
from autograder.repair.repaired_lines import make_repair
from autograder.repair.step_search import Baseline, RepairStep, make_baseline, search_step

MOST_STEPS = 3
"""How many mistakes are looked for."""


def find_repair_of_graded(grader: Grader, graded: GradedSubmission, most_tried: int = 0) -> Repair:
    """Return the repair of a submission that was just graded; see ``find_repair``.

    Args:
        grader: the grader that graded it.
        graded: the submission.
        most_tried: how many changes are tried for each mistake. When 0, it is as many as the course says, or as usual
            where the course has nobody look for any, since somebody asked.
    """
    if graded.program is None:
        return NO_REPAIR
    outcomes = {result.spec.id: result.outcome for result in graded.test_results}
    most_tried = most_tried or grader.assignment.feedback.repair_candidates or FeedbackSettings().repair_candidates
    return find_repair(grader, graded.program, outcomes, most_tried)


def find_repair(grader: Grader, program: SubmissionProgram, outcomes: Mapping[str, str], most_tried: int) -> Repair:
    """Return the smallest change found that mends what a submission fails, and breaks nothing.

    Args:
        grader: the grader that graded it.
        program: the submission's code.
        outcomes: what its tests came to, by their ids.
        most_tried: how many changes are tried for each of up to three mistakes.

    Raises:
        KitFault: no process can be started.
    """
    baseline = make_baseline(grader, program, outcomes)
    steps: list[RepairStep] = []
    others: list[RepairStep] = []
    tried = 0
    while baseline.lost and len(steps) < MOST_STEPS:
        found, step_tried = search_step(grader, baseline, most_tried)
        tried += step_tried
        if not found:
            break
        others = found[1:] if not steps else []
        steps.append(found[0])
        baseline = Baseline(found[0].program, found[0].passed, found[0].to_mend, found[0].lost)
    return make_repair(program, steps, others, tried, is_complete=bool(steps) and not baseline.to_mend)
