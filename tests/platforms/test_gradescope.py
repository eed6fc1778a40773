"""Gradescope: its export is read, its image installs the kit, and its results say what students may see."""

from __future__ import annotations

import csv
import math
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from autograder.course import load_course
from autograder.course.model import Visibility
from autograder.faults import CallerFault, KitFault
from autograder.platforms import Download, DownloadedSubmission
from autograder.platforms.gradescope.autograder_zip import make_autograder_zip
from autograder.platforms.gradescope.reader import METADATA_FILE, GradescopeDownloadReader
from autograder.platforms.gradescope.results_json import encode_results_json
from autograder.reports import ScoreReport
from autograder.reports.report_model import FinalScore, Points
from autograder.submissions.origin import Person
from tests.cli.commands import run, succeeded
from tests.platforms.gradescope import DATA, read_results, toy_report
from tests.redteam.container import run_inside, why_not
from tests.reports.sample import LATE, SUSPECT, a_report, almost, shown, with_each_test, with_test
from tests.toy import HALF, RIGHT, SYNTAX, write_toy

# ------------------------------------------------------------------ gradescope export


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


# ------------------------------------------------------------------ gradescope results


MISTAKE = SUSPECT.explanation.rpartition("`")[2].strip(" .")
"""The words of the explanation that Markdown leaves as they are."""
BONUS = "    bonus: {extra: 4}\n"


@pytest.fixture(scope="module")
def half(tmp_path_factory: pytest.TempPathFactory) -> ScoreReport:
    """One of two tests passed, 5 of 10 points, and 2 of 4 of a bonus."""
    return toy_report(tmp_path_factory.mktemp("half"), HALF, BONUS, extra="extra")


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> ScoreReport:
    """Full marks, and all of the bonus."""
    return toy_report(tmp_path_factory.mktemp("right"), RIGHT, BONUS, extra="extra")


def results(report: ScoreReport, bonus: str = "capped") -> dict[str, Any]:
    return read_results(encode_results_json(report, bonus))


def below(data: dict[str, Any]) -> float:
    """What the entries add up to."""
    return round(float(sum(entry.get("score", 0) for entry in data["tests"])), 2)


def with_visibility(report: ScoreReport, tests: Visibility, diagnosis: Visibility = "visible") -> ScoreReport:
    """A report of a course that shows tests and diagnosis so; the diagnosis names a mistake."""
    return shown(structs.replace(report, diagnosis=a_report().diagnosis), tests, diagnosis)


def test_each_test_is_an_entry_with_its_points_and_its_concept_as_a_tag(half: ScoreReport) -> None:
    data = results(half)
    assert [(one["number"], one["score"], one["max_score"], one["status"], one["tags"]) for one in data["tests"]] == [
        ("1.1", 5, 5, "passed", ["doubling"]),
        ("1.2", 0, 5, "failed", ["doubling"]),
        ("2.1", 2, 2, "passed", ["extra"]),
        ("2.2", 0, 2, "failed", ["extra"]),
    ]
    assert data["tests"][0]["name"] == "double(x) is x twice."
    assert data["tests"][2]["name"].endswith("(bonus)")
    assert "double gave 6" in data["tests"][1]["output"]
    assert "output" not in data["tests"][0]


def test_what_is_printed_stays_with_the_staff_and_nobody_is_ranked(half: ScoreReport) -> None:
    data = results(half)
    assert data["stdout_visibility"] == "hidden"
    assert "leaderboard" not in data


def test_a_bonus_that_fills_the_score_up_does_not_hide_that_the_core_is_wrong() -> None:
    data = results(almost())
    assert data["score"] == 20
    assert data["output"].startswith("**20 points**, of which 1\\.8 bonus; the core is not complete.")


def test_the_hint_of_a_test_that_a_mistake_explains_does_not_undo_the_ladder() -> None:
    outputs = [test.get("output", "") for test in results(a_report())["tests"]]
    assert any("Fix this first\\: Gradients are assigned with" in output for output in outputs)
    assert sum("Add to it" in output for output in outputs) == 1, "of the test that nothing explains"


@pytest.mark.parametrize(("bonus", "score"), [("capped", 10), ("added", 14), ("none", 10)])
def test_the_bonus_counts_as_the_teacher_wishes(right: ScoreReport, bonus: str, score: float) -> None:
    assert results(right, bonus)["score"] == score


@pytest.mark.parametrize("bonus", ["added", "none"])
def test_the_score_is_what_the_entries_add_up_to(half: ScoreReport, right: ScoreReport, bonus: str) -> None:
    for report in (half, right):
        data = results(report, bonus)
        assert below(data) == data["score"]
        assert "add up to" not in data["output"]


def test_a_bonus_that_does_not_count_shows_no_points(right: ScoreReport) -> None:
    extra = [entry for entry in results(right, "none")["tests"] if entry["tags"] == ["extra"]]
    assert extra
    assert not any("score" in entry or "max_score" in entry for entry in extra)


