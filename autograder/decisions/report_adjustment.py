"""Apply decisions to reports and deadlines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from fractions import Fraction

from msgspec import structs

from autograder.course.deadline_rules import DeadlineRules
from autograder.decisions.decision_model import EVERYONE, SPAN, Decision, compute_moved_deadline
from autograder.lateness import ReopenedAttempt
from autograder.lateness.late_penalty import list_joined_students
from autograder.reports import ScoreReport
from autograder.reports.causes import UNTRIED_OUTCOMES
from autograder.reports.report_model import Points, ReportedConcept, ReportedDecision, ReportedDecisions, ReportedTest

SET_BY_STAFF = "The points were set by the staff: nothing is taken off for lateness."


def apply_decisions_before_lateness(report: ScoreReport, decisions: Sequence[Decision]) -> ScoreReport:
    """Return the report with the decisions about tests and concepts applied, and with a record of all that apply.

    An exempt test gives full points, like a test with a grader error, so that nobody loses by it. An exemption for
    everyone gives no points for a test that could not be tried; one for a single submission does. Concept points that
    the staff set replace those of the tests.
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
        decided=ReportedDecisions(score=report.score, bonus=report.bonus.score, decisions=reported_decisions),
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


def apply_extension_decisions(deadline_rules: DeadlineRules, decisions_in_force: Iterable[Decision]) -> DeadlineRules:
    """Return the deadlines with the extensions that the staff gave.

    A student's extension replaces the one in ``grading.yml``. An extension for everyone moves every deadline,
    including extended ones: by a time span, or to a moment if that is later. Only a moment that a student was given
    afterwards stays as it is, since whoever gave it knew of the extension for everyone.

    Args:
        deadline_rules: the deadlines of ``grading.yml``, or of an LMS.
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
    """Return the reopened attempts, by the student."""
    return {
        decision.who: ReopenedAttempt(
            datetime.fromisoformat(decision.decided_at),
            datetime.fromisoformat(decision.value) if decision.value else None,
        )
        for decision in decisions_in_force
        if decision.kind == "reopen"
    }
