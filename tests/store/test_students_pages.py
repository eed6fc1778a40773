"""A student's page says what the report beside it says, whichever command wrote the report."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.batch import BatchSummary
from autograder.batch.batch_location import PAGES_FOLDER, BatchLocation
from autograder.batch.graded_class import RewriteOptions, rewrite_reports_and_gradebook
from autograder.faults import CallerFault
from autograder.reports import read_report_json
from autograder.reports.html_report import render_report_as_html
from tests.store.conftest import RIGHT, CounterCourse


@pytest.fixture
def paged(counter_course: CounterCourse) -> CounterCourse:
    """The class, with a page each."""
    rewrite_reports_and_gradebook(
        BatchLocation(counter_course.root / "out"),
        "",
        lambda _: counter_course.assignment,
        RewriteOptions(with_student_pages=True),
    )
    return counter_course


def pages(counter_course: CounterCourse) -> dict[str, str]:
    return {path.stem: path.read_text() for path in sorted((counter_course.root / "out" / PAGES_FOLDER).iterdir())}


def as_reports_say(counter_course: CounterCourse) -> dict[str, str]:
    found = sorted((counter_course.root / "out" / "reports").iterdir())
    return {path.stem: render_report_as_html(read_report_json(path)) for path in found}


def test_who_hands_in_again_has_a_new_page_with_the_new_report(paged: CounterCourse) -> None:
    before = pages(paged)
    paged.hand_in(bob=RIGHT)
    paged.batch()
    assert pages(paged)["bob"] != before["bob"]
    assert pages(paged) == as_reports_say(paged)


def test_who_comes_later_has_a_page_too(paged: CounterCourse) -> None:
    paged.hand_in(zoe=RIGHT + "# new\n")
    summary: BatchSummary = paged.batch()
    assert summary.wrote_student_pages
    assert pages(paged).keys() == paged.reports().keys() >= {"zoe"}


def test_changed_points_stand_on_the_pages_after_a_regrade(paged: CounterCourse) -> None:
    paged.change(paged.root / "grading.yml", "counting: 10", "counting: 30")
    paged.regrade()
    assert "of 30" in pages(paged)["alice"]
    assert pages(paged) == as_reports_say(paged)


def test_reports_of_an_earlier_version_bring_their_pages(paged: CounterCourse) -> None:
    before, version = pages(paged), paged.assignment.version
    paged.change(paged.root / "grading.yml", "counting: 10", "counting: 30")
    paged.regrade()
    done = rewrite_reports_and_gradebook(
        BatchLocation(paged.root / "out"), "", lambda _: paged.assignment, RewriteOptions(version)
    )
    assert done.wrote_student_pages
    assert pages(paged) == before


def test_a_page_that_somebody_wrote_into_is_written_over_although_its_report_stays(paged: CounterCourse) -> None:
    before = pages(paged)
    (paged.root / "out" / PAGES_FOLDER / "bob.html").write_text("full marks")
    assert paged.batch().reused_count == 6
    assert pages(paged) == before


def test_a_run_that_ends_before_a_report_is_written_leaves_no_page_that_is_older(paged: CounterCourse) -> None:
    report = paged.root / "out" / "reports" / "alice.json"
    report.unlink()
    (report / "in the way").mkdir(parents=True)
    paged.change(paged.root / "grading.yml", "counting: 10", "counting: 30")
    with pytest.raises(CallerFault, match="cannot write this file"):
        paged.regrade()
    assert "of 30" in pages(paged)["alice"]


@pytest.mark.parametrize("emptied", [False, True], ids=["never asked for", "taken away"])
def test_where_there_are_no_pages_none_are_made(counter_course: CounterCourse, emptied: bool) -> None:
    folder: Path = counter_course.root / "out" / PAGES_FOLDER
    if emptied:
        folder.mkdir()
    counter_course.hand_in(bob=RIGHT)
    assert not counter_course.batch().wrote_student_pages
    assert not [*folder.glob("*")]
