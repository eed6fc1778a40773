"""Who handed in what, and when: a table in which every mistake is told with its line."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from autograder.course.deadline_rules import DeadlineRules
from autograder.faults import CallerFault
from autograder.lateness import SubmissionTime, SubmissionTimes, read_students_and_times

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2025, 12, 24, tzinfo=UTC)
HEAD = "submission,student,handed_in\n"
KNOWN = {"a1": "a1", "a2": "a2", "a2.py": "a2", "=1+1": "=1+1", "'=1+1": "=1+1", "two\nlines": "two\\nlines"}


def read_times(
    tmp_path: Path,
    text: str | bytes,
    notify: Callable[[str], None] = lambda line: None,
    zone: ZoneInfo | None = BERLIN,
) -> SubmissionTimes:
    path = tmp_path / "hand-ins.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_students_and_times(path, KNOWN, zone, NOW, notify)


def submission_times_fault(tmp_path: Path, text: str | bytes, zone: ZoneInfo | None = BERLIN) -> str:
    with pytest.raises(CallerFault) as caught:
        read_times(tmp_path, text, zone=zone)
    assert len(str(caught.value).splitlines()) == 1
    return str(caught.value).removeprefix(f"{tmp_path / 'hand-ins.csv'}:")


# What is right

ADA = SubmissionTime("ada", datetime(2025, 11, 21, 11, 30, tzinfo=UTC))


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "a1,ada,2025-11-21 12:30\n",
        "handed_in,submission,student\n2025-11-21T12:30:00+01:00,a1,ada\n",
        "Submission ; STUDENT;mark;handed_in\r\na1;ada;7,5;2025-11-21T11:30Z\r\n",
        "submission\tstudent\thanded_in\na1\tada\t2025-11-21 12:30:00.9",
        "\ufeff" + HEAD + '\n,,\n"a1"," ada ","2025-11-21 06:30-05:00"\n\n',
        "sep=;\r\nsubmission;student;handed_in;note\r\na1;ada;2025-11-21 12:30;Zoë\r\n".encode("cp1252"),
        "submission\tstudent\thanded_in\r\na1\tada\t2025-11-21 11:30:00 UTC\r\n".encode("utf-16"),
    ],
    ids=["plain", "other order", "semicolons", "tabs", "byte order mark and empty lines", "Excel", "Unicode text"],
)
def test_a_table_is_read_as_spreadsheets_write_it(tmp_path: Path, text: str | bytes) -> None:
    row = read_times(tmp_path, text).find_submission_time("a1")
    assert row is not None
    assert (row.student, row.handed_in.astimezone(UTC)) == (ADA.student, ADA.handed_in)


def test_a_submission_may_be_called_by_any_name_it_is_known_by(tmp_path: Path) -> None:
    table = read_times(
        tmp_path, HEAD + 'a2.py,bob,2025-11-21 12:30\n\'=1+1,eve,2025-11-21 12:30\n"two\nlines",x,2025-11-21 12:30\n'
    )
    assert {*table.by_submission_id} == {"a2", "=1+1", "two\\nlines"}


@pytest.mark.parametrize("name", ['=HYPERLINK("x")', "O'Brien, Ann", "李雷", "a@b.example", "\x1b[31m", "007"])
def test_a_student_may_have_any_name(tmp_path: Path, name: str) -> None:
    row = read_times(
        tmp_path, HEAD + 'a1,"{}",2025-11-21 12:30\n'.format(name.replace('"', '""'))
    ).find_submission_time("a1")
    assert row is not None
    assert row.student == name


def test_accents_written_in_two_ways_are_one_student(tmp_path: Path) -> None:
    table = read_times(tmp_path, HEAD + "a1,Zoe\u0308,2025-11-21 12:30\na2,Zo\u00eb,2025-11-21 12:31\n")
    assert {row.student for row in table.by_submission_id.values()} == {"Zo\u00eb"}


def test_those_whom_a_table_joins_by_a_plus_are_members(tmp_path: Path) -> None:
    table = read_times(tmp_path, HEAD + "a1,ada + bob,2025-11-21 12:30\na2,C++,2025-11-21 12:31\n")
    assert {name: (row.student, row.members) for name, row in table.by_submission_id.items()} == {
        "a1": ("ada + bob", (("ada",), ("bob",))),
        "a2": ("C++", ()),
    }


def test_what_stands_in_no_line_is_not_known(tmp_path: Path) -> None:
    table = read_times(tmp_path, HEAD)
    assert table.find_submission_time("a1") is None
    assert table.compute_lateness_or_none("a1", DeadlineRules(deadline=NOW)) is None


def test_of_a_time_that_clocks_show_twice_the_earlier_counts(tmp_path: Path) -> None:
    row = read_times(tmp_path, HEAD + "a1,ada,2025-10-26 02:30\n").find_submission_time("a1")
    assert row is not None
    assert row.handed_in.astimezone(UTC).hour == 0


def test_an_extension_of_somebody_who_is_not_there_is_noticed() -> None:
    due = DeadlineRules(deadline=NOW, extensions=(("ada", NOW), ("adda", NOW)))
    assert SubmissionTimes({"a1": ADA}).list_extensions_without_submission(due) == ["adda"]


@pytest.mark.parametrize(
    ("name", "shown"), [("nobody", "nobody"), ("a22", "a22 (did you mean a2?)"), ("z\x1b[31m", "z\\x1b[31m")]
)
def test_who_is_not_in_the_batch_is_listed_and_the_others_are_read(tmp_path: Path, name: str, shown: str) -> None:
    notes: list[str] = []
    text = HEAD + f"{name},eve,2025-11-21 12:30\na1,ada,2025-11-21 12:30\n{name},eve,2025-11-21 12:31\n"
    assert {*read_times(tmp_path, text, notes.append).by_submission_id} == {"a1"}
    assert notes == [f"submission times without a submission (withdrawn, or spelled differently): {shown}"]


# What is wrong


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "1: the table has no column submission"),
        ("submission,student\n", "1: the table has no column handed_in"),
        ("submission,student,student,handed_in\n", "1: the table has more than one column student"),
        (HEAD + "a22,ada,2025-11-21 12:30\n", "2: unknown submission 'a22' (use a name such as a2)"),
        (HEAD + "a1,ada,2025-11-21 12:30\na1,ada,2025-11-21 12:31\n", "3: line 2 has the submission 'a1' already"),
        (HEAD + "a2,ada,2025-11-21 12:30\na2.py,ada,2025-11-21 12:31\n", "3: line 2 has the submission 'a2.py'"),
        (HEAD + "a1,,2025-11-21 12:30\n", "2: the row of 'a1' names no student"),
        (HEAD + "a1,ada\n", "2: cannot use handed_in: '' is not a date and time"),
        (HEAD + "a1,ada,21.11.2025 12:30\n", "2: cannot use handed_in: '21.11.2025 12:30' is not a date and time"),
        (HEAD + "a1,ada,2025-11-21\n", "2: cannot use handed_in: the date 2025-11-21 has no time of day"),
        (HEAD + "a1,ada,2025-12-24 01:11\n", "2: handed_in is in the future: 2025-12-24 01:11 (check its time zone"),
        (HEAD + '"two\nlines",x,2025-11-21 12:30\na1,ada,never\n', "4: cannot use handed_in: 'never' is not a date"),
        (HEAD + 'a1,"ada"x,2025-11-21 12:30\n', "2: the table is not valid CSV: "),
        (HEAD + "a\x1b[31m,ada,2025-11-21 12:30\n", "2: unknown submission 'a\\x1b[31m'"),
    ],
)
def test_a_mistake_is_one_line_that_names_file_and_line(tmp_path: Path, text: str, says: str) -> None:
    assert submission_times_fault(tmp_path, text).startswith(says)


def test_a_time_without_a_time_zone_needs_one_in_grading_yml(tmp_path: Path) -> None:
    line = submission_times_fault(tmp_path, HEAD + "a1,ada,2025-11-21 12:30\n", zone=None)
    assert line.startswith(
        "2: cannot use handed_in: the time 2025-11-21 12:30 has no time zone (name one: `timezone: Europe/Berlin`"
    )


def test_clocks_that_differ_by_minutes_are_no_future(tmp_path: Path) -> None:
    assert read_times(tmp_path, HEAD + "a1,ada,2025-12-24 01:09\n").find_submission_time("a1") is not None


CLASSROOM = (
    '"assignment_name","assignment_url","starter_code_url","github_username","roster_identifier",'
    '"student_repository_name","student_repository_url","submission_timestamp","points_awarded","points_available"\n'
    '"hw1","https://x.example/a","","ada-gh","00123","a1","https://x.example/a1","2025-11-20 22:31:02 UTC","0","0"\n'
    '"hw1","https://x.example/a","","lee-gh","","a2","https://x.example/a2","2025-11-21 10:00:00 UTC","0","0"\n'
    '"hw1","https://x.example/a","","bob-gh","","a2","https://x.example/a2","2025-11-21 10:00:00 UTC","0","0"\n'
    '"hw1","https://x.example/a","","zoe-gh","00125","","","","0","0"\n'
)


def test_the_grades_of_github_classroom_are_read_as_it_writes_them(tmp_path: Path) -> None:
    times = read_times(tmp_path, CLASSROOM)
    alone, team = times.find_submission_time("a1"), times.find_submission_time("a2")
    assert alone is not None
    assert team is not None
    assert alone.student == "00123"
    assert alone.handed_in == datetime(2025, 11, 20, 22, 31, 2, tzinfo=UTC)
    assert team.student == "lee-gh + bob-gh"


def test_a_file_in_another_code_is_told_how_to_save_it(tmp_path: Path) -> None:
    told = submission_times_fault(tmp_path, HEAD.encode() + b"a1,Zo\x81,x\n")
    assert "is not UTF-8 text (save it as CSV in UTF-8)" in told


def test_a_file_that_is_not_there_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(CallerFault, match="cannot read this file: No such file"):
        read_students_and_times(tmp_path / "nowhere.csv", KNOWN, BERLIN, NOW)
