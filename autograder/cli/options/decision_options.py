"""Options of the commands that decide."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from autograder.cli.options.graded_class_options import GradedClassOptions, add_graded_class_options
from autograder.decisions import DecisionProvenance
from autograder.safe_text import escape_for_display
from autograder.store.audit_log import get_os_user_name

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class DecisionOptions:
    """The options of a command that decides: the class, who decides and when, and whether it is a dry run."""

    class_options: GradedClassOptions
    provenance: DecisionProvenance
    dry_run: bool


def add_decision_options(function: Callable[..., R]) -> Callable[..., R]:
    """Add the options of a command that decides and those that name a graded class; turn faults into exit codes.

    The command gets all of them as ``options``.
    """

    @click.option("--by", "author", default="", metavar="NAME", help="Who decides; by default your account here.")
    @click.option("--dry-run", is_flag=True, help="Show which marks would change, and write nothing.")
    @add_graded_class_options
    @functools.wraps(function)
    def wrapped(*arguments: Any, author: str, dry_run: bool, options: GradedClassOptions, **keywords: Any) -> R:
        account = get_os_user_name()
        provenance = DecisionProvenance(escape_for_display(author.strip(), 200) or account, account)
        return function(*arguments, options=DecisionOptions(options, provenance, dry_run), **keywords)

    return wrapped


reason_option = click.option(
    "--reason", required=True, metavar="TEXT", help="Why; for the staff and the audit log, never shown to students."
)
