"""``autograder overview`` and ``autograder similar``, as they are typed."""

from __future__ import annotations

import shutil

from tests.cli import commands
from tests.cli.commands import Run, succeeded, told
from tests.store.conftest import RIGHT, CounterCourse


def run_on_counter_class(counter_course: CounterCourse, *arguments: str) -> Run:
    return commands.run(*arguments, "--out", "out", cwd=counter_course.root)


def page(counter_course: CounterCourse, name: str) -> str:
    return (counter_course.root / "out" / name).read_text(encoding="utf-8")


def test_an_overview_is_printed_and_written(due_class: CounterCourse) -> None:
    shown = succeeded(run_on_counter_class(due_class, "overview"))
    assert "counter, out: 6 submissions, 5 count; mean" in shown
    assert "counting.it-goes-up-twice" in shown
    assert "wrote out/overview.html" in shown
    assert "counting.it-goes-up-twice" in page(due_class, "overview.html")


def test_another_class_stands_beside_it(due_class: CounterCourse) -> None:
    shutil.copytree(due_class.root / "out", due_class.root / "last-year")
    assert "beside: counter, last-year: 6 submissions" in succeeded(
        run_on_counter_class(due_class, "overview", "--beside", "last-year")
    )
    assert "last-year, 5 submissions" in page(due_class, "overview.html")


def test_what_is_no_class_and_no_version_is_told(due_class: CounterCourse) -> None:
    assert "'nowhere' is neither a folder nor a version (choose from the versions " in told(
        run_on_counter_class(due_class, "overview", "--beside", "nowhere")
    )
    assert "the results folder has no results.sqlite" in told(
        run_on_counter_class(due_class, "overview", "--beside", "students")
    )


def test_the_same_is_found_where_the_class_was_graded(due_class: CounterCourse) -> None:
    due_class.hand_in(gina=RIGHT.replace("self.value", "self.count"), hugo=RIGHT)
    succeeded(run_on_counter_class(due_class, "batch", "counter", "students", "--allow-unsafe", "--workers", "1"))
    shown = succeeded(run_on_counter_class(due_class, "similar"))
    assert "the same letter for letter: 1\n  alice, hugo" in shown
    assert "the same but for names, comments and layout: 1\n  alice, gina, hugo" in shown
    assert "This is a list of questions, not of cheats." in shown
    assert "alice" in page(due_class, "similar.html")


def test_nothing_handed_in_is_run(due_class: CounterCourse) -> None:
    marker = due_class.root / "was-run"
    due_class.hand_in(gina=f"open({str(marker)!r}, 'w')\n{RIGHT}")
    succeeded(run_on_counter_class(due_class, "batch", "counter", "students", "--allow-unsafe", "--workers", "1"))
    shown = succeeded(run_on_counter_class(due_class, "similar"))
    assert shown.startswith("7 programs were compared")
    assert not marker.exists()


def test_code_of_the_lecture_is_no_finding(due_class: CounterCourse) -> None:
    due_class.hand_in(hugo=RIGHT)
    succeeded(run_on_counter_class(due_class, "batch", "counter", "students", "--allow-unsafe", "--workers", "1"))
    lecture = due_class.root / "lecture"
    lecture.mkdir()
    (lecture / "counter.py").write_text(RIGHT, encoding="utf-8")
    assert "the same letter for letter: none" in succeeded(
        run_on_counter_class(due_class, "similar", "--given", "lecture")
    )


def test_submissions_that_are_gone_are_told(due_class: CounterCourse) -> None:
    line = told(run_on_counter_class(due_class, "similar", "--submissions", "nowhere"))
    assert "nowhere: the submissions are no longer here (name their new folder or zip with --submissions)" in line
