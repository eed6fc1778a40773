"""What is remembered is bounded, and the same as what is found out anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autograder.bridge import Bridge, SubmissionProgram
from autograder.bridge.prestarted_processes import ProcessPool
from autograder.course import Assignment
from autograder.diagnosis import SubmissionDiagnoser
from autograder.diagnosis.naming import (
    MistakeCandidateRunner,
    RandomProgramTraces,
    trace_random_and_failing_programs,
)
from autograder.diagnosis.resources import make_experiment_limits
from autograder.grading import Grader
from autograder.submissions import SourceUnit, Submission
from tests.course_modules import programs_of
from tests.diagnosis.conftest import edited

if TYPE_CHECKING:
    from collections.abc import Callable

ENDLESS = ("        self.grad = 1.0\n        for", "        while True: self.grad = 1.0\n        for")


class Opened:
    """Gives processes for engines, and counts them."""

    def __init__(self, engine: Assignment, processes: ProcessPool) -> None:
        self.count = 0
        self._engine, self._supply = engine, processes

    def __call__(self, source: str) -> Bridge:
        """A process."""
        self.count += 1
        return Bridge(
            SubmissionProgram((("value.py", source),), self._engine.defines),
            self._supply,
            make_experiment_limits(self._engine.limits),
        )


@pytest.fixture
def opened_caches(engine: Assignment, processes: ProcessPool) -> Opened:
    return Opened(engine, processes)


@pytest.fixture
def tried(engine: Assignment, opened_caches: Opened) -> Iterator[Callable[..., RandomProgramTraces]]:
    """``tried((old, new), ...)``: what an edited engine does on fresh programs and on those near the first."""
    bridges: list[Bridge] = []

    def found(*edits: tuple[str, str]) -> RandomProgramTraces:
        bridges.append(opened_caches(edited(engine.solution_file, *edits)))
        family = programs_of(engine)
        return trace_random_and_failing_programs(family, bridges[-1], next(iter(family.enumerate_small_programs())))

    yield found
    for bridge in bridges:
        bridge.end_process()


def test_a_run_that_was_stopped_is_not_remembered(
    engine: Assignment, opened_caches: Opened, tried: Callable[..., RandomProgramTraces]
) -> None:
    candidates, one = MistakeCandidateRunner(opened_caches), tried(ENDLESS)
    opened_caches.count = 0
    assert candidates.behaves_like_submission(edited(engine.solution_file, ENDLESS), one)
    assert candidates.behaves_like_submission(edited(engine.solution_file, ENDLESS), one)
    assert opened_caches.count == 2


@pytest.mark.thorough
def test_a_diagnosis_is_the_same_whatever_was_diagnosed_before(
    grader: Grader, root: Path, engine: Assignment
) -> None:
    names = ("zero_grad_shallow", "overwrites", "no_visited", "forgot_reversed")
    files = [root / "examples" / "submissions" / f"{name}.py" for name in names]
    sources = [path.read_text(encoding="utf-8") for path in files]
    graded = [
        grader.grade_submission(Submission("one", "", ("value.py",), (SourceUnit("value.py", source),)))
        for source in sources
    ]
    remembering = SubmissionDiagnoser(grader)
    first = [remembering.diagnose(one) for one in graded]
    assert {one.verdict for one in first} == {"named"}
    assert [remembering.diagnose(one) for one in graded] == first
    assert [SubmissionDiagnoser(grader).diagnose(one) for one in graded] == first
