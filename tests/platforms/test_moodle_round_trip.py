"""From Moodle and back with the commands that a teacher types."""

from __future__ import annotations

import csv
import io
import zipfile
from pathlib import Path

import pytest

from tests.cli.commands import run, succeeded
from tests.platforms.moodle_class import COMMENT, GOLDEN, GRADE, with_cells
from tests.toy import HALF, RIGHT, write_toy

ROOT = Path(__file__).parents[2]
EMPTY = with_cells(
    (GOLDEN / "plain_worksheet.csv").read_bytes(),
    {(row, column): "" for row in range(1, 7) for column in (GRADE, COMMENT)},
)
TYPED = "<html><body><p>def double(x):<br>&nbsp;&nbsp;&nbsp; return x + x</p></body></html>"
FOLDERS = {
    "Ada Lovelace_2_assignsubmission_file/value.py": RIGHT,
    "Bob Builder_4_assignsubmission_file/value.py": HALF,
    "Bob Builder_4_assignsubmission_file/Ada Lovelace_2_assignsubmission_file/value.py": "x = 'nobody'\n",
    "José María Ñandú-OBrien_6_assignsubmission_file/value.py": RIGHT,
    "A b 12 van der Berg, Jr._5_assignsubmission_file/my value (1).py": RIGHT,
    "小龙 李_1_assignsubmission_onlinetext/onlinetext.html": TYPED,
}
FLAT = {
    name.replace("_file/", "_file_").replace("_onlinetext/", "_onlinetext_"): text
    for name, text in FOLDERS.items()
    if name.count("/") == 1
}


def packed(place: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(place, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return place


@pytest.mark.parametrize("files", [FOLDERS, FLAT], ids=["folders", "flat"])
def test_a_class_comes_from_moodle_and_its_worksheet_and_pages_go_back(tmp_path: Path, files: dict[str, str]) -> None:
    place = write_toy(tmp_path)
    packed(place / "MG101-HW1-3.zip", files)
    (place / "grades.csv").write_bytes(EMPTY)
    succeeded(run("batch", "toy", "MG101-HW1-3.zip", "--from", "moodle", "--out", "out", "--workers", "1", cwd=place))
    shown = succeeded(
        run("export", "moodle", "--batch", "out", "--gradebook", "grades.csv", "--out", "upload", cwd=place)
    )
    assert "No Submission (3)" in shown
    rows = list(csv.DictReader(io.StringIO((place / "upload" / "worksheet.csv").read_text("utf-8-sig"), newline="")))
    assert {row["Full name"]: row["Grade"] for row in rows} == {
        "Ada Lovelace": "20",
        "Bob Builder": "10",
        "José María Ñandú-O'Brien": "20",
        "小龙 李": "20",
        "A_b 12 van der Berg, Jr.": "20",
        "No Submission": "",
    }
    assert rows[1]["Feedback comments"].startswith("Autograder: 10 of 20 points. ")
    with zipfile.ZipFile(place / "upload" / "feedback.zip") as archive:
        assert sorted(archive.namelist()) == [
            "A b 12 van der Berg, Jr._5_assignfeedback_file/feedback.html",
            "Ada Lovelace_2_assignfeedback_file/feedback.html",
            "Bob Builder_4_assignfeedback_file/feedback.html",
            "José María Ñandú-OBrien_6_assignfeedback_file/feedback.html",
            "小龙 李_1_assignfeedback_file/feedback.html",
        ]
        assert "double" in archive.read("Bob Builder_4_assignfeedback_file/feedback.html").decode()


def test_a_dry_run_writes_nothing_and_another_courses_sheet_is_told(tmp_path: Path) -> None:
    place = write_toy(tmp_path)
    packed(place / "hw.zip", {"Eve Other_2_assignsubmission_file/value.py": RIGHT})
    (place / "grades.csv").write_bytes(EMPTY)
    succeeded(run("batch", "toy", "hw.zip", "--out", "out", "--workers", "1", cwd=place))
    done = run(
        "export", "moodle", "--batch", "out", "--gradebook", "grades.csv", "--out", "up", "--dry-run", cwd=place
    )
    assert done.returncode == 2
    assert "none of the students of this class is among the platform's" in " ".join(done.stderr.split())
    assert not (place / "up").exists()


@pytest.mark.thorough
def test_the_example_class_goes_from_moodle_and_back(tmp_path: Path) -> None:
    example = ROOT / "examples" / "moodle"
    course = ("--course", str(ROOT))
    succeeded(
        run(
            "batch",
            "autograd-engine",
            example / "submissions.zip",
            "--out",
            tmp_path / "out",
            *course,
            "--no-explain",
        )
    )
    sheet = example / "worksheet.csv"
    succeeded(
        run("export", "moodle", "--batch", tmp_path / "out", "--gradebook", sheet, "--out", tmp_path / "up", *course)
    )
    written = (tmp_path / "up" / "worksheet.csv").read_text("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(written, newline="")))
    assert {row["Full name"]: row["Grade"] for row in rows} == {
        "Ada Lovelace": "20",
        "Bob O_Malley, Jr.": "14.98",
        "小龙 李": "20",
        "Noor Haddad": "",
    }
