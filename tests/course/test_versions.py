"""The version of an assignment changes with all that can change a verdict, and with nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.course.written import COURSE, SORTING, Write, engine_of


def version(write: Write, text: str) -> str:
    return engine_of(write(text)).version


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
        COURSE + "limits:\n  cpu_seconds: 0.4\n",
        COURSE.replace("10", "10.0"),
        COURSE + "feedback:\n  results: after_published\n",
    ],
    ids=["course", "title", "comment", "another assignment", "a default", "10.0 for 10", "when results are shown"],
)
def test_the_version_stays_when_nothing_changes_a_verdict(write: Write, changed: str) -> None:
    assert version(write, changed) == version(write, COURSE)


def test_the_version_changes_with_lines_names_and_new_files_of_the_hidden_suite(write: Write, tmp_path: Path) -> None:
    hidden = tmp_path / "assignments/engine/hidden"
    versions = {version(write, COURSE)}
    (hidden / "test_all.py").write_text("def test_it(): assert 1\n", encoding="utf-8")
    versions.add(version(write, COURSE))
    (hidden / "more").mkdir()
    (hidden / "more/helpers.py").write_text("", encoding="utf-8")
    versions.add(version(write, COURSE))
    (hidden / "test_all.py").rename(hidden / "test_some.py")
    assert len({*versions, version(write, COURSE)}) == 4


@pytest.mark.parametrize("left", ["__pycache__/test_all.pyc", ".pytest_cache/v/cache/lastfailed", ".ruff_cache/0/9"])
def test_the_version_stays_with_what_tools_leave_behind(write: Write, tmp_path: Path, left: str) -> None:
    before = version(write, COURSE)
    cached = tmp_path / "assignments/engine/hidden" / left
    cached.parent.mkdir(parents=True)
    cached.write_bytes(b"left")
    assert version(write, COURSE) == before


def test_the_version_stays_with_the_hidden_suite_of_another_assignment(write: Write, tmp_path: Path) -> None:
    before = version(write, COURSE)
    (tmp_path / "assignments/sorting/hidden/test_all.py").write_text("", encoding="utf-8")
    assert version(write, COURSE) == before
