"""Whatever was handed in, its student is told what to do, and the batch goes on."""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.course import Assignment
from autograder.reports import ScoreReport
from autograder.sandbox import SandboxConfig
from tests.batch.classes import ENGINE, MB, Batch, Grade, grade_all, notebook, zipped

Make = Callable[[Path], object]


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
    "text.ipynb": ("not-a-notebook", lambda path: path.write_text("My engine is below.")),
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
def wrong(engine: Assignment, sandbox: SandboxConfig, tmp_path_factory: pytest.TempPathFactory) -> Batch:
    """A batch of all that can be wrong, and of one submission that is right, the last."""
    folder = tmp_path_factory.mktemp("wrong")
    for name, (_, make) in WRONG.items():
        make(folder / name)
    shutil.copy(engine.solution_file, folder / "zoe.py")
    return grade_all(folder, tmp_path_factory.mktemp("out"), engine, sandbox)


def of(name: str, batch: Batch) -> ScoreReport:
    reports = batch.reports
    return reports[name if name in reports else Path(name).stem]


@pytest.mark.first_cases(8)
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
    assert (wrong.summary.failures, wrong.summary.grader_error_count) == ([], 0)
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


@pytest.mark.first_cases(2)
@pytest.mark.thorough_but("damaged.zip-", "no text ?.py-", "recursion.py-")
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
