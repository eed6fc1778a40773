"""Compare the hidden suite with tests as others would write them: what do they catch of the misconceptions?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from autograder.author_checks.catalogue import ProgramGradingPool, ProgressCallback, map_in_workers
from autograder.bridge import Bridge, StudentProxy, SubmissionProgram
from autograder.bridge.prestarted_processes import ProcessPool
from autograder.course import Assignment
from autograder.course.assignment_code import load_assignment_module_if_present
from autograder.course.misconceptions import Misconception, apply_misconceptions, load_misconception_catalogue
from autograder.faults import CourseFault, Fault
from autograder.sandbox import SandboxConfig
from autograder.workers.grading_worker import get_worker_grader

NAME = "other_suites"
"""The module in the assignment's folder; it defines ``SUITES``."""


class ComparisonExample(Protocol):
    """One example test of a comparison suite."""

    def is_passed_by(self, student: StudentProxy) -> bool:
        """Return whether a submission passes the example; exceptions that it causes are not caught."""


@dataclass(frozen=True, slots=True)
class ComparisonSuite:
    """A suite as somebody else would write it for the assignment: a name, and a function that makes its examples."""

    name: str
    make_examples: Callable[[], Sequence[ComparisonExample]]


def load_comparison_suites(assignment: Assignment) -> tuple[ComparisonSuite, ...]:
    """Return the comparison suites of an assignment; none if it has no module ``other_suites``.

    Raises:
        CourseFault: the module cannot be used.
    """
    module = load_assignment_module_if_present(assignment, NAME)
    if module is None:
        return ()
    if not hasattr(module, "SUITES"):
        raise CourseFault(f"the module {NAME} does not define `SUITES`", str(module.__file__), "define it")
    return tuple(module.SUITES)


REFERENCE = ""
"""The reference solution's name among the programs; the others have their misconceptions' ids."""


@dataclass(frozen=True, slots=True)
class CaughtMisconceptions:
    """The misconceptions that one comparison suite catches.

    It catches a misconception if an example fails or raises on the program with it, or if that program ends its
    process or runs out of time.
    """

    name: str
    caught_misconceptions: frozenset[str]
    """The ids of the misconceptions."""

    def count_caught_by_concept(self, misconceptions: tuple[Misconception, ...]) -> dict[str, tuple[int, int]]:
        """Return, for each concept, how many misconceptions are caught, and how many there are.

        A misconception counts for each of its concepts.
        """
        counts: dict[str, tuple[int, int]] = {}
        for misconception in misconceptions:
            for concept in misconception.concepts:
                caught_count, count = counts.get(concept, (0, 0))
                counts[concept] = (caught_count + (misconception.id in self.caught_misconceptions), count + 1)
        return counts


def run_comparison_suites_on_misconceptions(
    assignment: Assignment, sandbox: SandboxConfig, report_progress: ProgressCallback
) -> tuple[CaughtMisconceptions, ...]:
    """Run an assignment's comparison suites on every misconception, each run in a process of its own.

    Args:
        assignment: the assignment.
        sandbox: where code is run.
        report_progress: called after each program.

    Returns:
        The caught misconceptions of each suite.

    Raises:
        CourseFault: the catalogue cannot be used, or the reference solution does not pass a suite.
        KitFault: no process can be started, or a worker ended.
    """
    comparison_suites = load_comparison_suites(assignment)
    if not comparison_suites:
        return ()
    solution = assignment.solution_file.read_text(encoding="utf-8")
    tasks = {REFERENCE: (solution,)} | {
        misconception.id: (apply_misconceptions(solution, misconception),)
        for misconception in load_misconception_catalogue(assignment).misconceptions
    }
    with ProgramGradingPool(assignment, sandbox) as pool:
        catching_suites = map_in_workers(pool.workers, _list_catching_suites_in_worker, tasks, report_progress)
    if failed_suites := catching_suites.pop(REFERENCE):
        raise CourseFault(
            f"the reference solution does not pass {failed_suites[0]}",
            where=str(assignment.solution_file),
            advice="write the bonus operators too, since these suites use them",
        )
    return tuple(
        CaughtMisconceptions(
            suite.name, frozenset(id_ for id_, names in catching_suites.items() if suite.name in names)
        )
        for suite in comparison_suites
    )


def is_caught_by_suite(suite: ComparisonSuite, source: str, assignment: Assignment, processes: ProcessPool) -> bool:
    """Return whether a suite fails on a program. Its examples share a process, as in the suite's original setting.

    Raises:
        KitFault: no process can be started.
    """
    bridge = Bridge(SubmissionProgram((("value.py", source),), ()), processes, assignment.limits)
    student = StudentProxy(bridge)
    try:
        for example in suite.make_examples():
            bridge.begin_test()
            if not example.is_passed_by(student):
                return True
            bridge.end_test_and_charge_time()
    except Fault:
        raise
    except Exception:  # the program's own, or the test's: a sum that is a plain number has no backward()
        return True
    finally:
        bridge.end_process()
    return False


def _list_catching_suites_in_worker(source: str) -> list[str]:
    runner = get_worker_grader().suite_runner
    suites = load_comparison_suites(runner.assignment)
    return [
        suite.name for suite in suites if is_caught_by_suite(suite, source, runner.assignment, runner.process_pool)
    ]
