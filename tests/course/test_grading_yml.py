"""A course is what its ``grading.yml`` says, wherever in it one stands; what is left out has a default."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.course import Limits, load_course, require_nearest_course_file
from autograder.faults import CourseFault, list_course_faults
from tests.course.written import COURSE, SORTING, Write, engine_of

# What is right


@pytest.mark.parametrize("added", ["", "limits:\nfeedback:\nisolation:\n"], ids=["left out", "empty"])
def test_a_section_that_is_left_out_or_empty_has_its_defaults(write: Write, added: str) -> None:
    engine = engine_of(write(COURSE + added))
    assert (engine.limits, engine.packages) == (Limits(), ())


def test_a_folder_stands_for_the_grading_yml_in_it(write: Write) -> None:
    config = write(COURSE)
    assert load_course(config.parent) == load_course(config)


@pytest.mark.parametrize("change", [("\n", "\r\n"), ("course", "\ufeffcourse")], ids=["CRLF", "byte order mark"])
def test_an_editor_of_windows_may_save_it(write: Write, change: tuple[str, str]) -> None:
    assert engine_of(write(COURSE.replace(*change))).defines == ("Value",)


def test_each_assignment_has_its_own_settings_in_the_order_of_the_file(write: Write) -> None:
    engine, sorting = load_course(write(COURSE + SORTING)).assignments
    assert (engine.name, engine.max_score, engine.defines) == ("engine", 10, ("Value",))
    assert (sorting.name, sorting.max_score, sorting.title) == ("sorting", 60, "Topological sort")


@pytest.mark.parametrize("added", ["", "    title:\n", "    title: null\n"])
def test_an_assignment_without_a_title_is_called_by_its_name(write: Write, added: str) -> None:
    assert engine_of(write(COURSE + added)).title == "engine"


def test_an_assignment_overrides_the_limits_it_names_and_no_others(write: Write) -> None:
    own = "    limits:\n      wall_seconds: 9\n"
    text = COURSE + own + SORTING + "limits:\n  wall_seconds: 7\n  memory_mb: 300\n"
    engine, sorting = (one.limits for one in load_course(write(text)).assignments)
    assert (engine.wall_seconds, engine.memory_mb) == (9, 300)
    assert (sorting.wall_seconds, sorting.memory_mb) == (7, 300)


def test_an_assignment_overrides_the_feedback_it_names_and_no_other(write: Write) -> None:
    own = "    feedback:\n      hidden_tests: after_published\n"
    feedback = engine_of(write(COURSE + own + "feedback:\n  observed_values: false\n")).feedback
    assert (feedback.hidden_tests, feedback.observed_values) == ("after_published", False)


@pytest.mark.parametrize(
    ("limits", "key"),
    [("cpu_seconds: 1.4", "cpu_seconds"), ("wall_seconds: 1.1", "wall_seconds")],
)
def test_a_test_waits_at_least_three_times_its_cpu_time(write: Write, limits: str, key: str) -> None:
    with pytest.raises(CourseFault) as fault:
        load_course(write(f"{COURSE}limits:\n  {limits}\n"))
    assert f"limits.{key}" in str(fault.value)
    assert "must be at least 3 times cpu_seconds" in fault.value.what


def test_mistakes_of_all_parts_are_told_at_once_and_each_once(write: Write) -> None:
    own = "    limits:\n      wall_second: 9\n    conventions: {relu_at_zero: 3}\n"
    with pytest.raises(CourseFault) as caught:
        load_course(write(COURSE + own + "feedback:\n  results: nobody\nisolation: {packages: 7}\ncolour: red\n"))
    told = [str(one) for one in list_course_faults(caught.value)]
    assert len(told) == len({*told}) == 5
    for key in ("colour", "packages", "results", "wall_second", "relu_at_zero"):
        assert sum(key in one for one in told) == 1, key


def test_an_assignments_limits_are_judged_with_the_courses(write: Write) -> None:
    own = "    limits:\n      cpu_seconds: 2\n"
    with pytest.raises(CourseFault) as caught:
        load_course(write(f"{COURSE}{own}limits:\n  wall_seconds: 9\ncolour: red\n"))
    assert [("colour" in str(one)) for one in list_course_faults(caught.value)] == [True]


def test_submissions_may_import_the_packages_that_the_course_names(write: Write) -> None:
    assert engine_of(write(COURSE + "isolation:\n  packages: [numpy, pandas]\n")).packages == ("numpy", "pandas")


def test_the_weakest_tier_of_the_course_is_that_of_every_assignment(write: Write) -> None:
    course = load_course(write(COURSE + SORTING + "isolation:\n  weakest_tier: namespaces\n"))
    assert {one.weakest_tier for one in course.assignments} == {"namespaces"}


def test_a_convention_narrows_what_is_accepted(write: Write) -> None:
    conventions = "    conventions:\n      second_backward: [leaves accumulate]\n"
    assert engine_of(write(COURSE + conventions)).conventions.second_backward == ("leaves accumulate",)


def test_an_assignment_has_hints_of_its_own(write: Write) -> None:
    hints = '    hints:\n      "is not iterable": >\n        Go through\n        `_prev`.\n'
    engine = engine_of(write(COURSE + hints))
    assert engine.own_hints == (("is not iterable", "Go through `_prev`."),)
    assert engine.version != engine_of(write(COURSE)).version


# Where it is looked for


def test_the_nearest_course_in_a_folder_above_counts_and_no_folder_is_one(write: Write, tmp_path: Path) -> None:
    config, below = write(COURSE), tmp_path / "assignments"
    assert require_nearest_course_file(below / "engine" / "hidden") == config
    (below / "grading.yml").mkdir()
    assert require_nearest_course_file(below / "engine") == config
    (below / "engine" / "grading.yml").write_text(COURSE, encoding="utf-8")
    assert require_nearest_course_file(below / "engine" / "hidden") == below / "engine" / "grading.yml"
