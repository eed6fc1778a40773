"""What the tests share: the course of this repository, and one grader for its engine."""

from __future__ import annotations

import gc
import os
import shutil
import signal
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from sqlalchemy import URL, Engine

from autograder.author_checks import ProgramSampler
from autograder.course import Assignment, Course, load_course
from autograder.grading import Grader
from autograder.sandbox import SandboxConfig, choose_strongest_sandbox
from autograder.store import connection
from autograder.template import write_browser_site
from tests.browser import open_browser
from tests.selection import choose_first_of_each_file, order_nodes

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parent.parent

# The same examples each time, and no clock: how fast the machine is, is not what these tests are about.
settings.register_profile("kit", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("kit")


TRIED_BY_REDTEAM = ("tests/redteam/", "tests/bridge/")
"""What ``make redteam`` tries, in every tier."""
SHARED_OUT = ("test_both_ways.py",)
"""Files whose tests several processes share: each takes minutes."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--update-goldens`` writes what the goldens should be; look at the difference before you commit it."""
    parser.addoption("--every-tier", action="store_true", help="try every tier, and attacks in a container")
    parser.addoption("--quick", action="store_true", help="run the first test of each file alone")
    parser.addoption("--thorough", action="store_true", help="run what takes long as well")
    parser.addoption("--sample", type=int, metavar="SEED", help="run a tenth of the tests, which this number draws")
    parser.addoption("--update-goldens", action="store_true", help="rewrite tests/data/goldens")


def pytest_configure(config: pytest.Config) -> None:
    """Let pytest-xdist hand out files in the order of ``selection``, not by how many tests they have.

    Ten thousand tests are objects that stay: until they are there, nothing is looked for among them that could be
    thrown away.
    """
    gc.disable()
    config.option.loadscopereorder = False
    signal.signal(
        signal.SIGHUP, signal.SIG_DFL
    )  # commands that tests start would ignore it, as this does under nohup


def pytest_collection_finish() -> None:
    """Never look through what was collected again, and seldom through the rest: trees of syntax are many objects."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What takes long is for ``make thorough`` or ``make redteam``; elsewhere it is skipped, and counted.

    There the tests of a file stay together, as elsewhere, but for those that need nothing but a grader of their own.
    """
    order = order_nodes([item.nodeid for item in items])
    items.sort(key=lambda item: order[item.nodeid])
    if (seed := config.getoption("--sample")) is not None:
        keep_alone({*ProgramSampler(10, seed).sample_programs(item.nodeid for item in items)}, items, config)
    cases = Counter[str]()
    for item in items:
        if any(is_called_with(item, marker.kwargs) for marker in item.iter_markers("thorough_where")):
            item.add_marker(pytest.mark.thorough)
        if any(item.nodeid.partition("[")[2][:-1] not in marker.args for marker in item.iter_markers("thorough_but")):
            item.add_marker(pytest.mark.thorough)
        if (first := item.get_closest_marker("first_cases")) and not find_long_mark(item):
            test = item.nodeid.partition("[")[0]
            cases[test] += 1
            if cases[test] > first.args[0]:
                item.add_marker("redteam" if test.startswith(TRIED_BY_REDTEAM) else "thorough")
    if config.getoption("--quick"):
        first_ones = choose_first_of_each_file([item.nodeid for item in items if not find_long_mark(item)])
        keep_alone(first_ones, items, config)
    if config.getoption("--thorough"):
        for item in items:
            if item.path.name not in SHARED_OUT:
                item.add_marker(pytest.mark.xdist_group(item.path.stem))
        return
    tried = "redteam" if config.getoption("--every-tier") else None
    for item in items:
        mark = find_long_mark(item)
        if mark and mark != tried:
            item.add_marker(pytest.mark.skip(reason=f"takes long: `make {mark}` tries it"))


def keep_alone(nodes: Set[str], items: list[pytest.Item], config: pytest.Config) -> None:
    """Deselect all other tests."""
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in nodes])
    items[:] = [item for item in items if item.nodeid in nodes]


def find_long_mark(item: pytest.Item) -> str | None:
    """The mark of what takes long, which is also what to make to try it."""
    return next((mark for mark in ("thorough", "redteam") if item.get_closest_marker(mark)), None)


def is_called_with(item: pytest.Item, arguments: Mapping[str, Any]) -> bool:
    """Whether parametrization gives a test all of these arguments."""
    given = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    return all(given.get(name) == value for name, value in arguments.items())


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cache folder of these tests' own, which the processes of pytest-xdist share as those of a batch do."""
    with pytest.MonkeyPatch.context() as patch:
        own = tmp_path_factory.getbasetemp()
        folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "cache"
        folder.mkdir(exist_ok=True)
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield folder


@pytest.fixture(scope="session", autouse=True)
def compiled_statements() -> Iterator[None]:
    """Compile each statement once in a process, and not once for the store of each test."""
    make_engine, first = connection._make_engine.__wrapped__, dict[str, Engine]()

    @lru_cache(maxsize=8)
    def make_with_shared_cache(url: URL) -> Engine:
        engine: Engine = make_engine(url)
        shared = first.setdefault(engine.dialect.name, engine)
        engine.dialect, engine._compiled_cache = shared.dialect, shared._compiled_cache
        return engine

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connection, "_make_engine", make_with_shared_cache)
        yield


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def course() -> Course:
    """The course of this repository."""
    return load_course(ROOT)


@pytest.fixture(scope="session")
def engine(course: Course) -> Assignment:
    """The assignment ``autograd-engine``."""
    return next(one for one in course.assignments if one.name == "autograd-engine")


@pytest.fixture(scope="session")
def sorting(course: Course) -> Assignment:
    """The assignment ``topological-sort``."""
    return next(one for one in course.assignments if one.name == "topological-sort")


@pytest.fixture(scope="session")
def sandbox() -> SandboxConfig:
    """The strongest sandbox of this machine."""
    return choose_strongest_sandbox("process")


@pytest.fixture(scope="session")
def browser_site(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the repository's course on which students work in their browser."""
    if find_spec("jupyterlite_core") is None or find_spec("jupyterlite_pyodide_kernel") is None:
        pytest.skip("the extra `browser` is not installed")
    if shutil.which("npm") is None:
        pytest.skip("there is no npm here, which fetches Pyodide")
    folder = tmp_path_factory.mktemp("browser") / "site"
    write_browser_site(course.assignments, folder)
    return folder


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The Chromium of this machine; tests that need one are skipped where there is none."""
    with open_browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def grader(engine: Assignment, sandbox: SandboxConfig) -> Iterator[Grader]:
    """A grader of ``autograd-engine``; one at a time may be open in a process."""
    with Grader(engine, sandbox) as opened:
        yield opened
