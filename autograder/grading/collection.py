"""Check a hidden suite's files, collect its tests with pytest, and say what keeps them from being collected."""

from __future__ import annotations

import ast
import importlib.metadata
import importlib.util
import os
import re
import site
import sys
import sysconfig
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import pytest_jsonreport.plugin
import pytest_metadata.plugin
from _pytest.config import ConftestImportFailure, _prepareconfig

import autograder
from autograder.course import Assignment
from autograder.course.assignment_code import ADVICE_ON_PROGRAM_END, PROGRAM_END
from autograder.faults import CourseFault, format_did_you_mean_suffix, raise_course_faults_if_any
from autograder.files import TOOL_CACHE_FOLDERS
from autograder.grading import pytest_plugin, specs
from autograder.grading.own_errors import (
    find_suite_file_or_none,
    format_suite_traceback,
    iterate_suite_frames,
    summarize_exception,
)
from autograder.grading.runnable_test import suppress_stdout
from autograder.grading.specs import MARKER_NAMES

UNKNOWN_MARKER = re.compile(r"'(\w+)' not found in `markers` configuration option")
"""Pytest's message about the first unknown marker in a file."""
NO_CASES = re.compile(r"Empty parameter set in '(\w+)' at line (\d+)")
"""Pytest's message about a test that is parametrized with an empty list."""
UNKNOWN_MARKER_START = "unknown marker"
PROGRAM_ENDS = (SystemExit, KeyboardInterrupt, pytest.exit.Exception)


def _make_collection_fault(
    error: BaseException, assignment: Assignment, collected_file: Path, suite_modules: Collection[str] = ()
) -> CourseFault:
    """Return the fault for an exception that a suite's file raised while it was imported.

    Args:
        error: the exception, as pytest passes it on.
        assignment: the assignment of the suite.
        collected_file: the file that was being collected; named if the exception names no line of the suite.
        suite_modules: the names of the modules and packages that lie beside the tests.
    """
    error = _unwrap(error)
    folder = assignment.hidden_suite_folder
    frames = [*iterate_suite_frames(error.__traceback__, folder)]
    where = frames[-1].location if frames else str(collected_file)
    if isinstance(error, PROGRAM_ENDS):
        return CourseFault(PROGRAM_END, where=where, advice=ADVICE_ON_PROGRAM_END)
    if isinstance(error, SyntaxError) and (file := find_suite_file_or_none(error.filename, folder)):
        return CourseFault(
            f"this line is not valid Python: {error.msg}", where=f"{file}:{error.lineno or 1}", advice="fix the line"
        )
    if isinstance(error, pytest.fail.Exception) and (marker := UNKNOWN_MARKER.match(str(error))):
        return make_unknown_marker_fault(marker[1], where)
    if isinstance(error, pytest.Collector.CollectError) and (empty := NO_CASES.match(str(error))):
        return CourseFault(
            f"`parametrize` gives {empty[1]} no cases, so it never runs",
            where=f"{collected_file}:{empty[2]}",
            advice="look at what its list is made from",
        )
    return CourseFault(
        f"cannot import this file: {summarize_exception(error)}",
        where=where,
        advice=_advise(error, assignment, suite_modules),
        details=format_suite_traceback(error, folder),
    )


def make_unknown_marker_fault(marker_name: str, where: str) -> CourseFault:
    """Return the fault for a marker that neither the kit nor pytest has.

    Args:
        marker_name: the marker.
        where: the line of the suite that uses it.
    """
    return CourseFault(
        f"{UNKNOWN_MARKER_START} {marker_name!r}{format_did_you_mean_suffix(marker_name, MARKER_NAMES)}",
        where=where,
        advice=f"choose from {', '.join(MARKER_NAMES)}",
    )


