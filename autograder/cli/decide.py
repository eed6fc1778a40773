"""``autograder decide``: what people decide goes before what tests gave, survives regrading, and can be undone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path

import click

from autograder.batch.graded_class import FinalMarks, OpenedGradedClass, rewrite_reports_and_gradebook
from autograder.batch.mark_changes import record_deadline_changes
from autograder.cli.graded_class import GradedClassOptions, add_graded_class_options
from autograder.cli.options import gather_options, get_assignment
from autograder.cli.students import SubmissionLookup
from autograder.cli.terminal import print_line
from autograder.decisions import EVERYONE, Decision, DecisionProvenance, select_decisions_in_force
from autograder.decisions.decision_model import (
    ABOUT_SUBMISSIONS,
    FOR_EVERYONE,
    find_outweighed_decisions,
    format_decision_line,
)
from autograder.decisions.decision_sheet import (
    check_and_normalize_decision,
    encode_decision_sheet,
    iterate_requested_decision_changes,
)
from autograder.faults import CallerFault, translate_file_errors
from autograder.files import is_standard_output, write_file_atomically
from autograder.reports.wording import format_points
from autograder.store.audit import AuditRow, get_os_user_name
from autograder.text import escape_for_display


@dataclass(frozen=True, slots=True)
class DecisionOptions:
    """The options of a command that decides: the class, who decides and when, and whether it is a dry run."""

    class_options: GradedClassOptions
    provenance: DecisionProvenance
    dry_run: bool


def _make_decision_options(author: str, dry_run: bool, options: GradedClassOptions) -> DecisionOptions:
    account = get_os_user_name()
    provenance = DecisionProvenance(escape_for_display(author.strip(), 200) or account, account)
    return DecisionOptions(options, provenance, dry_run)


add_decision_options = gather_options(
    "options",
    _make_decision_options,
    click.option("--by", "author", default="", metavar="NAME", help="Who decides; by default your account here."),
    click.option("--dry-run", is_flag=True, help="Show which marks would change, and write nothing."),
    add_graded_class_options,
)
"""Add the options of a command that decides and those that name a graded class, all of them as ``options``."""

reason_option = click.option(
    "--reason", required=True, metavar="TEXT", help="Why; for the staff and the audit log, never shown to students."
)


def _resolve_and_check_decisions(
    opened_class: OpenedGradedClass,
    lookup: SubmissionLookup,
    provenance: DecisionProvenance,
    locations_and_decisions: Iterable[tuple[str, Decision]],
) -> list[Decision]:
    """Return decisions ready to be saved: with the submission or student resolved, checked, and with their author.

    Args:
        opened_class: the class.
        lookup: its members.
        provenance: who decides, when, and with which command.
        locations_and_decisions: decisions as written, each with its location for messages.

    Raises:
        CallerFault: a decision is invalid, or its submission or student is unknown.
    """
    reports = {entry.report.submission.id: entry.report for entry in opened_class.load_personalized_entries()}
    now, made = datetime.fromisoformat(provenance.decided_at), []
    for where, draft in locations_and_decisions:
        for who in _find_whom(lookup, draft):
            one = check_and_normalize_decision(
                replace(draft, who=who), reports, opened_class.deadline_rules_before_decisions, now, where
            )
            sha256 = reports[who].submission.sha256 if one.kind in ABOUT_SUBMISSIONS and who in reports else ""
            made.append(provenance.make_decision(one.kind, who, one.subject, one.value, one.reason, sha256))
    return made


def _find_whom(targets: SubmissionLookup, draft: Decision) -> list[str]:
    if draft.who == EVERYONE:
        if draft.kind not in FOR_EVERYONE:
            raise CallerFault(f"a decision of kind {draft.kind} cannot apply to everyone", advice="name one student")
        return [EVERYONE]
    return (
        [targets.get_only_submission_id(draft.who)]
        if draft.kind in ABOUT_SUBMISSIONS
        else targets.resolve_students(draft.who)
    )


MOST_MARKS = 20


@dataclass(frozen=True, slots=True)
class DecisionsToSaveAndUndo:
    """The decisions that one command makes and undoes."""

    new_decisions: list[Decision] = field(default_factory=list)
    undone_decisions: list[Decision] = field(default_factory=list)
    undo_reason: str = ""


def _apply_decisions_and_rewrite_reports(
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
            opened, SubmissionLookup(classes.iterate_entries(stored), classes.load_roster_rows(stored))
        )
        ends, history = {one.id for one in choice.undone_decisions}, opened.load_decision_history()
        after = [options.provenance.mark_as_undone(one) if one.id in ends else one for one in history]
        changes = list(_iterate_changes(*opened.preview_final_marks(history, [*after, *choice.new_decisions])))
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
            course = options.class_options.course.load(location=options.class_options.batch_location)
            rewrite_reports_and_gradebook(
                options.class_options.batch_location,
                options.class_options.assignment,
                partial(get_assignment, course),
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


def _iterate_changes(before: FinalMarks, after: FinalMarks) -> Iterator[str]:
    """Yield a line for each final mark that decisions change."""
    for name in (name for name in after if before[name] != after[name]):
        bonus = before[name][1] != after[name][1]
        old, new = (
            f"{format_points(marks[name][0])}{f' + {format_points(marks[name][1])} bonus' if bonus else ''}"
            for marks in (before, after)
        )
        yield f"{name}: {old} -> {new}"


@click.command("log")
@add_graded_class_options
def print_class_audit_log_command(options: GradedClassOptions) -> None:
    """Print the audit log of the class: every decision, export and upload, with who did it and when."""
    with options.open_class(dry_run=True) as opened:
        events = opened.store.audit.load_audit_rows(opened.class_name, opened.stored_class.rules.assignment)
    for line in iterate_audit_log_lines(events):
        print_line(line)
    if not events:
        print_line("nothing was decided and nothing exported")


def iterate_audit_log_lines(events: list[AuditRow]) -> Iterator[str]:
    """Yield a line for each event of the audit log."""
    for one in events:
        action, event = one.action, one.event
        where = f" to {action.platform}" if action.platform else ""
        who = f"{one.as_account} ({action.account})" if one.as_account not in ("", action.account) else action.account
        about = f" {escape_for_display(event.target, 80)}" if event.target and not action.platform else ""
        answer = f', "{escape_for_display(one.answer, 200)}"' if one.answer else ""
        yield (
            f"{one.recorded_at:%Y-%m-%d %H:%M}  {escape_for_display(who, 80)}: {action.kind}{where}, "
            f"{event.changed_item}{about} of "
            f"{escape_for_display(event.student_label, 80)}: {_shown(event.before)} -> {_shown(event.after)} "
            f"({one.state}{answer})"
        )


def _shown(text: str) -> str:
    return escape_for_display(text, 80) or "nothing"


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
        made = _resolve_and_check_decisions(opened, targets, options.provenance, drafts)
        return DecisionsToSaveAndUndo(made, [one.decision for one in changes if one.is_undo], EDITED)

    _apply_decisions_and_rewrite_reports(options, choose)


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


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Decide about marks and deadlines: with a reason, for one student or all, and so that it can be undone.

    A decision goes before what tests gave and before what grading.yml says. It survives every regrade, and shows in
    report, page and gradebook. ID is a submission as the gradebook calls it, or a student.
    """


