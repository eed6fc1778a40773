"""Render a score report as a web page: one file, without scripts, that can be kept, printed and read aloud."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.reports.audience import for_student
from autograder.reports.causes import causes_of
from autograder.reports.lost import lost_of, unshown
from autograder.reports.model import ScoreReport
from autograder.reports.words import mistakes, notes_of, number, proof, provisional_line, spans, what_counts
from autograder.reports.write import write_whole

if TYPE_CHECKING:
    from jinja2 import Template

TEMPLATE = "page.html.j2"


def page_of(report: ScoreReport) -> str:
    """Return a report as HTML: nothing from the student is ever interpreted, and nothing is loaded from elsewhere.

    Args:
        report: already cut by ``audience.for_student`` for a page that the student is to see.
    """
    late = report.lateness
    page = _template().render(
        report=report,
        lateness=what_counts(report, late) if late and late.seconds_late else "",
        notes=notes_of(report),
        provisional=provisional_line(report),
        causes=causes_of(report),
        lost=list(lost_of(report)),
        unshown=unshown(report),
    )
    return page.encode("utf-8", "backslashreplace").decode()  # what is no text could not be written to a file


def student_page(report: ScoreReport) -> bytes:
    """Return the page that a student may see once grades are published.

    Args:
        report: the whole report.
    """
    return page_of(for_student(report, "published")).encode()


def write_page(report: ScoreReport, path: Path) -> None:
    """Write the page that a student may see once grades are published.

    Args:
        report: the whole report.
        path: where to write the page.

    Raises:
        CallerFault: the folder cannot be written to.
        KitFault: the disk is full or fails.
    """
    write_whole(path, student_page(report))


def percent(score: float, max_score: float) -> str:
    """Return the length of a bar as a CSS percentage."""
    return f"{100 * min(score / max_score, 1):.1f}%" if max_score else "0%"


@cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # most commands write no page

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(number=number, percent=percent, mistakes=mistakes, proof=proof, spans=spans)
    return environment.get_template(TEMPLATE)
