"""Makes pytest's output short: what holds, what is not written yet, what is wrong, and what comes next.

For the full story of a failure, run ``pytest --tb=short``.
"""

import sys
import textwrap
from collections import Counter
from contextlib import nullcontext
from pathlib import Path

import pytest
from exception_messages import explain_exception
from graph_picture import draw_graph_of_failed_test
from load_error_messages import (
    HERE,
    describe_wrong_kind,
    explain_load_error,
    find_last_own_line,
    find_tested_names,
    get_file_or_cell_name,
    in_notebook,
)
from set_orders import call_in_both_orders
from time_limit import stopped_when_endless

NOTEBOOK_WIDTH = 78  # a notebook breaks longer lines in the middle of a word
ONE_ORDER = "The order of a set is not defined, and in one of two orders this breaks: "
pictures = []  # of the first test that is wrong in a notebook, for notebook_check.py: (sentence, SVG, words)
_broken = {}  # why a test file cannot be loaded, each reason once
_endless = []  # what was loaded when it had to be stopped
_results = {}  # file -> list of (sentence, state, what happened)
_hints = {}  # what happened -> what to try
_test_lines = {}  # what happened -> the line of the first test that it happened in, where no line is yours
_running = []  # the sentence of the test that is at work
_stopped = []  # what Ctrl-C interrupted
_own = []  # the modules that hold your code


def _sentence(item):
    doc = getattr(getattr(item, "function", None), "__doc__", None) or item.name
    return " ".join(doc.split())


def pytest_exception_interact(node, call, report):
    """Note why tests cannot be loaded, most often since value.py cannot, and go on with the others."""
    if isinstance(report, pytest.CollectReport):
        error = call.excinfo.value
        if isinstance(error, node.CollectError):
            error = error.__cause__ or error
        _broken[explain_load_error(error)] = True
        report.outcome, report.longrepr, report.result = "passed", None, []


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Note that loading your file ends the program, or does not end; pytest would end with it, and ninety lines."""
    if _endless:
        collector.collect = list  # each test file would load yours anew
    try:
        with stopped_when_endless() if isinstance(collector, pytest.Module) else nullcontext():
            return (yield)
    except (KeyboardInterrupt, SystemExit) as error:
        if find_last_own_line(error) is None:
            raise
        if isinstance(error, KeyboardInterrupt):
            _endless.append(collector)
        _broken[explain_load_error(error)] = True
        return pytest.CollectReport(collector.nodeid, "passed", None, [])


def pytest_collection_modifyitems(items):
    """Leave out the tests of a name that stands for something else."""
    value = sys.modules.get("value")
    wrong = {}
    for file in {item.path for item in items}:
        why = [
            describe_wrong_kind(name, getattr(value, name))
            for name in find_tested_names(file)
            if hasattr(value, name)
        ]
        wrong[file] = [reason for reason in why if reason]
        _broken.update(dict.fromkeys(wrong[file], True))
    items[:] = [item for item in items if not wrong[item.path]]
    files = [(getattr(module, "__file__", None) or "", module) for module in list(sys.modules.values())]
    _own[:] = [value] * (value is not None) + [one for file, one in files if Path(file).parent == HERE.parent]


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Run each test in two orders of sets; see set_orders.py."""
    __tracebackhide__ = True
    if pyfuncitem.funcargs:
        return None
    call_in_both_orders(pyfuncitem.obj, [pyfuncitem.module, *_own])
    return True


