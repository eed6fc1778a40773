"""Reports and gradebook can be written again at any time; nothing is read from them, and nothing kept is lost."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from autograder.batch.grading_tasks import GradingTaskResult
from autograder.batch.location import BatchLocation
from autograder.batch.rewrite_reports import RewriteSummary, rewrite_reports
from autograder.faults import CallerFault
from autograder.store.connection import DATABASE_FILE
from tests.store.conftest import RIGHT, Toy


def again(toy: Toy, out: str = "out", **settings: Any) -> RewriteSummary:
    """Write everything again."""
    place = BatchLocation(toy.root / out, settings.pop("store", ""))
    return rewrite_reports(place, **{"assignment_name": "", "get_assignment": lambda _: toy.assignment, **settings})


def files(folder: Path) -> dict[str, bytes]:
    """All that people read."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.suffix in (".json", ".csv")
    }


def test_everything_that_was_thrown_away_is_written_again_to_the_byte(toy: Toy) -> None:
    before = files(toy.root / "out")
    for name in ("reports", "raw"):
        shutil.rmtree(toy.root / "out" / name)
    (toy.root / "out" / "gradebook.csv").unlink()
    done = again(toy)
    assert files(toy.root / "out") == before
    assert (done.submission_count, done.written_count, done.outdated_count) == (6, 6, 0)


def test_what_somebody_wrote_into_a_report_is_written_over(toy: Toy) -> None:
    before = files(toy.root / "out")
    for path in (toy.root / "out").rglob("*.json"):
        path.write_text("{}")
    again(toy)
    assert files(toy.root / "out") == before


def test_a_report_that_is_as_it_should_be_is_left_alone(toy: Toy) -> None:
    paths = [*(toy.root / "out").rglob("*.json")]
    before = {path: path.stat().st_mtime_ns for path in paths}
    again(toy)
    assert {path: path.stat().st_mtime_ns for path in paths} == before


def test_they_can_be_written_into_a_folder_that_was_moved(toy: Toy) -> None:
    before = files(toy.root / "out")
    (toy.root / "elsewhere").mkdir()
    shutil.copy(toy.root / "out" / DATABASE_FILE, toy.root / "elsewhere")
    again(toy, "elsewhere")
    assert files(toy.root / "elsewhere") == before


def test_what_an_earlier_version_gave_can_be_seen_again(toy: Toy) -> None:
    before, version = files(toy.root / "out"), toy.assignment.version
    toy.change(toy.root / "grading.yml", "counting: 10", "counting: 30")
    toy.regrade()
    assert files(toy.root / "out") != before
    done = again(toy, version=version)
    assert files(toy.root / "out") == before
    assert done.versions_with_results == [version, toy.assignment.version]
    again(toy)
    assert toy.reports()["alice"].score == 30


def test_an_unknown_version_is_the_callers_mistake(toy: Toy) -> None:
    with pytest.raises(CallerFault, match="no results of this version") as caught:
        again(toy, version="0" * 16)
    assert toy.assignment.version in caught.value.advice


def test_a_folder_into_which_nothing_was_graded_is_the_callers_mistake(toy: Toy) -> None:
    with pytest.raises(CallerFault, match=r"holds no results\.sqlite"):
        again(toy, "nowhere")
    assert not (toy.root / "nowhere").exists()


def test_an_assignment_that_was_not_graded_is_the_callers_mistake(toy: Toy) -> None:
    with pytest.raises(CallerFault, match="nothing of sorting was graded"):
        again(toy, assignment_name="sorting")


def test_two_students_who_hand_in_the_same_share_a_result_and_have_a_report_each(toy: Toy) -> None:
    for name in ("gina", "hugo"):
        (toy.students / name).mkdir()
        (toy.students / name / "value.py").write_text(RIGHT + "# the same\n")
    told: list[GradingTaskResult] = []
    summary = toy.batch(on_result=told.append)
    reports = toy.reports()
    assert {reports[name].submission.id for name in ("gina", "hugo")} == {"gina", "hugo"}
    assert reports["gina"].tests == reports["hugo"].tests
    assert (summary.reused_count, [done.was_reused for done in told].count(False)) == (7, 1)


def test_several_classes_share_a_store_and_their_results(toy: Toy) -> None:
    url = f"sqlite:///{toy.root / 'shared.sqlite'}"
    assert toy.batch("one", store=url).reused_count == 0
    assert toy.batch("two", store=url).reused_count == 6
    for name in ("one", "two"):
        shutil.rmtree(toy.root / name / "reports")
        again(toy, name, store=url)
        assert toy.reports(name) == toy.reports("out")
        assert not (toy.root / name / DATABASE_FILE).exists()


def test_a_class_without_a_result_for_somebody_shows_the_others(toy: Toy) -> None:
    def none(*_: object) -> Any:
        raise KeyboardInterrupt

    toy.hand_in(zoe=RIGHT + "# new\n")
    with pytest.raises(KeyboardInterrupt):
        toy.batch(open_workers=none)
    done = again(toy)
    assert (done.submission_count, done.written_count) == (7, 6)


def test_in_a_server_everything_is_as_in_a_file(toy: Toy, postgres: str) -> None:
    toy.batch("served", store=postgres)
    toy.change(toy.hidden / "test_steps.py", "got == 4", "got < 5")
    toy.regrade("served", store=postgres)
    shutil.rmtree(toy.root / "served" / "reports")
    again(toy, "served", store=postgres)
    toy.batch("afresh")
    assert toy.reports("served") == toy.reports("afresh")
    assert toy.gradebook("served") == toy.gradebook("afresh")
