"""A term's archive holds the files of a class that lies in a folder, whatever they are called."""

from __future__ import annotations

import errno
import os
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder.cli.main import main
from tests.cli.commands import run, succeeded, told
from tests.store.conftest import RIGHT, CounterCourse, grade_zip


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


def test_what_was_graded_from_a_zip_is_in_the_archive(counter_course: CounterCourse) -> None:
    grade_zip(counter_course, {"ada.py": RIGHT})
    succeeded(run("archive", "term.zip", "--out", "out", cwd=counter_course.root))
    with zipfile.ZipFile(counter_course.root / "term.zip") as archive:
        assert archive.read("counter/submissions/ada.py").decode() == RIGHT


def test_submissions_whose_download_is_gone_are_named(counter_course: CounterCourse) -> None:
    grade_zip(counter_course, {"ada.py": RIGHT}).unlink()
    shown = succeeded(run("archive", "term.zip", "--out", "out", cwd=counter_course.root))
    assert "the files of ada are gone and not in the archive" in shown


def test_files_of_one_name_tell_whose_they_are(counter_course: CounterCourse) -> None:
    folder = "{}_assignsubmission_file_/value.py"
    students = ("Ada Lovelace_101", "Bob Bee_102")
    grade_zip(counter_course, {folder.format(student): f"{RIGHT}# {student}\n" for student in students}, "moodle")
    succeeded(run("archive", "term.zip", "--out", "out", cwd=counter_course.root))
    with zipfile.ZipFile(counter_course.root / "term.zip") as archive:
        for student in students:
            assert f"# {student}" in archive.read(f"counter/submissions/{student}/value.py").decode()


def test_an_empty_submission_is_not_gone(counter_course: CounterCourse) -> None:
    (counter_course.students / "zoe").mkdir()
    counter_course.batch()
    assert "gone" not in succeeded(run("archive", "term.zip", "--out", "out", cwd=counter_course.root))
    assert "gone" not in succeeded(run("people", "export", "zoe", "--out", "out", cwd=counter_course.root))


def test_a_file_that_cannot_be_read_is_blamed_and_not_the_archive(
    counter_course: CounterCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter_course.batch()
    read = Path.read_bytes

    def refuse_to_read_alice(path: Path) -> bytes:
        if path.name == "alice.py":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refuse_to_read_alice)
    monkeypatch.chdir(counter_course.root)
    done = CliRunner().invoke(main, ["archive", "term.zip", "--out", "out"])
    assert (done.exit_code, Path("term.zip").exists()) == (2, False)
    assert "students/alice.py: cannot read this file: Permission denied" in done.output


def test_an_archive_that_was_stopped_after_it_was_written_can_be_repeated(counter_course: CounterCourse) -> None:
    archive = ("archive", "term.zip", "--out", "out")
    succeeded(run(*archive, cwd=counter_course.root))
    written = (counter_course.root / "term.zip").read_bytes()
    assert "kept, since it holds the same" in succeeded(run(*archive, "--erase", "--yes", cwd=counter_course.root))
    assert (counter_course.root / "term.zip").read_bytes() == written
    assert not (counter_course.root / "out" / "reports").exists()


def test_an_archive_of_something_else_is_never_replaced(counter_course: CounterCourse) -> None:
    archive = ("archive", "term.zip", "--out", "out")
    succeeded(run(*archive, cwd=counter_course.root))
    decision = ("decide", "override", "alice", "--score", "1", "--reason", "r", "--by", "Kim", "--out", "out")
    succeeded(run(*decision, cwd=counter_course.root))
    written = (counter_course.root / "term.zip").read_bytes()
    assert "exists already" in told(run(*archive, "--erase", "--yes", cwd=counter_course.root))
    assert (counter_course.root / "term.zip").read_bytes() == written
    assert (counter_course.root / "out" / "reports").exists()


def test_nobody_is_told_to_remove_the_archive_of_an_erased_term(counter_course: CounterCourse) -> None:
    archive = ("archive", "term.zip", "--out", "out", "--erase", "--yes")
    succeeded(run(*archive, cwd=counter_course.root))
    assert "may be its archive (keep it;" in told(run(*archive, cwd=counter_course.root))
