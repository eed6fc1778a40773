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
    tests = _exempt_tests(report.tests, decisions)
    concepts = _rescore_concepts(report, tests, decisions)
    exempt_test_ids = {test.id for test in tests if test.exempt}
    reported_decisions = [
        _make_reported_decision(decision, report)
        for decision in decisions
        if decision.kind != "exempt" or decision.subject in exempt_test_ids
    ]
    if not reported_decisions:
        return report
    return structs.replace(
        report,
        tests=tests,
        concepts=concepts,
        score=_move_points(report.score, report.concepts, concepts, bonus=False),
        bonus=Points(
            score=_move_points(report.bonus.score, report.concepts, concepts, bonus=True),
            max_score=report.bonus.max_score,
        ),
        decided=ReportedDecisions(
            score=report.score,
            bonus=report.bonus.score,
            decisions=reported_decisions,
        ),
    )


def _exempt_tests(tests: Sequence[ReportedTest], decisions: Sequence[Decision]) -> list[ReportedTest]:
    exemptions = [decision for decision in decisions if decision.kind == "exempt"]
    own = {decision.subject for decision in exemptions if decision.who != EVERYONE}
    general = {decision.subject for decision in exemptions if decision.who == EVERYONE}
    return [
        structs.replace(test, exempt=True, score=test.max_score)
        if test.id in own or (test.id in general and test.outcome not in UNTRIED_OUTCOMES)
        else test
        for test in tests
    ]


def _rescore_concepts(
    report: ScoreReport, tests: Sequence[ReportedTest], decisions: Sequence[Decision]
) -> list[ReportedConcept]:
    """Return the concepts with the points that the staff set, or else with those that exempt tests add."""
    score_by_concept = {
        decision.subject: float(decision.value)
        for decision in decisions
        if decision.kind == "override" and decision.subject
    }
    concepts = []
    for concept in report.concepts:
        change = _add_exactly(
            *(test.score for test in tests if test.concept == concept.name),
            *(-test.score for test in report.tests if test.concept == concept.name),
        )
        score = score_by_concept.get(concept.name, _add_exactly(concept.score, change))
        concepts.append(structs.replace(concept, score=_clamp(score, concept.max_score)))
    return concepts


def apply_decisions_after_lateness(report: ScoreReport, decisions: Sequence[Decision]) -> ScoreReport:
    """Return the report with manual points and an overridden score.

    Lateness reduces neither of them. Manual points count up to full marks. An overridden score is final: no bonus is
    added.

    Args:
        report: with lateness.
        decisions: those about its submission that are in force.
    """
    points = [float(decision.value) for decision in decisions if decision.kind == "points"]
    if points:
        final = structs.replace(
            report.final, score=_clamp(_add_exactly(report.final.score, *points), report.final.max_score)
        )
        score = _clamp(_add_exactly(report.score, *points), report.max_score)
        report = structs.replace(report, score=score, final=final)
    overridden_scores = [
        float(decision.value) for decision in decisions if decision.kind == "override" and not decision.subject
    ]
    if not overridden_scores:
        return report
    mark, lateness = overridden_scores[-1], report.lateness
    return structs.replace(
        report,
        score=mark,
        bonus=structs.replace(report.bonus, score=0.0),
        final=structs.replace(report.final, score=mark, bonus=0.0),
        lateness=structs.replace(lateness, percent_off=0.0, message=SET_BY_STAFF)
        if lateness and lateness.percent_off
        else lateness,
    )


def _move_points(
    points: float, old_concepts: Iterable[ReportedConcept], new_concepts: Iterable[ReportedConcept], *, bonus: bool
) -> float:
    """Return a sum of points as it is after its concepts changed."""
    pairs = zip(old_concepts, new_concepts, strict=True)
    return _add_exactly(
        points, *(part for old, new in pairs if old.bonus == bonus for part in (new.score, -old.score))
    )


def _add_exactly(*points: float) -> float:
    """Add points exactly: they are decimal fractions."""
    return float(sum((Fraction(str(number)) for number in points), Fraction(0)))


def _clamp(points: float, max_score: float) -> float:
    return max(0.0, min(points, max_score))


def _make_reported_decision(decision: Decision, report: ScoreReport) -> ReportedDecision:
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
