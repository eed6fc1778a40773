"""Render a score report as a web page: one file, without scripts, that can be kept, printed and read aloud."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.diagnosis import NO_DIAGNOSIS
from autograder.reports.audience import cut_for_student
from autograder.reports.lost_tests import iterate_losses_without_cause, list_concepts_with_hidden_losses
from autograder.reports.named_causes import list_named_causes
from autograder.reports.report_files import write_file_atomically
from autograder.reports.report_model import ScoreReport
from autograder.reports.report_text import (
    format_evidence,
    format_lateness_line,
    format_mistakes_heading,
    format_points,
    format_provisional_notice,
    list_notes_beside_status,
    split_code_spans,
)

if TYPE_CHECKING:
    from jinja2 import Template

TEMPLATE = "page.html.j2"


def render_html_page(report: ScoreReport) -> str:
    """Return a report as HTML: nothing from the student is ever interpreted, and nothing is loaded from elsewhere.

    Args:
        report: already cut by ``audience.cut_for_student`` for a page that the student is to see.
    """
    late = report.lateness
    page = _template().render(
        report=report,
        lateness=format_lateness_line(report, late) if late and late.seconds_late else "",
        notes=list_notes_beside_status(report),
        provisional=format_provisional_notice(report),
        causes=list_named_causes(report),
        lost=list(iterate_losses_without_cause(report)),
        unshown=list_concepts_with_hidden_losses(report),
    )
    return page.encode("utf-8", "backslashreplace").decode()  # what is no text could not be written to a file


def render_student_page(report: ScoreReport) -> bytes:
    """Return the page that a student may see once grades are published.

    Args:
        report: the whole report.
    """
    return render_html_page(cut_for_student(report, "published")).encode()


def write_student_page(report: ScoreReport, path: Path) -> None:
    """Write the page that a student may see once grades are published.

    Args:
        report: the whole report.
        path: where to write the page.

    Raises:
        CallerFault: the folder cannot be written to.
        KitFault: the disk is full or fails.
    """
    write_file_atomically(path, render_student_page(report))


def format_bar_length(score: float, max_score: float) -> str:
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
    environment.globals.update(
        number=format_points,
        percent=format_bar_length,
        mistakes=format_mistakes_heading,
        proof=format_evidence,
        spans=split_code_spans,
        no_diagnosis=NO_DIAGNOSIS,
    )
    return environment.get_template(TEMPLATE)
