"""Grade and diagnose many programs in worker processes, each in the same way as a student's submission."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from concurrent.futures import BrokenExecutor, Executor, as_completed
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from autograder.course import Assignment
from autograder.diagnosis import Diagnosis, Observed, SubmissionDiagnoser
from autograder.diagnosis.submission_diagnoser import diagnose_with_duration
from autograder.faults import KitFault
from autograder.grading import GradedSubmission
from autograder.sandbox import SandboxConfig
from autograder.submissions import SourceUnit, Submission
from autograder.workers.grading_worker import get_worker_grader
from autograder.workers.local_workers import count_available_processors, make_grading_process_executor
from autograder.workers.worker_launch import start_worker_interpreter

T = TypeVar("T")
ProgressCallback = Callable[[int, int], None]
"""Called with the number of programs done so far, and the number of all programs."""


@dataclass(frozen=True, slots=True)
class TimedDiagnosis:
    """The diagnosis of one program, and how long it took."""

    diagnosis: Diagnosis
    seconds: float


def make_submission_from_source(name: str, source: str) -> Submission:
    """Make a submission from a program, as if a student had submitted it."""
    return Submission(name, "", ("value.py",), (SourceUnit("value.py", source),))


class ProgramGradingPool:
    """Worker processes, each with a grader of the assignment. Close it, or use it in a ``with``."""

    def __init__(self, assignment: Assignment, sandbox: SandboxConfig) -> None:
        self._workers = make_grading_process_executor(
            assignment, sandbox, [start_worker_interpreter] * count_available_processors()
        )

    def grade_programs(
        self, source_by_name: Mapping[str, str], report_progress: ProgressCallback
    ) -> dict[str, GradedSubmission]:
        """Grade every program.

        Args:
            source_by_name: the programs' sources by name.
            report_progress: called after each program.

        Raises:
            CourseFault: the assignment cannot be used.
            KitFault: no process can be started, or one ended.
        """
        tasks = {name: (name, source) for name, source in source_by_name.items()}
        return map_in_workers(self._workers, _grade_in_worker, tasks, report_progress)

    def diagnose_programs(
        self,
        graded_by_name: Mapping[str, GradedSubmission],
        observed_misconceptions: Mapping[str, Observed],
        report_progress: ProgressCallback,
    ) -> dict[str, TimedDiagnosis]:
        """Diagnose graded programs.

        Args:
            graded_by_name: the graded programs by name.
            observed_misconceptions: what is lost with each misconception.
            report_progress: called after each program.

        Raises:
            KitFault: no process can be started, or one ended.
        """
        tasks = {name: (graded, observed_misconceptions) for name, graded in graded_by_name.items()}
        return map_in_workers(self._workers, _diagnose_in_worker, tasks, report_progress)

    def find_first_failed_tests(
        self,
        source_by_name: Mapping[str, str],
        methods_tested_first_by_name: Mapping[str, Collection[str]],
        report_progress: ProgressCallback,
    ) -> dict[str, str]:
        """Return the id of the first test that each program fails; empty for a program with full marks.

        For a program that cannot be graded, it is the key of the reason instead.

        Args:
            source_by_name: the programs' sources by name.
            methods_tested_first_by_name: names of methods by the program's name; tests about one of them are run
                first.
            report_progress: called after each program.

        Raises:
            CourseFault: the assignment cannot be used.
            KitFault: no process can be started, or one ended.
        """
        tasks = {
            name: (name, source, frozenset(methods_tested_first_by_name[name]))
            for name, source in source_by_name.items()
        }
        return map_in_workers(self._workers, _find_first_lost_test_in_worker, tasks, report_progress)

    def close(self) -> None:
        """End the workers."""
        self._workers.shutdown(wait=True, cancel_futures=True)

    def __enter__(self) -> ProgramGradingPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def map_in_workers(
    workers: Executor,
    function: Callable[..., T],
    tasks: Mapping[str, tuple[Any, ...]],
    report_progress: ProgressCallback,
) -> dict[str, T]:
    """Return what a function gives for the arguments of each task, by the task's name, in the order of the tasks.

    Args:
        workers: call the function.
        function: a function of a module.
        tasks: the arguments by the task's name.
        report_progress: called after each task.

    Raises:
        KitFault: a worker ended.
        Exception: whatever the function raised, or what prepared the worker.
    """
    result_by_name: dict[str, T] = {}
    try:
        names = {workers.submit(function, *arguments): name for name, arguments in tasks.items()}
        for future in as_completed(names):
            result_by_name[names[future]] = future.result()
            report_progress(len(result_by_name), len(tasks))
    except BrokenExecutor as error:
        raise KitFault("a worker process ended", advice="run the same command again") from error
    return {name: result_by_name[name] for name in tasks}


def _grade_in_worker(name: str, source: str) -> GradedSubmission:
    """Grade a program; again, as a batch does, where a busy machine's clock struck."""
    submission = make_submission_from_source(name, source)
    graded = get_worker_grader().grade_submission(submission)
    if graded.has_wall_clock_stop:
        graded = get_worker_grader().grade_submission(submission)
    return replace(graded, pytest_record={})


def _find_first_lost_test_in_worker(name: str, source: str, methods: frozenset[str]) -> str:
    grader = get_worker_grader()
    tests_to_run_first = [
        spec.id
        for spec in grader.test_specs
        if not methods.isdisjoint(name.rpartition(".")[2] for name in spec.tested_names)
    ]
    return grader.find_first_failure(make_submission_from_source(name, source), tests_to_run_first)


def _diagnose_in_worker(graded: GradedSubmission, observed_misconceptions: Mapping[str, Observed]) -> TimedDiagnosis:
    return TimedDiagnosis(
        *diagnose_with_duration(SubmissionDiagnoser(get_worker_grader(), observed_misconceptions), graded)
    )
