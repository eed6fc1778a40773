"""Set up pytest's session of one hidden suite, and collect its tests."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator, Set
from contextlib import contextmanager
from types import ModuleType

import pytest

# what pytest-xdist's workers use too: pytest.main runs and ends
from _pytest.config import ConftestImportFailure, _prepareconfig

from autograder.course import Assignment
from autograder.faults import CourseFault, raise_course_faults_if_any
from autograder.grading import suite_stash_keys

UNUSED = (
    *("logging", "warnings", "unraisableexception", "threadexception", "faulthandler", "doctest", "unittest"),
    *("skipping", "junitxml", "pastebin", "stepwise", "setuponly", "setupplan", "subtests", "cacheprovider"),
    "debugging",
)
"""pytest's own plugins that a hidden suite has no use for; together they take as long as the tests."""

PLUGINS = ("pytest_metadata.plugin", "pytest_jsonreport.plugin", "autograder.grading.pytest_plugin")

OPTIONS = (
    "--disable-plugin-autoload",
    *(word for name in PLUGINS for word in ("-p", name)),
    *(word for name in UNUSED for word in ("-p", f"no:{name}")),
    *("--assert=plain", "--capture=no", "--tb=native", "--import-mode=importlib", "--strict-markers"),
    *("--json-report", "--json-report-file=none", "--json-report-omit", "collectors", "log", "streams"),
)


def start_session_and_collect_items(assignment: Assignment) -> tuple[pytest.Session, list[pytest.Item]]:
    """Collect a hidden suite. The caller must end its session with ``close_session``.

    Returns:
        The session, and its tests in the order of the files.

    Raises:
        CourseFault: a test cannot be collected.
    """
    with _translate_collection_errors(assignment), _isolate_suite_modules(assignment):
        session = pytest.Session.from_config(_make_config(assignment))
        session.exitstatus = pytest.ExitCode.OK
        session.config.hook.pytest_sessionstart(session=session)
        return session, _collect_items(session, assignment)


def close_session(session: pytest.Session) -> None:
    """End a session."""
    session.config._ensure_unconfigure()


def _make_config(assignment: Assignment) -> pytest.Config:
    hidden = assignment.hidden_suite_folder
    config = _prepareconfig([*OPTIONS, "-c", os.devnull, f"--rootdir={hidden}", str(hidden)])
    config.stash[suite_stash_keys.CONVENTIONS_KEY] = assignment.conventions
    config._do_configure()
    config.pluginmanager.unregister(name="terminalreporter")  # the kit prints, not pytest
    return config


def _collect_items(session: pytest.Session, assignment: Assignment) -> list[pytest.Item]:
    reports: list[pytest.CollectReport] = []

    class Listener:
        def pytest_collectreport(self, report: pytest.CollectReport) -> None:
            reports.append(report)

    listener = Listener()
    session.config.pluginmanager.register(listener)
    try:
        items = list(session.perform_collect())
    finally:
        session.config.pluginmanager.unregister(listener)
    raise_course_faults_if_any([_describe_failure(one, assignment) for one in reports if one.failed])
    return items


def _describe_failure(report: pytest.CollectReport, assignment: Assignment) -> CourseFault:
    """Return the fault of a file that cannot be imported, with the traceback."""
    text = str(report.longrepr).strip()
    return CourseFault(
        f"cannot collect these tests: {text.splitlines()[-1]}",
        where=str(assignment.hidden_suite_folder / report.nodeid),
        advice="mend the file; its traceback is below" if "Traceback" in text else "",
        details=text if "\n" in text else "",
    )


@contextmanager
def _translate_collection_errors(assignment: Assignment) -> Iterator[None]:
    try:
        yield
    except (pytest.UsageError, pytest.Collector.CollectError) as error:
        raise CourseFault(
            f"cannot collect the hidden tests: {error}",
            where=str(assignment.hidden_suite_folder),
            advice="mend the suite",
        ) from error
    except ConftestImportFailure as failure:
        raise CourseFault(
            f"cannot load this conftest: {failure.cause!r}",
            where=str(failure.path),
            advice="mend the file",
            details="".join(traceback.format_exception(failure.cause)),
        ) from failure


@contextmanager
def _isolate_suite_modules(assignment: Assignment) -> Iterator[None]:
    """Let this suite's files import each other by name, and not another's: two suites may be open in one process."""
    folder = assignment.hidden_suite_folder
    names = {path.stem for path in folder.iterdir() if path.suffix == ".py" or path.is_dir()}
    others = _remove_loaded_modules(names)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        _remove_loaded_modules(names)
        sys.modules.update(others)


def _remove_loaded_modules(names: Set[str]) -> dict[str, ModuleType]:
    """Take modules and packages with these names out of ``sys.modules``, and return them."""
    return {name: sys.modules.pop(name) for name in [*sys.modules] if name.partition(".")[0] in names}
