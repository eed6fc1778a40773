"""Find decisions that change no mark because a person set the whole score of the same submission."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from autograder.decisions.decision_model import ABOUT_SUBMISSIONS, EVERYONE, Decision

OUTWEIGHED = "not counted: the score that was set counts alone"
"""What a line says of such a decision."""


def find_outweighed_decisions(decisions_in_force: Iterable[Decision]) -> set[Decision]:
    """Return points by hand, concept points and exemptions about submissions whose whole score is set.

    A decision is left out if an attempt was reopened between it and the set score: files that were handed in since
    may have the one without the other.

    Args:
        decisions_in_force: those about a class that are in force.

    >>> style = Decision("points", "ada-1", "style", "2")
    >>> find_outweighed_decisions([style, Decision("override", "ada-1", value="80")]) == {style}
    True
    """
    decisions = [*decisions_in_force]
    reopened_times = [_get_time(decision) for decision in decisions if decision.kind == "reopen"]
    set_scores = {decision.who: decision for decision in decisions if _is_set_score(decision)}
    return {
        decision
        for decision in decisions
        if decision.kind in ABOUT_SUBMISSIONS
        and decision.kind != "comment"
        and decision.who != EVERYONE
        and not _is_set_score(decision)
        and (set_score := set_scores.get(decision.who))
        and not any(_get_time(set_score) < reopened_at <= _get_time(decision) for reopened_at in reopened_times)
    }


def _is_set_score(decision: Decision) -> bool:
    return decision.kind == "override" and not decision.subject


def _get_time(decision: Decision) -> float:
    return datetime.fromisoformat(decision.decided_at).timestamp() if decision.decided_at else 0.0
