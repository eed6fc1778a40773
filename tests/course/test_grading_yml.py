"""A course is what its ``grading.yml`` says; a mistake in it is one line that names file, line and key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.course import Assignment, Course, Limits, find_course, load_course
from autograder.faults import CallerFault, CourseFault

Write = Callable[[str], Path]

COURSE = """\
course: Neural networks
assignments:
  engine:
    defines: [Value]
    concepts:
      forward: 10
"""
NAME_LINE, DEFINES_LINE, POINTS_LINE = 3, 4, 6

SORTING = """\
  sorting:
    title: Topological sort
    defines: [build_topo, backward_order]
    concepts:
      order: 40
      each node once: 20
    bonus:
      robustness: 10
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a ``grading.yml`` beside the folders of two assignments, ``engine`` and ``sorting``."""
    for name in ("engine", "sorting"):
        hidden = tmp_path / "assignments" / name / "hidden"
        hidden.mkdir(parents=True)
        (hidden / "test_all.py").write_text("def test_it(): ...\n", encoding="utf-8")

    def written(text: str) -> Path:
        path = tmp_path / "grading.yml"
        path.write_text(text, encoding="utf-8")
        return path

    return written


def told(config: Path) -> str:
    """What a course that does not hold together is told."""
    with pytest.raises(CourseFault) as caught:
        load_course(config)
    return str(caught.value)


def engine_of(config: Path) -> Assignment:
    return load_course(config).assignments[0]


def version(write: Write, text: str) -> str:
    return engine_of(write(text)).version


# What is right


def test_what_is_left_out_has_a_default(write: Write) -> None:
    assert engine_of(write(COURSE)).limits == Limits()


def test_an_empty_section_is_one_that_was_left_out(write: Write) -> None:
    assert engine_of(write(COURSE + "limits:\nfeedback:\nisolation:\n")).limits == Limits()


def test_a_folder_stands_for_the_grading_yml_in_it(write: Write) -> None:
    config = write(COURSE)
    assert load_course(config.parent) == load_course(config)


@pytest.mark.parametrize("change", [("\n", "\r\n"), ("course", "\ufeffcourse")], ids=["CRLF", "byte order mark"])
def test_an_editor_of_windows_may_save_it(write: Write, change: tuple[str, str]) -> None:
    assert engine_of(write(COURSE.replace(*change))).defines == ("Value",)


def test_the_course_has_its_assignments_in_the_order_of_the_file(write: Write) -> None:
    course = load_course(write(COURSE + SORTING))
    assert [one.name for one in course.assignments] == ["engine", "sorting"]


def test_each_assignment_has_its_own_settings(write: Write) -> None:
    engine, sorting = load_course(write(COURSE + SORTING)).assignments
    assert (engine.max_score, engine.max_bonus) == (10, 0)
    assert (sorting.max_score, sorting.max_bonus) == (60, 10)
    assert sorting.defines == ("build_topo", "backward_order")


def test_an_assignment_without_a_title_is_called_by_its_name(write: Write) -> None:
    assert engine_of(write(COURSE)).title == "engine"


@pytest.mark.parametrize("title", ["", " null"])
def test_an_empty_title_is_one_that_was_left_out(write: Write, title: str) -> None:
    assert engine_of(write(COURSE + f"    title:{title}\n")).title == "engine"


def test_limits_of_the_course_hold_for_every_assignment(write: Write) -> None:
    course = load_course(write(COURSE + SORTING + "limits:\n  wall_seconds: 7\n"))
    assert [one.limits.wall_seconds for one in course.assignments] == [7, 7]


def test_an_assignment_overrides_the_limits_it_names_and_no_others(write: Write) -> None:
    own = "    limits:\n      wall_seconds: 9\n"
    limits = engine_of(write(COURSE + own + "limits:\n  wall_seconds: 7\n  memory_mb: 300\n")).limits
    assert (limits.wall_seconds, limits.memory_mb) == (9, 300)


def test_limits_of_one_assignment_do_not_reach_another(write: Write) -> None:
    own = "    limits:\n      wall_seconds: 9\n"
    assert load_course(write(COURSE + own + SORTING)).assignments[1].limits == Limits()


def test_an_assignment_overrides_the_feedback_it_names_and_no_other(write: Write) -> None:
    own = "    feedback:\n      hidden_tests: after_published\n"
    feedback = engine_of(write(COURSE + own + "feedback:\n  observed_values: false\n")).feedback
    assert (feedback.hidden_tests, feedback.observed_values) == ("after_published", False)


@pytest.mark.parametrize(
    ("limits", "key"),
    [("cpu_seconds: 1.4", "cpu_seconds"), ("wall_seconds: 2", "wall_seconds")],
)
def test_a_test_waits_at_least_three_times_its_cpu_time(write: Write, limits: str, key: str) -> None:
    with pytest.raises(CourseFault) as fault:
        load_course(write(f"{COURSE}limits:\n  {limits}\n"))
    assert f"limits.{key}" in str(fault.value)
    assert "must be at least 3 times cpu_seconds" in fault.value.what


def test_no_package_but_the_standard_library_is_there_unless_the_course_names_it(write: Write) -> None:
    assert engine_of(write(COURSE)).packages == ()
    assert engine_of(write(COURSE + "isolation:\n  packages: [numpy, pandas]\n")).packages == ("numpy", "pandas")


def test_a_course_cannot_settle_for_the_tier_that_only_stops_accidents(write: Write) -> None:
    with pytest.raises(CourseFault, match="stops accidents only"):
        load_course(write(COURSE + "isolation:\n  weakest_tier: process\n"))


def test_the_weakest_tier_of_the_course_is_that_of_every_assignment(write: Write) -> None:
    course = load_course(write(COURSE + SORTING + "isolation:\n  weakest_tier: namespaces\n"))
    assert {one.weakest_tier for one in course.assignments} == {"namespaces"}


def test_a_convention_narrows_what_is_accepted(write: Write) -> None:
    conventions = "    conventions:\n      second_backward: [leaves accumulate]\n"
    assert engine_of(write(COURSE + conventions)).conventions.second_backward == ("leaves accumulate",)


def test_the_course_of_this_repository_holds_together(course: Course) -> None:
    assert {one.name: one.max_score for one in course.assignments} == {
        "autograd-engine": 100,
        "topological-sort": 100,
    }


# Where it is looked for


def test_the_course_is_found_in_a_folder_above(write: Write) -> None:
    config = write(COURSE)
    assert find_course(config.parent / "assignments" / "engine" / "hidden") == config


def test_the_nearest_course_is_the_one_that_counts(write: Write, tmp_path: Path) -> None:
    write(COURSE)
    inner = tmp_path / "assignments" / "grading.yml"
    inner.write_text(COURSE, encoding="utf-8")
    assert find_course(tmp_path / "assignments" / "engine") == inner


def test_a_folder_called_grading_yml_is_not_a_course(write: Write, tmp_path: Path) -> None:
    config = write(COURSE)
    (tmp_path / "assignments" / "grading.yml").mkdir()
    assert find_course(tmp_path / "assignments") == config


def test_without_a_course_the_caller_is_told_where_to_go(tmp_path: Path) -> None:
    with pytest.raises(CallerFault, match=r"no grading\.yml here or in any folder above"):
        find_course(tmp_path)


# Mistakes


@pytest.mark.parametrize(
    ("added", "key", "says"),
    [
        ("limit: {}\n", "limit", "is not a setting"),
        ("2: {}\n", "2", "is not a setting"),
        ("course: again\n", "course", "stands here twice"),
        ("    defines: [Other]\n", "defines", "stands here twice"),
        ("limits: 5\n", "limits", "must be a mapping"),
        ("limits: [cpu_seconds]\n", "limits", "must be a mapping"),
        ("limits:\n  cpu_time: 1\n", "limits.cpu_time", "is not a setting"),
        ("limits:\n  cpu-seconds: 1\n", "limits.cpu-seconds", "is not a setting"),
        ("limits:\n  cpu_seconds: 1\n  cpu_seconds: 2\n", "cpu_seconds", "stands here twice"),
        ("limits:\n  cpu_seconds: '1'\n", "limits.cpu_seconds", "a number such as"),
        ("limits:\n  cpu_seconds: true\n", "limits.cpu_seconds", "a number such as"),
        ("limits:\n  wall_seconds:\n", "limits.wall_seconds", "a number such as"),
        ("limits:\n  wall_seconds: -4\n", "limits.wall_seconds", "it stands at -4"),
        ("limits:\n  wall_seconds: 0\n", "limits.wall_seconds", "it stands at 0"),
        ("limits:\n  wall_seconds: .nan\n", "limits.wall_seconds", "it stands at nan"),
        ("limits:\n  submission_seconds: .inf\n", "limits.submission_seconds", "it stands at inf"),
        ("limits:\n  memory_mb: -1\n", "limits.memory_mb", "it stands at -1"),
        ("limits:\n  memory_mb: 0.5\n", "limits.memory_mb", "a whole number"),
        ("limits:\n  memory_mb: 99999999999999999999\n", "limits.memory_mb", "it stands at 9999"),
        ("isolation:\n  weakest_tier: none\n", "isolation.weakest_tier", "it stands at 'none'"),
        ("isolation:\n  tier: process\n", "isolation.tier", "is not a setting"),
        ("feedback:\n  hidden_tests: never\n", "feedback.hidden_tests", "it stands at 'never'"),
        ("feedback:\n  observed_values: 1\n", "feedback.observed_values", "true or false"),
        ("    points: 10\n", "assignments.engine.points", "is not a setting"),
        ("    limits:\n      cpu_second: 1\n", "assignments.engine.limits.cpu_second", "is not a setting"),
        ("    limits:\n      messages: -1\n", "assignments.engine.limits.messages", "it stands at -1"),
        ("    feedback: visible\n", "assignments.engine.feedback", "must be a mapping"),
        ("    title: [A, title]\n", "assignments.engine.title", "title"),
        ("    bonus: [operators]\n", "assignments.engine.bonus", "must be a mapping"),
        ("    bonus:\n      operators: 0\n", "assignments.engine.bonus.operators", "above 0"),
        ("    bonus:\n      forward: 3\n", "assignments.engine.bonus.forward", "forward"),
        ("    conventions:\n      relu: [0, 1]\n", "assignments.engine.conventions.relu", "is not a setting"),
    ],
)
def test_a_mistake_is_one_line_that_names_file_line_and_key(write: Write, added: str, key: str, says: str) -> None:
    config = write(COURSE + added)
    last = (COURSE + added).count("\n")
    message = told(config)
    assert message.startswith(f"{config}:{last}: {key}: ")
    assert says in message
    assert len(message.splitlines()) == 1


@pytest.mark.parametrize("points", ["0", "-10", "ten", "true", ".nan", ".inf", "'10'", "[10]", ""])
def test_points_are_numbers_above_zero(write: Write, points: str) -> None:
    config = write(COURSE.replace("10", points))
    assert told(config).startswith(
        f"{config}:{POINTS_LINE}: assignments.engine.concepts.forward: points must be a number above 0"
    )


@pytest.mark.parametrize("names", ["Value", "[]", "", "[1]", "['a b']", "[class]"])
def test_an_assignment_lists_the_names_that_a_submission_defines(write: Write, names: str) -> None:
    config = write(COURSE.replace("[Value]", names))
    assert told(config).startswith(f"{config}:{DEFINES_LINE}: assignments.engine.defines: must list the names")


@pytest.mark.parametrize("name", ["Engine", "../engine", "engine one", "7"])
def test_an_assignment_is_named_in_lower_case(write: Write, name: str) -> None:
    config = write(COURSE.replace("engine", name))
    assert told(config).startswith(f"{config}:{NAME_LINE}: assignments.{name}: ")


def test_an_assignment_without_a_hidden_suite_is_told_which_folder_to_make(write: Write, tmp_path: Path) -> None:
    config = write(COURSE.replace("engine", "typo"))
    message = told(config)
    assert message.startswith(f"{config}:{NAME_LINE}: assignments.typo: has no hidden suite")
    assert str(tmp_path / "assignments" / "typo" / "hidden") in message


@pytest.mark.parametrize(
    "accepted",
    [
        "second_backward: []",
        "second_backward: [doubled]",
        "second_backward: interior kept",
        "relu_at_zero: [0]",
        "relu_at_zero: [1, 0]",
        "relu_at_zero: [.nan, 1]",
    ],
)
def test_a_convention_that_no_engine_can_keep_is_a_mistake(write: Write, accepted: str) -> None:
    config = write(f"{COURSE}    conventions:\n      {accepted}\n")
    key = f"assignments.engine.conventions.{accepted.partition(':')[0]}"
    assert told(config).startswith(f"{config}:8: {key}: ")


@pytest.mark.parametrize(
    ("text", "line"),
    [("course: C\n", 1), ("course: C\nassignments:\n", 2), ("course: C\nassignments: {}\n", 2)],
)
def test_a_course_has_at_least_one_assignment(write: Write, text: str, line: int) -> None:
    config = write(text)
    assert told(config).startswith(f"{config}:{line}: assignments: a course needs at least one assignment")


def test_an_assignment_has_at_least_one_concept(write: Write) -> None:
    config = write(COURSE.replace("concepts:\n      forward: 10", "concepts: {}"))
    assert told(config).startswith(f"{config}:5: assignments.engine.concepts: needs at least one concept")


def test_concepts_that_were_left_out_are_missed_where_the_assignment_begins(write: Write) -> None:
    config = write(COURSE.partition("    concepts")[0])
    assert told(config).startswith(f"{config}:{NAME_LINE}: assignments.engine.concepts: needs at least one concept")


@pytest.mark.parametrize(
    "text",
    ["", "\n", "# only a comment\n", "just text\n", "- course\n- assignments\n"],
    ids=["empty", "blank", "comment", "text", "list"],
)
def test_a_file_without_keys_is_told_what_it_must_be(write: Write, text: str) -> None:
    config = write(text)
    assert told(config) == f"{config}:1: must be a mapping of keys to values"


@pytest.mark.parametrize(
    "broken",
    [
        "limits: [1, 2\n",
        "limits: @cpu\n",
        "\tlimits: {}\n",
        "limits: *nowhere\n",
        " indented: wrongly\n",
        "limits: 'x\n",
        "--- \nlimits: {}\n",
        "? [a, b]\n: complex\n",
        "when: 2024-13-45\n",
        "limits: !!int many\n",
        "limits: !new {}\n",
        "limits: !!python/object:os.system x\n",
        "limits: 0b_\n",
        "course: \x00\n",
    ],
)
def test_broken_yaml_is_one_line_that_names_file_and_line(write: Write, broken: str) -> None:
    config = write(COURSE.partition("\n")[2] + broken)
    message = told(config)
    assert message.startswith(tuple(f"{config}:{line}: " for line in (6, 7, 8)))
    assert len(message.splitlines()) == 1


@pytest.mark.parametrize(
    "hostile",
    ["limits: &all\n  cpu_seconds: *all\n", f"limits: {'[' * 5000}\n", f"limits: {'9' * 5000}\n"],
    ids=["contains itself", "nested deeply", "a number too long"],
)
def test_yaml_that_cannot_be_used_is_a_fault_and_never_a_traceback(write: Write, hostile: str) -> None:
    assert len(told(write(COURSE + hostile)).splitlines()) == 1


def test_text_that_is_not_utf_8_is_told_so(write: Write) -> None:
    config = write(COURSE)
    config.write_bytes(COURSE.replace("Neural", "N\xe9ural").encode("latin-1"))
    assert told(config) == f"{config}: is not UTF-8 text (save it as UTF-8)"


def test_a_file_that_is_not_there_is_told_so(tmp_path: Path) -> None:
    assert told(tmp_path / "grading.yml") == f"{tmp_path / 'grading.yml'}: cannot be read: No such file or directory"


# The version of an assignment


@pytest.mark.parametrize(
    "changed",
    [
        COURSE.replace("10", "11"),
        COURSE.replace("forward", "backward"),
        COURSE.replace("Value", "Number"),
        COURSE + "    bonus:\n      operators: 3\n",
        COURSE + "    limits:\n      cpu_seconds: 1.2\n",
        COURSE + "limits:\n  cpu_seconds: 1.2\n",
        COURSE + "    conventions:\n      second_backward: [leaves accumulate]\n",
        COURSE + "feedback:\n  observed_values: false\n",
    ],
    ids=["points", "concept", "name", "bonus", "own limit", "limit", "convention", "feedback"],
)
def test_the_version_changes_with_what_can_change_a_report(write: Write, changed: str) -> None:
    assert version(write, changed) != version(write, COURSE)


@pytest.mark.parametrize(
    "changed",
    [
        COURSE.replace("Neural", "Deep"),
        COURSE + "    title: An engine\n",
        "# a comment\n" + COURSE,
        COURSE + SORTING,
        COURSE + "limits:\n  cpu_seconds: 1\n",
        COURSE.replace("10", "10.0"),
    ],
    ids=["course", "title", "comment", "another assignment", "the default said aloud", "an integer as a float"],
)
def test_the_version_stays_when_nothing_changes_a_verdict(write: Write, changed: str) -> None:
    assert version(write, changed) == version(write, COURSE)


def test_the_version_changes_with_a_line_of_a_hidden_test(write: Write, tmp_path: Path) -> None:
    before = version(write, COURSE)
    (tmp_path / "assignments/engine/hidden/test_all.py").write_text("def test_it(): assert 1\n", encoding="utf-8")
    assert version(write, COURSE) != before


def test_the_version_changes_with_a_new_hidden_file_in_a_folder_below(write: Write, tmp_path: Path) -> None:
    before = version(write, COURSE)
    (tmp_path / "assignments/engine/hidden/more").mkdir()
    (tmp_path / "assignments/engine/hidden/more/helpers.py").write_text("", encoding="utf-8")
    assert version(write, COURSE) != before


def test_the_version_changes_with_the_name_of_a_hidden_file(write: Write, tmp_path: Path) -> None:
    before = version(write, COURSE)
    hidden = tmp_path / "assignments/engine/hidden"
    (hidden / "test_all.py").rename(hidden / "test_some.py")
    assert version(write, COURSE) != before


def test_the_version_stays_with_what_python_leaves_behind(write: Write, tmp_path: Path) -> None:
    before = version(write, COURSE)
    cache = tmp_path / "assignments/engine/hidden/__pycache__"
    cache.mkdir()
    (cache / "test_all.pyc").write_bytes(b"compiled")
    assert version(write, COURSE) == before


def test_the_version_stays_with_the_hidden_suite_of_another_assignment(write: Write, tmp_path: Path) -> None:
    before = version(write, COURSE)
    (tmp_path / "assignments/sorting/hidden/test_all.py").write_text("", encoding="utf-8")
    assert version(write, COURSE) == before
