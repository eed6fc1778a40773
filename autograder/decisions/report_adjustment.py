"""Apply decisions to a report: exemptions and concept points before lateness, manual points and scores after it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from msgspec import structs

from autograder.decisions.decision_model import EVERYONE, Decision
from autograder.reports import ScoreReport
from autograder.reports.hint_withholding import UNTRIED_OUTCOMES
from autograder.reports.report_model import (
    Points,
    ReportedConcept,
    ReportedDecision,
    ReportedDecisions,
    ReportedTest,
)

SET_BY_STAFF = "The points were set by the staff: nothing is taken off for lateness."


def apply_decisions_before_lateness(report: ScoreReport, decisions: Sequence[Decision]) -> ScoreReport:
    """Return the report with the decisions about tests and concepts applied, and with a record of all that apply.

    An exempt test gives full points, like a test with a grader error, so that nobody loses by it. An exemption for
    everyone gives no points for a test that could not be tried; one for a single submission does. Concept points that
    the staff set replace those of the tests.

    Args:
        report: as the tests left it.
        decisions: those about its submission that are in force.
    """
    if not decisions:
        return report
    own = {one.subject for one in decisions if one.kind == "exempt" and one.who != EVERYONE}
    for_all = {one.subject for one in decisions if one.kind == "exempt" and one.who == EVERYONE}
    tests = [
        structs.replace(test, exempt=True, score=test.max_score)
        if test.id in own or (test.id in for_all and test.outcome not in UNTRIED_OUTCOMES)
        else test
        for test in report.tests
    ]
    gained = {
        concept.name: _add(
            *(new.score for new in tests if new.concept == concept.name),
            *(-old.score for old in report.tests if old.concept == concept.name),
        )
        for concept in report.concepts
    }
    set_by_hand = {one.subject: float(one.value) for one in decisions if one.kind == "override" and one.subject}
    concepts = [
        structs.replace(
            one, score=_clamp(set_by_hand.get(one.name, _add(one.score, gained[one.name])), one.max_score)
        )
        for one in report.concepts
    ]
    applied = [_part(one, report) for one in decisions if _applies(one, tests)]
    if not applied:
        return report
    return structs.replace(
        report,
        tests=tests,
        concepts=concepts,
        score=_move(report.score, report.concepts, concepts, bonus=False),
        bonus=Points(
            score=_move(report.bonus.score, report.concepts, concepts, bonus=True), max_score=report.bonus.max_score
        ),
        decided=ReportedDecisions(
            score=report.score,
            bonus=report.bonus.score,
            decisions=applied,
        ),
    )


def apply_decisions_after_lateness(report: ScoreReport, decisions: Sequence[Decision]) -> ScoreReport:
    """Return the report with manual points and an overridden score.

    Lateness reduces neither of them. Manual points count up to full marks. An overridden score is final: no bonus is
    added.

    Args:
        report: with lateness.
        decisions: those about its submission that are in force.
    """
    given = [float(one.value) for one in decisions if one.kind == "points"]
    if given:
        final = structs.replace(report.final, score=_clamp(_add(report.final.score, *given), report.final.max_score))
        score = _clamp(_add(report.score, *given), report.max_score)
        report = structs.replace(report, score=score, final=final)
    set_by_hand = [float(one.value) for one in decisions if one.kind == "override" and not one.subject]
    if not set_by_hand:
        return report
    mark, late = set_by_hand[-1], report.lateness
    return structs.replace(
        report,
        score=mark,
        bonus=structs.replace(report.bonus, score=0.0),
        final=structs.replace(report.final, score=mark, bonus=0.0),
        lateness=structs.replace(late, percent_off=0.0, message=SET_BY_STAFF) if late and late.percent_off else late,
    )


def _move(
    points: float, before: Iterable[ReportedConcept], after: Iterable[ReportedConcept], *, bonus: bool
) -> float:
    """Return a sum of points as it is after its concepts changed."""
    changed = zip(before, after, strict=True)
    return _add(points, *(part for old, new in changed if old.bonus == bonus for part in (new.score, -old.score)))


def _add(*points: float) -> float:
    """Add points exactly: they are decimal fractions."""
    return float(sum((Fraction(str(one)) for one in points), Fraction(0)))


def _clamp(points: float, max_score: float) -> float:
    return max(0.0, min(points, max_score))


def _applies(decision: Decision, tests: Iterable[ReportedTest]) -> bool:
    return decision.kind != "exempt" or any(test.exempt and test.id == decision.subject for test in tests)


def _part(decision: Decision, report: ScoreReport) -> ReportedDecision:
    assert decision.kind != "extend"
    assert decision.kind != "reopen"
    return ReportedDecision(
        kind=decision.kind,
        subject=decision.subject,
        value=decision.value,
        reason=decision.reason,
        author=decision.author,
        decided_at=decision.decided_at,
        outdated=bool(decision.sha256) and decision.sha256 != report.submission.sha256,
    )
