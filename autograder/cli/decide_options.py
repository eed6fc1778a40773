"""Options that the commands under ``autograder decide`` share, and what all of them do with a decision."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import click

from autograder.batch.location import BatchLocation
from autograder.batch.opened_class import FinalMarks, OpenedClass, collect_final_marks, open_graded_class
from autograder.batch.rewrite_reports import rewrite_reports
from autograder.cli.decision_targets import ClassTargets
from autograder.cli.shared_options import (
    course_option,
    find_assignment,
    handle_errors,
    make_console,
    open_course,
    out_option,
    store_option,
)
from autograder.decisions import Decision, DecisionMaker
from autograder.decisions.decision_text import describe_decision
from autograder.reports.report_text import format_points
from autograder.safe_text import clean_text
from autograder.store.audit_log import get_system_account

R = TypeVar("R")
MOST_MARKS = 20


@dataclass(frozen=True, slots=True)
class ClassOptions:
    """Which class a command is about."""

    out: Path
    store: str
    assignment: str
    course: Path | None

    @property
    def place(self) -> BatchLocation:
        """Return where the class was graded."""
        return BatchLocation(self.out, self.store)

    @contextmanager
    def open_class(self, *, dry_run: bool = False) -> Iterator[OpenedClass]:
        """Open the class.

        Raises:
            CallerFault: there is no course, or nothing was graded there.
        """
        course = open_course(self.course)
        with open_graded_class(
            self.place, self.assignment, lambda name: find_assignment(course, name), dry_run=dry_run
        ) as opened:
            yield opened


def add_class_options(function: Callable[..., R]) -> Callable[..., R]:
    """Add the options that name a graded class, handed on as ``options``; turn faults into exit codes."""

    @out_option
    @store_option
    @click.option("--assignment", default="", help="Which one, where OUT holds several; by default the last.")
    @course_option
    @handle_errors
    @functools.wraps(function)
    def wrapped(*arguments: Any, out: Path, store: str, assignment: str, course: Path | None, **named: Any) -> R:
        return function(*arguments, options=ClassOptions(out, store, assignment, course), **named)

    return wrapped


@dataclass(frozen=True, slots=True)
class Choice:
    """What one command decides, and what it undoes."""

    made: list[Decision] = field(default_factory=list)
    undone: list[Decision] = field(default_factory=list)
    why_undone: str = ""


@dataclass(frozen=True, slots=True)
class DecisionOptions:
    """Who decides about which class, and whether it is only tried."""

    about: ClassOptions
    maker: DecisionMaker
    dry: bool

    def carry_out(self, choose: Callable[[OpenedClass, ClassTargets], Choice]) -> None:
        """Keep decisions and undo others, write reports and gradebook, and print what changed.

        Args:
            choose: says what is decided about an opened class.

        Raises:
            CallerFault: it cannot be decided; nothing was kept.
        """
        with self.about.open_class(dry_run=self.dry) as opened:
            members = opened.store.classes.iterate_members(opened.stored_class)
            choice = choose(opened, ClassTargets(members))
            ends = {one.id for one in choice.undone}
            after = [self.maker.undo(one) if one.id in ends else one for one in opened.load_history()]
            changes = _compare(opened, [*after, *choice.made])
            opened.undo_decisions(choice.undone, self.maker, choice.why_undone)
            kept = opened.add_decisions(choice.made)
        show = make_console().print
        for one in choice.undone:
            show(f"undone: decision {one.id}: {describe_decision(one)}")
        for one in kept:
            show(describe_decision(one) if self.dry else f"decision {one.id}: {describe_decision(one)}")
        self._finish(changes)

    def _finish(self, changes: list[str]) -> None:
        show = make_console().print
        for line in changes[:MOST_MARKS]:
            show(f"  {line}")
        if len(changes) > MOST_MARKS:
            show(f"  ... and {len(changes) - MOST_MARKS} more")
        if self.dry:
            show("nothing was kept: this was a dry run")
            return
        course = open_course(self.about.course)
        rewrite_reports(self.about.place, self.about.assignment, lambda name: find_assignment(course, name))
        show(f"reports in {self.about.out / 'reports'}, gradebook in {self.about.out / 'gradebook.csv'}")


def add_decision_options(function: Callable[..., R]) -> Callable[..., R]:
    """Add the options of a command that decides, handed on as ``options``."""

    @click.option("--by", "author", default="", metavar="NAME", help="Who decides; by default your account here.")
    @click.option("--dry-run", "dry", is_flag=True, help="Show which marks would change, and keep nothing.")
    @add_class_options
    @functools.wraps(function)
    def wrapped(*arguments: Any, author: str, dry: bool, options: ClassOptions, **named: Any) -> R:
        account = get_system_account()
        maker = DecisionMaker(clean_text(author.strip(), 200) or account, account)
        return function(*arguments, options=DecisionOptions(options, maker, dry), **named)

    return wrapped


def _compare(opened: OpenedClass, history: list[Decision]) -> list[str]:
    """Return a line for each final mark that is another one with these decisions."""
    before, after = (collect_final_marks(opened.load_entries(one)) for one in (None, history))
    return [_change(name, before, after) for name in after if before.get(name) != after[name]]


def _change(name: str, before: FinalMarks, after: FinalMarks) -> str:
    bonus = before[name][1] != after[name][1]
    old, new = (
        f"{format_points(marks[name][0])}{f' + {format_points(marks[name][1])} bonus' if bonus else ''}"
        for marks in (before, after)
    )
    return f"{name}: {old} -> {new}"


reason_option = click.option(
    "--reason", required=True, metavar="TEXT", help="Why; for the staff and the audit log, never shown to students."
)
