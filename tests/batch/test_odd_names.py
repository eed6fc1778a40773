"""Whatever a submission is called, it has a report, a file and a line of the gradebook of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.batch.output_files import MAX_LENGTH, assign_file_names, make_safe_file_name
from autograder.course import Assignment
from autograder.reports import read_report_json
from autograder.sandbox import SandboxConfig
from autograder.submissions.safe_paths import is_windows_device_name
from autograder.text import escape_for_display, escape_name_unambiguously, make_file_name_collision_key
from tests.batch.classes import Batch, Grade, grade_all

NAMES = [
    "with space",
    "  spaces around  ",
    'it\'s "mine"',
    "two\nlines",
    "tab\there",
    "größe_値",
    "\u202egp.eulav",
    "-rf",
    "[red]x",
    "\x1b[31mx",
    '=HYPERLINK("example.org","x")',
    "+1",
    "-1+2",
    "@SUM(A1)",
    'comma, semicolon; quote"',
    "%41",
    "a b",
    "a%20b",
    "a:b",
    "a?b",
    "a*b",
    "a\\b",
    "x" * 246 + "1",
    "x" * 246 + "2",
    "é" * 110 + "1",
    "é" * 110 + "2",
    "CON",
]


@pytest.fixture(scope="module")
def odd(engine: Assignment, sandbox: SandboxConfig, tmp_path_factory: pytest.TempPathFactory) -> Batch:
    """A batch of submissions with odd names; they are told apart by what they define."""
    folder = tmp_path_factory.mktemp("odd")
    for name in NAMES:
        (folder / f"{name}.py").write_text(f"# {name!r}\n", encoding="utf-8")
    return grade_all(folder, tmp_path_factory.mktemp("out"), engine, sandbox)


def test_every_odd_name_gets_a_report_of_its_own(odd: Batch) -> None:
    assert sorted(odd.names) == sorted(NAMES)
    hashes = {read_report_json(path).submission.sha256 for path in (odd.out / "reports").iterdir()}
    assert len(odd.written_at) == len(hashes) == len(NAMES)


@pytest.mark.parametrize("name", NAMES, ids=[escape_for_display(name, 20) for name in NAMES])
def test_an_odd_name_stands_in_its_report_without_effect(odd: Batch, name: str) -> None:
    assert escape_name_unambiguously(name) in {*odd.reports}


def test_every_odd_name_gets_one_line_of_the_gradebook(odd: Batch) -> None:
    lines = (odd.out / "gradebook.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(odd.gradebook) + 1 == len(NAMES) + 1


def test_no_two_odd_names_are_called_the_same_in_the_gradebook(odd: Batch) -> None:
    assert len({row["submission"] for row in odd.gradebook}) == len(NAMES)


def test_names_that_differ_in_capitals_alone_get_reports_that_differ_in_more(grade: Grade, tmp_path: Path) -> None:
    (tmp_path / "class").mkdir()
    for name in ("alice.py", "Alice.py", "ALICE.py"):
        (tmp_path / "class" / name).touch()
    assert len({name.casefold() for name in grade(tmp_path / "class").written_at}) == 3


def test_long_names_that_differ_at_the_end_alone_get_different_files() -> None:
    one, two, short = (make_safe_file_name(name) for name in ("é" * 200 + "1", "é" * 200 + "2", "é" * 83))
    assert len({one, two, short}) == 3
    assert not one.startswith(f"{short}~")  # files of one would pass for the other's


def test_odd_names_are_known_again(odd: Batch, engine: Assignment, sandbox: SandboxConfig, tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(f"# {name!r}\n", encoding="utf-8")
    assert grade_all(tmp_path, odd.out, engine, sandbox).summary.reused_count == len(NAMES)


MORE_NAMES = [
    *("", ".", "..", "../../etc/passwd", ".hidden", "\0", "a\0b", "\udcff", "\ud800", "/", "~", " ", "値" * 300),
    *("con", "Con", "nul", "AUX", "com1", "LPT9", "aux.b", "CON ", "prn.x.y", "conin$", "com¹", "alice", "Alice"),
    *("é", "e\u0301", "STRASSE", "straße", "alice.", "alice~2", "A", "%2E", "%2E.", "%43ON", "a/b", "a%2Fb", "%FF"),
]


@pytest.mark.parametrize("name", [*NAMES, *MORE_NAMES])
def test_a_file_name_is_one_that_every_file_system_takes(name: str) -> None:
    made = make_safe_file_name(name)
    assert 0 < len(made.encode()) <= MAX_LENGTH
    assert len(f"{made}.json".encode()) <= 255
    assert not {*'<>:"/\\|?*'} & {*made}
    assert made.isprintable()
    assert made[0] not in ". "
    assert not is_windows_device_name(f"{made}.json")


def test_no_name_gets_the_file_of_another() -> None:
    every_name = [*NAMES, *MORE_NAMES]
    made = assign_file_names(every_name)
    assert len({make_file_name_collision_key(f"{name}.json") for name in made.values()}) == len(every_name)
    for one, two in (("CON", "%43ON"), ("..", "%2E."), ("a/b", "a%2Fb"), ("\udcff", "%FF"), ("é", "e\u0301")):
        assert make_safe_file_name(one) != make_safe_file_name(two)
