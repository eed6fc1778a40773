"""What "Export submissions" packs is read: who, when, and which folder."""

from __future__ import annotations

import csv
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from autograder.faults import CallerFault
from autograder.platforms import Download, DownloadedSubmission
from autograder.platforms.gradescope.reader import METADATA_FILE, GradescopeDownloadReader
from autograder.submissions.origin import Person
from tests.cli.commands import run, succeeded
from tests.platforms.gradescope import DATA
from tests.toy import HALF, RIGHT, write_toy

READER = GradescopeDownloadReader()
WHEN = datetime(2026, 4, 26, 17, 34, 0, 861687, UTC)


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """``assignment_1_export`` with the sample table, a folder for all but one, and one beyond it."""
    root = tmp_path / "assignment_1_export"
    for number in (23, 24, 26, 99):
        folder = root / f"submission_4091940{number}"
        folder.mkdir(parents=True)
        (folder / "value.py").write_text(f"number = {number}\n", encoding="utf-8")
    shutil.copy(DATA / METADATA_FILE, root)
    return root


def read_gradescope(root: Path) -> dict[str, DownloadedSubmission]:
    """Its arrivals by name, once it is recognised."""
    download = Download(root)
    assert READER.recognises(download)
    arrivals = list(READER.read(download))
    assert len({one.name for one in arrivals}) == len(arrivals)
    return {one.name: one for one in arrivals}


def table(root: Path, text: str) -> Path:
    root.mkdir(exist_ok=True)
    (root / METADATA_FILE).write_text(text, encoding="utf-8")
    return root


def entry(**fields: str) -> str:
    """A table of one submission."""
    lines = [f"  :{name}: {value}\n" for name, value in ({"submitters": "[]"} | fields).items()]
    return "submission_1:\n" + "".join(lines)


def test_each_submission_has_its_students_its_time_and_its_folder(export: Path) -> None:
    one = read_gradescope(export)["submission_409194023"]
    assert one.origin.people == (Person(id="00123", name="Ada Ünlü, B.Sc.", email="ada@uni.example"),)
    assert one.origin.student_or_group_identifier == "ada@uni.example"
    assert one.origin.handed_in == WHEN
    assert one.folder == "submission_409194023"
    assert one.origin.platform == "gradescope"


def test_it_is_read_alike_when_the_folder_around_it_is_named(export: Path) -> None:
    inner, outer = read_gradescope(export), read_gradescope(export.parent)
    assert inner.keys() == outer.keys()
    assert outer["submission_409194023"].folder == "assignment_1_export/submission_409194023"
    assert outer["submission_409194023"].origin.people == inner["submission_409194023"].origin.people


def test_a_group_has_several_students_and_a_number_keeps_its_zeros(export: Path) -> None:
    people = read_gradescope(export)["submission_409194024"].origin.people
    assert [(one.id, one.email) for one in people] == [("00456", "mallory@uni.example"), ("", "li@uni.example")]
    assert people[1].name == "李小龍"


def test_times_are_in_utc_and_nine_digits_are_cut(export: Path) -> None:
    arrivals = read_gradescope(export)
    assert arrivals["submission_409194024"].origin.handed_in == WHEN.replace(microsecond=0)
    assert arrivals["submission_409194026"].origin.handed_in == WHEN


def test_nobody_and_nothing_is_an_arrival_too(export: Path) -> None:
    one = read_gradescope(export)["submission_409194025"]
    assert (one.origin.people, one.origin.handed_in, one.folder, one.files) == ((), None, "", {})


def test_a_folder_that_the_table_does_not_know_is_not_lost(export: Path) -> None:
    one = read_gradescope(export)["submission_409194099"]
    assert one.folder == "submission_409194099"
    assert one.origin.people == ()


@pytest.mark.parametrize(
    ("written", "hour"),
    [
        ("2026-04-26 17:34:00.861687000 Z", 17),
        ("2026-04-26 17:34:00 Z", 17),
        ("2026-04-26T17:34:00.5+02:00", 15),
        ("2026-04-26 17:34:00.861687 -0700", 0),
        ("2026-04-26 17:34:00", 17),
        ("'2026-04-26 17:34:00 UTC'", 17),
    ],
)
def test_a_time_is_understood_however_it_is_written(tmp_path: Path, written: str, hour: int) -> None:
    (one,) = read_gradescope(table(tmp_path, entry(created_at=written))).values()
    assert one.origin.handed_in is not None
    assert one.origin.handed_in.hour == hour
    assert one.origin.handed_in.tzinfo is UTC


