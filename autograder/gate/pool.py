"""Grade and diagnose programs by the dozen, each as a student's would be."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from concurrent.futures import BrokenExecutor, as_completed
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from autograder.batch.local import processors, start_workers
from autograder.batch.worker import opened
from autograder.bridge import Program
from autograder.course import Assignment
from autograder.diagnosis import Diagnoser, Diagnosis, Observed
from autograder.diagnosis.diagnose import limits_for, timed
from autograder.diagnosis.examine import examine, wrong_parts
from autograder.diagnosis.match import look_text
from autograder.diagnosis.parts import parts_of
from autograder.faults import KitFault
from autograder.grading import Graded
from autograder.sandbox import Sandbox
from autograder.submissions import Submission, Unit

T = TypeVar("T")
Progress = Callable[[int, int], None]
"""Told how many programs of how many are done."""


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """What was said of one program, and how long that took."""

    diagnosis: Diagnosis
    seconds: float


def submission_of(name: str, source: str) -> Submission:
    """Return a submission of a program, as if a student had submitted it."""
    return Submission(name, "", ("value.py",), (Unit("value.py", source),))


class Pool:
    """Worker processes, each with a grader of the assignment. Close it, or use it in a ``with``."""

    def __init__(self, assignment: Assignment, sandbox: Sandbox) -> None:
        self._workers = start_workers(assignment, sandbox, processors())

    def grade(self, programs: Mapping[str, str], progress: Progress) -> dict[str, Graded]:
        """Grade every program.

        Args:
            programs: source by name.
            progress: told of every program.

        Raises:
            CourseFault: the assignment cannot be used.
            KitFault: no process can be started, or one ended.
        """
        return self._each(_graded, {name: (name, source) for name, source in programs.items()}, progress)

    def looks(
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

    def diagnose(
        self, graded: Mapping[str, Graded], known: Mapping[str, Observed], progress: Progress
    ) -> dict[str, Diagnosed]:
        """Diagnose what was graded.

        Args:
            graded: results by name.
            known: what each misconception looks like.
            progress: told of every one.

        Raises:
            KitFault: as above.
        """
        return self._each(_diagnosed, {name: (one, known) for name, one in graded.items()}, progress)

    def first_losses(
        self, programs: Mapping[str, str], begin_with: Mapping[str, Collection[str]], progress: Progress
    ) -> dict[str, str]:
        """Return what every program loses first; empty for one with full marks.

        Args:
            programs: source by name.
            begin_with: names of methods by the program's name; tests that are about one of them come first.
            progress: told of every program.

        Raises:
            CourseFault: the assignment cannot be used.
            KitFault: as above.
        """
        tasks = {name: (name, source, frozenset(begin_with[name])) for name, source in programs.items()}
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

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _graded(name: str, source: str) -> Graded:
    return replace(opened().grade_submission(submission_of(name, source)), raw={})


def _look(source: str, chosen: frozenset[str]) -> str:
    grader = opened()
    limits = limits_for(grader.assignment.limits)
    bridge = grader.open(Program((("value.py", source),), grader.assignment.defines), limits)
    try:
        loaded = bridge.load()
        has = {name for name, kind in loaded.defined.items() if kind}.union(*loaded.features.values())
        parts = tuple(part for part in parts_of(grader.assignment, has) if not chosen or part.name in chosen)
        readings = examine(parts, bridge)
    finally:
        bridge.discard()
    return look_text({name: reading.digest for name, reading in wrong_parts(readings).items()})


def _first_loss(name: str, source: str, methods: frozenset[str]) -> str:
    grader = opened()
    first = [spec.id for spec in grader.specs if not methods.isdisjoint(spec.about)]
    return grader.first_loss(submission_of(name, source), first)


def _diagnosed(graded: Graded, known: Mapping[str, Observed]) -> Diagnosed:
    return Diagnosed(*timed(Diagnoser(opened(), known), graded))
