"""Set up pytest's session of one hidden suite, and collect its tests."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import pytest_jsonreport.plugin
import pytest_metadata.plugin

# what pytest-xdist's workers use too: pytest.main runs and ends
from _pytest.config import ConftestImportFailure, _prepareconfig

from autograder.course import Assignment
from autograder.course.course_import_time_limit import ImportTimeout, limit_import_time
from autograder.faults import CourseFault, raise_course_faults_if_any
from autograder.grading import pytest_plugin
from autograder.grading.suite import suite_stash_keys
from autograder.grading.suite.stdout_suppression import suppress_stdout
from autograder.grading.suite.stray_suite_modules import find_outside_module_faults, iterate_stray_modules
from autograder.grading.suite.suite_collection_faults import (
    PROGRAM_ENDS,
    make_collection_fault,
    make_skipped_file_fault,
    was_raised_by_suite,
)
from autograder.grading.suite.suite_import_checks import list_suite_module_names, require_predictable_suite_imports

UNUSED = (
    *("logging", "warnings", "unraisableexception", "threadexception", "faulthandler", "doctest", "unittest"),
    *("skipping", "junitxml", "pastebin", "stepwise", "setuponly", "setupplan", "subtests", "cacheprovider"),
    "debugging",
)
"""pytest's own plugins that a hidden suite has no use for; together they take as long as the tests."""

PLUGINS = (pytest_metadata.plugin, pytest_jsonreport.plugin, pytest_plugin)
"""Modules and not names: for a name, pytest reads first what every installed package offers."""

OPTIONS = (
    "--disable-plugin-autoload",
    *(word for name in UNUSED for word in ("-p", f"no:{name}")),
    *("--assert=plain", "--capture=no", "--tb=native", "--import-mode=importlib", "--strict-markers"),
    *("-o", "empty_parameter_set_mark=fail_at_collect"),
    *("--json-report", "--json-report-file=none", "--json-report-omit", "collectors", "log", "streams"),
)


def start_session_and_collect_items(assignment: Assignment) -> tuple[pytest.Session, list[pytest.Item]]:
    """Collect a hidden suite. The caller must end its session with ``session.config._ensure_unconfigure()``.

    Returns:
        The session, and its tests in the order of the files.

    Raises:
        CourseFault: a test cannot be collected.
    """
    folder = assignment.hidden_suite_folder
    names = list_suite_module_names(folder)
    require_predictable_suite_imports(folder, names)
    with (
        suppress_stdout(),
        _translate_collection_errors(assignment, names),
        _isolate_suite_modules(assignment, names),
        limit_import_time(folder),
    ):
        session = pytest.Session.from_config(_make_config(assignment))
        session.exitstatus = pytest.ExitCode.OK
        session.config.hook.pytest_sessionstart(session=session)
        return session, _collect_items(session, assignment, names)


def _make_config(assignment: Assignment) -> pytest.Config:
    hidden = assignment.hidden_suite_folder
    config = _prepareconfig(
        [*OPTIONS, "-c", os.devnull, f"--rootdir={hidden}", f"--confcutdir={hidden}", str(hidden)], PLUGINS
    )
    config.stash[suite_stash_keys.CONVENTIONS_KEY] = assignment.conventions
    config._do_configure()
    config.pluginmanager.unregister(name="terminalreporter")  # the kit prints, not pytest
    return config


def _collect_items(
    session: pytest.Session, assignment: Assignment, suite_modules: Collection[str]
) -> list[pytest.Item]:
    faults: list[CourseFault] = []

    class Listener:
        def pytest_exception_interact(self, node: pytest.Collector, call: pytest.CallInfo[Any]) -> None:
            assert call.excinfo is not None
            if isinstance(call.excinfo.value, ImportTimeout):
                raise call.excinfo.value
            faults.append(make_collection_fault(call.excinfo.value, assignment, node.path, suite_modules))

        def pytest_collectreport(self, report: pytest.CollectReport) -> None:
            if report.skipped:
                file = Path(report.longrepr[0]) if isinstance(report.longrepr, tuple) else Path(report.nodeid)
                faults.append(make_skipped_file_fault(report, file))

    listener = Listener()
    session.config.pluginmanager.register(listener)
    try:
        items = list(session.perform_collect())
    finally:
        session.config.pluginmanager.unregister(listener)
    raise_course_faults_if_any([*{str(fault): fault for fault in faults}.values()])
    return items


@contextmanager
def _translate_collection_errors(assignment: Assignment, suite_modules: Collection[str]) -> Iterator[None]:
    """Raise the fault for what is not an error of a single test file, such as one of ``conftest.py``."""
    folder = assignment.hidden_suite_folder
    try:
        yield
    except (pytest.UsageError, pytest.Collector.CollectError) as error:
        raise CourseFault(
            f"cannot collect the hidden tests: {error}", where=str(folder), advice="fix the suite"
        ) from error
    except ConftestImportFailure as failure:
        raise make_collection_fault(failure, assignment, failure.path, suite_modules) from failure
    except ImportTimeout as error:
        raise make_collection_fault(error, assignment, folder, suite_modules) from error
    except (*PROGRAM_ENDS, pytest.skip.Exception, pytest.fail.Exception) as error:
        if not was_raised_by_suite(error, folder):
            raise
        raise make_collection_fault(error, assignment, folder, suite_modules) from error


@contextmanager
def _isolate_suite_modules(assignment: Assignment, suite_modules: Collection[str]) -> Iterator[None]:
    """Let this suite's files import each other by name, and not another's: two suites may be open in one process.

    Raises:
        CourseFault: they imported a module that is no part of the assignment.
    """
    folder = assignment.hidden_suite_folder
    others = _remove_loaded_modules(suite_modules)
    search_path, loaded_before = [*sys.path], {*sys.modules}
    sys.path.insert(0, str(folder))
    try:
        yield
        _remove_loaded_modules(suite_modules)
        raise_course_faults_if_any(find_outside_module_faults(loaded_before, assignment, suite_modules))
    finally:
        sys.path[:] = search_path  # a suite may have changed it
        _remove_loaded_modules(suite_modules)
        for name, _ in [*iterate_stray_modules(loaded_before, folder)]:
            sys.modules.pop(name, None)
        sys.modules.update(others)


def _remove_loaded_modules(names: Collection[str]) -> dict[str, ModuleType]:
    """Take modules and packages with these names out of ``sys.modules``, and return them."""
    return {name: sys.modules.pop(name) for name in [*sys.modules] if name.partition(".")[0] in names}
