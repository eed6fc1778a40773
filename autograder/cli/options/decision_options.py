"""Options of the commands that decide."""

from __future__ import annotations

from dataclasses import dataclass

import click

from autograder.cli.options.graded_class_options import GradedClassOptions, add_graded_class_options
from autograder.cli.options.shared_options import gather_options
from autograder.decisions import DecisionProvenance
from autograder.safe_text import escape_for_display
from autograder.store.audit_log import get_os_user_name


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
