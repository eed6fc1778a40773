"""A mistake in ``grading.yml`` is one line that names file, line and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.course.written import COURSE, DEFINES_LINE, NAME_LINE, POINTS_LINE, Write, course_fault


@pytest.mark.parametrize(
    ("added", "key", "says"),
    [
        ("limit: {}\n", "limit", "unknown key 'limit'"),
        ("2: {}\n", "2", "unknown key '2'"),
        ("course: again\n", "course", "duplicate key"),
        ("    defines: [Other]\n", "defines", "duplicate key"),
        ("limits: 5\n", "limits", "must be a mapping"),
        ("limits:\n  cpu_time: 1\n", "limits.cpu_time", "unknown key '"),
        ("limits:\n  cpu_seconds: 1\n  cpu_seconds: 2\n", "cpu_seconds", "duplicate key"),
        ("limits:\n  cpu_seconds: '1'\n", "limits.cpu_seconds", "a number such as"),
        ("limits:\n  cpu_seconds: true\n", "limits.cpu_seconds", "a number such as"),
        ("limits:\n  wall_seconds:\n", "limits.wall_seconds", "a number such as"),
        ("limits:\n  wall_seconds: -4\n", "limits.wall_seconds", "'wall_seconds' must be more than 0, not -4"),
        ("limits:\n  wall_seconds: .nan\n", "limits.wall_seconds", "must be more than 0, not nan"),
        ("limits:\n  submission_seconds: .inf\n", "limits.submission_seconds", "must be at most 86400, not inf"),
        ("limits:\n  memory_mb: -1\n", "limits.memory_mb", "'memory_mb' must be at least 1, not -1"),
        ("limits:\n  memory_mb: 0.5\n", "limits.memory_mb", "a whole number"),
        ("limits:\n  memory_mb: 99999999999999999999\n", "limits.memory_mb", "must be at most 1000000, not 9999"),
        (
            "isolation:\n  weakest_tier: none\n",
            "isolation.weakest_tier",
            "'none' (choose from namespaces, restricted)",
        ),
        ("isolation:\n  tier: process\n", "isolation.tier", "unknown key '"),
        (
            "feedback:\n  hidden_tests: never\n",
            "feedback.hidden_tests",
            "'never' (choose from visible, hidden, after_d",
        ),
        ("feedback:\n  repair: all\n", "feedback.repair", "'all' (choose from hidden, method, line, kind, change)"),
        ("feedback:\n  results: hidden\n", "feedback.results", "'results' cannot be 'hidden'"),
        ("feedback:\n  observed_values: 1\n", "feedback.observed_values", "true or false"),
        ("    points: 10\n", "assignments.engine.points", "unknown key '"),
        ("    limits:\n      cpu_second: 1\n", "assignments.engine.limits.cpu_second", "unknown key '"),
        ("    limits:\n      messages: -1\n", "assignments.engine.limits.messages", "must be at least 1, not -1"),
        ("    feedback: visible\n", "assignments.engine.feedback", "must be a mapping"),
        ("    title: [A, title]\n", "assignments.engine.title", "title"),
        ("    bonus: [operators]\n", "assignments.engine.bonus", "must be a mapping"),
        ("    bonus:\n      operators: 0\n", "assignments.engine.bonus.operators", "above 0"),
        ("    bonus:\n      forward: 3\n", "assignments.engine.bonus.forward", "forward"),
        ("    conventions:\n      relu: [0, 1]\n", "assignments.engine.conventions.relu", "unknown key '"),
    ],
)
def test_a_mistake_is_one_line_that_names_file_line_and_key(write: Write, added: str, key: str, says: str) -> None:
    config = write(COURSE + added)
    last = (COURSE + added).count("\n")
    message = course_fault(config)
    assert message.startswith(f"{config}:{last}: {key}: ")
    assert says in message
    assert len(message.splitlines()) == 1


@pytest.mark.parametrize(
    ("added", "meant"),
    [
        ("limit: {}\n", "limits"),
        ("limits:\n  cpu_second: 1\n", "cpu_seconds"),
        ("    titel: Engine\n", "title"),
    ],
)
def test_a_misspelt_key_is_told_with_the_nearest_one(write: Write, added: str, meant: str) -> None:
    assert f"; did you mean {meant!r}? (choose from " in course_fault(write(COURSE + added))


@pytest.mark.parametrize("points", ["0", "-10", "ten", "true", ".nan", ".inf", "'10'", "[10]", ""])
def test_points_are_numbers_above_zero(write: Write, points: str) -> None:
    config = write(COURSE.replace("10", points))
    assert course_fault(config).startswith(
        f"{config}:{POINTS_LINE}: assignments.engine.concepts.forward: "
        "the points for 'forward' must be a number above 0"
    )


@pytest.mark.parametrize("names", ["Value", "[]", "", "[1]", "['a b']", "[class]"])
def test_an_assignment_lists_the_names_that_a_submission_defines(write: Write, names: str) -> None:
    config = write(COURSE.replace("[Value]", names))
    assert course_fault(config).startswith(
        f"{config}:{DEFINES_LINE}: assignments.engine.defines: 'defines' must list the names"
    )


@pytest.mark.parametrize("name", ["Engine", "../engine", "engine one", "7"])
def test_an_assignment_is_named_in_lower_case(write: Write, name: str) -> None:
    config = write(COURSE.replace("engine", name))
    assert course_fault(config).startswith(f"{config}:{NAME_LINE}: assignments.{name}: ")


def test_an_assignment_without_a_hidden_suite_is_told_which_folder_to_make(write: Write, tmp_path: Path) -> None:
    config = write(COURSE.replace("engine", "typo"))
    message = course_fault(config)
    assert message.startswith(f"{config}:{NAME_LINE}: assignments.typo: the hidden suite is missing")
    assert str(tmp_path / "assignments" / "typo" / "hidden") in message


@pytest.mark.parametrize(
    "accepted",
    [
        *("second_backward: []", "second_backward: [doubled]", "second_backward: interior kept"),
        *("relu_at_zero: [0]", "relu_at_zero: [1, 0]", "relu_at_zero: [.nan, 1]"),
    ],
)
def test_a_convention_that_no_engine_can_keep_is_a_mistake(write: Write, accepted: str) -> None:
    config = write(f"{COURSE}    conventions:\n      {accepted}\n")
    key = f"assignments.engine.conventions.{accepted.partition(':')[0]}"
    assert course_fault(config).startswith(f"{config}:8: {key}: ")


@pytest.mark.parametrize("hint", ["is not iterable: 7", "is not iterable: ", "' ': Go on."])
def test_a_hint_is_a_text_for_a_part_of_a_message(write: Write, hint: str) -> None:
    config = write(f"{COURSE}    hints:\n      {hint}\n")
    message = course_fault(config)
    assert message.startswith(f"{config}:8: assignments.engine.hints.")
    assert "must be a text, after a part of a message of the interpreter" in message


@pytest.mark.parametrize(
    ("text", "line"),
    [("course: C\n", 1), ("course: C\nassignments:\n", 2), ("course: C\nassignments: {}\n", 2)],
)
def test_a_course_has_at_least_one_assignment(write: Write, text: str, line: int) -> None:
    config = write(text)
    assert course_fault(config).startswith(f"{config}:{line}: assignments: a course needs at least one assignment")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (COURSE.replace("concepts:\n      forward: 10", "concepts: {}"), 5),
        (COURSE.partition("    concepts")[0], NAME_LINE),
    ],
    ids=["none", "left out"],
)
def test_an_assignment_has_at_least_one_concept(write: Write, text: str, line: int) -> None:
    config = write(text)
    assert course_fault(config).startswith(
        f"{config}:{line}: assignments.engine.concepts: an assignment needs at least one concept"
    )


@pytest.mark.parametrize(
    "text",
    ["", "\n", "# only a comment\n", "just text\n", "- course\n- assignments\n"],
    ids=["empty", "blank", "comment", "text", "list"],
)
def test_a_file_without_keys_is_told_what_it_must_be(write: Write, text: str) -> None:
    config = write(text)
    assert course_fault(config) == f"{config}:1: the file must be a mapping of keys to values"


@pytest.mark.parametrize(
    "broken",
    [
        *("limits: [1, 2\n", "limits: @cpu\n", "\tlimits: {}\n", "limits: *nowhere\n", " indented: wrongly\n"),
        *("limits: 'x\n", "--- \nlimits: {}\n", "? [a, b]\n: complex\n", "when: 2024-13-45\n", "limits: 0b_\n"),
        *("limits: !!int many\n", "limits: !new {}\n", "limits: !!python/object:os.system x\n", "course: \x00\n"),
    ],
)
def test_broken_yaml_is_one_line_that_names_file_and_line(write: Write, broken: str) -> None:
    config = write(COURSE.partition("\n")[2] + broken)
    message = course_fault(config)
    assert message.startswith(tuple(f"{config}:{line}: " for line in (6, 7, 8)))
    assert len(message.splitlines()) == 1


@pytest.mark.first_cases(1)
@pytest.mark.parametrize(
    "hostile",
    ["limits: &all\n  cpu_seconds: *all\n", f"limits: {'[' * 1500}\n", f"limits: {'9' * 5000}\n"],
    ids=["contains itself", "nested deeply", "a number too long"],
)
def test_yaml_that_cannot_be_used_is_a_fault_and_never_a_traceback(write: Write, hostile: str) -> None:
    assert len(course_fault(write(COURSE + hostile)).splitlines()) == 1


def test_text_that_is_not_utf_8_is_told_so(write: Write) -> None:
    config = write(COURSE)
    config.write_bytes(COURSE.replace("Neural", "N\xe9ural").encode("latin-1"))
    assert course_fault(config) == f"{config}: this file is not UTF-8 text (save it as UTF-8)"


def test_a_file_that_is_not_there_is_told_so(tmp_path: Path) -> None:
    reason = "cannot read this file: No such file or directory (name one that exists)"
    assert course_fault(tmp_path / "grading.yml") == f"{tmp_path / 'grading.yml'}: {reason}"
