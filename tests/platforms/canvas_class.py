"""Results of a class, for tests of what Canvas takes."""

from __future__ import annotations

from collections.abc import Mapping

from autograder.platforms import Result, Results
from autograder.reports import ScoreReport
from autograder.submissions import Origin, Person
from tests.reports.sample import a_report

FULL = 20.0


def of_canvas(*names: str, late: bool = False) -> Origin:
    """An origin as the reader makes it of these file names; a hidden one where they begin with ``anon``."""
    owner, user, *_ = names[0].split("_")
    people = () if owner == "anon" else (Person(id=user, name=owner),)
    return Origin("canvas", people, marked_late=late, names=names)


def result(
    name: str,
    points: float,
    origin: Origin | None = None,
    *rows: Mapping[str, str],
    report: ScoreReport | None = None,
    counts: bool = True,
) -> Result:
    """One submission's result, by what matters here."""
    return Result(name, report or a_report(name), points, origin, rows, counts)


def a_class(*rows: Result, title: str = "HW1 Value", max_points: float = FULL) -> Results:
    """A graded class."""
    return Results("autograd-engine", title, max_points, rows)
