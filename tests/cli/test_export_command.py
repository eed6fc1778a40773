"""`autograder batch` reads what a platform packed, and `autograder export` writes what it takes.

The platform is one that a course added: an installed distribution with an entry point, as any course may have.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.cli.commands import run, succeeded, told
from tests.platforms.installed import distribution
from tests.toy import HALF, RIGHT, write_toy

ROOT = Path(__file__).parents[2]
NOON = 1763719200
"""2025-11-21 10:00 UTC, 11:00 in Berlin, in seconds."""
DUE = """\
    deadline: 2025-11-21 12:00
    late: {percent_per_day: 10}
    extensions: {bob@example.com: 2}
"""
CLASS = {
    f"ada#1@{NOON}": RIGHT,
    f"bob#2@{NOON + 86_400}": HALF,
    f"eve#3@{NOON + 86_400}": RIGHT,
    "kim, \"jr\"#4!": RIGHT,
    "=cmd#5": RIGHT,
}  # fmt: skip
ROSTER = "student,school,name\nada@example.com,1,Ada\nbob@example.com,2,Bob\nzoe@example.com,9,Zoe\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the platform's distribution in it."""
    return distribution(tmp_path_factory.mktemp("site"), "school", "tests.platforms.school:SCHOOL")


@pytest.fixture(autouse=True)
def with_school(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", f"{installed}:{ROOT}")


@pytest.fixture(scope="module")
def graded_class(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = write_toy(tmp_path_factory.mktemp("toy"), DUE)
    for name, source in CLASS.items():
        (place / "class" / name).mkdir(parents=True)
        (place / "class" / name / "value.py").write_text(f"{source}# {name}\n", encoding="utf-8")
    (place / "roster.csv").write_text(ROSTER)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", f"{installed}:{ROOT}")
        done = run("batch", "toy", "class", "--out", "out", "--roster", "roster.csv", cwd=place)
    (place / "shown.txt").write_text(succeeded(done), encoding="utf-8")
    return place


def rows(place: Path) -> dict[str, dict[str, str]]:
    with (place / "out" / "gradebook.csv").open(encoding="utf-8", newline="") as file:
        return {row["submission"]: row for row in csv.DictReader(file)}


# In


def test_it_is_said_where_a_class_comes_from_and_who_is_missing(graded_class: Path) -> None:
    shown = (graded_class / "shown.txt").read_text(encoding="utf-8")
    assert "downloaded from School: 5 submissions" in shown
    assert 'penalty applied (give times with --submission-times): kim, "jr"_4' in shown
    assert 'not on the roster, graded all the same: =cmd_5, eve_3, kim, "jr"_4' in shown
    assert "on the roster, without a submission: zoe@example.com" in shown


def test_a_program_is_told_so_too(class_copy: Path) -> None:
    lines = succeeded(
        run("batch", "toy", "class", "--out", "out", "--json-lines", "--roster", "roster.csv", cwd=class_copy)
    ).splitlines()
    notes = json.loads(lines[-1])["notes"]
    assert "downloaded from School: 5 submissions" in notes
    assert "on the roster, without a submission: zoe@example.com" in notes


def test_times_of_the_platform_count_and_an_extension_is_found_by_the_rosters_name(graded_class: Path) -> None:
    late = {name: (row["days_late"], row["final_score"]) for name, row in rows(graded_class).items()}
    assert late == {
        "ada_1": ("0", "10"),
        "bob_2": ("0", "5"),
        "eve_3": ("1", "9"),
        'kim, "jr"_4': ("", "10"),
        "'=cmd_5": ("", "10"),
    }


def test_the_gradebook_says_whose_each_submission_is(graded_class: Path) -> None:
    found = rows(graded_class)
    assert (found["ada_1"]["student"], found["ada_1"]["name"]) == ("ada@example.com", "ada")
    assert (found['kim, "jr"_4']["student"], found['kim, "jr"_4']["marked_late"]) == ("4", "yes")
    assert found["'=cmd_5"]["name"] == "'=cmd"


def test_a_regrade_reads_the_download_as_it_was_read(class_copy: Path) -> None:
    again = run("regrade", "toy", "--out", "out", "--explain", cwd=class_copy)
    assert "5 submissions: 0 graded" in succeeded(again)
    assert rows(class_copy)["ada_1"]["student"] == "ada@example.com"


def test_a_platform_that_packs_nothing_that_can_be_read_is_told(class_copy: Path) -> None:
    line = told(run("batch", "toy", "class", "--out", "new", "--from", "nowhere", cwd=class_copy))
    assert "unknown platform 'nowhere' (choose from " in line


# Out


def export(place: Path, *arguments: str) -> str:
    return succeeded(run("export", "school", "--batch", "out", *arguments, cwd=place))


def files(place: Path) -> list[Path]:
    """All but the store's own, which come and go while it is open."""
    return [path for path in place.rglob("*") if path.is_file() and "sqlite" not in path.name]


def test_a_table_is_filled_in_and_who_matches_nobody_is_told(class_copy: Path) -> None:
    (class_copy / "points.csv").write_text("id,points\n1,3\n2,\n9,1\n")
    shown = export(class_copy, "--gradebook", "points.csv", "--out", "new.csv", "--overwrite", "1")
    assert (class_copy / "new.csv").read_text() == "id,points\n1,10\n2,5\n9,1\n"
    assert "3 submissions match no student in the platform's table:" in shown
    assert '  kim, "jr"_4 is not in the table' in shown
    assert "no result for 1 student there: 9" in shown
    assert 'marked late by the platform; no submission time is known, so no penalty was applied: kim, "jr"_4' in shown
    assert "wrote new.csv" in shown


def test_the_table_of_another_course_is_refused_and_nothing_is_written(class_copy: Path) -> None:
    (class_copy / "points.csv").write_text("id,points\n91,3\n92,\n")
    done = run("export", "school", "--batch", "out", "--gradebook", "points.csv", "--out", "new.csv", cwd=class_copy)
    assert done.returncode == 2
    assert "among the platform's (is this the worksheet of another course? name that of the class" in told(done)
    assert "submissions match no student in the platform's table:" in done.stdout
    assert not (class_copy / "new.csv").exists()


def test_a_dry_run_shows_old_and_new_and_writes_nothing(class_copy: Path) -> None:
    (class_copy / "points.csv").write_text("id,points\n1,10\n2,7\n")
    before = {path: path.stat().st_mtime_ns for path in files(class_copy)}
    shown = [
        " ".join(line.split()) for line in export(class_copy, "--gradebook", "points.csv", "--dry-run").splitlines()
    ]
    assert "student old new" in shown
    assert "1 10 10" in shown
    assert "2 7 7 set by a person and kept; the results say 5" in shown
    assert {path: path.stat().st_mtime_ns for path in files(class_copy)} == before


def test_one_reports_results_go_to_the_terminal(class_copy: Path) -> None:
    done = run("export", "school", "--report", "out/reports/ada_1.json", "--set", "word=marks", cwd=class_copy)
    assert succeeded(done) == "10 marks\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["school"], "exactly one of --batch and --report is required"),
        (["school", "--batch", "out", "--report", "x.json"], "exactly one of --batch and --report is required"),
        (["school", "--batch", "out"], "missing option --out (name a folder to write to)"),
        (["school", "--batch", "nowhere", "--out", "x"], "nowhere: the results folder has no results.sqlite"),
        (["school", "--report", "nowhere.json"], "nowhere.json: cannot read this file"),
        (
            ["school", "--batch", "out", "--set", "colour=red"],
            "unknown setting 'colour=red' of School (choose from bonus=..., word=...)",
        ),
        (["school", "--batch", "out", "--set", "bonus=double", "--out", "x"], "unknown bonus rule 'double'"),
        (["school", "--batch", "out", "--gradebook", "none.csv", "--out", "x"], "none.csv: cannot read this file"),
        (["nowhere", "--batch", "out"], "unknown platform 'nowhere'"),
        (["school", "--batch", "out", "--upload"], "school accepts no uploads by programs"),
    ],
)
def test_a_callers_mistake_is_told_in_one_line(graded_class: Path, arguments: list[str], says: str) -> None:
    assert says in told(run("export", *arguments, cwd=graded_class))


