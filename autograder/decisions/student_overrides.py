"""Apply extensions and reopened attempts, which override ``grading.yml``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from autograder.course.deadline_rules import DeadlineRules
from autograder.decisions.decision_model import EVERYONE, Decision
from autograder.decisions.decision_values import compute_moved_deadline, is_moment
from autograder.lateness import ReopenedAttempt


def apply_extension_decisions(deadline_rules: DeadlineRules, decisions_in_force: Iterable[Decision]) -> DeadlineRules:
    """Return the deadlines with the extensions that the staff gave.

    A student's extension replaces the one in ``grading.yml``. An extension for everyone moves every deadline,
    including extended ones: by a time span, or to a moment if that is later. Only a moment that a student was given
    afterwards stays as it is, since whoever gave it knew of the extension for everyone.

    Args:
        deadline_rules: the deadlines of ``grading.yml``, or of an LMS.
        decisions_in_force: those that are in force.
    """
    if deadline_rules.deadline is None:
        return deadline_rules
    extensions, given = dict(deadline_rules.extensions), [one for one in decisions_in_force if one.kind == "extend"]
    for one in given:
        if one.who != EVERYONE:
            members = tuple((name,) for name in one.who.split("+"))
            extensions[one.who] = compute_moved_deadline(
                deadline_rules.find_deadline_before_extensions(members) or deadline_rules.deadline, one.value
            )
    deadline, own = deadline_rules.deadline, dict(deadline_rules.deadlines_of_students)
    for one in given:
        if one.who == EVERYONE:
            deadline = _move(deadline, one.value)
            later = {other.who for other in given if is_moment(other.value) and other.decided_at > one.decided_at}
            extensions |= {name: _move(moment, one.value) for name, moment in extensions.items() if name not in later}
            own = {name: _move(moment, one.value) for name, moment in own.items()}
    return replace(
        deadline_rules,
        deadline=deadline,
        extensions=tuple(sorted(extensions.items())),
        deadlines_of_students=tuple(sorted(own.items())),
    )


def _move(deadline: datetime, value: str) -> datetime:
    """Return the later one of a deadline and the one that an extension makes of it."""
    return max(deadline, compute_moved_deadline(deadline, value), key=datetime.timestamp)


def map_students_to_reopened_attempts(decisions_in_force: Iterable[Decision]) -> dict[str, ReopenedAttempt]:
    """Return the reopened attempts, by the student.

    Args:
        decisions_in_force: those that are in force.
    """
    return {
        one.who: ReopenedAttempt(
            datetime.fromisoformat(one.decided_at), datetime.fromisoformat(one.value) if one.value else None
        )
        for one in decisions_in_force
        if one.kind == "reopen"
    }
