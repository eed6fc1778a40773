"""Provide the pytest plugin behind hidden suites: markers, fixtures, and the options to run one by hand.

    pytest assignments/autograd-engine/hidden --submission path/to/value.py
    pytest assignments/autograd-engine/hidden --submission path/to/value.py --in-process --pdb

pytest loads it in every project of the environment. Without ``--submission`` it adds its options there, nothing else;
only where pytest is started on a hidden suite of a course, it says that the option is missing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from autograder.grading.explanations import RequiredNameNotUsable
from autograder.grading.specs import (
    CONVENTIONS_KEY,
    MARKER_HELP,
    NEEDED_NAMES_KEY,
    TARGET_KEY,
    TEST_KEY,
    TIER_KEY,
    read_tested_and_required_names,
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options for running a hidden suite by hand."""
    group = parser.getgroup("autograder")
    group.addoption("--submission", metavar="FILE", help="run a hidden suite against this submission")
    group.addoption(
        "--in-process",
        action="store_true",
        help="import the submission into this process, for a debugger; only for code you trust",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register markers and fixtures for a hidden suite; with ``--submission``, open the submission."""
    path = config.getoption("submission", None)
    if not path and CONVENTIONS_KEY not in config.stash:
        if not config.option.collectonly and any(_is_in_hidden_suite(argument, config) for argument in config.args):
            raise pytest.UsageError("a hidden suite needs a submission: add `--submission value.py`")
        return  # not a run of a hidden suite
    for marker in MARKER_HELP:
        config.addinivalue_line("markers", marker)
    config.pluginmanager.register(HiddenSuiteFixtures(config), "autograder-fixtures")
    if path and TARGET_KEY not in config.stash:
        config.option.reportchars += "s"  # say at the end which names are missing
        from autograder.faults import Fault
        from autograder.grading.manual_suite_run import stash_submission

        try:
            stash_submission(config, Path(path), in_process=config.getoption("in_process"))
        except Fault as fault:
            raise pytest.UsageError(str(fault)) from fault


def _is_in_hidden_suite(argument: str, config: pytest.Config) -> bool:
    """Return whether an argument of pytest's names a hidden suite, or a part of one: it lies in a course."""
    path = Path(os.path.abspath(config.invocation_params.dir / str(argument).partition("::")[0]))
    return any(
        folder.name == "hidden"
        and folder.parent.parent.name == "assignments"
        and (folder.parents[2] / "grading.yml").is_file()
        for folder in (path, *path.parents)
    )


def pytest_report_header(config: pytest.Config) -> str | None:
    """Return a line with the isolation tier of the submission in a run by hand; None without a tier."""
    tier = config.stash.get(TIER_KEY, None)
    return f"isolation: {tier}" if tier else None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Block a test whose prerequisites are missing; otherwise get the submission ready for it."""
    target = item.config.stash.get(TARGET_KEY, None)
    if target is None:
        return
    if NEEDED_NAMES_KEY not in item.stash:
        item.stash[NEEDED_NAMES_KEY] = read_tested_and_required_names(item)
    tested, required = item.stash[NEEDED_NAMES_KEY]
    item.config.stash[TEST_KEY] = item
    missing_names = target.list_unimplemented_names(required)
    if missing_names:
        raise RequiredNameNotUsable(missing_names[0], is_tested_name=missing_names[0] in tested)
    target.begin_test()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Report in a run by hand a test that needs a missing name as skipped, and say which name it is."""
    report = yield
    if call.excinfo is not None and isinstance(call.excinfo.value, RequiredNameNotUsable):
        report.outcome = "skipped"
        report.longrepr = (str(item.path), (item.location[1] or 0) + 1, f"Skipped: {call.excinfo.value}")
    return report


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Tell the target that the test is over, so that it counts the time the test took."""
    target = item.config.stash.get(TARGET_KEY, None)
    if target is not None:
        target.end_test()


class HiddenSuiteFixtures:
    """The fixtures of hidden tests. The class holds the configuration: requesting it from pytest takes longer."""

    def __init__(self, config: pytest.Config) -> None:
        self._stash = config.stash

    @pytest.fixture
    def student(self) -> Any:
        """Give the student's process: ``get``, ``make_list`` and more; see ``autograder.bridge.StudentProxy``."""
        return self._stash[TARGET_KEY].student

    @pytest.fixture
    def subject(self) -> tuple[str, ...]:
        """Give the names that this test is about, from the nearest marker alone."""
        mark = self._stash[TEST_KEY].get_closest_marker("subject")
        return mark.args if mark else ()

    @pytest.fixture
    def blocked_by(self) -> Callable[[str], NoReturn]:
        """Give ``blocked_by("__add__")``, which ends a test that just saw a prerequisite fail; it earns nothing."""

        def block(name: str) -> NoReturn:
            raise RequiredNameNotUsable(name, is_tested_name=False, is_defined=True)

        return block

    @pytest.fixture
    def conventions(self) -> Any:
        """Give the answers that this course accepts to questions with several answers; see ``grading.yml``."""
        return self._stash[CONVENTIONS_KEY]
