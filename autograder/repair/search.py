"""Find the smallest change of a student's own text after which its tests pass, and prove it by the whole suite.

Programs are corrected by such a search since R. Singh, S. Gulwani and A. Solar-Lezama, *Automated Feedback Generation
for Introductory Programming Assignments* (2013), https://doi.org/10.1145/2491956.2462195. Here the edits are generic,
and nobody has to describe the mistakes of an assignment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from autograder.bridge import SubmissionProgram
from autograder.course.model import FeedbackSettings
from autograder.edits import ProposedEdit, find_function_around
from autograder.grading import GradedSubmission, Grader
from autograder.repair.changed_lines import ChangedLines, list_changed_lines
from autograder.repair.model import NO_REPAIR, Edit, Repair
from autograder.repair.shrinking import find_difference
from autograder.repair.step_search import search_step
from autograder.repair.steps import Baseline, RepairStep, make_baseline

BRANCH = re.compile(r"\s*(?:el)?if (.+)")


def _make_repair(
    program: SubmissionProgram,
    steps: Sequence[RepairStep],
    others: Sequence[RepairStep],
    tried: int,
    *,
    is_complete: bool,
) -> Repair:
    """Return the repair of a program.

    Args:
        program: as it was handed in.
        steps: the steps, each of which changes the program after the one before.
        others: steps in the place of the first and only one.
        tried: how many candidates were tried.
        is_complete: whether no failed test is left.
    """
    return Repair(
        edits=_list_edits(program, steps),
        mends=tuple(sorted({test_id for step in steps for test_id in step.mends})),
        proven=bool(steps),
        complete=is_complete,
        tried=tried,
        others=tuple(_list_edits(program, [step]) for step in others if not _is_same_method(step, steps[0]))
        if len(steps) == 1
        else (),
    )


def _is_same_method(one: RepairStep, other: RepairStep) -> bool:
    """Return whether two steps put another method in the place of the same: then both say the same."""
    return one.edit.kind == other.edit.kind == "method" and one.edit.function == other.edit.function


def _list_edits(program: SubmissionProgram, steps: Sequence[RepairStep]) -> tuple[Edit, ...]:
    """Return the lines that differ between a program and the one after all steps, each with the step it is of."""
    edits: list[Edit] = []
    for unit, (name, source) in enumerate(program.units):
        texts = {number: step.edit.text for number, step in enumerate(steps) if step.unit == unit}
        for lines in list_changed_lines(source, texts, [n for n, one in enumerate(steps) if _is_method(one)]):
            assert lines.step is not None
            step = steps[lines.step]
            before, after = "\n".join(lines.before), "\n".join(lines.after)
            old, new = _choose_pieces(step.edit, before, after)
            edits.append(
                Edit(
                    file=name,
                    line=lines.line,
                    end_line=lines.end_line,
                    before=before,
                    after=after,
                    kind=step.edit.kind,
                    function=_find_function(source, lines) if step.edit.kind != "method" else step.edit.function,
                    old=old,
                    new=new,
                    mends=tuple(sorted(step.mends)),
                )
            )
    return tuple(edits)


def _is_method(step: RepairStep) -> bool:
    return step.edit.kind == "method"


def _find_function(source: str, lines: ChangedLines) -> str:
    """Return the function around changed lines; lines that are only added stand deeper than its ``def``."""
    if lines.after[: len(lines.before)] == lines.before:
        added = lines.after[len(lines.before)]
        return find_function_around(source, lines.line, len(added) - len(added.lstrip()))
    return find_function_around(source, lines.line)


def _choose_pieces(edit: ProposedEdit, before: str, after: str) -> tuple[str, str]:
    """Return what changes in some lines, and into what: what the edit says, if all of it is here."""
    is_all_here = _is_whole_change(edit.old, edit.new, before, after)
    is_piece = "\n" not in edit.old + edit.new and bool(edit.old or edit.new)
    is_exact = edit.kind != "add statement" or not (edit.old and edit.new)
    if edit.kind == "method" or (is_all_here and is_piece and is_exact):
        return edit.old, edit.new
    head, _, body = before.partition("\n")
    if edit.kind == "condition" and body and (found := BRANCH.match(head.rpartition(":")[0])):
        first = body.split("\n")[0].strip()
        return found[1], str(first in map(str.strip, after.split("\n")))
    if not after or edit.kind == "move statement":
        return before.strip(), after.strip()
    if after.startswith(f"{before}\n"):
        return "", after[len(before) :].strip()
    if after.endswith(f"\n{before}"):
        return "", after[: -len(before)].strip()
    return find_difference(before, after if "\n" in before else after.split("\n")[0])


def _is_whole_change(old: str, new: str, before: str, after: str) -> bool:
    """Return whether lines differ only by a piece that another takes the place of, at one place or at all."""
    if not old:
        return new in after and before in after
    places = (place.start() for place in re.finditer(re.escape(old), before))
    one_place = (before[:start] + new + before[start + len(old) :] for start in places)
    return after in (before.replace(old, new), *one_place)


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
    return _make_repair(program, steps, others, tried, is_complete=bool(steps) and not baseline.to_mend)
