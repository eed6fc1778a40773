"""From a platform's download to what it takes back, with the commands that staff type."""

from __future__ import annotations

import csv
import zipfile
from pathlib import Path

import pytest

from tests.cli.commands import run, succeeded
from tests.platforms.classes import laid_out
from tests.toy import HALF, RIGHT, write_toy

DUE = """\
    title: Doubling
    deadline: 2026-11-20 12:00
    late: {percent_per_day: 10}
"""
ADA, BOB = "7-9 - Ada - Lovelace - Nov 20, 2026 11:00 AM", "8-9 - O'Brien, Bob - Nov 20, 2026 1:00 PM"
EARLIER = "8-9 - O'Brien, Bob - Nov 20, 2026 10:00 AM"
HANDED_IN = "HW_1_ada_l_attempt_2026-11-20-11-00-00", "HW_1_bob_attempt_2026-11-20-13-00-00"


@pytest.fixture
def late_toy_course(tmp_path: Path) -> Path:
    return write_toy(tmp_path, DUE)


def grade_and_export(place: Path, platform: str, download: str, *arguments: str) -> str:
    """What the two commands say, one after the other."""
    graded = run("batch", "toy", download, "--out", "out", "--workers", "1", cwd=place)
    made = run("export", platform, "--batch", "out", "--out", "new", *arguments, cwd=place)
    return succeeded(graded) + succeeded(made)


def test_a_tree_of_nbgraders_comes_in_and_its_table_and_pages_go_out(late_toy_course: Path) -> None:
    laid_out(
        late_toy_course / "hw",
        {
            "submitted/ada/ps1/value.py": RIGHT,
            "submitted/ada/ps1/timestamp.txt": "2026-11-20 11:00:00 Europe/Berlin",
            "submitted/bob/ps1/value.py": HALF,
            "submitted/bob/ps1/timestamp.txt": "2026-11-20 12:00:00.5 UTC",
        },
    )
    assert "downloaded from nbgrader: 2 submissions" in grade_and_export(
        late_toy_course, "nbgrader", "hw", "--max-score", "20"
    )
    assert (late_toy_course / "new" / "grades.csv").read_text().splitlines()[1:] == [
        "ps1,,2026-11-20 10:00:00,ada,,,,20.0,0.0,20.0,20.0",
        "ps1,,2026-11-20 12:00:00.500000,bob,,,,10.0,1.0,9.0,20.0",
    ]
    assert (late_toy_course / "new" / "feedback" / "bob" / "ps1" / "value.html").is_file()


def test_a_download_of_brightspace_comes_in_and_its_grades_and_pages_go_out(late_toy_course: Path) -> None:
    with zipfile.ZipFile(late_toy_course / "HW1 Download.zip", "w") as packed:
        packed.writestr("index.html", "<p>")
        for name, source in ((ADA, RIGHT), (BOB, RIGHT), (EARLIER, HALF)):
            packed.writestr(f"{name}/value.py", source)
    (late_toy_course / "grades.csv").write_text(
        "OrgDefinedId,Username,Last Name,First Name,"
        "Doubling Points Grade <Numeric MaxPoints:20>,End-of-Line Indicator\n"
        "#1,#ada,Lovelace,Ada,,#\n#2,#bob,O'Brien,Bob,,#\n#3,#zoe,Zoe,Z,,#\n"
    )
    shown = grade_and_export(late_toy_course, "brightspace", "HW1 Download.zip", "--gradebook", "grades.csv")
    assert "downloaded from Brightspace: 3 submissions" in shown
    assert "there: zoe" in shown
    lines = (late_toy_course / "new" / "grades.csv").read_text().splitlines()
    assert lines[1:] == ["#1,#ada,20,#", "#2,#bob,18,#"]
    with zipfile.ZipFile(late_toy_course / "new" / "feedback.zip") as feedback:
        assert sorted(feedback.namelist()) == [f"{ADA}/feedback.html", f"{BOB}/feedback.html"]


def test_a_folder_of_blackboards_comes_in_and_its_table_goes_out(late_toy_course: Path) -> None:
    laid_out(
        late_toy_course / "gradebook",
        {
            f"{HANDED_IN[0]}_value.py": RIGHT,
            f"{HANDED_IN[0]}.txt": "Name: Ada Lovelace (ada_l)\n\nFiles:\n",
            f"{HANDED_IN[1]}_value.py": HALF,
            f"{HANDED_IN[1]}.txt": "Name: Bob (bob)\n\nFiles:\n",
        },
    )
    table = (
        'Username\tDoubling [Total Pts: 20 Score] |12\tHW2 [Total Pts: 5 Score] |13\r\nada_l\t\t5\r\nbob\t3\t"é"\r\n'
    )
    (late_toy_course / "gc.xls").write_bytes(table.encode("utf-16"))
    grade_and_export(late_toy_course, "blackboard", "gradebook", "--gradebook", "gc.xls", "--overwrite", "bob")
    after = table.replace("ada_l\t", "ada_l\t20").replace("bob\t3", "bob\t9")
    assert (late_toy_course / "new" / "gc.xls").read_bytes() == after.encode("utf-16")


def test_a_folder_of_clones_from_github_comes_in(late_toy_course: Path) -> None:
    for name in ("hw1-ada", "hw1-bob"):
        laid_out(late_toy_course / "clones", {f"{name}/.git/HEAD": "", f"{name}/value.py": RIGHT})
    shown = succeeded(run("batch", "toy", "clones", "--out", "out", "--workers", "1", cwd=late_toy_course))
    assert "downloaded from GitHub: 2 submissions" in shown


EXTENDED = DUE + "    extensions: {bob@uni.example: 2}\n"


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("said_by", ["the platform", "bob", "4711"])
def test_an_extension_goes_by_any_name_on_the_roster(tmp_path: Path, said_by: str) -> None:
    place = write_toy(tmp_path, EXTENDED)
    (place / "students.csv").write_text("student,email,number\nada,ada@uni.example,1\nbob,bob@uni.example,4711\n")
    laid_out(
        place / "hw",
        {"submitted/bob/ps1/value.py": RIGHT, "submitted/bob/ps1/timestamp.txt": "2026-11-20 14:00:00 UTC"},
    )
    more = []
    if said_by != "the platform":
        (place / "times.csv").write_text(f"submission,student,handed_in\nbob,{said_by},2026-11-20 15:00\n")
        more = ["--submission-times", "times.csv"]
    told = succeeded(run("batch", "toy", "hw", "--out", "out", "--roster", "students.csv", *more, cwd=place))
    assert "an extension" not in told
    assert gradebook(place)["final_score"] == "10"
    assert gradebook(place)["student"] == "bob@uni.example"


def gradebook(place: Path) -> dict[str, str]:
    with (place / "out" / "gradebook.csv").open(encoding="utf-8-sig", newline="") as file:
        return next(csv.DictReader(file))
