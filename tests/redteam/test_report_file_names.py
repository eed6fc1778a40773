"""Reports have names that every file system takes, and no two for one."""

from __future__ import annotations

import unicodedata

import pytest

from autograder.batch.output_files import assign_file_names, make_safe_file_name
from autograder.submissions.safe_paths import is_windows_device_name
from autograder.text import escape_for_display, make_file_name_collision_key

NAMES = [
    *("..", ".", "", "/", "\\", "a/../b", ".hidden", "~", " ", "x" * 300, "値" * 300, "\ud800", "a\0b"),
    *("CON", "con", "Con", "nul", "AUX", "com1", "LPT9", "aux.b", "CON ", "prn.x.y", "conin$", "com¹"),
    *("alice", "Alice", "ALICE", "é", unicodedata.normalize("NFD", "é"), "STRASSE", "straße", "alice.", "alice~2"),
    *("%41", "A", "%2E", "%43ON"),
]


def test_reports_have_names_that_no_file_system_takes_for_one() -> None:
    distinct = list(dict.fromkeys(NAMES))
    assert len({*map(make_file_name_collision_key, distinct)}) < len(distinct), (
        "as they are, some system takes two for one"
    )
    made = assign_file_names(distinct)
    assert len({make_file_name_collision_key(f"{name}.json") for name in made.values()}) == len(distinct)


@pytest.mark.parametrize("name", NAMES, ids=[escape_for_display(name, 20) for name in NAMES])
def test_a_report_has_a_name_that_every_file_system_takes(name: str) -> None:
    made = f"{make_safe_file_name(name)}.json"
    assert len(made.encode()) <= 255
    assert not {*'<>:"/\\|?*\0'} & {*made}
    assert made[0] not in ". "
    assert not is_windows_device_name(made)


@pytest.mark.parametrize(
    ("one", "two"), [("CON", "%43ON"), ("..", "%2E."), ("a/b", "a%2Fb"), ("\udcff", "%FF")], ids=ascii
)
def test_no_name_of_a_report_can_be_asked_for_by_another_student(one: str, two: str) -> None:
    assert make_safe_file_name(one) != make_safe_file_name(two)
