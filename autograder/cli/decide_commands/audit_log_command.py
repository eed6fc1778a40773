"""``autograder decide log``: print the audit log of a class."""

from __future__ import annotations

from collections.abc import Iterator

import click

from autograder.cli.options.graded_class_options import GradedClassOptions, add_graded_class_options
from autograder.cli.output.console import print_line
from autograder.safe_text import escape_for_display
from autograder.store.audit_model import AuditRow


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
