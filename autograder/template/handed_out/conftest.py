"""Makes pytest's output short: what holds, what is not written yet, what is wrong, and what comes next.

For the full story of a failure, run ``pytest --tb=short``.
"""

import sys
import traceback
from collections import Counter
from pathlib import Path

import pytest

_broken = {}  # why a test file cannot be loaded, each reason once
_results = {}  # file -> list of (sentence, state, what happened)
_running = []  # the sentence of the test that is at work


def _sentence(item):
    doc = getattr(getattr(item, "function", None), "__doc__", None) or item.name
    return " ".join(doc.split())


def _where(error):
    """The line of your own file that an exception came from."""
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if "/tests/" not in frame.filename]
    own = [frame for frame in own if "site-packages" not in frame.filename and "<frozen" not in frame.filename]
    return f" ({_name(own[-1].filename)}, line {own[-1].lineno})" if own else ""


def _name(filename):
    """A file's name; in a notebook, the cell as Jupyter shows it: ``cell In[3]``."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    try:
        label, name = shell.compile.format_code_name(filename)
        return f"{label.lower()} {name}"
    except Exception:
        return filename.rpartition("/")[2]


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
        else:
            state, story = "wrong", f"{type(error).__name__}: {' '.join(text)[:300]}{_where(error)}"
    _results.setdefault(item.path.stem, []).append((_sentence(item), state, story))
    return report


def pytest_collectreport(report):
    """Note why the tests cannot be loaded: most often value.py cannot."""
    if report.failed:
        lines = [line[1:].strip() for line in str(report.longrepr).splitlines() if line.startswith("E ")]
        _broken["\n".join(lines) or str(report.longrepr)] = True


def pytest_terminal_summary(terminalreporter, exitstatus):
    """Say where you stand, file by file, and what comes next."""
    write = terminalreporter.write_line
    if _broken:
        terminalreporter.write_sep("-", "your code cannot be loaded")
        for reason in _broken:
            write(reason)
        write("Mend this first, then run pytest again.")
    if not _results:
        return
    every = [result for name in sorted(_results) for result in _results[name]]
    wrong = [(sentence, story) for sentence, state, story in every if state == "wrong"]
    if wrong:
        terminalreporter.write_sep("-", "what is wrong")
        for sentence, story in wrong:
            write(f"- {sentence}")
            write(f"  {story}")
    terminalreporter.write_sep("-", "where you stand")
    for name in sorted(_results):
        tests = _results[name]
        passed = sum(state == "passed" for _, state, _ in tests)
        write(f"{_title(name):32} {passed} of {len(tests)}")
    for story, count in Counter(story for _, state, story in every if state == "not written").items():
        write(f"{story} ({count} test{'s' if count > 1 else ''})")
    waiting = [sentence for sentence, state, _ in every if state != "passed"]
    if exitstatus == pytest.ExitCode.INTERRUPTED:
        write(f"Stopped in: {_running[0]} Does a loop there never end?")
    if waiting:
        write(f"Next: {waiting[0]}")
    elif exitstatus != pytest.ExitCode.INTERRUPTED:
        left = _left_out(terminalreporter)
        write(f"All of it holds. Not run here: {left}." if left else "All of it holds. Hand it in.")


def _left_out(terminalreporter):
    """What was not asked for: other files, or other tests of these; nothing if all were run."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("test_*.py"))
    files = [_title(name) for name in names if name not in _results]
    others = len(terminalreporter.stats.get("deselected", ()))
    return ", ".join(files) or (f"{others} test{'s' if others > 1 else ''}" if others else "")


def _title(name):
    return name.removeprefix("test_").replace("_", " ")
