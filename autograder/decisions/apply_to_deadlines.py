"""Apply extensions and reopened attempts, which go before what ``grading.yml`` says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from autograder.course.deadline_rules import DeadlineRules
from autograder.decisions.decision_model import EVERYONE, Decision
from autograder.decisions.decision_values import add_time
from autograder.lateness import Reopening


def extend_deadlines(due: DeadlineRules, decisions: Iterable[Decision]) -> DeadlineRules:
    """Return the deadlines with the extensions that people gave.

    A student's extension takes the place of the one in ``grading.yml``. One for everybody moves every deadline, those
    of students with an extension too: by a span of time, or up to a moment where that is later.

    Args:
        due: the deadlines of ``grading.yml``.
        decisions: those that are in force.
    """
    if due.deadline is None:
        return due
    extensions, given = dict(due.extensions), [one for one in decisions if one.kind == "extend"]
    for one in given:
        if one.who != EVERYONE:
            extensions[one.who] = add_time(due.deadline, one.value)
    deadline = due.deadline
    for one in given:
        if one.who == EVERYONE:
            deadline = max(deadline, add_time(deadline, one.value), key=datetime.timestamp)
            extensions = {
                name: max(moment, add_time(moment, one.value), key=datetime.timestamp)
                for name, moment in extensions.items()
            }
    return replace(due, deadline=deadline, extensions=tuple(sorted(extensions.items())))


def list_reopenings(decisions: Iterable[Decision]) -> dict[str, Reopening]:
    """Return the reopened attempts, by the student.

    Args:
        decisions: those that are in force.
    """
    return {
        one.who: Reopening(
            datetime.fromisoformat(one.decided_at), datetime.fromisoformat(one.value) if one.value else None
        )
        for one in decisions
        if one.kind == "reopen"
    }
