"""Render a score report as a web page: one file that can be kept, printed and read aloud."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from autograder.diagnosis import NO_DIAGNOSIS
from autograder.diagnosis.model import Counterexample, format_alternatives, format_number
from autograder.diagnosis.order_steps import list_order_steps
from autograder.pictures import draw_picture_as_svg, draw_replay, make_picture_if_any_nodes, read_picture_style_sheet
from autograder.reports.causes import list_causes, list_repairs_of_named_causes
from autograder.reports.report_model import ScoreReport, filter_report_for_student
from autograder.reports.unpassed_tests import (
    iterate_unexplained_tests_by_concept,
    list_concepts_without_shown_failure,
    list_passed_tests_by_concept,
)
from autograder.reports.wording import (
    PROGRAM_HEADING,
    describe_decisions_for_student,
    format_concept_name,
    format_full_marks_line,
    format_lateness_line,
    format_mistakes_heading,
    format_points,
    format_proof_phrase,
    format_provisional_notice,
    list_notes_beyond_status,
    list_staff_comments,
    split_code_spans,
)
from autograder.text import format_count

if TYPE_CHECKING:
    from jinja2 import Environment


@dataclass(frozen=True, slots=True)
class CounterexampleNodeRow:
    """One node: what was expected of it and what it held."""

    reading: str
    """The attribute that is read, such as ``c.grad``."""
    expected: str
    got: str
    is_wrong: bool
    is_first: bool
    """Whether it is the first wrong node."""


def _list_counterexample_table_rows(counterexample: Counterexample) -> list[CounterexampleNodeRow]:
    """Return a row for each node in the order in which it goes wrong; none for a graph without numbers."""
    is_forward = counterexample.kind == "forward"
    if not is_forward and counterexample.kind != "gradient":
        return []
    rows = []
    for node in counterexample.nodes if is_forward else reversed(counterexample.nodes):
        right = node.grad if not is_forward else () if node.data is None else (node.data,)
        got = node.data_got if is_forward else node.grad_got
        rows.append(
            CounterexampleNodeRow(
                reading=f"{node.name}.{'data' if is_forward else 'grad'}",
                expected=format_alternatives(right, got) or "left open",
                got=format_number(got, *right),
                is_wrong=node.data_wrong if is_forward else node.grad_wrong,
                is_first=node.name == counterexample.first_wrong,
            )
        )
    return rows


def make_page_environment(template_folder: Path) -> Environment:
    """Return an environment for the templates in a folder; ``spans`` splits text at code."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # most commands write no page

    environment = Environment(
        loader=FileSystemLoader(template_folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(spans=split_code_spans)
    return environment


PAGE, RESULT = "page.html.j2", "result.html.j2"
SCRIPT = "replay.js"


@dataclass(frozen=True, slots=True)
class LinkBesideTest:
    """A link beside a test of a result."""

    address: str
    label: str


def render_report_as_html(report: ScoreReport) -> str:
    """Return a report as HTML: nothing from the student is ever interpreted, and nothing is loaded from elsewhere.

    Args:
        report: the part that the student is to see, from ``filter_report_for_student``.
    """
    return _render(PAGE, report, {})


def render_result_within_page(report: ScoreReport, links: Mapping[str, LinkBesideTest]) -> Markup:
    """Return what the page of a report holds below its heading, to be a part of another page.

    It needs the style sheet of ``make_result_style_sheet``, and its only script the hash of
    ``hash_page_script_for_csp``.

    Args:
        report: the part that its reader may see.
        links: what stands beside tests, by their ids.
    """
    return Markup(_render(RESULT, report, links))  # its template escapes all text


@cache
def make_result_style_sheet() -> str:
    """Return the style of ``render_result_within_page``, for an element of the class ``result`` and what it holds."""
    return f".result {{\n{_read_file('page.css')}}}\n{read_picture_style_sheet()}"


def _render(template: str, report: ScoreReport, links: Mapping[str, LinkBesideTest]) -> str:
    counterexample, replay = report.diagnosis.counterexample, report.diagnosis.replay
    picture = make_picture_if_any_nodes(counterexample, replay) if counterexample else None
    has_steps = replay is not None and bool(replay.student.steps or replay.missing)
    passed_tests = list_passed_tests_by_concept(report)
    is_late = report.lateness is not None and report.lateness.seconds_late > 0
    page = (
        _load_environment()
        .get_template(template)
        .render(
            report=report,
            links=links,
            title=report.assignment.title or report.assignment.name,
            picture=draw_picture_as_svg(picture) if picture else "",
            kinds_of_edges={edge.kind for edge in picture.edges if edge.label} if picture else set(),
            rows=_list_counterexample_table_rows(counterexample) if counterexample else [],
            order_steps=list_order_steps(counterexample) if counterexample else [],
            film=draw_replay(counterexample, replay) if counterexample and replay and has_steps else None,
            passed=passed_tests,
            passed_count=format_count(sum(len(tests) for _, tests in passed_tests), "test"),
            lateness=format_lateness_line(report, report.lateness) if report.lateness and is_late else "",
            notes=list_notes_beyond_status(report),
            decided=describe_decisions_for_student(report),
            comments=list_staff_comments(report),
            all_holds=format_full_marks_line(report),
            provisional=format_provisional_notice(report),
            causes=list_causes(report),
            repairs=list_repairs_of_named_causes(report),
            lost=list(iterate_unexplained_tests_by_concept(report)),
            unshown=list_concepts_without_shown_failure(report),
        )
    )
    return page.encode("utf-8", "backslashreplace").decode()  # lone surrogates cannot be written to a file


def render_published_page(report: ScoreReport) -> bytes:
    """Return the page that a student may see once grades are published.

    Args:
        report: the whole report.
    """
    return render_report_as_html(filter_report_for_student(report, "published")).encode()


def _format_share_as_percentage(score: float, max_score: float) -> str:
    """Return the length of a bar as a percentage."""
    return f"{100 * min(score / max_score, 1):.1f}%" if max_score else "0%"


@cache
def hash_page_script_for_csp() -> str:
    """Return the hash by which a content security policy allows the only script of a report page."""
    return f"sha256-{base64.b64encode(hashlib.sha256(_read_file(SCRIPT).encode()).digest()).decode()}"


def _read_file(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


@cache
def _load_environment() -> Environment:
    environment = make_page_environment(Path(__file__).parent)
    environment.filters["drawn"] = Markup  # pictures are built as elements, which escape all text
    environment.globals.update(
        style=Markup(_read_file("page.css")),
        picture_style=Markup(read_picture_style_sheet()),
        script=Markup(_read_file(SCRIPT)),
        script_hash=hash_page_script_for_csp(),
        number=format_points,
        concept_name=format_concept_name,
        percent=_format_share_as_percentage,
        mistakes=format_mistakes_heading,
        proof=format_proof_phrase,
        program_heading=PROGRAM_HEADING,
        no_diagnosis=NO_DIAGNOSIS,
    )
    return environment
