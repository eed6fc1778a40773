"""Grade and diagnose programs by the dozen, each as a student's would be."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import BrokenExecutor, as_completed
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from autograder.batch.local_workers import count_available_processors, start_worker_pool
from autograder.batch.worker import get_opened_grader
from autograder.course import Assignment
from autograder.diagnosis import Diagnoser, Diagnosis, Observed
from autograder.diagnosis.course_program_checks import observe_wrong_parts
from autograder.diagnosis.course_programs import CoursePrograms
from autograder.diagnosis.diagnoser import diagnose_and_time
from autograder.diagnosis.part_examination import OutOfTime
from autograder.faults import CourseFault, KitFault
from autograder.grading import GradedSubmission
from autograder.sandbox import Sandbox
from autograder.submissions import SourceUnit, Submission

T = TypeVar("T")
MOST_TRIES = 3
"""Of experiments that a busy machine's clock stopped."""
Progress = Callable[[int, int], None]
"""Told how many programs of how many are done."""


@dataclass(frozen=True, slots=True)
class TimedDiagnosis:
    """What was said of one program, and how long that took."""

    diagnosis: Diagnosis
    seconds: float


def make_submission(name: str, source: str) -> Submission:
    """Return a submission of a program, as if a student had submitted it."""
    return Submission(name, "", ("value.py",), (SourceUnit("value.py", source),))


class GradingPool:
    """Worker processes, each with a grader of the assignment. Close it, or use it in a ``with``."""

    def __init__(self, assignment: Assignment, sandbox: Sandbox) -> None:
        self._workers = start_worker_pool(assignment, sandbox, count_available_processors())

    def grade_programs(self, programs: Mapping[str, str], progress: Progress) -> dict[str, GradedSubmission]:
        """Grade every program.

        Args:
            programs: source by name.
            progress: told of every program.

        Raises:
            CourseFault: the assignment cannot be used.
            KitFault: no process can be started, or one ended.
        """
        return self._each(_graded, {name: (name, source) for name, source in programs.items()}, progress)

    def observe_wrong_parts(
        self, sources: Mapping[tuple[str, str], str], progress: Progress, parts: Collection[str] = ()
    ) -> dict[str, Observed]:
        """Look at the parts of every misconception.

        Args:
            sources: source by the misconception's id and the style's.
            progress: told of every program.
            parts: names of the parts to look at; all when empty.

        Returns:
            What is wrong with each, by id and style.

        Raises:
            KitFault: no process can be started, or one ended.
        """
        tasks = {f"{name} {style}": (source, frozenset(parts)) for (name, style), source in sources.items()}
        found = self._each(_look, tasks, progress)
        known: dict[str, Observed] = {}
        for name, style in sources:
            known.setdefault(name, {})[style] = found[f"{name} {style}"]
        return known

    def diagnose_programs(
        self, graded: Mapping[str, GradedSubmission], known: Mapping[str, Observed], progress: Progress
    ) -> dict[str, TimedDiagnosis]:
        """Diagnose what was graded.

        Args:
            graded: results by name.
            known: what each misconception looks like.
            progress: told of every one.

        Raises:
            KitFault: as above.
        """
        return self._each(_diagnosed, {name: (one, known) for name, one in graded.items()}, progress)

    def find_first_lost_tests(
        self, programs: Mapping[str, str], tests_to_run_first: Mapping[str, Collection[str]], progress: Progress
    ) -> dict[str, str]:
        """Return what every program loses first; empty for one with full marks.

        Args:
            programs: source by name.
            tests_to_run_first: names of methods by the program's name; tests that are about one of them come first.
            progress: told of every program.

        Raises:
            CourseFault: the assignment cannot be used.
            KitFault: as above.
        """
        tasks = {name: (name, source, frozenset(tests_to_run_first[name])) for name, source in programs.items()}
        return self._each(_first_loss, tasks, progress)

    def _each(self, work: Callable[..., T], tasks: Mapping[str, tuple[Any, ...]], progress: Progress) -> dict[str, T]:
        found: dict[str, T] = {}
        try:
            names = {self._workers.submit(work, *arguments): name for name, arguments in tasks.items()}
            for future in as_completed(names):
                found[names[future]] = future.result()
                progress(len(found), len(tasks))
        except BrokenExecutor as error:
            raise KitFault("a worker process ended", advice="run the same command again") from error
        return {name: found[name] for name in tasks}

    def close(self) -> None:
        """End the workers."""
        self._workers.shutdown(wait=True, cancel_futures=True)

    def __enter__(self) -> GradingPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _graded(name: str, source: str) -> GradedSubmission:
    return replace(get_opened_grader().grade_submission(make_submission(name, source)), raw={})


@functools.cache
def _course_programs() -> CoursePrograms:
    """Return what runs the course's own programs in this worker."""
    return CoursePrograms(get_opened_grader())


def _look(source: str, chosen: frozenset[str]) -> str:
    for _ in range(MOST_TRIES):
        try:
            return observe_wrong_parts(_course_programs(), source, chosen)
        except OutOfTime as up:
            if up.by_itself:
                raise CourseFault(
                    "a misconception uses up the time of a submission in experiments",
                    advice="list fewer operations and values in the diagnosis module, or mark it with `chance: true`",
                ) from up
    raise KitFault("experiments were stopped by the clock", advice="run the same command again on a quieter machine")


def _first_loss(name: str, source: str, methods: frozenset[str]) -> str:
    grader = get_opened_grader()
    first = [
        spec.id for spec in grader.specs if not methods.isdisjoint(name.rpartition(".")[2] for name in spec.about)
    ]
    return grader.find_first_lost_test(make_submission(name, source), first)


def _diagnosed(graded: GradedSubmission, known: Mapping[str, Observed]) -> TimedDiagnosis:
    return TimedDiagnosis(*diagnose_and_time(Diagnoser(get_opened_grader(), known), graded))