@command.command("override")
@click.argument("identity", metavar="ID")
@click.option("--score", required=True, help="The points that count, whatever the tests gave.")
@click.option("--concept", default="", help="Set the points of this concept, and not the whole score.")
@reason_option
@add_decision_options
def override_score(identity: str, score: str, concept: str, reason: str, options: DecisionOptions) -> None:
    """Set the score of a submission, or its points for one concept.

    A whole score is all that counts: no bonus is added, and nothing is taken off for lateness.
    """
    _apply_decisions(options, Decision("override", identity, concept, score, reason))


@command.command("comment")
@click.argument("identity", metavar="ID")
@click.option("--text", required=True, help="What the student reads.")
@add_decision_options
def write_comment_to_student(identity: str, text: str, options: DecisionOptions) -> None:
    """Write to a student: it stands in report and page, below the points."""
    _apply_decisions(options, Decision("comment", identity, value=text))


@command.command("exempt")
@click.argument("identities", metavar="[ID]...", nargs=-1)
@click.option("--test", required=True, help="The test's id, as in the report: accumulation.a-plus-a.")
@click.option("--all", "everyone", is_flag=True, help="For the whole class.")
@reason_option
@add_decision_options
def exempt(identities: tuple[str, ...], test: str, everyone: bool, reason: str, options: DecisionOptions) -> None:
    """Give a test's points whatever came of it: nobody loses by an exemption."""
    if bool(identities) == everyone:
        raise click.UsageError("exactly one of ID and --all is required")
    names = [EVERYONE] if everyone else identities
    _apply_decisions(options, *(Decision("exempt", name, test, reason=reason) for name in names))