def _make_skipped_file_fault(skipped_report: pytest.CollectReport, file: Path) -> CourseFault:
    """Return the fault for a file that leaves itself out while it is imported, as ``importorskip`` does."""
    _, line, reason = skipped_report.longrepr if isinstance(skipped_report.longrepr, tuple) else ("", 1, "")
    return CourseFault(
        f"this file leaves itself out: {reason.removeprefix('Skipped: ')}",
        where=f"{file}:{line}",
        advice="use `import` in place of `pytest.importorskip`: marks must not depend on the machine",
    )


def _was_raised_by_suite(error: BaseException, suite_folder: Path) -> bool:
    """Return whether a line of the suite raised an exception that ends the program.

    Ctrl-C raises ``KeyboardInterrupt`` as well, in any line or in the handler of the signal, but not by a ``raise``
    of the suite.
    """
    frames = [*iterate_suite_frames(error.__traceback__, suite_folder)]
    if not frames or not isinstance(error, KeyboardInterrupt):
        return bool(frames)
    return frames[-1].is_last and frames[-1].opcode_name == "RAISE_VARARGS"


def _unwrap(error: BaseException) -> BaseException:
    """Return the exception that a suite's file raised, from the one that pytest made of it."""
    if isinstance(error, ConftestImportFailure):
        return error.cause
    if isinstance(error, pytest.Collector.CollectError) and error.__cause__ is not None:
        return error.__cause__
    return error


def _advise(error: BaseException, assignment: Assignment, suite_modules: Collection[str]) -> str:
    if isinstance(error, ModuleNotFoundError):
        return _advise_on_import(error.name or "", assignment, suite_modules)
    if isinstance(error, ImportError):
        return "fix the import, or the module that it names"
    return "fix the line"


def _advise_on_import(module_name: str, assignment: Assignment, suite_modules: Collection[str] = ()) -> str:
    """Say what to do about an import of a module that a suite cannot have.

    Args:
        module_name: the name of the module.
        assignment: the assignment of the suite.
        suite_modules: the names of the modules and packages that lie beside the tests.
    """
    if module_name == assignment.solution_file.stem:
        return "the submission runs in a process of its own: take what you need with `student.get(...)`"
    guess = format_did_you_mean_suffix(module_name, suite_modules)
    return f"put a copy of the module into {assignment.hidden_suite_folder.name}/, or install the package{guess}"


def _find_outside_module_faults(
    loaded_before: Collection[str], assignment: Assignment, suite_modules: Collection[str]
) -> list[CourseFault]:
    """Return a fault for each module that a suite imported from elsewhere than its folder and what is installed.

    Such a module is neither part of the assignment's version nor of what is packed for a platform.

    Args:
        loaded_before: the names in ``sys.modules`` before the suite was collected.
        assignment: the assignment of the suite.
        suite_modules: the names of the modules and packages that lie beside the tests.
    """
    folder = assignment.hidden_suite_folder
    outside = [
        (name, file, _find_import(name, folder)) for name, file in _iterate_stray_modules(loaded_before, folder)
    ]
    imported_by_suite = [one for one in outside if one[2]]  # the others are imported by these
    return [
        CourseFault(
            f"the suite imports {file}, which lies outside its folder",
            where=where or str(folder),
            advice=_advise_on_import(name, assignment, suite_modules),
        )
        for name, file, where in imported_by_suite or outside
    ]