@pytest.mark.parametrize("written", ["yesterday", "2026-13-01 00:00:00 Z", "0001-01-01 00:00:00 +1400", "[1, 2]x"])
def test_a_time_that_is_none_is_told_with_the_submission(tmp_path: Path, written: str) -> None:
    with pytest.raises(CallerFault, match="submission_1: created_at"):
        read_gradescope(table(tmp_path, entry(created_at=f'"{written}"')))


def test_a_link_in_an_export_is_nobodys_folder(export: Path, tmp_path: Path) -> None:
    shutil.rmtree(export / "submission_409194023")
    (export / "submission_409194023").symlink_to(tmp_path)
    (export / "submission_7").symlink_to(tmp_path)
    arrivals = read_gradescope(export)
    assert arrivals["submission_409194023"].folder == ""
    assert "submission_7" not in arrivals


def test_a_table_inside_a_submission_changes_nothing(export: Path) -> None:
    before = read_gradescope(export)
    table(export / "submission_409194023", entry(created_at="2000-01-01 00:00:00 Z"))
    (export / "submission_409194023" / "submission_1").mkdir()
    assert read_gradescope(export) == before


@pytest.mark.parametrize(
    "key", ["../submission_1", "submission_1/..", "/etc", "submission_", "submission_1\u0660x", "2"]
)
def test_a_key_that_is_no_submission_is_refused(tmp_path: Path, key: str) -> None:
    root = table(tmp_path, f'{entry()}"{key}":\n  :submitters: []\n')
    with pytest.raises(CallerFault, match="is not a submission"):
        read_gradescope(root)


@pytest.mark.parametrize(
    "text", ["submission_1:\n  :a: [\n", "submission_1:\n  :a: 1\n- b\n", "submission_1:\n  :a: *x\n"]
)
def test_a_broken_table_is_told(tmp_path: Path, text: str) -> None:
    with pytest.raises(CallerFault, match="YAML"):
        read_gradescope(table(tmp_path, text))


def test_no_object_is_ever_made_of_it(tmp_path: Path) -> None:
    name = "!!python/object/apply:os.system ['touch made']"
    arrivals = read_gradescope(
        table(tmp_path, f"submission_1:\n  :submitters:\n  - :name: {name}\n    :email: a@b\n")
    )
    (person,) = arrivals["submission_1"].origin.people
    assert (person.name, person.email) == ("", "a@b")
    assert not Path("made").exists()


@pytest.mark.parametrize(
    "text", ["", "a: 1\n", "submission_1: 2\n", "# submission_1:\n", "x" * 1000, "submission_1:\n- a\n"]
)
def test_a_plain_folder_never_passes_for_an_export(tmp_path: Path, text: str) -> None:
    (tmp_path / "submission_1").mkdir()
    assert not READER.recognises(Download(tmp_path))
    assert not READER.recognises(Download(table(tmp_path, text)))


def test_a_linked_table_is_not_recognised(export: Path, tmp_path: Path) -> None:
    (export / METADATA_FILE).rename(tmp_path / "elsewhere.yml")
    (export / METADATA_FILE).symlink_to(tmp_path / "elsewhere.yml")
    assert not READER.recognises(Download(export))


def test_a_class_is_graded_from_its_export_with_its_students_and_their_deadlines(export: Path) -> None:
    place = write_toy(
        export.parent / "course",
        "    deadline: 2026-04-25 20:00\n    late: {percent_per_day: 10}\n    extensions: {ada@uni.example: 3}\n",
    )
    sources = {23: RIGHT, 24: HALF, 26: RIGHT, 99: RIGHT}
    for number, source in sources.items():
        (export / f"submission_4091940{number}" / "value.py").write_text(source, encoding="utf-8")
    shutil.make_archive(str(place / "export"), "zip", export.parent, export.name)
    shown = succeeded(run("batch", "toy", "export.zip", "--out", "out", "--workers", "1", cwd=place))
    assert "downloaded from Gradescope: 5 submissions" in shown
    with (place / "out" / "gradebook.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["submission"].removeprefix("submission_4091940"): row for row in csv.DictReader(file)}
    assert {name: float(row["final_score"]) for name, row in rows.items()} == {
        "23": 10,
        "24": 4.5,
        "25": 0,
        "26": 9,
        "99": 10,
    }
    assert rows["23"]["student"] == "ada@uni.example"
