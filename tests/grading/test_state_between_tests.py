"""What a program keeps from one test to the next, wherever it keeps it, costs it no test."""

from __future__ import annotations

import pytest

from autograder.author_checks.catalogue import make_submission_from_source
from autograder.grading import Grader
from autograder.sandbox import SandboxConfig
from tests.grading.conftest import GradeWith, MakeCourse

COUNTING = """
import {module}

def notes(): ...

class Counter:
    def __init__(self, start=0):
        self.value = start
        {note}
        self.wrong = {count} > 2  # loading makes one

    def up(self):
        self.value += 1
        return 0 if self.wrong else self.value
"""


@pytest.mark.parametrize(
    ("module", "note", "count"),
    [
        (
            "operator",
            "operator.attrgetter('__dict__')(notes).setdefault('n', []).append(1)",
            "len(operator.attrgetter('n')(notes))",
        ),
        ("heapq", "heapq.__all__.append('n')", "heapq.__all__.count('n')"),
        ("math", "notes.__annotations__.setdefault('n', []).append(1)", "len(notes.__annotations__['n'])"),
    ],
)
def test_a_hidden_counter_fails_no_test_that_a_fresh_process_passes(
    grade_with: GradeWith, module: str, note: str, count: str
) -> None:
    tests = "".join(f"def test_{n}(Counter):\n    'It.'\n    assert Counter({n}).up() == {n} + 1\n" for n in range(3))
    source = COUNTING.format(module=module, note=note, count=count)
    results = grade_with(tests, source).test_results
    assert [one.outcome for one in results] == ["passed"] * 3


KEEPERS = {
    "in its own module": "kept = []\n",
    "in the environment": "import os\nclass Kept(list):\n"
    "    def append(self, one): os.environ['N'] = str(len(self) + 1)\n"
    "    def __len__(self): return int(os.environ.get('N', 0))\nkept = Kept()\n",
    "in a module of the library": "import math\nmath.kept = kept = getattr(math, 'kept', [])\n",
    "behind a slow beginning": "n = sum(range(2_000_000))\nkept = []\n",
}
BREAKS_LATER = """
class Counter:
    def __init__(self, start=0):
        self.value = start
        kept.append(1)

    def up(self):
        self.value += 1
        return 0 if len(kept) > 3 else self.value
"""


@pytest.mark.parametrize("keeper", KEEPERS.values(), ids=KEEPERS)
def test_what_breaks_after_some_tests_is_told_as_in_processes_of_their_own(
    make_course: MakeCourse, sandbox: SandboxConfig, keeper: str
) -> None:
    once = "def test_{0}(Counter):\n    'It.'\n    assert Counter({0}).up() == {0} + 1\n"
    often = "def test_often(Counter):\n    'It.'\n    assert [Counter(3).up() for _ in range(9)] == [4] * 9\n"
    course = make_course("".join(map(once.format, range(3))) + often + once.format(4))
    submission = make_submission_from_source("ada", keeper + BREAKS_LATER)
    told = []
    for fresh in (False, True):
        with Grader(course, sandbox, fresh_process_per_test=fresh) as grader:
            told.append([result.outcome for result in grader.grade_submission(submission).test_results])
    assert told[0] == told[1] == ["passed"] * 3 + ["failed"] + ["passed"]


def test_who_is_wrong_in_the_first_test_of_a_process_alone_is_wrong_in_every_test(grade_with: GradeWith) -> None:
    tests = "".join(f"def test_{n}(Counter):\n    'It.'\n    assert Counter({n}).up() == {n} + 1\n" for n in range(4))
    source = """
import math

class Counter:
    def __init__(self, start): self.value = start
    def up(self):
        if not hasattr(math, "kept"):
            math.kept = 1
            return 0
        return self.value + 1
"""
    results = grade_with(tests, source).test_results
    assert [one.outcome for one in results] == ["failed"] * 4


def test_code_whose_annotations_name_what_is_missing_is_run_anew_as_it_was_loaded(grade_with: GradeWith) -> None:
    tests = "".join(f"def test_{n}(Counter):\n    'It.'\n    assert Counter({n}).up() == {n} + 1\n" for n in range(3))
    source = """
class Counter:
    def __init__(self, start: Any): self.value = start
    def up(self) -> Any:
        self.value += 1
        return self.value
"""
    results = grade_with(tests, source).test_results
    assert [one.outcome for one in results] == ["passed"] * 3