def pytest_runtest_setup(item):
    """Note which test is at work: Ctrl-C, in a loop without an end, leaves no report of it."""
    _running[:] = [_sentence(item)]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Note how each test went."""
    report = yield
    if report.when != "call" and report.passed:
        return report
    state, story = "passed", ""
    if call.excinfo is not None:
        error = call.excinfo.value
        text = str(error).strip().splitlines()
        if isinstance(error, NotImplementedError):
            state, story = "not written", text[0] if text else "something is not written yet"
        elif isinstance(error, AssertionError):
            state, story = "wrong", text[0] if text else "this does not hold"
            _keep_picture(_sentence(item), error)
        else:
            state, (story, hint, test_line) = "raised", explain_exception(error, _own)
            _hints.setdefault(story, hint)
            _test_lines.setdefault(story, test_line)
        if state in ("wrong", "raised") and getattr(error, "in_one_order", False):
            story = ONE_ORDER + story
    _results.setdefault(item.path.stem, []).append((_sentence(item), state, story))
    return report


def _keep_picture(sentence, error):
    """Keep the picture of the first test that is wrong; a terminal has no place for one."""
    if in_notebook() and not pictures and (drawn := draw_graph_of_failed_test(error)):
        pictures.append((sentence, *drawn))


def pytest_keyboard_interrupt(excinfo):
    """Note which test, and which of your lines, was at work when Ctrl-C came."""
    place = find_last_own_line(excinfo.value)
    line = f" You stopped it at {get_file_or_cell_name(place[0])}, line {place[1]}." if place else ""
    _stopped[:] = [f"Stopped in: {sentence} Does a loop there never end?{line}" for sentence in _running]


def pytest_sessionfinish(session):
    """Call it a failure where nothing could be run."""
    if _broken and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter, exitstatus):
    """Say where you stand, file by file, and what comes next."""

    def write(text):
        for line in textwrap.wrap(text, NOTEBOOK_WIDTH, subsequent_indent="  ") if in_notebook() else [text]:
            terminalreporter.write_line(line)

    if _broken:
        terminalreporter.write_sep("-", "your code cannot be loaded")
        for reason in _broken:
            write(reason)
        write("Then run this again.")
    if _stopped:
        terminalreporter.write_sep("-", "stopped")
        write(_stopped[0])
    if not _results:
        return
    every = [result for name in sorted(_results) for result in _results[name]]
    wrong = [result for result in every if result[1] in ("wrong", "raised")]
    if wrong:
        terminalreporter.write_sep("-", "what is wrong")
    told = {""}
    for sentence, state, story in wrong:
        if story in told:
            continue
        hint = _hints.get(story.removeprefix(ONE_ORDER), "")
        write(f"- {sentence}")
        write(f"  {story}" if hint in told else f"  {story} {hint}".rstrip())
        told.add(hint)
        if state == "raised":  # one mistake, such as a missing method, stops many tests in the same way
            told.add(story)
            if test_line := _test_lines.get(story.removeprefix(ONE_ORDER)):
                write(f"  {test_line}")
            more = sum(other == story for _, _, other in wrong) - 1
            if more:
                write(f"  The same in {more} more test{'s' if more > 1 else ''}.")
    terminalreporter.write_sep("-", "where you stand")
    for name in sorted(_results):
        tests = _results[name]
        passed = sum(state == "passed" for _, state, _ in tests)
        write(f"{_title(name):32} {passed} of {len(tests)}")
    for story, count in Counter(story for _, state, story in every if state == "not written").items():
        write(f"{story} ({count} test{'s' if count > 1 else ''})")
    waiting = [sentence for sentence, state, _ in every if state != "passed"]
    if waiting:
        write(f"Next: {waiting[0]}")
    elif exitstatus != pytest.ExitCode.INTERRUPTED and not _broken:
        left = _left_out(terminalreporter)
        write(f"All of it holds. Not run here: {left}." if left else "All of it holds. Hand it in.")


def _left_out(terminalreporter):
    """Return what was not asked for: other files, or other tests of these; nothing if all were run."""
    names = sorted(path.stem for path in HERE.glob("test_*.py"))
    files = [_title(name) for name in names if name not in _results]
    others = len(terminalreporter.stats.get("deselected", ()))
    return ", ".join(files) or (f"{others} test{'s' if others > 1 else ''}" if others else "")


def _title(name):
    return name.removeprefix("test_").replace("_", " ")
