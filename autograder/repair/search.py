"""Find the smallest change of a student's own text after which its tests pass, and prove it by the whole suite.

Programs are corrected by such a search since R. Singh, S. Gulwani and A. Solar-Lezama, *Automated Feedback Generation
for Introductory Programming Assignments* (2013), https://doi.org/10.1145/2491956.2462195. Here the edits are generic,
and nobody has to describe the mistakes of an assignment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from autograder.bridge import SubmissionProgram
from autograder.course.model import FeedbackSettings
from autograder.edits import ProposedEdit
from autograder.grading import GradedSubmission, Grader
from autograder.repair.model import NO_REPAIR, Edit, Repair
from autograder.repair.step_search import Baseline, RepairStep, make_baseline, search_step

TOKEN = re.compile(r"\w+|\s+|[^\w\s]+")


@dataclass(frozen=True, slots=True)
class ChangedLines:
    """Whole lines of a text, and the lines that take their place."""

    line: int
    """The first, counted from 1."""
    end_line: int
    before: str
    after: str
    after_indices: range
    """Where the new lines stand in the changed text, counted from 0."""


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
        text = steps[-1].program.units[unit][1] if steps else source
        owners = _list_step_of_each_line(source, unit, steps)
        hunks_by_step: dict[int, list[ChangedLines]] = {}
        for lines in list_changed_lines(source, text):
            touched = [owner for index in lines.after_indices if (owner := owners[index]) is not None]
            last = touched[-1] if touched else max(n for n, step in enumerate(steps) if step.unit == unit)
            hunks_by_step.setdefault(last, []).append(lines)
        hunks = [
            (steps[number], lines)
            for number, parts in hunks_by_step.items()
            for lines in (
                [_join_changed_lines(source, text, parts)] if steps[number].edit.kind == "method" else parts
            )
        ]
        for step, lines in sorted(hunks, key=lambda one: one[1].line):
            old, new = _choose_pieces(step.edit, lines)
            edits.append(
                Edit(
                    file=name,
                    line=lines.line,
                    end_line=lines.end_line,
                    before=lines.before,
                    after=lines.after,
                    kind=step.edit.kind,
                    function=step.edit.function,
                    old=old,
                    new=new,
                    mends=tuple(sorted(step.mends)),
                )
            )
    return tuple(edits)


def _choose_pieces(edit: ProposedEdit, lines: ChangedLines) -> tuple[str, str]:
    """Return what changes in some lines, and into what; of one change at several places, that of this place."""
    is_all_here = "\n" not in edit.old or edit.old in lines.before
    if is_all_here or edit.kind == "move statement":
        return edit.old, edit.new
    old, new = TOKEN.findall(lines.before), TOKEN.findall(lines.after)
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return "".join(old).strip(), "".join(new).strip()


def _list_step_of_each_line(source: str, unit: int, steps: Sequence[RepairStep]) -> list[int | None]:
    """Return for each line of the last text which step wrote it; None for the student's own."""
    owners: list[int | None] = [None] * len(source.split("\n"))
    for number, step in enumerate(steps):
        if step.unit != unit:
            continue
        for lines in reversed(list_changed_lines(source, step.edit.text)):
            new = lines.after.split("\n") if lines.after_indices else []
            owners[lines.line - 1 : lines.end_line] = [number] * len(new)
        source = step.edit.text
    return owners


def _join_changed_lines(text: str, changed_text: str, parts: Sequence[ChangedLines]) -> ChangedLines:
    """Return all lines from the first that changes to the last: another method is one change."""
    first, last = parts[0], parts[-1]
    indices = range(first.after_indices.start, last.after_indices.stop)
    return ChangedLines(
        first.line,
        last.end_line,
        "\n".join(text.split("\n")[first.line - 1 : last.end_line]),
        "\n".join(changed_text.split("\n")[indices.start : indices.stop]),
        indices,
    )


def list_changed_lines(text: str, changed_text: str) -> list[ChangedLines]:
    r"""Return the lines that differ, from the top; lines that are only added come with the line above them.

    >>> [(one.line, one.before, one.after) for one in list_changed_lines("a\nb\nc\n", "a\nx\nc\n")]
    [(2, 'b', 'x')]
    """
    return [*_iterate_changed_lines(text.split("\n"), changed_text.split("\n"))]


def _iterate_changed_lines(lines: list[str], changed: list[str]) -> Iterator[ChangedLines]:
    for tag, start, end, new_start, new_end in SequenceMatcher(None, lines, changed, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        above = int(start == end and start > 0)  # what is only added comes with the line above it, or below
        below = int(start == end == 0)
        old, new = range(start - above, end + below), range(new_start - above, new_end + below)
        yield ChangedLines(
            old.start + 1,
            old.stop,
            "\n".join(lines[old.start : old.stop]),
            "\n".join(changed[new.start : new.stop]),
            new,
        )


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
