"""Engines and sorts given as edits of the reference solution, in a process of the strongest tier there is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from autograder.bridge import Bridge, LocalStudentProxy, SubmissionProgram
from autograder.bridge.prestarted_processes import ProcessPool
from autograder.course import Assignment
from autograder.diagnosis import (
    Counterexample,
    DiagnosisProgramFamily,
    ProgramRunner,
    search_smallest_failing_program,
)
from autograder.sandbox import SandboxConfig
from tests.course_modules import programs_of

MOST = 4_000


class Loaded:
    """A submission in its process.

    Attributes:
        family: its assignment's programs, of what it has.
        run: runs one.
    """

    def __init__(self, assignment: Assignment, bridge: Bridge) -> None:
        loaded = bridge.load_without_fatal_code()
        has = {name for name, kind in loaded.kind_by_name.items() if kind}.union(*loaded.attributes_by_class.values())
        family = self.family = programs_of(assignment, has)
        self.run = ProgramRunner(family, bridge)

    def counterexample(self, family: DiagnosisProgramFamily | None = None, most: int = MOST) -> Counterexample | None:
        """What the search finds, among its own programs or another family's."""
        found = search_smallest_failing_program(family or self.family, self.run, most)
        return found.counterexample if found else None


Load = Callable[..., Loaded]


def edited(path: Path, *edits: tuple[str, str]) -> str:
    """The text of a solution with each (old, new) put in; each old stands there once."""
    source = path.read_text(encoding="utf-8")
    for old, new in edits:
        assert source.count(old) == 1, f"{source.count(old)} times: {old}"
        source = source.replace(old, new)
    return source


@pytest.fixture(scope="session")
def processes(sandbox: SandboxConfig, engine: Assignment) -> Iterator[ProcessPool]:
    opened = ProcessPool(sandbox, engine.limits)
    yield opened
    opened.end_unused_process()


def _loader(assignment: Assignment, processes: ProcessPool) -> Iterator[Load]:
    limits = msgspec.structs.replace(assignment.limits, cpu_seconds=0.3)
    bridges: list[Bridge] = []

    def load(*edits: tuple[str, str], source: str = "") -> Loaded:
        text = source or edited(assignment.solution_file, *edits)
        bridges.append(Bridge(SubmissionProgram((("value.py", text),), assignment.defines), processes, limits))
        return Loaded(assignment, bridges[-1])

    yield load
    for bridge in bridges:
        bridge.end_process()


@pytest.fixture
def an_engine(engine: Assignment, processes: ProcessPool) -> Iterator[Load]:
    """``an_engine((old, new), ...)``: the reference engine with pieces replaced; or ``an_engine(source=text)``."""
    yield from _loader(engine, processes)


@pytest.fixture
def a_sort(sorting: Assignment, processes: ProcessPool) -> Iterator[Load]:
    """The same for the reference sort."""
    yield from _loader(sorting, processes)


@pytest.fixture
def reference(engine: Assignment) -> LocalStudentProxy:
    """The reference engine in this process."""
    names: dict[str, object] = {"__name__": "value"}
    exec(engine.solution_file.read_text(encoding="utf-8"), names)
    return LocalStudentProxy(names)
