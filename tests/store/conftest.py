"""A small course that can be changed, graded in this very process; and the databases that results are kept in."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from sqlalchemy.engine import URL

from autograder.batch import BatchConfig, BatchLocation, BatchSummary, run_batch, run_regrade
from autograder.batch.graded_class import OpenedGradedClass, open_graded_class
from autograder.batch.mark_changes import RegradedReportPair
from autograder.course import Assignment, load_course
from autograder.grading import Grader
from autograder.reports import ScoreReport, read_report_json
from autograder.sandbox import SandboxConfig
from autograder.store.connection import make_store_url
from autograder.store.store import Store, open_or_create_store
from autograder.submissions import open_submission_entries
from autograder.workers import grading_worker
from autograder.workers.grading_tasks import GradingExecutor
from tests.cli.commands import run, succeeded
from tests.postgres import start_postgres

GRADING = """\
course: small
limits: {cpu_seconds: 0.1, wall_seconds: 3}
assignments:
  counter:
    defines: [Counter]
    concepts: {counting: 10}
    bonus: {steps: 4}
"""

TESTS = '''\
import pytest

pytestmark = [pytest.mark.concept("counting"), pytest.mark.subject("up")]

START = 0


@pytest.fixture
def counter(student):
    return student.get("Counter")(START)


@pytest.mark.hint("Add one.")
def test_it_goes_up(counter):
    """It goes up by one."""
    got = counter.up()
    assert got == 1, f"it stands at {got}"


def test_it_goes_up_twice(counter):
    """It goes up by one each time."""
    counter.up()
    got = counter.up()
    assert got == 2, f"it stands at {got}"
'''

STEPS = '''\
import pytest

pytestmark = [pytest.mark.concept("steps"), pytest.mark.subject("down")]


def test_it_goes_down(student):
    """It goes down by one."""
    got = student.get("Counter")(5).down()
    assert got == 4, f"it stands at {got}"
'''

RIGHT = """\
class Counter:
    def __init__(self, start=0):
        self.value = start

    def up(self):
        self.value += 1
        return self.value

    def down(self):
        self.value -= 1
        return self.value
"""

CLASS = {
    "alice.py": RIGHT,
    "bob.py": RIGHT.replace("+= 1", "+= 2"),
    "carol.py": "def (:\n",
    "dave.py": RIGHT.replace("-= 1", "-= 3"),
    "erin.py": RIGHT.replace("self.value += 1\n        return", "return 1 +"),
    "frank.py": RIGHT.replace("self.value -= 1", "while True: pass"),
}
"""A right one, a wrong one, one that cannot be read, and three that go wrong elsewhere, the last without an end."""


class _Here(Executor):
    """Grades in this process, at once."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(function(*arguments, **named))
        except Exception as error:
            future.set_exception(error)
        return future


@contextmanager
def here(assignment: Assignment, sandbox: SandboxConfig) -> Iterator[GradingExecutor]:
    """One worker, which is this process."""
    with Grader(assignment, sandbox) as grader:
        grading_worker._grader = grader
        grading_worker._get_diagnoser.cache_clear()
        try:
            yield GradingExecutor(_Here(), lambda: 1)
        finally:
            grading_worker._grader = None
            grading_worker._get_diagnoser.cache_clear()


@dataclass(frozen=True, slots=True)
class CounterCourse:
    """A course in a folder, a class that hands in, and where it is graded."""

    root: Path
    sandbox: SandboxConfig

    @property
    def students(self) -> Path:
        return self.root / "students"

    @property
    def hidden(self) -> Path:
        return self.root / "assignments" / "counter" / "hidden"

    @property
    def solution(self) -> Path:
        return self.root / "solutions" / "counter" / "value.py"

    @property
    def assignment(self) -> Assignment:
        return load_course(self.root).assignments[0]

    def change(self, path: Path, old: str, new: str) -> None:
        """Put ``new`` into a file of the course, where ``old`` stands."""
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    def hand_in(self, **sources: str) -> None:
        """Put submissions into the class."""
        for name, source in sources.items():
            (self.students / f"{name}.py").write_text(source, encoding="utf-8")

    def batch(self, out: str = "out", **settings: Any) -> BatchSummary:
        with open_submission_entries(self.students) as entries:
            return run_batch(self._request(out, settings), entries, **settings)

    def regrade(self, out: str = "out", students: Path | None = None, **settings: Any) -> BatchSummary:
        with open_submission_entries(students or self.students) as entries:
            return run_regrade(self._request(out, settings), entries, **settings)

    def _request(self, out: str, settings: dict[str, Any]) -> BatchConfig:
        """How to grade; takes what belongs to that from the settings."""
        names = ("open_workers", "on_result", "on_regraded")
        given = {name: settings.pop(name) for name in names if name in settings}
        place = BatchLocation(self.root / out, settings.pop("store", ""))
        return BatchConfig(self.assignment, self.sandbox, place, **{"open_workers": here, **given})

    def reports(self, out: str = "out") -> dict[str, ScoreReport]:
        """Every report there is, without its times."""
        found = {path.stem: read_report_json(path) for path in sorted((self.root / out / "reports").glob("*.json"))}
        return {name: timeless(report) for name, report in found.items()}

    def gradebook(self, out: str = "out") -> bytes:
        return (self.root / out / "gradebook.csv").read_bytes()

    def assert_as_if_graded_afresh(self) -> None:
        """Grade the class into another folder, and compare reports and gradebook."""
        self.batch("afresh")
        assert self.reports() == self.reports("afresh")
        assert self.gradebook() == self.gradebook("afresh")