def test_where_score_and_entries_differ_the_top_says_why(right: ScoreReport) -> None:
    data = results(right)
    assert (below(data), data["score"]) == (14, 10)
    assert "**10 points count** of the 14 that the tests below add up to" in data["output"]


def test_lateness_is_taken_off_the_score_and_told(half: ScoreReport) -> None:
    late = structs.replace(half, lateness=LATE, final=FinalScore(score=4.5, max_score=10, bonus=1.8))
    data = results(late)
    assert data["score"] == 6.3
    assert LATE.message.strip(".") in data["output"]
    assert "lateness is taken off" in data["output"]


@pytest.mark.parametrize("diagnosis", ["visible", "hidden", "after_due_date", "after_published"])
@pytest.mark.parametrize("tests", ["visible", "hidden", "after_due_date", "after_published"])
def test_no_entry_is_ever_hidden_since_that_may_hide_the_total(
    half: ScoreReport, tests: Visibility, diagnosis: Visibility
) -> None:
    data = results(with_visibility(half, tests, diagnosis))
    assert "hidden" not in {entry["visibility"] for entry in data["tests"]}
    assert data["visibility"] == "visible"


def test_hidden_tests_become_a_line_of_points_for_each_concept(half: ScoreReport) -> None:
    report = with_visibility(half, "hidden")
    data = results(report)
    assert [(one["name"], one["score"], one["max_score"], one["status"]) for one in data["tests"]] == [
        ("doubling", 5, 10, "failed"),
        ("extra (bonus)", 2, 4, "failed"),
    ]
    text = encode_results_json(report).decode()
    for test in report.tests:
        assert test.sentence not in text
        assert not test.message or test.message not in text


@pytest.mark.parametrize("later", ["after_due_date", "after_published"])
def test_what_is_shown_later_says_so_and_is_not_on_top(half: ScoreReport, later: Visibility) -> None:
    data = results(with_visibility(half, later, later))
    assert {entry["visibility"] for entry in data["tests"]} == {later}
    assert MISTAKE not in data["output"]
    assert "double gave" not in data["output"]
    assert MISTAKE in data["tests"][-1]["output"]


def test_a_hidden_diagnosis_is_nowhere(half: ScoreReport) -> None:
    assert MISTAKE.encode() not in encode_results_json(with_visibility(half, "visible", "hidden"))
    assert MISTAKE.encode() in encode_results_json(with_visibility(half, "visible", "visible"))


def test_a_fault_of_the_grader_costs_no_points_and_is_told(half: ScoreReport) -> None:
    broken = with_test(half, 1, outcome="grader error", score=5.0, message="This test does not work here.")
    full = FinalScore(score=10, max_score=10, bonus=0)
    report = structs.replace(broken, score=10.0, final=full, bonus=Points(score=0, max_score=4))
    data = results(report)
    assert (data["tests"][1]["status"], data["tests"][1]["score"]) == ("passed", 5)
    assert data["score"] == 10
    assert "1 test could not be run" in data["output"]


def test_what_cannot_be_graded_gets_one_entry_and_a_reason(tmp_path: Path) -> None:
    data = results(toy_report(tmp_path, SYNTAX))
    assert data["score"] == 0
    assert [(one["score"], one["max_score"], one["status"]) for one in data["tests"]] == [(0, 10, "failed")]
    assert "line 1" in data["output"]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_none_is_a_fault_and_no_score(half: ScoreReport, number: float) -> None:
    with pytest.raises(KitFault, match="number"):
        encode_results_json(structs.replace(half, final=FinalScore(score=number, max_score=10, bonus=0)), "none")


def test_points_are_written_in_hundredths(half: ScoreReport) -> None:
    entries = results(with_each_test(half, score=0.1 + 0.2, visibility="hidden"))["tests"]
    assert [entry["score"] for entry in entries] == [0.6, 0.6]


# ------------------------------------------------------------------ gradescope image


PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
NETWORK = "import socket; socket.create_connection(('203.0.113.1', 80), 1)"
READ_TESTS = """
import glob
found = []
for path in ('{root}/source/course/**', '/autograder/**', '/proc/1/environ', '{root}/submission_metadata.json'):
    for one in glob.glob(path, recursive=True):
        try:
            with open(one) as file:
                found.append(file.read())
        except Exception:
            pass
def double(x):
    return x + x if found else 6
"""