def test_platforms_are_listed_with_what_they_offer(graded_class: Path) -> None:
    lines = succeeded(run("export", "list", cwd=graded_class)).splitlines()
    assert ["school", "yes", "yes", "yes", "bonus,", "word"] in [line.split() for line in lines]


def test_what_can_be_set_is_explained(graded_class: Path) -> None:
    lines = succeeded(run("export", "list", "school", cwd=graded_class)).splitlines()
    assert ["word=...", "what", "points", "are", "called"] in [line.split() for line in lines]
    assert any(line.startswith("bonus=...") for line in lines)
    assert "unknown platform 'nowhere'" in told(run("export", "list", "nowhere", cwd=graded_class))


def test_why_a_score_is_0_or_not_lowered_is_said_before_it_is_written(tmp_path: Path) -> None:
    place = write_toy(tmp_path, DUE)
    for name, source in (("ada#1", RIGHT), ("bob#2", "def double(x:")):
        (place / "class" / name).mkdir(parents=True)
        (place / "class" / name / "value.py").write_text(source)
    succeeded(run("batch", "toy", "class", "--out", "out", cwd=place))
    shown = export(place, "--dry-run")
    assert "no points for 1 submission that could not be graded: bob_2 (syntax-error)" in shown
    assert "no lateness is applied: run `autograder batch` with --submission-times" in shown


@pytest.mark.parametrize("module", ["not_there_school", "broken_school"])
def test_a_platform_that_cannot_be_loaded_is_told_in_one_line(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    distribution(tmp_path, "other", f"{module}:OTHER")
    (tmp_path / "broken_school.py").write_text("raise RuntimeError('two\\nlines')\n")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{installed}:{ROOT}")
    said = told(run("export", "list", cwd=tmp_path))
    assert f"entry point other = {module}:OTHER: the platform raised " in said
    assert "fix or uninstall other 1, which brings it" in said


@pytest.mark.parametrize("points", ["nan", "inf", "-1", "0", "1e400"])
def test_full_marks_are_a_number_of_points(graded_class: Path, points: str) -> None:
    done = run("export", "school", "--batch", "out", "--out", "export", "--max-score", points, cwd=graded_class)
    assert done.returncode == 2
    assert "--max-score" in done.stderr


def test_the_table_that_was_read_is_never_written_over(class_copy: Path) -> None:
    made = class_copy / "again"
    succeeded(run("export", "school", "--batch", "out", "--out", "again", cwd=class_copy))
    sheet = next(path for path in made.iterdir() if path.is_file())
    sheet.write_text("id,points\n1,3\n2,\n")
    before = {path: path.read_bytes() for path in made.iterdir() if path.is_file()}
    done = run("export", "school", "--batch", "out", "--gradebook", str(sheet), "--out", "again", cwd=class_copy)
    assert done.returncode == 2
    assert f"{sheet.name}: the export would replace the table that it was made from" in told(done)
    assert {path: path.read_bytes() for path in made.iterdir() if path.is_file()} == before
