"""A term's archive holds the files of a class that lies in a folder, whatever they are called."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

from tests.cli.commands import run, succeeded
from tests.store.conftest import RIGHT, CounterCourse


def test_a_file_whose_name_is_not_utf_8_is_in_the_archive(counter_course: CounterCourse) -> None:
    folder = os.fsencode(counter_course.students)
    os.makedirs(os.path.join(folder, b"z\xe9", b"a\xff"))
    for name in (b"value.py", b"a\xff/n\xfcll.py"):
        with open(os.path.join(folder, b"z\xe9", name), "w", encoding="utf-8") as file:
            file.write(RIGHT if name == b"value.py" else "")
    counter_course.batch()
    succeeded(run("archive", "term.zip", "--out", "out", cwd=counter_course.root))
    with zipfile.ZipFile(counter_course.root / "term.zip") as archive:
        assert archive.read("counter/submissions/z%E9/value.py").decode() == RIGHT
        assert archive.read("counter/submissions/z%E9/a%FF/n%FCll.py") == b""


def grade_zip(course: CounterCourse) -> Path:
    """Grade the class as one zip, and return the zip."""
    download = course.root / "class.zip"
    with zipfile.ZipFile(download, "w") as packed:
        packed.writestr("ada.py", RIGHT)
    succeeded(
        run("batch", "counter", download, "--out", "out", "--from", "folder", "--allow-unsafe", cwd=course.root)
    )
    return download


def test_what_was_graded_from_a_zip_is_in_the_archive(counter_course: CounterCourse) -> None:
    grade_zip(counter_course)
    succeeded(run("archive", "term.zip", "--out", "out", cwd=counter_course.root))
    with zipfile.ZipFile(counter_course.root / "term.zip") as archive:
        assert archive.read("counter/submissions/ada.py").decode() == RIGHT


def test_submissions_whose_download_is_gone_are_named(counter_course: CounterCourse) -> None:
    grade_zip(counter_course).unlink()
    shown = succeeded(run("archive", "term.zip", "--out", "out", cwd=counter_course.root))
    assert "the files of ada are gone and not in the archive" in shown
