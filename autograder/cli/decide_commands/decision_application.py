"""Carry out a command's decisions: save them, write reports and gradebook anew, and print the changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from autograder.batch.deadline_change_audit import record_deadline_changes
from autograder.batch.opened_graded_class import FinalMarks, OpenedGradedClass
from autograder.batch.report_rewriting import rewrite_reports_and_gradebook
from autograder.cli.options.decision_options import DecisionOptions
from autograder.cli.options.shared_options import get_assignment, load_course_and_set_output_permissions
from autograder.cli.output.console import print_line
from autograder.cli.submission_lookup import SubmissionLookup
from autograder.decisions import Decision, select_decisions_in_force
from autograder.decisions.decision_line import format_decision_line
from autograder.decisions.outweighed_decisions import find_outweighed_decisions
from autograder.reports.report_wording import format_points

MOST_MARKS = 20


@dataclass(frozen=True, slots=True)
class DecisionsToSaveAndUndo:
    """The decisions that one command makes and undoes."""

    new_decisions: list[Decision] = field(default_factory=list)
    undone_decisions: list[Decision] = field(default_factory=list)
    undo_reason: str = ""


def apply_decisions_and_rewrite_reports(
    options: DecisionOptions,
    choose_decisions: Callable[[OpenedGradedClass, SubmissionLookup], DecisionsToSaveAndUndo],
) -> None:
    """Save decisions and undo others, write reports and gradebook, and print the changes.

    Args:
        options: the class, who decides, and whether it is a dry run.
        choose_decisions: returns the decisions for an opened class.

    Raises:
        CallerFault: a decision is invalid; nothing was saved.
    """
    with options.class_options.open_class(dry_run=options.dry_run) as opened:
        classes, stored = opened.store.classes, opened.stored_class
        if not options.dry_run:
            record_deadline_changes(opened.store, opened.class_name, opened.assignment)
        choice = choose_decisions(
            opened,
            SubmissionLookup(classes.iterate_entries(stored), classes.load_roster_rows(stored)),
        )
        ends, history = {one.id for one in choice.undone_decisions}, opened.load_decision_history()
        after = [options.provenance.mark_as_undone(one) if one.id in ends else one for one in history]
        changes = _list_changes(*opened.preview_final_marks(history, [*after, *choice.new_decisions]))
        opened.undo_decisions(choice.undone_decisions, options.provenance, choice.undo_reason)
        kept = opened.save_and_number_decisions(choice.new_decisions)
    lines = [f"undone: decision {one.id}: {format_decision_line(one)}" for one in choice.undone_decisions]
    outweighed = find_outweighed_decisions(select_decisions_in_force([*after, *kept]))
    for one in kept:
        line = format_decision_line(one, outweighed)
        lines.append(line if options.dry_run else f"decision {one.id}: {line}")
    lines += [f"  {change}" for change in changes[:MOST_MARKS]]
    if len(changes) > MOST_MARKS:
        lines.append(f"  ... and {len(changes) - MOST_MARKS} more")
    _rewrite_reports_and_print(options, lines)


def _rewrite_reports_and_print(options: DecisionOptions, lines: list[str]) -> None:
    """Write reports and gradebook, and print what was decided, even if nobody reads it to its end."""
    try:
        if not options.dry_run:
            course = load_course_and_set_output_permissions(options.class_options.course)
            rewrite_reports_and_gradebook(
                options.class_options.batch_location,
                options.class_options.assignment,
                lambda name: get_assignment(course, name),
            )
    finally:  # the decisions are saved, even if a file cannot be written
        for line in lines:
            print_line(line)
    if options.dry_run:
        print_line("nothing was written: this was a dry run")
        return
    print_line(
        f"reports in {options.class_options.out / 'reports'}, gradebook in "
        f"{options.class_options.out / 'gradebook.csv'}"
    )


def _list_changes(before: FinalMarks, after: FinalMarks) -> list[str]:
    """Return a line for each final mark that decisions change."""
    return [_change(name, before, after) for name in after if before[name] != after[name]]


def _change(name: str, before: FinalMarks, after: FinalMarks) -> str:
    bonus = before[name][1] != after[name][1]
    old, new = (
        f"{format_points(marks[name][0])}{f' + {format_points(marks[name][1])} bonus' if bonus else ''}"
        for marks in (before, after)
    )
    return f"{name}: {old} -> {new}"
