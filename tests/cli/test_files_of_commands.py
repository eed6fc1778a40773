"""What a command writes for the staff is closed to everybody else, whatever the umask, unless the course asks."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

import pytest

from autograder.files import Readers
from tests.cli.commands import Copy, run, succeeded, told
from tests.toy import write_toy

MODES: dict[Readers, tuple[int, int]] = {
    "owner": (0o600, 0o700),
    "group": (0o640, 0o750),
    "everybody": (0o644, 0o755),
}


class Desk:
    """A folder of somebody who grades, with a home and temporary files of its own."""

    def __init__(self, place: Path, umask: int, examples: Path, more: str = "") -> None:
        self.place, self.umask, self.examples = place, umask, examples
        for name in ("home", "temporary", "desk"):
            (place / name).mkdir()
        self.course = write_toy(place / "course")
        with (self.course / "grading.yml").open("a", encoding="utf-8") as config:
            config.write(more)
        self.before = {path for path, _ in self.everything()}

    def everything(self) -> Iterator[tuple[Path, int]]:
        for folder, folders, files in os.walk(self.place):
            yield from ((path, path.stat().st_mode) for path in (Path(folder) / name for name in (*folders, *files)))

    @property
    def made(self) -> dict[str, int]:
        """The mode of every file and folder that a command left behind, by its path; but for Python's own caches."""
        return {
            path.relative_to(self.place).as_posix(): mode
            for path, mode in self.everything()
            if path not in self.before and not {"__pycache__", ".pytest_cache"} & {*path.parts}
        }

    def run(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        environment = {"HOME": str(self.place / "home"), "TMPDIR": str(self.place / "temporary")}
        done = run(*arguments, cwd=self.place / "desk", environment=environment, umask=self.umask)
        succeeded(done)
        return done

    def grade_a_class(self) -> None:
        """A batch, its reports, what platforms take, an autograder for Gradescope, and one submission alone."""
        course = ("--course", self.course)
        moodle = self.examples / "moodle"
        self.run("batch", "toy", moodle / "submissions.zip", "--out", "new/results", "--allow-unsafe", *course)
        self.run("report", "--out", "new/results", "--pages", *course)
        batch = ("--batch", "new/results", *course)
        self.run("export", "moodle", *batch, "--gradebook", moodle / "worksheet.csv", "--out", "moodle/upload")
        self.run("export", "junit", *batch, "--out", "junit/upload")
        self.run("gradescope-zip", "toy", "--out", "zips/gradescope.zip", *course)
        one = self.course / "solutions" / "toy" / "value.py"
        written = ("--report", "one/report.json", "--page", "pages/one.html")
        self.run("grade", "toy", one, *written, "--allow-unsafe", *course)


@pytest.mark.first_cases(1)
@pytest.mark.thorough_but("group-63")
@pytest.mark.parametrize(
    ("readers", "umask"),
    [
        ("owner", 0o000),
        ("group", 0o077),
        pytest.param("everybody", 0o027, marks=pytest.mark.thorough),
        pytest.param("owner", 0o022, marks=pytest.mark.thorough),
        pytest.param("group", 0o000, marks=pytest.mark.thorough),
    ],
)
def test_every_file_and_folder_that_is_made_is_open_to_those_that_the_course_says(
    tmp_path: Path, root: Path, readers: Readers, umask: int
) -> None:
    more = "" if readers == "owner" else f"files: {{readable_by: {readers}}}\n"
    desk = Desk(tmp_path, umask, root / "examples", more)
    desk.grade_a_class()
    made = desk.made
    assert {"desk/new/results/results.sqlite", "desk/new/results/raw", "desk/zips/gradescope.zip"} <= made.keys()
    assert {"desk/moodle/upload/feedback.zip", "desk/one/report.pytest.json", "desk/pages/one.html"} <= made.keys()
    file, folder = MODES[readers]
    wanted = {name: folder if stat.S_ISDIR(mode) else file for name, mode in made.items()}
    assert {name: oct(mode & 0o7777) for name, mode in made.items()} == {
        name: oct(mode) for name, mode in wanted.items()
    }


class Watcher(Thread):
    """Looks at a folder for temporary files again and again, while commands run."""

    def __init__(self, folder: Path) -> None:
        super().__init__(daemon=True)
        self._folder, self._is_over = folder, Event()
        self.seen: dict[str, int] = {}
        """The widest mode of each file and folder, by its path."""

    def run(self) -> None:
        while not self._is_over.is_set():
            self._look(self._folder)

    def _look(self, folder: Path) -> None:
        with suppress(OSError), os.scandir(folder) as found:
            for entry in found:
                with suppress(OSError):  # it is gone meanwhile
                    name = Path(entry.path).relative_to(self._folder).as_posix()
                    mode = entry.stat(follow_symlinks=False).st_mode
                    self.seen[name] = self.seen.get(name, 0) | mode
                    if stat.S_ISDIR(mode):
                        self._look(Path(entry.path))

    def end(self) -> None:
        self._is_over.set()
        self.join()

    def open_to_others(self) -> dict[str, str]:
        return {
            name: oct(mode & 0o777)
            for name, mode in self.seen.items()
            if mode & 0o077 and not stat.S_ISLNK(mode) and not stat.S_ISSOCK(mode)
        }


@pytest.mark.thorough
def test_no_temporary_file_is_open_to_others_while_a_command_runs(tmp_path: Path, root: Path) -> None:
    kinds: set[str] = set()
    for attempt in map(str, range(40)):  # who only looks now and then may miss one that is soon gone
        (tmp_path / attempt).mkdir()
        desk = Desk(tmp_path / attempt, 0o000, root / "examples")
        watcher = Watcher(desk.place / "temporary")
        watcher.start()
        try:
            desk.grade_a_class()
        finally:
            watcher.end()
        assert watcher.open_to_others() == {}
        kinds |= {name.split("-")[1] for name in watcher.seen if "/" in name and name.startswith("autograder-")}
        if {"submissions", "class", "course"} <= kinds:
            return
    pytest.fail(f"temporary files of some commands were never seen, only {kinds}")


def test_results_that_lie_open_are_told_in_one_line_with_the_command_that_closes_them(
    tmp_path: Path, root: Path
) -> None:
    desk = Desk(tmp_path, 0o022, root / "examples")
    course = ("--course", desk.course)
    submissions = desk.examples / "moodle" / "submissions.zip"
    first = desk.run("batch", "toy", submissions, "--out", "results", "--allow-unsafe", *course)
    assert "other users" not in first.stderr
    results = tmp_path / "desk" / "results"
    for path in (results, results / "raw", results / "results.sqlite"):
        path.chmod(0o755)
    (told,) = [
        line for line in desk.run("report", "--out", "results", *course).stderr.splitlines() if "other users" in line
    ]
    assert told == (
        "warning: other users can open results of this class: "
        "close them with `chmod -R go-rwx results/raw results/results.sqlite`"
    )
    subprocess.run(told.split("`")[1], shell=True, cwd=tmp_path / "desk", check=True)
    assert "other users" not in desk.run("report", "--out", "results", *course).stderr


def test_pages_of_an_earlier_export_that_lie_open_are_told(tmp_path: Path, root: Path) -> None:
    desk = Desk(tmp_path, 0o022, root / "examples")
    (tmp_path / "desk" / "upload" / "feedback").mkdir(parents=True)
    course = ("--course", desk.course)
    submissions = desk.examples / "moodle" / "submissions.zip"
    desk.run("batch", "toy", submissions, "--out", "results", "--allow-unsafe", *course)
    done = desk.run("export", "nbgrader", "--batch", "results", "--out", "upload", *course)
    assert "chmod -R go-rwx upload/feedback" in done.stderr


def test_one_reports_results_are_left_to_the_platform_that_runs_the_command(tmp_path: Path, root: Path) -> None:
    desk = Desk(tmp_path, 0o077, root / "examples")
    one = desk.course / "solutions" / "toy" / "value.py"
    desk.run("grade", "toy", one, "--report", "report.json", "--allow-unsafe", "--course", desk.course)
    desk.run("export", "prairielearn", "--report", "report.json", "--out", "results.json")
    assert oct(desk.made["desk/report.json"] & 0o777) == oct(0o600)
    assert oct(desk.made["desk/results.json"] & 0o777) == oct(0o644)


def test_what_students_get_has_the_modes_that_the_umask_says(copy: Copy) -> None:
    course = copy()
    shutil.rmtree(course / "student_template")
    succeeded(run("template", cwd=course, umask=0o022))
    made = {path.stat().st_mode & 0o777 for path in (course / "student_template").rglob("*")}
    assert made == {0o644, 0o755}


def test_a_master_notebook_which_holds_the_solution_is_the_staffs(copy: Copy) -> None:
    course = copy()
    succeeded(run("template", "autograd-engine", "--otter", "master", cwd=course, umask=0o022))
    assert {path.stat().st_mode & 0o777 for path in (course / "master").rglob("*")} == {0o600, 0o700}


def test_a_word_for_readers_that_is_none_is_told(copy: Copy) -> None:
    course = copy()
    with (course / "grading.yml").open("a", encoding="utf-8") as config:
        config.write("files: {readable_by: world}\n")
    assert "readable_by" in told(run("template", cwd=course))