@command.command("points")
@click.argument("identity", metavar="ID")
@click.option("--points", required=True, help="How many; below zero to take some off.")
@click.option("--for", "subject", required=True, help="What for, such as style or oral; given again, it is replaced.")
@click.option("--reason", default="", help="Why; for the staff and the audit log.")
@add_decision_options
def add_manual_points(identity: str, points: str, subject: str, reason: str, options: DecisionOptions) -> None:
    """Give points by hand beside those of the tests, up to full marks; lateness takes nothing off them."""
    _apply_decisions(options, Decision("points", identity, subject, points, reason))


@command.command("extend")
@click.argument("students", metavar="[ID]...", nargs=-1)
@click.option("--group", default="", help="For the students of this group.")
@click.option("--all", "everyone", is_flag=True, help="For the whole class, on top of extensions that students have.")
@click.option("--until", default="", help="The new deadline, as 2025-11-25 12:00; or --days or --hours.")
@click.option("--days", type=click.IntRange(1, 3650), help="So many days after the deadline.")
@click.option("--hours", type=click.IntRange(1, 9999), help="So many hours after the deadline.")
@reason_option
@add_decision_options
def extend_deadline(  # noqa: PLR0913 - a parameter for each option
    students: tuple[str, ...],
    group: str,
    everyone: bool,
    until: str,
    days: int | None,
    hours: int | None,
    reason: str,
    options: DecisionOptions,
) -> None:
    """Give a student, a group or the whole class more time; it goes before `extensions` of grading.yml."""
    spans = [until, f"{days} days" if days else "", f"{hours} hours" if hours else ""]
    if sum(map(bool, spans)) != 1:
        raise click.UsageError("exactly one of --until, --days and --hours is required")
    if sum(map(bool, (students, group, everyone))) != 1:
        raise click.UsageError("exactly one of students, --group NAME and --all is required")

    def choose(opened_class: OpenedGradedClass, lookup: SubmissionLookup) -> DecisionsToSaveAndUndo:
        names = [EVERYONE] if everyone else lookup.get_students_of_group(group) if group else students
        drafts = [Decision("extend", name, value="".join(spans), reason=reason) for name in names]
        decisions = _resolve_and_check_decisions(
            opened_class, lookup, options.provenance, [("", draft) for draft in drafts]
        )
        for decision in decisions:
            if decision.who != EVERYONE and not lookup.has_student_handed_in(decision.who):
                name = escape_for_display(decision.who, 80)
                click.echo(f"{name} has no submission yet: the decision applies to the first one under that name")
        return DecisionsToSaveAndUndo(decisions)

    _apply_decisions_and_rewrite_reports(options, choose)


@command.command("reopen")
@click.argument("identity", metavar="ID")
@click.option("--until", default="", help="The deadline of that attempt; without it, it has none.")
@reason_option
@add_decision_options
def grant_another_attempt(identity: str, until: str, reason: str, options: DecisionOptions) -> None:
    """Give a student another attempt: what they hand in from now on counts, whatever counted before."""
    _apply_decisions(options, Decision("reopen", identity, value=until, reason=reason))


@command.command("undo")
@click.argument("decision_numbers", metavar="NUMBER...", nargs=-1, required=True, type=int)
@reason_option
@add_decision_options
def undo_decisions(decision_numbers: tuple[int, ...], reason: str, options: DecisionOptions) -> None:
    """Undo decisions by number; what held before them holds again. `autograder decide list` has the numbers."""

    def choose(opened_class: OpenedGradedClass, lookup: SubmissionLookup) -> DecisionsToSaveAndUndo:
        decision_by_number = {decision.id: decision for decision in opened_class.load_decision_history()}
        for number in decision_numbers:
            if number not in decision_by_number:
                raise CallerFault(f"this class has no decision {number}", advice="see `autograder decide list`")
            if decision_by_number[number].is_undone:
                raise CallerFault(
                    f"decision {number} was undone already, by {decision_by_number[number].undone_by}",
                    advice="see `autograder decide list`",
                )
        return DecisionsToSaveAndUndo(
            undone_decisions=[decision_by_number[number] for number in dict.fromkeys(decision_numbers)],
            undo_reason=reason,
        )

    _apply_decisions_and_rewrite_reports(options, choose)


def _apply_decisions(options: DecisionOptions, *drafts: Decision) -> None:
    """Make decisions about submissions or students that are named as people name them."""
    _apply_decisions_and_rewrite_reports(
        options,
        lambda opened_class, lookup: DecisionsToSaveAndUndo(
            _resolve_and_check_decisions(opened_class, lookup, options.provenance, [("", draft) for draft in drafts])
        ),
    )


command.add_command(list_decisions_command)
command.add_command(apply_edited_decision_sheet_command)
command.add_command(print_class_audit_log_command)
