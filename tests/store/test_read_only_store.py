"""A store in a folder that this account cannot write is read all the same, and nothing is left beside it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import pytest
from click.testing import CliRunner, Result
from sqlalchemy.engine import URL

from autograder.cli.main import main
from autograder.faults import CallerFault
from autograder.store.results.graded_class_table import StoredGradedClass
from autograder.store.results.result_model import GradingRules
from autograder.store.store import Store, open_or_create_store
from tests.store.conftest import CounterCourse

NOBODY = 65534
RULES = GradingRules("toy", "v", "1", "c", "k")
KILLED = """\
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("UPDATE batches SET platform = 'canvas'")
connection.commit()
os._exit(0)
"""


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that every account can reach; the folders of ``tmp_path`` are the account's alone."""
    folder = Path(mkdtemp(prefix="read-only-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@contextmanager
def reading_only(folder: Path) -> Iterator[None]:
    """Let this process read a folder and not write it; root does so as another account."""
    modes = {path: path.stat().st_mode for path in (folder, *folder.rglob("*"))}
    is_root = os.geteuid() == 0
    for path in modes:
        path.chmod(0o555 if path.is_dir() else 0o444)
    if is_root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)
        for path, mode in modes.items():
            path.chmod(mode)


def begin(store: Store, submissions: str = "class") -> StoredGradedClass:
    return store.classes.record_class_and_replace_entries("b", Path(submissions), RULES, [])


def make_store(folder: Path) -> URL:
    url = URL.create("sqlite", database=str(folder / "results%20 é?.sqlite"))
    with open_or_create_store(url) as store:
        begin(store)
    return url


def platform_of(url: URL) -> str:
    with open_or_create_store(url, dry_run=True) as store:
        found = store.classes.find_last_graded_class("b")
        assert found is not None
        return found.platform_name


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_store_in_a_read_only_folder_is_read_and_nothing_is_made_beside_it(place: Path) -> None:
    url = make_store(place)
    before = names(place)
    with reading_only(place):
        assert platform_of(url) == ""
    assert names(place) == before


def test_what_a_killed_run_left_in_the_write_ahead_log_is_read_too(place: Path) -> None:
    url = make_store(place)
    subprocess.run([sys.executable, "-c", KILLED, str(url.database)], check=True)
    assert [name for name in names(place) if name.endswith("-wal")]
    with reading_only(place):
        assert platform_of(url) == "canvas"


def test_what_must_write_is_told_that_the_folder_is_read_only(place: Path) -> None:
    url = make_store(place)
    with (
        reading_only(place),
        pytest.raises(CallerFault, match="can only read this database: its folder is read-only"),
        open_or_create_store(url),
    ):
        pass


def test_a_store_of_an_earlier_version_is_not_upgraded_there(place: Path) -> None:
    url = make_store(place)
    change = "import sqlite3, sys; sqlite3.connect(sys.argv[1], isolation_level=None).execute(sys.argv[2])"
    update = "UPDATE autograder_schema SET version = 0"
    subprocess.run([sys.executable, "-c", change, str(url.database), update], check=True)
    with reading_only(place), pytest.raises(CallerFault, match="its folder is read-only"):
        platform_of(url)


def test_a_store_that_somebody_else_writes_meanwhile_is_told(place: Path) -> None:
    url = make_store(place)

    def read_while_it_changes() -> None:
        with reading_only(place), open_or_create_store(url, dry_run=True):
            os.seteuid(os.getuid())  # as the owner
            os.utime(str(url.database), (1, 1))

    with pytest.raises(CallerFault, match="somebody wrote this database while it was read"):
        read_while_it_changes()


def invoke(course: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments, "--out", str(course / "out"), "--course", str(course)])


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (["show", "erin"], "results of erin:"),
        (["overview"], "is read-only, so no page was written; name one with --page"),
        (["decide", "list"], "nothing was decided"),
    ],
    ids=["show", "overview", "decide list"],
)
def test_commands_that_only_read_work_there(
    place: Path, graded_counter_course: CounterCourse, command: list[str], shown: str
) -> None:
    course = shutil.copytree(graded_counter_course.root, place / "course")
    assert invoke(course, *command).exit_code == 0  # so that all modules are imported
    with reading_only(course):
        done = invoke(course, *command)
    assert done.exit_code == 0, done.output
    assert shown in done.output