def _iterate_stray_modules(loaded_before: Collection[str], suite_folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and file of each module that was loaded since then and is neither the suite's nor installed."""
    for name in sorted(sys.modules.keys() - loaded_before):
        file = _get_file(sys.modules.get(name))
        if not file or find_suite_file_or_none(file, suite_folder) or _is_installed_module(name, file):
            continue
        if name.partition(".")[0] not in _list_distributed_modules():
            yield name, file


def _get_file(module: ModuleType | None) -> str:
    file = getattr(module, "__file__", None)
    return os.path.abspath(file) if isinstance(file, str) else ""


def _is_installed_module(module_name: str, file_name: str) -> bool:
    """Return whether a module belongs to Python, to an installed package or to the kit.

    Args:
        module_name: its full name, such as ``numpy.linalg``.
        file_name: the absolute path of its file.
    """
    if any(one.startswith(_list_installed_folders()) for one in (file_name, os.path.realpath(file_name))):
        return True
    depth = module_name.count(".") + (os.path.basename(file_name) == "__init__.py")
    search_folder = next(islice(Path(file_name).parents, depth, None), None)
    return str(search_folder) in _list_folders_in_search_path_files()


@cache
def _list_package_folders() -> frozenset[str]:
    kinds = (sysconfig.get_path(kind) for kind in ("purelib", "platlib"))
    return frozenset({*site.getsitepackages(), site.getusersitepackages(), *kinds})


@cache
def _list_installed_folders() -> tuple[str, ...]:
    """Return the folders of Python, of installed packages and of the kit, each with a slash at its end."""
    python = (sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib"))
    folders = {*_list_package_folders(), *python, str(Path(autograder.__file__).parent)}
    return tuple({f"{path}{os.sep}" for one in folders for path in (os.path.abspath(one), os.path.realpath(one))})


@cache
def _list_folders_in_search_path_files() -> frozenset[str]:
    """Return the folders that ``.pth`` files name: packages that ``pip install --editable`` installed in place."""
    found = set[str]()
    for file in (file for folder in _list_package_folders() for file in Path(folder).glob("*.pth")):
        try:
            found.update(line for line in file.read_text(encoding="utf-8").splitlines() if os.path.isabs(line))
        except (OSError, ValueError):
            continue
    return frozenset(map(os.path.normpath, found))


@cache
def _list_distributed_modules() -> frozenset[str]:
    """Return the names of all modules that installed packages declare; only a doubtful module is looked up here."""
    return frozenset(importlib.metadata.packages_distributions())


def _find_import(module_name: str, suite_folder: Path) -> str:
    """Return the first line of a suite that imports a module; an empty text if none names it."""
    top = re.escape(module_name.partition(".")[0])
    line = re.compile(rf"^[ \t]*(?:from|import)[ \t](?:[^\n#]*[ \t,])?{top}\b", re.MULTILINE)
    for path in sorted(suite_folder.rglob("*.py")):
        source = path.read_text(encoding="utf-8", errors="replace")
        found = line.search(source)
        if found:
            return f"{path}:{source.count(chr(10), 0, found.start()) + 1}"
    return ""


Function = (ast.FunctionDef, ast.AsyncFunctionDef)


def _list_suite_module_names(suite_folder: Path) -> frozenset[str]:
    """Return the names of the modules and packages in a suite's folder, the tests themselves included."""
    return frozenset(
        path.stem if path.suffix == ".py" else path.name
        for path in suite_folder.iterdir()
        if path.suffix == ".py" or _is_package(path)
    )


def _is_package(path: Path) -> bool:
    return (
        path.name.isidentifier()
        and path.name not in TOOL_CACHE_FOLDERS
        and path.is_dir()
        and next(path.rglob("*.py"), None) is not None
    )


def _require_predictable_suite_imports(suite_folder: Path, module_names: Collection[str]) -> None:
    """Raise if a file of a suite would be imported otherwise than its author expects.

    Args:
        suite_folder: the folder of the hidden suite.
        module_names: what ``_list_suite_module_names`` returns.

    Raises:
        CourseFault: a folder is a link, a module hides another one, or a module is imported inside a function.
    """
    helpers = sorted(name for name in module_names if not name.startswith(("test_", "__")) and name != "conftest")
    raise_course_faults_if_any(
        [
            *_find_linked_folders(suite_folder),
            *_find_hiding_modules(suite_folder, helpers),
            *_find_imports_inside_functions(suite_folder, helpers),
        ]
    )


def _find_linked_folders(suite_folder: Path) -> Iterator[CourseFault]:
    for path in sorted(suite_folder.rglob("*")):
        if path.is_symlink() and path.is_dir():
            yield CourseFault(
                "this folder is a symbolic link to files outside the assignment",
                where=str(path),
                advice="put a copy of the folder in its place",
            )


def _find_hiding_modules(suite_folder: Path, helpers: Collection[str]) -> Iterator[CourseFault]:
    for name in helpers:
        whose = _describe_hidden_module(name)
        if whose:
            file = suite_folder / f"{name}.py"
            path, kind = (file, "file") if file.is_file() else (suite_folder / name, "folder")
            yield CourseFault(f"this {kind} has the name of {whose} and hides it", str(path), "rename it")


def _describe_hidden_module(name: str) -> str:
    if name in sys.stdlib_module_names:
        return "a module of Python's own"
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return ""
    origin = spec.origin if spec else None  # a folder without modules has none, and is not hidden by another
    return "an installed package" if origin and _is_installed_module(name, origin) else ""


def _find_imports_inside_functions(suite_folder: Path, helpers: Collection[str]) -> Iterator[CourseFault]:
    """Yield the imports of a suite's own modules that run when a test does: by then, these names mean nothing."""
    if not helpers:
        return
    named = "|".join(map(re.escape, helpers))
    indented = re.compile(rf"^[ \t]+(?:from|import)[ \t][^\n]*\b(?:{named})\b".encode(), re.MULTILINE)
    for path in sorted(suite_folder.rglob("*.py")):
        try:
            source = path.read_bytes()
            tree = ast.parse(source) if indented.search(source) else None
        except (OSError, SyntaxError, ValueError):
            continue  # importing it reports this
        functions = [node for node in ast.walk(tree) if isinstance(node, Function)] if tree else []
        for line in sorted({line for function in functions for line in _imports(function, helpers)}):
            yield CourseFault(
                "a module beside the tests is imported inside a function",
                where=f"{path}:{line}",
                advice="import it at the top of the file",
            )


def _imports(function: ast.AST, helpers: Collection[str]) -> Iterator[int]:
    """Yield the lines of a function that import one of these modules."""
    for node in ast.walk(function):
        if isinstance(node, ast.Import):
            imported = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            imported = [node.module or ""]
        else:
            continue
        if any(name.partition(".")[0] in helpers for name in imported):
            yield node.lineno


# what pytest-xdist's workers use too: pytest.main runs and ends


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
    names = _list_suite_module_names(folder)
    _require_predictable_suite_imports(folder, names)
    with (
        suppress_stdout(),
        _translate_collection_errors(assignment, names),
        _isolate_suite_modules(assignment, names),
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
    config.stash[specs.CONVENTIONS_KEY] = assignment.conventions
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
            faults.append(_make_collection_fault(call.excinfo.value, assignment, node.path, suite_modules))

        def pytest_collectreport(self, report: pytest.CollectReport) -> None:
            if report.skipped:
                file = Path(report.longrepr[0]) if isinstance(report.longrepr, tuple) else Path(report.nodeid)
                faults.append(_make_skipped_file_fault(report, file))

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
        raise _make_collection_fault(failure, assignment, failure.path, suite_modules) from failure
    except (*PROGRAM_ENDS, pytest.skip.Exception, pytest.fail.Exception) as error:
        if not _was_raised_by_suite(error, folder):
            raise
        raise _make_collection_fault(error, assignment, folder, suite_modules) from error


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
        raise_course_faults_if_any(_find_outside_module_faults(loaded_before, assignment, suite_modules))
    finally:
        sys.path[:] = search_path  # a suite may have changed it
        _remove_loaded_modules(suite_modules)
        for name, _ in [*_iterate_stray_modules(loaded_before, folder)]:
            sys.modules.pop(name, None)
        sys.modules.update(others)


def _remove_loaded_modules(names: Collection[str]) -> dict[str, ModuleType]:
    """Take modules and packages with these names out of ``sys.modules``, and return them."""
    return {name: sys.modules.pop(name) for name in [*sys.modules] if name.partition(".")[0] in names}
