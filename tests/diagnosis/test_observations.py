"""What is kept of every misconception counts only as long as nothing that it depends on has changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.course import Assignment, load_course
from autograder.diagnosis.naming import (
    Observed,
    encode_observations_file,
    get_observations_file_path,
    hash_observation_inputs,
    read_observations_if_current,
)
from autograder.faults import CourseFault
from tests.one_assignment import copy_one_assignment

OBSERVED: dict[str, Observed] = {
    "b-second": {"set": {"order.one": "0a"}, "plain": {"order.two": "0b", "order.one": "0c"}},
    "a-first": {"plain": {}},
}


@pytest.fixture
def small(root: Path, tmp_path: Path) -> Path:
    """A copy of the course's sorting, to be changed."""
    return copy_one_assignment(root, "topological-sort", tmp_path / "course", ("assignments", "solutions"))


def sorting(small: Path) -> Assignment:
    return load_course(small).assignments[0]


def keep(small: Path) -> None:
    """Write the observations as they would be now."""
    get_observations_file_path(sorting(small)).write_bytes(encode_observations_file(sorting(small), OBSERVED))


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_the_same_observations_are_the_same_file(small: Path) -> None:
    backwards = {name: dict(reversed(styles.items())) for name, styles in reversed(OBSERVED.items())}
    assert encode_observations_file(sorting(small), backwards) == encode_observations_file(sorting(small), OBSERVED)


@pytest.mark.parametrize(
    "changed",
    [
        "value.py",
        "misconceptions.yml",
        "styles.yml",
    ],
)
def test_after_a_change_of_what_they_depend_on_nothing_is_known(small: Path, changed: str) -> None:
    keep(small)
    path = small / "solutions" / "topological-sort" / changed
    path.write_text((path.read_text(encoding="utf-8") if path.exists() else "") + "# a remark\n", encoding="utf-8")
    assert read_observations_if_current(sorting(small)) is None


def test_a_style_that_loses_what_the_plain_one_does_needs_no_entry(small: Path) -> None:
    both = {"one": {"plain": {"order.one": "0a"}, "set": {"order.one": "0a"}}}
    assert encode_observations_file(sorting(small), both) == encode_observations_file(
        sorting(small), {"one": {"plain": {"order.one": "0a"}}}
    )


def test_other_conventions_are_a_change(small: Path) -> None:
    before = hash_observation_inputs(sorting(small))
    change(
        small / "grading.yml",
        "    title: Topological sort\n",
        "    title: Topological sort\n    conventions: {relu_at_zero: [0, 0.5]}\n",
    )
    assert hash_observation_inputs(sorting(small)) != before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("      order: 40\n      each node once: 20", "      order: 20\n      each node once: 40"),
        ("      order: 40\n", "      order: 40  # most of it\n"),
        ("Topological sort", "Sorting a graph"),
        ("diagnosis: visible", "diagnosis: hidden"),
        ("cpu_seconds: 0.4 ", "cpu_seconds: 0.5 "),
    ],
    ids=["points", "a comment", "the title", "what is shown", "limits"],
)
def test_what_no_test_sees_is_no_change(small: Path, old: str, new: str) -> None:
    keep(small)
    change(small / "grading.yml", old, new)
    assert read_observations_if_current(sorting(small)) == OBSERVED


@pytest.mark.parametrize("content", ["", "{", "[]", '{"state": 1, "misconceptions": {}}', '{"state": "x"}'])
def test_a_file_that_is_not_what_the_kit_wrote_is_told_with_what_to_do(small: Path, content: str) -> None:
    path = get_observations_file_path(sorting(small))
    path.write_text(content, encoding="utf-8")
    with pytest.raises(CourseFault, match="autograder check topological-sort --update") as raised:
        read_observations_if_current(sorting(small))
    assert str(path) in str(raised.value)


def test_another_diagnosis_is_a_change(small: Path) -> None:
    keep(small)
    (small / "assignments" / "topological-sort" / "diagnosis" / "later.py").write_text("", encoding="utf-8")
    assert read_observations_if_current(sorting(small)) is None


def test_another_hidden_suite_is_a_change(small: Path) -> None:
    keep(small)
    (small / "assignments" / "topological-sort" / "hidden" / "test_later.py").write_text("", encoding="utf-8")
    assert read_observations_if_current(sorting(small)) is None