def unpacked(course: Path, root: Path) -> Path:
    """``/autograder`` with the zip in ``source``, as the platform lays it out."""
    (assignment,) = load_course(course).assignments
    packed = make_autograder_zip(assignment)
    (root / "results").mkdir(parents=True)
    (root / "submission").mkdir()
    shutil.copy(DATA / "submission_metadata.json", root)
    (root / "toy.zip").write_bytes(packed)
    with zipfile.ZipFile(root / "toy.zip") as archive:
        archive.extractall(root / "source")
        for info in archive.infolist():
            (root / "source" / info.filename).chmod(info.external_attr >> 16)
    shutil.copy(root / "source" / "run_autograder", root)
    return root


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """``/autograder`` after ``setup.sh``, which had no network, and the packages from a folder."""
    reason = why_not()
    if reason:
        pytest.skip(reason)
    python = shutil.which(f"python{PYTHON}", path=PATH)
    if not python or subprocess.run([python, "-c", "import ensurepip, venv"], check=False).returncode:
        pytest.skip(f"there is no python{PYTHON} in {PATH} that can make a virtual environment")
    folder = tmp_path_factory.mktemp("gradescope")
    root = unpacked(write_toy(folder / "course"), folder / "autograder")
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", f"{folder}/wheels"]
    locked = ["--require-hashes", "--requirement", f"{root}/source/requirements.lock"]
    if subprocess.run([*download, *locked], check=False).returncode:
        pytest.skip("pip cannot download here")
    with (root / "source" / "settings.sh").open("a", encoding="utf-8") as settings:
        settings.write(f"pythons={PYTHON}\nexport PIP_NO_INDEX=1 PIP_FIND_LINKS={folder}/wheels\n")
    done = inside(root, "bash", root / "source" / "setup.sh")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "the reference solution passes all 2 tests here" in done.stdout
    yield root
    shutil.rmtree(root)


def inside(root: Path, *command: object) -> subprocess.CompletedProcess[str]:
    """Run a command as the container's root, without a network and without this machine's settings."""
    settings = {"PATH": PATH, "HOME": "/root", "GRADESCOPE_ROOT": str(root), "PIP_CONFIG_FILE": os.devnull}
    return run_inside(command, network=False, env=settings, cwd=root, timeout=300)


def read_image_score(root: Path, source: str) -> float:
    """The score of a submission."""
    (root / "submission" / "value.py").write_text(source, encoding="utf-8")
    (root / "results" / "results.json").unlink(missing_ok=True)
    done = inside(root, root / "run_autograder")
    assert done.returncode == 0, done.stderr[-2000:]
    score = read_results((root / "results" / "results.json").read_bytes())["score"]
    assert isinstance(score, int | float)
    return score


@pytest.mark.thorough
def test_there_is_no_network_in_it(home: Path) -> None:
    assert "unreachable" in inside(home, sys.executable, "-c", NETWORK).stderr


@pytest.mark.thorough
def test_submissions_are_graded_there(home: Path) -> None:
    assert read_image_score(home, RIGHT) == 10
    assert read_image_score(home, HALF) == 5


@pytest.mark.thorough
def test_the_hidden_tests_are_out_of_reach_there(home: Path) -> None:
    spy: dict[str, Any] = {}
    exec(READ_TESTS.format(root=home), spy)
    assert spy["double"](5) == 10
    assert any("def test_double" in text for text in spy["found"])  # outside, it does find them
    assert read_image_score(home, READ_TESTS.format(root=home)) == 5
    assert not (home / "source" / "course").stat().st_mode & 0o077


@pytest.mark.thorough
def test_what_lies_in_the_submission_is_never_the_kit(home: Path) -> None:
    for folder in ("", "autograder"):
        (home / "submission" / folder).mkdir(exist_ok=True)
        for name in ("sitecustomize.py", "__init__.py", "autograder.py", "click.py"):
            (home / "submission" / folder / name).write_text("raise SystemExit(0)\n", encoding="utf-8")
    assert read_image_score(home, HALF) == 5


def test_without_a_python_setup_says_which_ones_would_do(tmp_path: Path) -> None:
    root = unpacked(write_toy(tmp_path / "course"), tmp_path / "autograder")
    settings = root / "source" / "settings.sh"
    settings.write_text(settings.read_text(encoding="utf-8").replace("3.14 3.13 3.12 3.11", "3.98 3.97"), "utf-8")
    asked = fake(tmp_path, "apt-get", 'echo "$*" >> "$HOME/asked"; [ "$1" = update ]')
    done = subprocess.run(
        ["bash", root / "source" / "setup.sh"], env=asked, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "there is no Python 3.98 3.97 here" in done.stderr
    installs = (tmp_path / "asked").read_text(encoding="utf-8").splitlines()[1:]
    assert [line.split()[-2:] for line in installs] == [
        ["python3.98", "python3.98-venv"],
        ["python3.97", "python3.97-venv"],
    ]


@pytest.mark.thorough
def test_an_image_that_cannot_grade_is_not_built(home: Path) -> None:
    solution = home / "source" / "course" / "solutions" / "toy" / "value.py"
    solution.write_text("def double(x):\n    return 6\n", encoding="utf-8")
    done = inside(home, "bash", home / "source" / "setup.sh")
    solution.write_text(RIGHT, encoding="utf-8")
    assert done.returncode == 1
    assert "the reference solution fails 1 of 2 tests here" in done.stderr
    assert "this image cannot grade" in done.stderr


def fake(folder: Path, name: str, script: str) -> dict[str, str]:
    """An environment in which a program is replaced."""
    programs = folder / "programs"
    programs.mkdir()
    (programs / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    (programs / name).chmod(0o755)
    return {"PATH": f"{programs}:{PATH}", "HOME": str(folder)}
