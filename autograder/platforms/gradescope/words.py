"""Write what students read in Gradescope, as Markdown in which everything that came from them is literal."""

from __future__ import annotations

from autograder.platforms.points import BONUS
from autograder.reports import ScoreReport
from autograder.reports.markdown import diagnosis_parts, escaped, markdown_of, with_code
from autograder.reports.model import TestPart
from autograder.reports.words import counted_tests, number, of_which_bonus


def top_text(report: ScoreReport, score: float, below: float, bonus: str) -> str:
    """Write the text above the tests.

    Args:
        report: cut to what the student may see now.
        score: the points that count.
        below: the points that the entries below the text add up to.
        bonus: how the bonus counts, one of ``BONUS``.
    """
    parts = []
    if of_which := of_which_bonus(report, score - report.final.score):
        parts.append(f"**{number(score)} points**{escaped(of_which)}.")
    if score != below and not report.status.message:
        bonus_counts = f": {BONUS[bonus]}" if report.bonus.max_score else ""
        late = ", and lateness is taken off" if report.lateness and report.lateness.percent_off else ""
        parts.append(
            f"**{number(score)} points count** of the {number(below)} that the tests below add up to"
            f"{escaped(bonus_counts)}{late}."
        )
    faulty = [test for test in report.tests if test.outcome == "grader error"]
    if faulty:
        parts.append(f"{counted_tests(faulty)} could not be run. That costs no points: they count as passed.")
    return "\n\n".join([*parts, markdown_of(report, tests=False)])


def test_text(test: TestPart) -> str:
    """Say what happened in one test; empty where it passed."""
    if test.outcome == "passed":
        return ""
    said = f"**{test.outcome}:** {escaped(test.message)}" if test.message else f"**{test.outcome}**"
    return f"{said}  \nTry: {with_code(test.hint)}" if test.hint else said


def diagnosis_text(report: ScoreReport) -> str:
    """Describe the mistake behind failed tests; empty where there is none."""
    return "\n\n".join(diagnosis_parts(report, tests=False))
