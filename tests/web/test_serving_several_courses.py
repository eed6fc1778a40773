"""One command serves several courses, and grades their hand-ins in turns."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder.batch.batch_location import BatchLocation
from autograder.cli.main import main
from autograder.web.commands.serve import make_results_location_of_course
from autograder.web.settings import CourseServerSettings
from tests.toy import RIGHT, write_toy
from tests.web.conftest import wait_until
from tests.web.real_server import Visitor
from tests.web.several_courses import ONE, TWO, SeveralCourses

SLOW = f"import time\ntime.sleep(0.2)\n{RIGHT}"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--course", "{0}/a", "--course", "{0}/b/a"], "two courses have the name"),
        (["--course", "x={0}/a", "--course", "x={0}/b/a"], "two courses have the name"),
        (["--course", "static={0}/a"], "cannot be part of an address"),
        (["--course", "../x={0}/a"], "cannot be part of an address"),
        (["--course", "x={0}/a", "--store", "postgresql:///all"], "several courses would share this store"),
        (["--course", "x={0}/nowhere"], "does not exist"),
    ],
)
def test_courses_that_cannot_be_told_apart_are_refused(tmp_path: Path, words: list[str], told: str) -> None:
    for folder in ("a", "b/a"):
        write_toy(tmp_path / folder)
    out = ["--out", str(tmp_path / "out")]
    result = CliRunner().invoke(main, ["serve", *out, *(word.format(tmp_path) for word in words)])
    assert (result.exit_code, told in result.stderr, len(result.stderr.splitlines())) == (2, True, 1)
    assert not (tmp_path / "out").exists()


def serve(server: SeveralCourses, *more: str) -> list[str]:
    folders = [f"--course={name}={one.course}" for name, one in server.courses.items()]
    out = server.courses[ONE].location.output_folder.parent
    port = str(server.courses[ONE].port)
    words = ["serve", "--demo", "--allow-unsafe", "--out", str(out), "--port", port, *folders, *more]
    return [sys.executable, "-m", "autograder", *words]


@pytest.fixture
def two(tmp_path: Path, free_port: int) -> SeveralCourses:
    """Two courses with a student each, and nothing handed in."""
    settings = {}
    for name in (ONE, TWO):
        write_toy(tmp_path / "courses" / name)
        place = BatchLocation(tmp_path / "results" / name)
        settings[name] = CourseServerSettings(
            tmp_path / "courses" / name, place, port=free_port, name=name, demo=True
        )
    server = SeveralCourses(settings)
    server.invite(ONE, "ada")
    server.invite(TWO, "bob")
    return server


@pytest.mark.thorough
def test_a_course_with_one_hand_in_does_not_wait_for_all_of_another(two: SeveralCourses) -> None:
    two.queue(ONE, "ada", [f"{SLOW}# {number}\n" for number in range(24)])
    two.queue(TWO, "bob", [RIGHT])
    with subprocess.Popen(serve(two, "--only", "worker", "--workers", "1"), stdin=subprocess.PIPE) as worker:
        try:
            wait_until(lambda: two.hand_ins(TWO)[0].state == "graded", "the other course has its turn")
            waiting = sum(one.state == "queued" for one in two.hand_ins(ONE))
            wait_until(lambda: {one.state for one in two.hand_ins(ONE)} == {"graded"}, "the first goes on")
        finally:
            os.kill(worker.pid, signal.SIGTERM)
            assert worker.wait(300) == 0
    assert waiting >= 8
    assert {one.problem for one in two.hand_ins(ONE)} == {""}


@pytest.mark.thorough
def test_a_course_that_is_broken_keeps_no_other_from_being_graded(two: SeveralCourses) -> None:
    with subprocess.Popen(serve(two, "--only", "worker", "--workers", "1"), stdin=subprocess.PIPE) as worker:
        try:
            two.queue(TWO, "bob", [RIGHT])
            wait_until(lambda: two.hand_ins(TWO)[0].state == "graded", "the worker is there")
            (two.courses[ONE].course / "grading.yml").write_text("assignments: [", encoding="utf-8")
            two.queue(ONE, "ada", [RIGHT])
            two.queue(TWO, "bob", [f"{RIGHT}#\n"])
            wait_until(lambda: two.hand_ins(TWO)[1].state == "graded", "the whole course goes on")
        finally:
            os.kill(worker.pid, signal.SIGTERM)
            assert worker.wait(300) == 0
    assert two.hand_ins(ONE)[0].state == "queued"


@pytest.mark.thorough
def test_one_command_serves_and_grades_both(two: SeveralCourses) -> None:
    url = two.courses[ONE].server_url
    with subprocess.Popen(serve(two, "--workers", "1"), stderr=subprocess.DEVNULL) as server:
        try:
            for name, login in ((ONE, "ada"), (TWO, "bob")):
                wait_until(lambda name=name: is_there(f"{url}/{name}/sign-in"), "the server answers")  # type: ignore[misc]
                visitor = Visitor(f"{url}/{name}", login)
                receipt = visitor.send("/assignments/toy", code=RIGHT)
                path = receipt.removeprefix(f"/{name}")
                wait_until(lambda visitor=visitor, path=path: 'class="result"' in visitor.get(path), "graded")  # type: ignore[misc]
        finally:
            server.terminate()
            assert server.wait(300) == 0


def is_there(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=300):
            return True
    except OSError:
        return False


def test_each_course_has_a_folder_and_a_database_of_its_own() -> None:
    found = make_results_location_of_course(Path("out"), "postgresql:///kit_{course}", ONE)
    assert found == BatchLocation(Path("out") / ONE, f"postgresql:///kit_{ONE}")
    assert make_results_location_of_course(Path("out"), "postgresql:///kit", "") == BatchLocation(
        Path("out"), "postgresql:///kit"
    )
