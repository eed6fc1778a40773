"""gradescope-utils as its documentation shows it: unittest, ``@weight`` and a ``JSONTestRunner``, a process each.

The hidden tests are wrapped in the methods of one ``TestCase``, and the submission is imported beside them.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.classes import ROOT
from benchmarks.measure import Command
from benchmarks.peers.peer import Job, Kind, read_result
from benchmarks.peers.wrapped import counted_suites, wrapped_tests

RUN_TESTS = """\
import unittest

from gradescope_utils.autograder_utils.json_test_runner import JSONTestRunner

if __name__ == "__main__":
    suite = unittest.defaultTestLoader.discover("tests")
    with open("results.json", "w") as results:
        JSONTestRunner(visibility="visible", stream=results).run(suite)
"""

MODULE = """\
import unittest
from pathlib import Path

import value
from gradescope_utils.autograder_utils.decorators import number, weight

from autograder.bridge.student import LocalStudentProxy
from autograder.course.model import AcceptedGradientConventions
from benchmarks.peers.wrapped import wrapped_tests

TESTS = {{test.name: test for test in wrapped_tests(Path({hidden!r}))}}
STUDENT = LocalStudentProxy(vars(value))
CONVENTIONS = {conventions!r}


class TestHidden(unittest.TestCase):
"""

METHOD = """\
    @weight({weight!r})
    @number({suite!r})
    def {name}(self):
        {sentence!r}
        TESTS[{name!r}].run(STUDENT, CONVENTIONS)

"""


class Gradescope:
    """``run_tests.py`` with gradescope-utils."""

    name = "gradescope-utils, a process each"
    kind: Kind = "peer"
    warm = False

    def __init__(self, python: Path) -> None:
        """``python`` has gradescope-utils and what the kit needs."""
        self._python = python

    def commands(self, job: Job) -> Sequence[Command]:
        """See ``Peer``."""
        hidden = job.assignment.hidden_suite_folder
        module = MODULE.format(hidden=str(hidden), conventions=job.assignment.conventions)
        for test in wrapped_tests(hidden):
            module += METHOD.format(weight=test.weight, suite=test.suite, name=test.name, sentence=test.sentence)
        return [self._command(path, job.scratch / path.stem, module) for path in job.submissions]

    def shares(self, job: Job) -> Mapping[str, float]:
        """See ``Peer``."""
        suites = counted_suites(job)
        shares = {}
        for path in job.submissions:
            result = read_result(job.scratch / path.stem / "results.json") or {}
            tests = [test for test in result.get("tests", ()) if test.get("number") in suites]
            if tests:  # else the submission could not be imported
                shares[path.stem] = sum(test["score"] for test in tests) / sum(test["max_score"] for test in tests)
        return shares

    def _command(self, submission: Path, folder: Path, module: str) -> Command:
        (folder / "tests").mkdir(parents=True)
        (folder / "run_tests.py").write_text(RUN_TESTS, encoding="utf-8")
        (folder / "tests" / "test_hidden.py").write_text(module, encoding="utf-8")
        shutil.copy(submission, folder / "value.py")
        return Command([str(self._python), "run_tests.py"], folder, {"PYTHONPATH": str(ROOT)})
