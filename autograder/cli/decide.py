"""``autograder decide``: what people decide goes before what tests gave, survives regrading, and can be undone."""

from __future__ import annotations

import click

from autograder.batch.opened_graded_class import OpenedGradedClass
from autograder.cli.decide_commands.audit_log_command import print_class_audit_log_command
from autograder.cli.decide_commands.decision_application import (
    DecisionsToSaveAndUndo,
    apply_decisions_and_rewrite_reports,
)
from autograder.cli.decide_commands.decision_list_commands import (
    apply_edited_decision_sheet_command,
    list_decisions_command,
)
from autograder.cli.decide_commands.decision_resolution import resolve_and_check_decisions
from autograder.cli.options.decision_options import DecisionOptions, add_decision_options, reason_option
from autograder.cli.submission_lookup import SubmissionLookup
from autograder.decisions import EVERYONE, Decision
from autograder.faults import CallerFault
from autograder.safe_text import escape_for_display


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
        decisions = resolve_and_check_decisions(
            opened_class, lookup, options.provenance, [("", draft) for draft in drafts]
        )
        for decision in decisions:
            if decision.who != EVERYONE and not lookup.has_student_handed_in(decision.who):
                name = escape_for_display(decision.who, 80)
                click.echo(f"{name} has no submission yet: the decision applies to the first one under that name")
        return DecisionsToSaveAndUndo(decisions)

    apply_decisions_and_rewrite_reports(options, choose)


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

    apply_decisions_and_rewrite_reports(options, choose)


def _apply_decisions(options: DecisionOptions, *drafts: Decision) -> None:
    """Make decisions about submissions or students that are named as people name them."""
    apply_decisions_and_rewrite_reports(
        options,
        lambda opened_class, lookup: DecisionsToSaveAndUndo(
            resolve_and_check_decisions(opened_class, lookup, options.provenance, [("", draft) for draft in drafts])
        ),
    )


command.add_command(list_decisions_command)
command.add_command(apply_edited_decision_sheet_command)
command.add_command(print_class_audit_log_command)
