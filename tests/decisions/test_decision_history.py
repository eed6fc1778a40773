"""Of all that was decided, the last word holds; what is undone gives way to what held before."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from autograder.decisions import ClassDecisionsInForce, Decision, DecisionProvenance, select_decisions_in_force

KIM = DecisionProvenance("Kim", "kim")
FIRST = replace(KIM.make_decision("override", "ada", value="7"), id=1)
SECOND = replace(KIM.make_decision("override", "ada", value="8"), id=2)


def test_the_last_about_the_same_holds_until_it_is_undone() -> None:
    concept = replace(SECOND, subject="tanh")
    assert select_decisions_in_force([FIRST, SECOND]) == (SECOND,)
    assert select_decisions_in_force([FIRST, KIM.mark_as_undone(SECOND)]) == (FIRST,)
    assert select_decisions_in_force([FIRST, concept]) == (FIRST, concept)


def test_comments_stand_beside_each_other() -> None:
    comments = [
        replace(KIM.make_decision("comment", "ada", value=text), id=number) for number, text in enumerate("ab", 1)
    ]
    assert select_decisions_in_force(comments) == tuple(comments)


def test_a_submission_has_its_own_decisions_and_those_for_everyone() -> None:
    for_all, other = replace(KIM.make_decision("exempt", "", "t"), id=3), replace(FIRST, who="bob", id=4)
    decisions = ClassDecisionsInForce(select_decisions_in_force([FIRST, for_all, other]))
    assert decisions.list_decisions_about_submission("ada") == [for_all, FIRST]


def test_what_was_decided_before_an_attempt_was_reopened_is_not_about_what_was_handed_in_since() -> None:
    early = replace(FIRST, decided_at="2026-01-01T00:00:00+00:00")
    late = replace(early, subject="tanh", decided_at="2026-01-03T00:00:00+00:00")
    exempt = Decision("exempt", "ada", "t", decided_at=early.decided_at)
    decisions = ClassDecisionsInForce((early, late, exempt))
    assert decisions.list_decisions_about_submission("ada", datetime(2026, 1, 2, tzinfo=UTC)) == [late, exempt]
