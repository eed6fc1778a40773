"""``autograder decide list`` and ``read``: print decisions, or have them edited as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from autograder.atomic_file_writing import is_standard_output, write_file_atomically
from autograder.batch.opened_graded_class import OpenedGradedClass
from autograder.cli.decide_commands.decision_application import (
    DecisionsToSaveAndUndo,
    apply_decisions_and_rewrite_reports,
)
from autograder.cli.decide_commands.decision_resolution import resolve_and_check_decisions
from autograder.cli.options.decision_options import DecisionOptions, add_decision_options
from autograder.cli.options.graded_class_options import GradedClassOptions, add_graded_class_options
from autograder.cli.output.console import print_line
from autograder.cli.submission_lookup import SubmissionLookup
from autograder.decisions import Decision, select_decisions_in_force
from autograder.decisions.decision_line import format_decision_line
from autograder.decisions.decision_sheet import encode_decision_sheet, iterate_requested_decision_changes
from autograder.decisions.outweighed_decisions import find_outweighed_decisions
from autograder.faults import translate_file_errors
from autograder.safe_text import escape_for_display

EDITED = "edited in a table"


@click.command("list")
@click.argument("identity", metavar="[ID]", required=False, default="")
@click.option(
    "--csv", "editable_sheet", type=click.Path(path_type=Path), help="Write a table to be edited and read back."
)
@click.option("--undone", is_flag=True, help="List also what was undone or replaced.")
@add_graded_class_options
def list_decisions_command(
    identity: str, editable_sheet: Path | None, undone: bool, options: GradedClassOptions
) -> None:
    """List the decisions that hold, each with its number, reason and author."""
    if editable_sheet is not None and (identity or undone):
        raise click.UsageError("--csv writes all decisions in force; leave out ID and --undone")
    with options.open_class(dry_run=True) as opened:
        history = opened.load_decision_history()
        targets = SubmissionLookup(opened.store.classes.iterate_entries(opened.stored_class))
    holds = select_decisions_in_force(history)
    if editable_sheet is not None:
        write_file_atomically(editable_sheet, encode_decision_sheet(holds))
        if not is_standard_output(editable_sheet):
            print_line(f"wrote {editable_sheet}; `autograder decide read {editable_sheet}` reads it back")
        return
    names = {*targets.resolve_students(identity), *targets.get_submission_ids_of(identity)} if identity else set()
    shown = [one for one in (history if undone else holds) if not identity or one.who in names or not one.who]
    for line in iterate_decision_lines(shown, history):
        print_line(line)
    if not shown:
        print_line("nothing was decided")


@click.command("read")
@click.argument("table", type=click.Path(path_type=Path))
@add_decision_options
def apply_edited_decision_sheet_command(table: Path, options: DecisionOptions) -> None:
    """Read back a table that `autograder decide list --csv` wrote.

    Rows without an id are new decisions, edited values and reasons replace old ones, and `yes` in the column undo
    undoes one. Rows that are missing change nothing. All of it is kept, or nothing.
    """

    def choose(opened: OpenedGradedClass, targets: SubmissionLookup) -> DecisionsToSaveAndUndo:
        holds = {one.id: one for one in select_decisions_in_force(opened.load_decision_history())}
        changes = [*iterate_requested_decision_changes(_read(table), str(table), holds)]
        drafts = [(one.row_location, one.decision) for one in changes if not one.is_undo]
        made = resolve_and_check_decisions(opened, targets, options.provenance, drafts)
        return DecisionsToSaveAndUndo(made, [one.decision for one in changes if one.is_undo], EDITED)

    apply_decisions_and_rewrite_reports(options, choose)


def iterate_decision_lines(
    decisions_to_show: Iterable[Decision], decision_history: Iterable[Decision]
) -> Iterator[str]:
    """Yield a line for each decision, with its number, and whether it is still in force.

    Args:
        decisions_to_show: the decisions.
        decision_history: all decisions about the class.
    """
    in_force = select_decisions_in_force(decision_history)
    ids_in_force, outweighed = {one.id for one in in_force}, find_outweighed_decisions(in_force)
    for one in decisions_to_show:
        moment = one.decided_at[:16].replace("T", " ")
        yield f"{one.id:4}  {moment}  {format_decision_line(one, outweighed)}{_state(one, ids_in_force)}"


def _state(one: Decision, in_force: set[int]) -> str:
    if one.is_undone:
        return f"  undone {one.undone_at[:16].replace('T', ' ')} ({escape_for_display(one.undone_by, 80)})"
    return "" if one.id in in_force else "  replaced"


def _read(table: Path) -> bytes:
    with translate_file_errors(table, advice="name a table of decisions"):
        return table.read_bytes()
