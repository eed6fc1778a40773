"""otter-grader on scripts: ``otter run``, and ``otter.api.grade_submission`` in a process that stays.

Its test files wrap the hidden tests: one file for each of the hidden suite's, one test case for each test. Otter runs
a submission and its tests together, in a kernel that it starts for each, also from its API.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.classes import ROOT
from benchmarks.measure import Command
from benchmarks.peers.peer import Job, Kind, read_result
from benchmarks.peers.wrapped import WrappedTest, counted_suites, wrapped_tests

HEAD = """\
from pathlib import Path

from otter.test_files import test_case

from autograder.bridge.student import LocalStudentProxy
from autograder.course.model import AcceptedGradientConventions
from benchmarks.peers.wrapped import wrapped_tests

OK_FORMAT = False
name = {suite!r}
TESTS = {{test.name: test for test in wrapped_tests(Path({hidden!r}))}}
CONVENTIONS = {conventions!r}
STUDENTS = []


def student_in(env):
    if not STUDENTS:
        STUDENTS.append(LocalStudentProxy(env))
    return STUDENTS[0]

"""

CASE = """\
@test_case(name={name!r}, points={weight!r}, success_message="", failure_message={sentence!r})
def {name}(env):
    TESTS[{name!r}].run(student_in(env), CONVENTIONS)

"""

MANY = """\
import json
import sys

from otter.api import grade_submission

package, out, *submissions = sys.argv[1:]
found = {}
for path in submissions:
    try:
        results = grade_submission(path, package, quiet=True)
    except Exception:
        continue
    found[path] = [
        {"name": test.name, "score": test.score, "max_score": test.possible} for test in results.results.values()
    ]
with open(out, "w") as file:
    json.dump(found, file)
"""


class OtterRun:
    """``otter run``."""

    name = "`otter run`, a process each"
    kind: Kind = "peer"
    warm = False

    def __init__(self, python: Path) -> None:
        """``python`` has otter-grader and what the kit needs."""
        self._python = python

    def commands(self, job: Job) -> Sequence[Command]:
        """See ``Peer``."""
        package = make_package(job, self._python)
        commands = []
        for path in job.submissions:
            (job.scratch / path.stem).mkdir()
            words = [str(self._python.with_name("otter")), "run", "-a", str(package), "-o", path.stem, str(path)]
            commands.append(Command(words, job.scratch, settings(self._python)))
        return commands

    def shares(self, job: Job) -> Mapping[str, float]:
        """See ``Peer``."""
        results = {path.stem: read_result(job.scratch / path.stem / "results.json") or {} for path in job.submissions}
        return _shares({name: result.get("tests", ()) for name, result in results.items()}, job)


class OtterApi:
    """``otter.api.grade_submission``, one process for each processor."""

    name = "`otter.api.grade_submission`, warm"
    kind: Kind = "peer"
    warm = True

    def __init__(self, python: Path) -> None:
        """``python`` has otter-grader and what the kit needs."""
        self._python = python

    def commands(self, job: Job) -> Sequence[Command]:
        """See ``Peer``."""
        package = make_package(job, self._python)
        (job.scratch / "many.py").write_text(MANY, encoding="utf-8")
        commands = []
        for number in range(job.at_once):
            mine = [str(path) for path in job.submissions[number :: job.at_once]]
            words = [str(self._python), "many.py", str(package), f"{number}.json", *mine]
            commands.append(Command(words, job.scratch, settings(self._python)))
        return commands

    def shares(self, job: Job) -> Mapping[str, float]:
        """See ``Peer``."""
        results = [read_result(path) or {} for path in job.scratch.glob("*.json")]
        return _shares({Path(name).stem: tests for result in results for name, tests in result.items()}, job)


def _shares(results: Mapping[str, Sequence[Mapping[str, Any]]], job: Job) -> dict[str, float]:
    """Return shares by submission from otter's results: an entry for each test file."""
    suites = counted_suites(job)
    counted = {name: [test for test in tests if test["name"] in suites] for name, tests in results.items()}
    return {
        name: sum(test["score"] for test in tests) / sum(test["max_score"] for test in tests)
        for name, tests in counted.items()
        if tests
    }


def settings(python: Path) -> Mapping[str, str]:
    """Environment variables: otter's own programs are found, and so is the hidden suite's wrapping."""
    return {"PATH": f"{python.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}


def make_package(job: Job, python: Path) -> Path:
    """``autograder.zip``, as ``otter generate`` makes it."""
    tests = job.scratch / "tests"
    tests.mkdir()
    for suite, members in groupby(wrapped_tests(job.assignment.hidden_suite_folder), lambda test: test.suite):
        (tests / f"{suite}.py").write_text(_test_file(job, suite, list(members)), encoding="utf-8")
    words = [str(python.with_name("otter")), "generate", "-t", "tests", "-o", "autograder.zip", "--no-environment"]
    environment = {**os.environ, **settings(python)}
    subprocess.run(words, cwd=job.scratch, env=environment, check=True, capture_output=True)
    return job.scratch / "autograder.zip"


def _test_file(job: Job, suite: str, tests: list[WrappedTest]) -> str:
    head = HEAD.format(
        suite=suite, hidden=str(job.assignment.hidden_suite_folder), conventions=job.assignment.conventions
    )
    cases = [CASE.format(name=test.name, weight=test.weight, sentence=test.sentence) for test in tests]
    return head + "".join(cases)
