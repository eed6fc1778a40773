"""Apply lateness to a score report: add the final points to the reached ones."""

from __future__ import annotations

from fractions import Fraction
from math import floor

from msgspec import structs

from autograder.lateness.late_penalty import Lateness
from autograder.reports import ScoreReport
from autograder.reports.report_model import FinalScore, ReportedLateness


def apply_lateness(report: ScoreReport, lateness: Lateness | None) -> ScoreReport:
    """Return the report with its final points after lateness; everything else stays.

    Earlier lateness in the report is replaced, so applying this repeatedly is safe.

    Args:
        report: the report of one submission.
        lateness: the lateness of that submission; None where nothing is known or nothing can be late.
    """
    percent_off = lateness.percent_off if lateness else Fraction(0)
    final_score = FinalScore(
        score=deduct_percentage(report.score, percent_off),
        max_score=report.max_score,
        bonus=deduct_percentage(report.bonus.score, percent_off),
    )
    return structs.replace(report, final=final_score, lateness=_make_lateness_part(lateness) if lateness else None)


def deduct_percentage(points: float, percent_off: Fraction) -> float:
    """Return points less a percentage, rounded once to hundredths; halves are rounded up.

    >>> deduct_percentage(80.0, Fraction(25, 2))
    70.0
    """
    exact_points = Fraction(str(points)) * (100 - percent_off) / 100
    return float(Fraction(floor(exact_points * 100 + Fraction(1, 2)), 100))


def _make_lateness_part(lateness: Lateness) -> ReportedLateness:
    return ReportedLateness(
        handed_in=lateness.handed_in.isoformat(),
        deadline=lateness.deadline.isoformat(),
        extended=lateness.has_extension,
        seconds_late=lateness.seconds_late,
        days_late=lateness.days_late,
        percent_off=float(lateness.percent_off),
        message=lateness.sentence,
        extension_of=lateness.extension_holder,
    )
