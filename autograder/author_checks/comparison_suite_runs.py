"""Run comparison suites on the misconceptions that the hidden suite is measured on, and count what they catch."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from autograder.author_checks.comparison_suites import ComparisonSuite, load_comparison_suites
from autograder.bridge import Bridge, StudentProxy, SubmissionProgram
from autograder.bridge.prestarted_processes import ProcessPool
from autograder.course import Assignment
from autograder.course.misconceptions import Misconception, apply_misconceptions, load_misconception_catalogue
from autograder.faults import CourseFault, Fault, KitFault
from autograder.sandbox import SandboxConfig

ProgressCallback = Callable[[int, int], None]
"""Called with the number of programs tried so far, and the number of all programs."""
Programs = Mapping[str, str]
"""The source of each program by its misconception's id; the reference solution has the key ``REFERENCE``."""
CatchReport = tuple[str, list[str]]
"""A program's key, and the names of the suites that catch it."""
REFERENCE = ""


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
    programs = {
        misconception.id: apply_misconceptions(solution, misconception)
        for misconception in load_misconception_catalogue(assignment).misconceptions
    }
    programs = {REFERENCE: solution, **programs}
    caught_by_suite: dict[str, set[str]] = {suite.name: set() for suite in comparison_suites}
    for done_count, (program, suites) in enumerate(_iterate_catching_suites(programs, assignment, sandbox), start=1):
        if program == REFERENCE and suites:
            raise CourseFault(
                f"the reference solution does not pass {suites[0]}",
                where=str(assignment.solution_file),
                advice="write the bonus operators too, since these suites use them",
            )
        for name in suites:
            caught_by_suite[name].add(program)
        report_progress(done_count, len(programs))
    return tuple(CaughtMisconceptions(name, frozenset(ids)) for name, ids in caught_by_suite.items())


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


def _iterate_catching_suites(
    programs: Programs, assignment: Assignment, sandbox: SandboxConfig
) -> Iterator[CatchReport]:
    """Yield each program's key, with the names of the suites that catch it, as they come from worker processes."""
    spawn = multiprocessing.get_context("spawn")
    processors: list[int | None] = [None] * (os.cpu_count() or 1)
    if hasattr(os, "sched_getaffinity"):
        processors = [*sorted(os.sched_getaffinity(0))]
    processors = processors[: len(programs)]
    workers, connections = list[BaseProcess](), list[Connection]()
    missing_programs = set(programs)
    try:
        for number, processor in enumerate(processors):
            own_end, worker_end = spawn.Pipe(duplex=False)
            connections.append(own_end)
            arguments = (
                worker_end,
                dict([*programs.items()][number :: len(processors)]),
                assignment,
                sandbox,
                processor,
            )
            workers.append(spawn.Process(target=_run_worker, args=arguments, daemon=True))
            workers[-1].start()
            worker_end.close()  # only the worker keeps this end, so reading from ours fails once the worker is gone
        for report in _iterate_worker_messages(connections):
            missing_programs.discard(report[0])
            yield report
        if missing_programs:
            raise KitFault("a worker process ended", advice="run the same command again")
    finally:
        for worker in workers:
            worker.terminate()
            worker.join()
        for connection in connections:
            connection.close()


def _iterate_worker_messages(connections: list[Connection]) -> Iterator[CatchReport]:
    """Yield the workers' reports until the last worker is gone; raise a fault if a worker sends one."""
    open_connections = {*connections}
    while open_connections:
        for connection in wait([*open_connections]):
            assert isinstance(connection, Connection)
            try:
                report: CatchReport | Fault = connection.recv()
            except EOFError:
                open_connections.discard(connection)
                continue
            if isinstance(report, Fault):
                raise report
            yield report


def _run_worker(
    connection: Connection, programs: Programs, assignment: Assignment, sandbox: SandboxConfig, processor: int | None
) -> None:
    """Run a worker process: try its share of the programs, and send a report on each, or the fault that ended it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    if processor is not None:
        os.sched_setaffinity(0, {processor})  # it and its student processes only ever wait for each other
    try:
        processes, comparison_suites = ProcessPool(sandbox, assignment.limits), load_comparison_suites(assignment)
        try:
            for key, source in programs.items():
                connection.send(
                    (
                        key,
                        [
                            suite.name
                            for suite in comparison_suites
                            if is_caught_by_suite(suite, source, assignment, processes)
                        ],
                    )
                )
        finally:
            processes.end_unused_process_and_wait_for_killed()
    except Fault as fault:
        connection.send(fault)
    except BrokenPipeError:
        pass  # the parent has closed its end
