"""A class is graded into one report a student and one gradebook; whatever was handed in, the batch goes on."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from autograder.batch import BatchSummary, run_batch
from autograder.batch.names import LONGEST, file_name
from autograder.batch.work import Done
from autograder.course import Assignment
from autograder.reports import ScoreReport, read_report
from autograder.sandbox import Sandbox
from autograder.submissions import open_entries
from autograder.text import clean, clean_name

MB = 2**20
ENGINE = "class Value:\n    def __init__(self, data):\n        self.data, self.grad = data, 0.0\n"


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch that was run."""

    out: Path
    names: list[str]
    summary: BatchSummary

    @property
    def reports(self) -> dict[str, ScoreReport]:
        """Every report there is, by the submission's name."""
        return {report.submission.id: report for report in map(read_report, (self.out / "reports").iterdir())}

    @property
    def gradebook(self) -> list[dict[str, str]]:
        with (self.out / "gradebook.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    @property
    def written_at(self) -> dict[str, int]:
        return {path.name: path.stat().st_mtime_ns for path in (self.out / "reports").iterdir()}


Grade = Callable[..., Batch]
Make = Callable[[Path], object]


def grade_all(
    source: Path,
    out: Path,
    assignment: Assignment,
    sandbox: Sandbox,
    progress: Callable[[Done], None] = lambda done: None,
    workers: int = 1,
) -> Batch:
    with open_entries(source) as entries:
        summary = run_batch(entries, assignment, sandbox, out, workers=workers, progress=progress)
        return Batch(out, [entry.name for entry in entries], summary)


def write_class(folder: Path) -> Path:
    """Three students: Alice has written something, Bob nothing, Carol has a syntax error."""
    folder.mkdir()
    (folder / "alice.py").write_text(ENGINE, encoding="utf-8")
    (folder / "bob.py").touch()
    (folder / "carol.py").write_text("def (:\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def first(engine: Assignment, sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Batch:
    """The class, graded for the first time; not to be changed."""
    place = tmp_path_factory.mktemp("first")
    return grade_all(write_class(place / "class"), place / "out", engine, sandbox)


@pytest.fixture
def students(tmp_path: Path) -> Path:
    """The class, to be changed."""
    return write_class(tmp_path / "class")


@pytest.fixture
def grade(engine: Assignment, sandbox: Sandbox, tmp_path: Path) -> Grade:
    """Grade a folder or zip, into the same place each time."""

    def graded(source: Path, **settings: Any) -> Batch:
        return grade_all(source, tmp_path / "out", sandbox=sandbox, **{"assignment": engine, **settings})

    return graded


@pytest.fixture
def grade_again(first: Batch, grade: Grade, tmp_path: Path) -> Grade:
    """Grade a folder into a place where the class was graded before."""
    shutil.copytree(first.out, tmp_path / "out")
    return grade


def notebook(*cells: str, output: str = "") -> str:
    outputs = [{"output_type": "stream", "name": "stdout", "text": output}] if output else []
    made = [
        {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": outputs, "source": source}
        for source in cells
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})


def zipped(path: Path, members: Iterable[tuple[str, str]], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as opened:
        for name, text in members:
            opened.writestr(name, text)
    return path


# One report a student, and one gradebook


def test_every_student_gets_a_report(first: Batch) -> None:
    assert {name: report.status.outcome for name, report in first.reports.items()} == {
        "alice": "graded",
        "bob": "empty",
        "carol": "syntax-error",
    }


def test_who_was_graded_has_the_record_of_pytest_too(first: Batch) -> None:
    assert [path.name for path in (first.out / "raw").iterdir()] == ["alice.json"]


def test_the_gradebook_has_a_column_for_each_concept(first: Batch, engine: Assignment) -> None:
    concepts = [concept.name for concept in engine.concepts]
    columns = list(first.gradebook[0])
    first_ones = ["submission", "score", "max_score", "bonus", "status", *concepts, "grader_errors", "message"]
    assert columns[: len(first_ones)] == first_ones


def test_the_gradebook_has_a_row_for_each_student_in_order(first: Batch) -> None:
    assert [row["submission"] for row in first.gradebook] == ["alice", "bob", "carol"]


def test_the_gradebook_says_what_the_reports_say(first: Batch) -> None:
    reports = first.reports
    for row in first.gradebook:
        report = reports[row["submission"]]
        assert float(row["score"]) == pytest.approx(report.score, abs=0.005)
        assert (row["status"], row["message"]) == (report.status.outcome, report.status.message)
        for concept in report.concepts:
            assert float(row[concept.name]) == pytest.approx(concept.score, abs=0.005)


def test_the_summary_counts_what_came_of_the_batch(first: Batch) -> None:
    summary = first.summary
    assert (summary.submissions, summary.graded, summary.reused, summary.failures) == (3, 3, 0, [])
    assert summary.statuses == {"graded": 1, "empty": 1, "syntax-error": 1}
    assert summary.mean == pytest.approx(first.reports["alice"].score / 3)


def test_progress_is_told_once_for_each_student(grade: Grade, students: Path) -> None:
    told: list[Done] = []
    grade(students, progress=told.append)
    assert sorted((done.name, done.reused) for done in told) == [("alice", False), ("bob", False), ("carol", False)]


def test_nothing_is_left_beside_the_reports(first: Batch) -> None:
    assert sorted(path.name for path in first.out.iterdir()) == ["gradebook.csv", "raw", "reports", "results.sqlite"]
    assert sorted(first.written_at) == ["alice.json", "bob.json", "carol.json"]


def test_nothing_is_written_where_the_submissions_are(grade: Grade, students: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in students.rglob("*")}
    grade(students)
    assert {path: path.stat().st_mtime_ns for path in students.rglob("*")} == before


def test_two_workers_come_to_the_same_results_as_one(first: Batch, grade: Grade, students: Path) -> None:
    one, two = first.reports, grade(students, workers=2).reports
    assert {name: msgspec.structs.replace(report, timing=one[name].timing) for name, report in two.items()} == one


def test_a_zip_is_graded_like_a_folder(grade: Grade, students: Path, tmp_path: Path) -> None:
    archive = zipped(
        tmp_path / "class.zip", ((f"homework/{path.name}", path.read_text()) for path in students.iterdir())
    )
    assert {name: report.status.outcome for name, report in grade(archive).reports.items()} == {
        "alice": "graded",
        "bob": "empty",
        "carol": "syntax-error",
    }


def test_what_an_operating_system_leaves_behind_gets_no_report(grade: Grade, students: Path) -> None:
    (students / ".DS_Store").write_bytes(b"\0\0\0\1Bud1")
    assert grade(students).names == ["alice", "bob", "carol"]


def test_a_script_and_a_notebook_of_one_name_get_a_report_each(grade: Grade, students: Path) -> None:
    (students / "alice.ipynb").write_text(notebook("x = 1"), encoding="utf-8")
    reports = grade(students).reports
    assert reports["alice.py"].status.outcome == "graded"
    assert reports["alice.ipynb"].status.outcome == "nothing-defined"


def test_a_name_that_looks_like_another_with_its_ending_gets_a_report_of_its_own(
    grade: Grade, students: Path
) -> None:
    (students / "alice.ipynb").write_text(notebook("x = 1"), encoding="utf-8")
    (students / "alice.py.py").touch()
    assert len(grade(students).written_at) == 5


# Run again


def test_run_again_it_grades_nothing(first: Batch, grade_again: Grade, students: Path) -> None:
    again = grade_again(students)
    assert (again.summary.reused, again.summary.graded) == (3, 3)
    assert again.written_at == first.written_at


def test_run_again_it_says_the_same(first: Batch, grade_again: Grade, students: Path) -> None:
    again = grade_again(students)
    assert again.gradebook == first.gradebook
    assert again.summary.statuses == first.summary.statuses


def test_run_again_it_tells_of_every_student_once_more(grade_again: Grade, students: Path) -> None:
    told: list[Done] = []
    grade_again(students, progress=told.append)
    assert [(done.name, done.status, done.reused) for done in told] == [
        ("alice", "graded", True),
        ("bob", "empty", True),
        ("carol", "syntax-error", True),
    ]


def test_run_again_it_grades_who_is_new(first: Batch, grade_again: Grade, students: Path) -> None:
    (students / "dave.py").touch()
    again = grade_again(students)
    assert again.summary.reused == 3
    assert {name for name in again.written_at if again.written_at[name] != first.written_at.get(name)} == {
        "dave.json"
    }


def test_run_again_it_grades_who_handed_in_something_else(first: Batch, grade_again: Grade, students: Path) -> None:
    (students / "bob.py").write_text(ENGINE, encoding="utf-8")
    again = grade_again(students)
    assert {name for name in again.written_at if again.written_at[name] != first.written_at[name]} == {"bob.json"}
    assert again.reports["bob"].status.outcome == "graded"


def test_run_again_it_leaves_out_who_is_gone(grade_again: Grade, students: Path) -> None:
    (students / "bob.py").unlink()
    assert [row["submission"] for row in grade_again(students).gradebook] == ["alice", "carol"]


def test_a_report_that_was_thrown_away_is_written_from_what_is_kept(
    first: Batch, grade_again: Grade, students: Path, tmp_path: Path
) -> None:
    (tmp_path / "out" / "reports" / "carol.json").unlink()
    (tmp_path / "out" / "gradebook.csv").unlink()
    again = grade_again(students)
    assert again.summary.reused == 3
    assert (again.reports, again.gradebook) == (first.reports, first.gradebook)


def test_a_changed_assignment_is_graded_anew(grade_again: Grade, students: Path, engine: Assignment) -> None:
    again = grade_again(students, assignment=replace(engine, version="0" * 16))
    assert again.summary.reused == 0
    assert {report.assignment.version for report in again.reports.values()} == {"0" * 16}


def test_a_report_that_is_none_is_written_anew(
    first: Batch, grade_again: Grade, students: Path, tmp_path: Path
) -> None:
    for number, content in enumerate((b"", b"{", b"[]", b'{"score": 100}', b"\xff\xfe", b"null")):
        (students / f"{number}.py").touch()
        (tmp_path / "out" / "reports" / f"{number}.json").write_bytes(content)
    again = grade_again(students)
    assert again.summary.reused == 3
    assert again.summary.statuses["empty"] == 1 + 6


def test_a_report_of_something_else_is_written_anew(
    first: Batch, grade_again: Grade, students: Path, tmp_path: Path
) -> None:
    fields = ("kit_version", "assignment.name", "assignment.version", "submission.sha256", "isolation.tier")
    for field in fields:
        report = json.loads((first.out / "reports" / "bob.json").read_bytes())
        *above, last = field.split(".")
        (report[above[0]] if above else report)[last] = "0" * 64
        (students / f"{field}.py").touch()
        (tmp_path / "out" / "reports" / f"{field}.json").write_text(json.dumps(report), encoding="utf-8")
    again = grade_again(students)
    assert again.summary.reused == 3
    assert {*fields} <= {*again.reports}


def test_a_zip_that_cannot_be_graded_is_not_graded_again(grade: Grade, tmp_path: Path) -> None:
    (tmp_path / "zips").mkdir()
    zipped(tmp_path / "zips" / "dave.zip", [("one.py", ENGINE), ("two.py", ENGINE)])
    assert grade(tmp_path / "zips").reports["dave"].status.outcome == "several-candidates"
    assert grade(tmp_path / "zips").summary.reused == 1


# Whatever was handed in


def sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 50 * MB)


def two_engines(path: Path) -> None:
    path.mkdir()
    for name in ("a.py", "b.py"):
        (path / name).write_text(ENGINE, encoding="utf-8")


WRONG: dict[str, tuple[str, Make]] = {
    "empty.py": ("empty", Path.touch),
    "blank.ipynb": ("empty", lambda path: path.write_text("\n")),
    "binary.py": ("binary", lambda path: path.write_bytes(bytes(range(256)))),
    "sparse.py": ("too-large", sparse),
    "sparse.zip": ("too-large", sparse),
    "long.py": ("too-large", lambda path: path.write_text("#" * (2 * MB))),
    "latin.py": ("not-utf-8", lambda path: path.write_bytes(b"# caf\xe9\n" + ENGINE.encode())),
    "utf16.py": ("not-utf-8", lambda path: path.write_bytes(ENGINE.encode("utf-16"))),
    "text.ipynb": ("not-a-notebook", lambda path: path.write_text("class Value: ...")),
    "nested.ipynb": ("not-a-notebook", lambda path: path.write_text("[" * 100_000)),
    "classless.ipynb": ("nothing-defined", lambda path: path.write_text(notebook("x = 1"))),
    "cells.ipynb": (
        "not-a-notebook",
        lambda path: path.write_text('{"nbformat": 4, "nbformat_minor": 4, "cells": 3}'),
    ),
    "no_value.py": ("nothing-defined", lambda path: path.write_text("class Number: ...\n")),
    "number.py": ("not-a-class", lambda path: path.write_text("Value = 3\n")),
    "function.py": ("not-a-class", lambda path: path.write_text("def Value(data): ...\n")),
    "syntax.py": ("syntax-error", lambda path: path.write_text("class Value\n")),
    "nothing": ("no-python-file", Path.mkdir),
    "report.pdf": ("no-python-file", lambda path: path.write_bytes(b"%PDF-1.7")),
    "link.py": ("link", lambda path: path.symlink_to("/etc/passwd")),
    "pipe.py": ("not-a-file", os.mkfifo),
    "broken.zip": ("bad-zip", lambda path: path.write_bytes(b"PK\3\4")),
    "outside.zip": ("bad-zip", lambda path: zipped(path, [("../value.py", ENGINE)])),
    "bomb.zip": ("bad-zip", lambda path: zipped(path, [("value.py", "#" * (25 * MB))])),
    "two": ("several-candidates", two_engines),
}


@pytest.fixture(scope="module")
def wrong(engine: Assignment, sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Batch:
    """A batch of all that can be wrong, and of one submission that is right, the last."""
    folder = tmp_path_factory.mktemp("wrong")
    for name, (_, make) in WRONG.items():
        make(folder / name)
    shutil.copy(engine.solution, folder / "zoe.py")
    return grade_all(folder, tmp_path_factory.mktemp("out"), engine, sandbox)


def of(name: str, batch: Batch) -> ScoreReport:
    reports = batch.reports
    return reports[name if name in reports else Path(name).stem]


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_graded_gets_a_report_with_its_status(wrong: Batch, name: str) -> None:
    assert of(name, wrong).status.outcome == WRONG[name][0]


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_graded_gets_a_sentence_that_says_what_to_do(wrong: Batch, name: str) -> None:
    message = of(name, wrong).status.message
    assert message.endswith(".")
    assert any(
        word in message for word in ("Hand in", "hand it in again", "Save", "Define", "Start from", "Make", "Zip")
    )
    assert len(message.splitlines()) == 1
    assert "/tmp" not in message


def test_what_cannot_be_graded_gets_no_points(wrong: Batch) -> None:
    assert {of(name, wrong).score for name in WRONG} == {0}
    assert {of(name, wrong).max_score for name in WRONG} == {100}


def test_after_all_that_cannot_be_graded_a_right_submission_gets_full_marks(wrong: Batch) -> None:
    assert (wrong.reports["zoe"].score, wrong.reports["zoe"].bonus.score) == (100, 10)


def test_nothing_that_is_handed_in_is_a_failure_of_the_batch(wrong: Batch) -> None:
    assert (wrong.summary.failures, wrong.summary.grader_errors) == ([], 0)
    assert len(wrong.gradebook) == len(WRONG) + 1


def damaged_zip(path: Path) -> None:
    zipped(path, [("value.py", ENGINE * 50)], zipfile.ZIP_LZMA)
    whole = bytearray(path.read_bytes())
    for place in range(60, 90):
        whole[place] ^= 0xFF
    path.write_bytes(whole)


def nameless_zip(path: Path) -> None:
    zipped(path, [("nameless", ENGINE)])
    path.write_bytes(path.read_bytes().replace(b"nameless", b"\0ameless"))


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("damaged.zip", damaged_zip),
        ("nameless.zip", nameless_zip),
        ("half a character.ipynb", lambda path: path.write_text(notebook(ENGINE, "# \ud800"))),
        ("no text \udce9.py", lambda path: path.write_text(ENGINE)),
        ("null.ipynb", lambda path: path.write_text(notebook(ENGINE, "x = '\0'"))),
        ("recursion.py", lambda path: path.write_text("x = " + "-" * 100_000 + "1\n" + ENGINE)),
    ],
    ids=lambda value: value.encode("ascii", "replace").decode() if isinstance(value, str) else "",
)
def test_nothing_that_one_student_hands_in_stops_the_batch(
    grade: Grade, students: Path, name: str, make: Make
) -> None:
    make(students / name)
    batch = grade(students)
    assert len(batch.reports) == 4
    assert batch.summary.failures == []


# Odd names

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
def odd(engine: Assignment, sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Batch:
    """A batch of submissions with odd names; they are told apart by what they define."""
    folder = tmp_path_factory.mktemp("odd")
    for name in NAMES:
        (folder / f"{name}.py").write_text(f"# {name!r}\n", encoding="utf-8")
    return grade_all(folder, tmp_path_factory.mktemp("out"), engine, sandbox)


def test_every_odd_name_gets_a_report_of_its_own(odd: Batch) -> None:
    assert sorted(odd.names) == sorted(NAMES)
    hashes = {read_report(path).submission.sha256 for path in (odd.out / "reports").iterdir()}
    assert len(odd.written_at) == len(hashes) == len(NAMES)


@pytest.mark.parametrize("name", NAMES, ids=[clean(name, 20) for name in NAMES])
def test_an_odd_name_stands_in_its_report_without_effect(odd: Batch, name: str) -> None:
    assert clean_name(name) in {*odd.reports}


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


def test_names_that_only_look_the_same_get_different_files() -> None:
    assert file_name("e\u0301") != file_name("\u00e9")


def test_no_cell_of_the_gradebook_is_a_formula(odd: Batch) -> None:
    cells = [cell for row in odd.gradebook for column, cell in row.items() if column in ("submission", "message")]
    assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))] == []


