"""What cannot be decided is refused with what to write instead; what can is kept in one form."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from autograder.course.deadline_rules import DeadlineRules
from autograder.decisions import Decision
from autograder.decisions.decision_sheet import check_and_normalize_decision
from autograder.faults import CallerFault
from tests.reports.sample import a_report

NOW = datetime(2025, 11, 22, tzinfo=UTC)
DUE = DeadlineRules(deadline=datetime(2025, 11, 21, 12, tzinfo=UTC), default_zone=UTC)
REPORTS = {"zebra": a_report()}


def checked(wish: Decision, due: DeadlineRules = DUE) -> Decision:
    return check_and_normalize_decision(wish, REPORTS, due, NOW)


@pytest.mark.parametrize(("written", "kept"), [("7", "7"), (" 7,50 ", "7.5"), ("20.0", "20"), ("0", "0")])
def test_points_are_kept_in_one_form(written: str, kept: str) -> None:
    assert checked(Decision("override", "zebra", value=written, reason="why")).value == kept


@pytest.mark.parametrize(
    ("wish", "why"),
    [
        (Decision("override", "zebra", value="20.01", reason="why"), "between 0 and the 20 points, not 20.01"),
        (Decision("override", "zebra", value="-1", reason="why"), "must be between 0 and"),
        (Decision("override", "zebra", "tanh", "6", "why"), "must be between 0 and the 5 points of tanh, not 6"),
        (Decision("override", "zebra", "sinh", "6", "why"), "unknown concept 'sinh' .*from accumulation, tanh"),
        (Decision("override", "zebra", value="7.123", reason="why"), "finer than hundredths"),
        (Decision("override", "zebra", value="nan", reason="why"), "is not a number of points"),
        (Decision("override", "zebra", value="1e999", reason="why"), "is not a number of points"),
        (Decision("override", "zebra", value="7", reason=" "), "has no reason"),
        (Decision("override", "yak", value="7", reason="why"), "no report yet"),
        (Decision("comment", "zebra", value=" \n"), "the comment is empty"),
        (Decision("comment", "zebra", value="x" * 5001), "the text has 5,001 characters, and may have 5,000"),
        (Decision("comment", "zebra", value="x", reason="x" * 5001), "the reason has 5,001 characters"),
        (Decision("points", "zebra", value="2"), "what the points are for"),
        (Decision("exempt", "zebra", "accumulation.secnd", reason="why"), "did you mean accumulation.second"),
        (Decision("extend", "ada", value="soon", reason="why"), "not a date and time"),
        (Decision("extend", "ada", value="36 h", reason="why"), "is not a date and time"),
        (Decision("extend", "ada", value="0 days", reason="why"), "the time span is zero"),
        (Decision("extend", "ada", value="2025-11-20 12:00", reason="why"), "is not after the deadline"),
        (Decision("reopen", "ada", value="2025-11-21 12:00", reason="why"), "would end in the past"),
    ],
)
def test_what_cannot_be_decided_is_refused(wish: Decision, why: str) -> None:
    with pytest.raises(CallerFault, match=why):
        checked(wish)


def test_without_a_deadline_there_is_none_to_extend() -> None:
    with pytest.raises(CallerFault, match="no deadline to extend"):
        checked(Decision("extend", "ada", value="2 days", reason="why"), DeadlineRules())


@pytest.mark.parametrize(
    ("written", "kept"),
    [("2 Days", "2 days"), ("1 days", "1 day"), ("2025-11-25 12:00", "2025-11-25T12:00:00+00:00")],
)
def test_new_deadlines_are_kept_in_one_form(written: str, kept: str) -> None:
    assert checked(Decision("extend", "ada", value=written, reason="why")).value == kept
