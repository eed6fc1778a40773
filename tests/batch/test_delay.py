"""A submission that hangs holds up its own place among the workers, and nobody else's."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import pytest

from autograder.batch import BatchConfig, BatchLocation, run_batch
from autograder.course import load_course
from autograder.sandbox import SandboxConfig
from autograder.submissions import open_submission_entries
from autograder.workers.grading_tasks import GradingTaskResult
from autograder.workers.local_workers import open_local_workers

PATIENCE = 3.0
GRADING = f"""\
course: small
limits: {{cpu_seconds: {PATIENCE}, wall_seconds: 9, import_seconds: 1, submission_seconds: 4}}
assignments:
  counter:
    defines: [Counter]
    concepts: {{counting: 10}}
"""
SOLUTION = "class Counter:\n    def up(self):\n        return 1\n"
HANGS = "class Counter:\n    def up(self):\n        while True: pass\n"
TESTS = """\
import pytest

pytestmark = [pytest.mark.concept("counting"), pytest.mark.subject("up")]


@pytest.mark.parametrize("again", range(5))
def test_up(student, again):
    "A counter counts."
    assert student.get("Counter")().up() == 1
"""


@pytest.mark.thorough
def test_a_submission_that_hangs_delays_no_other(sandbox: SandboxConfig, tmp_path: Path) -> None:
    course, students = tmp_path / "course", tmp_path / "class"
    hidden, solutions = course / "assignments" / "counter" / "hidden", course / "solutions" / "counter"
    for folder in (hidden, solutions, students):
        folder.mkdir(parents=True)
    (course / "grading.yml").write_text(GRADING)
    (hidden / "test_counting.py").write_text(TESTS)
    (solutions / "value.py").write_text(SOLUTION)
    (students / "0 hangs.py").write_text(HANGS)
    for number in range(1, 9):
        shutil.copy(solutions / "value.py", students / f"{number}.py")
    finished: list[str] = []

    def note(done: GradingTaskResult | None) -> None:
        assert done is not None
        finished.append(done.name)

    with open_submission_entries(students) as entries:
        assignment, place = load_course(course).assignments[0], BatchLocation(tmp_path / "out")
        request = BatchConfig(assignment, sandbox, place, partial(open_local_workers, worker_count=2), note)
        summary = run_batch(request, entries)
    assert finished[-1] == "0 hangs"  # it was still at it when all others were done
    assert summary.score_counts == {10.0: 8, 0.0: 1}