@pytest.mark.parametrize("name", ['=HYPERLINK("example.org","x")', "+1", "-1+2", "@SUM(A1)"])
def test_a_name_that_would_be_a_formula_is_text_in_the_gradebook(odd: Batch, name: str) -> None:
    assert f"'{name}" in {row["submission"] for row in odd.gradebook}


def test_odd_names_are_known_again(odd: Batch, engine: Assignment, sandbox: Sandbox, tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(f"# {name!r}\n", encoding="utf-8")
    assert grade_all(tmp_path, odd.out, engine, sandbox).summary.reused == len(NAMES)


@pytest.mark.parametrize("name", [*NAMES, "", ".", "..", "../../etc/passwd", ".hidden", "\0", "\udcff", "/", "~"])
def test_a_file_name_is_one_that_every_file_system_takes(name: str) -> None:
    made = file_name(name)
    assert 0 < len(made.encode()) <= LONGEST
    assert not {*'<>:"/\\|?*'} & {*made}
    assert made.isprintable()
    assert made[0] not in ". "


# Size


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak from /proc")
def test_memory_does_not_grow_with_the_batch(root: Path, tmp_path: Path) -> None:
    size = 4 * MB
    original = tmp_path / "original.ipynb"
    original.write_text(notebook("x = 1", output="x" * size), encoding="utf-8")
    script = """if True:
        import resource, sys
        from pathlib import Path
        from autograder.batch import run_batch
        from autograder.course import load_course
        from autograder.sandbox import choose_sandbox
        from autograder.submissions import open_entries

        root, source, out = map(Path, sys.argv[1:])
        assignment = load_course(root).assignments[0]
        with open_entries(source) as entries:
            summary = run_batch(entries, assignment, choose_sandbox("process"), out, workers=1)
        assert summary.statuses == {"nothing-defined": len(entries)}
        status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
        print(status["VmHWM"].split()[0], resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    """

    def peaks(count: int) -> list[int]:
        """Kilobytes of the parent and of its largest worker."""
        folder = tmp_path / str(count)
        folder.mkdir()
        for number in range(count):
            os.link(original, folder / f"{number}.ipynb")
        command = [sys.executable, "-c", script, str(root), str(folder), str(tmp_path / f"out{count}")]
        return [int(word) for word in subprocess.check_output(command, timeout=60).split()]

    few, many = peaks(6), peaks(30)
    kept = [(after - before) * 1024 for before, after in zip(few, many, strict=True)]
    assert max(kept) < 24 * size / 2
