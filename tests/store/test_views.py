"""Reports and gradebook can be written again at any time; nothing is read from them, and nothing kept is lost."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from autograder.batch.batch_location import BatchLocation
from autograder.batch.graded_class import (
    RewriteOptions,
    RewriteSummary,
    rewrite_reports_and_gradebook,
)
from autograder.faults import CallerFault
from autograder.store.connection import DATABASE_FILE
from autograder.workers.grading_tasks import GradingTaskResult
from tests.store.conftest import RIGHT, CounterCourse


def again(counter_course: CounterCourse, out: str = "out", **settings: Any) -> RewriteSummary:
    """Write everything again."""
    place = BatchLocation(counter_course.root / out, settings.pop("store", ""))
    name, get_assignment = settings.pop("assignment_name", ""), settings.pop("get_assignment", None)
    get_assignment = get_assignment or (lambda _: counter_course.assignment)
    return rewrite_reports_and_gradebook(place, name, get_assignment, RewriteOptions(**settings))


def files(folder: Path) -> dict[str, bytes]:
    """All that people read."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.suffix in (".json", ".csv")
    }


def test_everything_that_was_thrown_away_is_written_again_to_the_byte(counter_course: CounterCourse) -> None:
    before = files(counter_course.root / "out")
    for name in ("reports", "raw"):
        shutil.rmtree(counter_course.root / "out" / name)
    (counter_course.root / "out" / "gradebook.csv").unlink()
    done = again(counter_course)
    assert files(counter_course.root / "out") == before
    assert (done.submission_count, done.written_count, done.outdated_count) == (6, 6, 0)


def test_what_somebody_wrote_into_a_report_is_written_over(counter_course: CounterCourse) -> None:
    before = files(counter_course.root / "out")
    for path in (counter_course.root / "out").rglob("*.json"):
        path.write_text("{}")
    again(counter_course)
    assert files(counter_course.root / "out") == before


def test_a_report_that_is_as_it_should_be_is_left_alone(counter_course: CounterCourse) -> None:
    paths = [*(counter_course.root / "out").rglob("*.json")]
    before = {path: path.stat().st_mtime_ns for path in paths}
    again(counter_course)
    assert {path: path.stat().st_mtime_ns for path in paths} == before


def test_they_can_be_written_into_a_folder_that_was_moved(counter_course: CounterCourse) -> None:
    before = files(counter_course.root / "out")
    (counter_course.root / "elsewhere").mkdir()
    shutil.copy(counter_course.root / "out" / DATABASE_FILE, counter_course.root / "elsewhere")
    again(counter_course, "elsewhere")
    assert files(counter_course.root / "elsewhere") == before


def test_what_an_earlier_version_gave_can_be_seen_again(counter_course: CounterCourse) -> None:
    before, version = files(counter_course.root / "out"), counter_course.assignment.version
    counter_course.change(counter_course.root / "grading.yml", "counting: 10", "counting: 30")
    counter_course.regrade()
    assert files(counter_course.root / "out") != before
    done = again(counter_course, assignment_version=version)
    assert files(counter_course.root / "out") == before
    assert done.versions_with_results == [version, counter_course.assignment.version]
    again(counter_course)
    assert counter_course.reports()["alice"].score == 30


def test_an_unknown_version_is_the_callers_mistake(counter_course: CounterCourse) -> None:
    with pytest.raises(CallerFault, match="no results of version") as caught:
        again(counter_course, assignment_version="0" * 16)
    assert counter_course.assignment.version in caught.value.advice


def test_an_assignment_that_was_not_graded_is_the_callers_mistake(counter_course: CounterCourse) -> None:
    with pytest.raises(CallerFault, match="no submissions of sorting were graded"):
        again(counter_course, assignment_name="sorting")


def test_two_students_who_hand_in_the_same_share_a_result_and_have_a_report_each(
    counter_course: CounterCourse,
) -> None:
    for name in ("gina", "hugo"):
        (counter_course.students / name).mkdir()
        (counter_course.students / name / "value.py").write_text(RIGHT + "# the same\n")
    told: list[GradingTaskResult] = []
    summary = counter_course.batch(on_result=told.append)
    reports = counter_course.reports()
    assert {reports[name].submission.id for name in ("gina", "hugo")} == {"gina", "hugo"}
    assert reports["gina"].tests == reports["hugo"].tests
    assert (summary.reused_count, [done.was_reused for done in told].count(False)) == (7, 1)


def test_several_classes_share_a_store_and_their_results(counter_course: CounterCourse) -> None:
    url = f"sqlite:///{counter_course.root / 'shared.sqlite'}"
    assert counter_course.batch("one", store=url).reused_count == 0
    assert counter_course.batch("two", store=url).reused_count == 6
    for name in ("one", "two"):
        shutil.rmtree(counter_course.root / name / "reports")
        again(counter_course, name, store=url)
        assert counter_course.reports(name) == counter_course.reports("out")
        assert not (counter_course.root / name / DATABASE_FILE).exists()


def test_a_class_without_a_result_for_somebody_shows_the_others(counter_course: CounterCourse) -> None:
    def none(*_: object) -> Any:
        raise KeyboardInterrupt

    counter_course.hand_in(zoe=RIGHT + "# new\n")
    with pytest.raises(KeyboardInterrupt):
        counter_course.batch(open_workers=none)
    done = again(counter_course)
    assert (done.submission_count, done.written_count) == (7, 6)


@pytest.mark.thorough
def test_in_a_server_everything_is_as_in_a_file(counter_course: CounterCourse, postgres: str) -> None:
    counter_course.batch("served", store=postgres)
    counter_course.change(counter_course.hidden / "test_steps.py", "got == 4", "got < 5")
    counter_course.regrade("served", store=postgres)
    shutil.rmtree(counter_course.root / "served" / "reports")
    again(counter_course, "served", store=postgres)
    counter_course.batch("afresh")
    assert counter_course.reports("served") == counter_course.reports("afresh")
    assert counter_course.gradebook("served") == counter_course.gradebook("afresh")