def timeless(report: ScoreReport) -> ScoreReport:
    """A report without what may differ from run to run."""
    nothing = structs.replace(report.timing, graded_at="", seconds={}, tests={}, processes=0)
    return structs.replace(report, timing=nothing)


@contextmanager
def open_counter_class(counter_course: CounterCourse, *, dry_run: bool = False) -> Iterator[OpenedGradedClass]:
    """Open the graded class of the course."""
    place = BatchLocation(counter_course.root / "out")
    with open_graded_class(place, "", lambda _: counter_course.assignment, dry_run=dry_run) as opened:
        yield opened


def grade_zip(course: CounterCourse, source_by_path: Mapping[str, str], platform: str = "folder") -> Path:
    """Grade a class as one zip, which a platform packed, and return the zip."""
    download = course.root / "class.zip"
    with zipfile.ZipFile(download, "w") as packed:
        for path, source in source_by_path.items():
            packed.writestr(path, source)
    options = ("--out", "out", "--from", platform, "--allow-unsafe")
    succeeded(run("batch", "counter", download, *options, cwd=course.root))
    return download


def make_counter_course(root: Path, sandbox: SandboxConfig) -> CounterCourse:
    """Write the course, and a class that hands in."""
    counter_course = CounterCourse(root, sandbox)
    for folder in (counter_course.hidden, counter_course.solution.parent, counter_course.students):
        folder.mkdir(parents=True)
    (root / "grading.yml").write_text(GRADING, encoding="utf-8")
    (counter_course.hidden / "test_counting.py").write_text(TESTS, encoding="utf-8")
    (counter_course.hidden / "test_steps.py").write_text(STEPS, encoding="utf-8")
    counter_course.solution.write_text(RIGHT, encoding="utf-8")
    for name, source in CLASS.items():
        (counter_course.students / name).write_text(source, encoding="utf-8")
    return counter_course


@pytest.fixture(scope="session")
def graded_counter_course(sandbox: SandboxConfig, tmp_path_factory: pytest.TempPathFactory) -> CounterCourse:
    """The course and its class, graded once; not to be changed."""
    counter_course = make_counter_course(tmp_path_factory.mktemp("toy") / "course", sandbox)
    counter_course.batch()
    return counter_course


@pytest.fixture
def counter_course(graded_counter_course: CounterCourse, tmp_path: Path) -> CounterCourse:
    """The course and its class, graded once; to be changed."""
    root = tmp_path / "course"
    shutil.copytree(graded_counter_course.root, root, ignore=shutil.ignore_patterns("__pycache__"))
    return CounterCourse(root, graded_counter_course.sandbox)


@pytest.fixture
def regraded_pairs() -> list[RegradedReportPair]:
    """For what a regrade tells."""
    return []


# Databases


@pytest.fixture
def store(url: URL) -> Iterator[Store]:
    """An empty store in a database of each kind."""
    with open_or_create_store(url) as opened:
        yield opened


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL server of our own, as long as the tests run."""
    with start_postgres() as server:
        yield server.url


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> URL:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return make_store_url(tmp_path, f"sqlite:///{tmp_path / 'kept.sqlite'}")
    server = request.getfixturevalue("postgres")
    name = f"kit_{abs(hash(tmp_path))}"
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    return make_store_url(tmp_path, server.replace("/postgres?", f"/{name}?"))
