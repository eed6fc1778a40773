"""Changed texts of one submission meet tests in one process, and none spoils it for the next."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.cli.options import get_assignment
from autograder.course import load_course
from autograder.edits import list_function_bodies
from autograder.grading import Grader
from autograder.repair.candidate_runs import CandidateRunner, ChangedText, open_candidate_runner
from autograder.sandbox.tiers import choose_strongest_sandbox

ROOT = Path(__file__).parents[2]
WRONG = ROOT / "examples" / "submissions" / "forgot_reversed.py"
TEXT = WRONG.read_text(encoding="utf-8")
BACKWARD = "for nodo in self._orden():\n            nodo._backward()"
RIGHT = TEXT.replace(BACKWARD, BACKWARD.replace("self._orden()", "reversed(self._orden())"))
BAD_TEXTS = {
    "does not define the class": "print('nothing else')\n",
    "is no Python": TEXT + "def\n",
    "hangs while it is loaded": TEXT + "while True:\n    pass\n",
    "hangs in the test": TEXT.replace("self.data = ", "while True: pass\n        self.data = ", 1),
    "hangs and catches all": TEXT.replace(
        "self.data = ", "while True:\n            try: 1\n            except Exception: pass\n        self.data = ", 1
    ),
    "fails while it is loaded": "raise SystemExit\n" + TEXT,
}


@pytest.fixture(scope="module")
def runner() -> Iterator[CandidateRunner]:
    """Load a wrong engine."""
    assignment = get_assignment(load_course(ROOT / "grading.yml"), "autograd-engine")
    with Grader(assignment, choose_strongest_sandbox("process", None, assignment.packages)) as grader:
        program = grader.grade(WRONG).program
        assert program is not None
        with open_candidate_runner(grader, program) as runner:
            yield runner


@pytest.fixture(scope="module")
def test_id(runner: CandidateRunner) -> str:
    """Return the id of the smallest test that the engine fails, and would not if it were right."""
    known = runner.list_known_tests()
    lost = runner.list_passed_tests(ChangedText(0, RIGHT), known) - runner.list_passed_tests(
        ChangedText(0, TEXT), known
    )
    return min(lost, key=lambda one: (runner.measure_requests(one), one))


def test_many_texts_meet_a_test_together(runner: CandidateRunner, test_id: str) -> None:
    assert runner.select_passing([ChangedText(0, TEXT), ChangedText(0, RIGHT)] * 50, test_id) == [*range(1, 100, 2)]


def test_the_wrong_engine_fails_where_its_correction_passes(runner: CandidateRunner, test_id: str) -> None:
    assert runner.select_passing([ChangedText(0, TEXT), ChangedText(0, RIGHT)], test_id) == [1]


@pytest.mark.parametrize("text", BAD_TEXTS.values(), ids=BAD_TEXTS)
def test_a_text_that_fails_in_any_way_costs_no_process_and_no_other_text_its_place(
    runner: CandidateRunner, test_id: str, text: str
) -> None:
    before = runner.process_count
    texts = [ChangedText(0, one) for one in (RIGHT, text, RIGHT, text, text, RIGHT)]
    assert runner.select_passing(texts, test_id) == [0, 2, 5]
    assert runner.process_count == before


def test_a_text_that_ends_its_process_costs_no_other_text_its_place(runner: CandidateRunner, test_id: str) -> None:
    ending = "import os\n" + TEXT.replace("self.data = ", "os._exit(1)\n        self.data = ", 1)
    texts = [ChangedText(0, one) for one in (RIGHT, ending, RIGHT)]
    assert runner.select_passing(texts, test_id) == [0, 2]


def test_what_is_said_of_a_text_does_not_depend_on_the_one_before_it(runner: CandidateRunner, test_id: str) -> None:
    runner.select_passing([ChangedText(0, BAD_TEXTS["does not define the class"])], test_id)
    assert runner.list_passed_tests(ChangedText(0, RIGHT), [test_id]) == {test_id}
    assert runner.list_passed_tests(ChangedText(0, TEXT), [test_id]) == set()


def test_a_function_that_a_failed_test_does_not_use_may_as_well_raise(runner: CandidateRunner, test_id: str) -> None:
    runner.follow_own_requests(test_id)
    bodies = list_function_bodies(TEXT)
    equal = runner.select_equal([ChangedText(0, body.text_without) for body in bodies], test_id)
    functions = {body.function for body in bodies}
    idle = {bodies[place].function for place in equal}
    assert "Value.__repr__" in idle
    assert {"Value.__init__", "Value._orden", "Value.backward"} <= functions - idle
