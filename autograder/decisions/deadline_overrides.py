"""Apply extensions and reopened attempts, which override ``grading.yml``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from autograder.course.deadline_rules import DeadlineRules
from autograder.decisions.decision_model import EVERYONE, Decision
from autograder.decisions.decision_values import SPAN, compute_moved_deadline
from autograder.lateness import ReopenedAttempt
from autograder.lateness.extension_selection import list_joined_students


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
    extensions = dict(deadline_rules.extensions)
    decisions = [decision for decision in decisions_in_force if decision.kind == "extend"]
    for decision in decisions:
        if decision.who != EVERYONE:
            members = list_joined_students(decision.who) or ((decision.who,),)
            extensions[decision.who] = compute_moved_deadline(
                deadline_rules.find_deadline_before_extensions(members) or deadline_rules.deadline, decision.value
            )
    deadline, own_deadlines = deadline_rules.deadline, dict(deadline_rules.deadlines_of_students)
    for decision in decisions:
        if decision.who == EVERYONE:
            deadline = _move_deadline(deadline, decision.value)
            later_students = {
                other.who
                for other in decisions
                if not SPAN.fullmatch(other.value) and other.decided_at > decision.decided_at
            }
            extensions |= {
                name: _move_deadline(moment, decision.value)
                for name, moment in extensions.items()
                if name not in later_students
            }
            own_deadlines = {name: _move_deadline(moment, decision.value) for name, moment in own_deadlines.items()}
    return replace(
        deadline_rules,
        deadline=deadline,
        extensions=tuple(sorted(extensions.items())),
        deadlines_of_students=tuple(sorted(own_deadlines.items())),
    )


def _move_deadline(deadline: datetime, value: str) -> datetime:
    """Return the later one of a deadline and the one that an extension makes of it."""
    return max(deadline, compute_moved_deadline(deadline, value), key=datetime.timestamp)


def map_reopened_attempts_by_student(decisions_in_force: Iterable[Decision]) -> dict[str, ReopenedAttempt]:
    """Return the reopened attempts, by the student.

    Args:
        decisions_in_force: those that are in force.
    """
    return {
        decision.who: ReopenedAttempt(
            datetime.fromisoformat(decision.decided_at),
            datetime.fromisoformat(decision.value) if decision.value else None,
        )
        for decision in decisions_in_force
        if decision.kind == "reopen"
    }
