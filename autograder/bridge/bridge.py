"""One submission's process, kept alive from test to test and replaced when it is gone."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import msgspec

from autograder.bridge.clock import Clock
from autograder.bridge.errors import StudentError, StudentStopped, StudentTimeout
from autograder.bridge.link import Link
from autograder.course import Limits
from autograder.faults import KitFault
from autograder.sandbox import Child, Sandbox
from autograder.sandbox.child import wait_for_killed

MOST_RELOADS = 4
NAME = re.compile(r"[A-Za-z_]\w*")
MOST_NOTES = 1000
PATIENT_UNTIL = 3
"""Time-outs after which a submission's other tests get less time: it is an endless loop, met again and again."""
IMPATIENCE = 0.25
"""What is left of a test's time then; a right engine needs a hundredth."""
LOAD_SLACK = 5.0
"""Seconds beyond the limit on loading before the process is killed; it is meant to stop by itself."""


class LoadNote(msgspec.Struct, frozen=True):
    """Something that did not go well while a submission was loaded."""

    kind: str
    """``broken`` (it does not compile), ``failed``, ``timed out``, or ``stopped`` (it ended the process)."""
    unit: int
    statement: int
    line: int
    error: str
    message: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a submission defines, once its code has run."""

    defined: dict[str, str] = field(default_factory=dict)
    """For each name asked for, its kind: ``class``, ``function``, another; empty when it is not defined."""
    features: dict[str, frozenset[str]] = field(default_factory=dict)
    """For each class asked for, the attributes that it or its instances have."""
    missing: tuple[str, ...] = ()
    """Packages that were imported and are not installed."""
    notes: tuple[LoadNote, ...] = ()


class _Answer(msgspec.Struct):
    defined: dict[str, str]
    features: dict[str, list[str]]
    missing: list[str]
    notes: list[LoadNote]
    late: list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Program:
    """What is sent into a student's process."""

    units: tuple[tuple[str, str], ...]
    """Name and source of each piece, in order."""
    defines: tuple[str, ...]
    modules: dict[str, str] = field(default_factory=dict)
    looked_for: tuple[str, ...] = ()
    """Names that an object may have without showing them: asked for where a class has ``__getattr__``."""
    skip: frozenset[tuple[int, int]] = frozenset()
    """Statements that are left out, as (unit, position): they hang or end the process."""
    look: bool = True
    """Whether an instance of each class is made when it is loaded, to see what it has."""


class Supply:
    """Processes started ahead of need: one is always on its way."""

    def __init__(self, sandbox: Sandbox, limits: Limits) -> None:
        """Start the first."""
        self._sandbox, self._limits = sandbox, limits
        self._next: Child | None = sandbox.start(limits)

    @property
    def tier(self) -> str:
        """The tier of every process from here."""
        return self._sandbox.tier

    def take(self) -> Child:
        """A process of one's own, and the next one is started."""
        child = self._next or self._sandbox.start(self._limits)
        self._next = None
        try:
            self._next = self._sandbox.start(self._limits)
        except KitFault:
            child.kill()
            raise
        return child

    def close(self) -> None:
        """End the one that was not needed, and wait until all are gone."""
        if self._next is not None:
            self._next.kill()
            self._next = None
        wait_for_killed()


class Bridge:
    """Everything that the tests of one submission ask of its process.

    Attributes:
        program: what is loaded; after ``load``, without what hangs or ends the process.
        processes: how many were started so far.
        leftovers: whether the process of the current or last test had served another before: a failure may then be
            what that one left behind.
        apart: whether each test gets a process of its own; set by whoever asks for that.
    """

    def __init__(self, program: Program, supply: Supply, limits: Limits) -> None:
        """Nothing is started yet."""
        self.processes = 0
        self.program = program
        self._supply, self._limits = supply, limits
        self._link: Link | None = None
        self._stopped: StudentStopped | None = None
        self.leftovers = self.apart = False
        self._used = self._testing = False
        self._timeouts = 0
        self._left = limits.submission_seconds

    @cached_property
    def _names(self) -> frozenset[str]:
        """All names that stand in the program."""
        sources = (*(source for _, source in self.program.units), *self.program.modules.values())
        return frozenset(name for source in sources for name in NAME.findall(source))

    @property
    def patient(self) -> bool:
        """Whether a test still gets all of its time."""
        return self._timeouts < PATIENT_UNTIL

    @property
    def time_left(self) -> float:
        """Seconds that all further tests of this submission may take together."""
        return self._left

    def load(self) -> Loaded:
        """Run the submission's code and say what it defines.

        Code that hangs or ends the process is found and left out; what was defined beside it is kept.

        Raises:
            KitFault: no process can be started.
        """
        notes: list[LoadNote] = []
        careful = False
        for _ in range(MOST_RELOADS):
            try:
                answer = self._load(careful=careful)
            except StudentStopped as stopped:
                at = self._link.at if self._link else None
                self.discard()
                if at is not None and at[0] < 0:
                    self.program = replace(self.program, look=False)  # its constructor ended it; tests will say so
                elif at is not None:
                    self._leave_out({at[:2]})
                    notes.append(LoadNote("stopped", *at, stopped.cause, stopped.message))
                careful = True
                continue
            late = set(answer.late[:MOST_NOTES])
            if late - self.program.skip:
                notes += [note for note in answer.notes[:MOST_NOTES] if note.kind == "timed out"]
                self._leave_out(late)
                self.discard()
                careful = False
                continue
            return Loaded(
                answer.defined,
                {name: frozenset(found) for name, found in answer.features.items()},
                tuple(answer.missing[:MOST_NOTES]),
                tuple(sorted({*notes, *answer.notes[:MOST_NOTES]}, key=lambda note: (note.unit, note.statement))),
            )
        return Loaded(notes=tuple(notes))

    def begin_test(self) -> None:
        """Get ready for a test: a process that is loaded, and holds nothing of the test before.

        Raises:
            StudentStopped: the submission cannot be loaded any more, or its time is used up.
        """
        self._stopped = None
        if self.apart:
            self.discard()
        self.leftovers = self._used
        if self._left <= 0:
            raise self._stop(StudentTimeout("submission", "all the time for this submission was used up"))
        if self._link is None:
            try:
                self._load(careful=False)
            except StudentStopped as stopped:
                raise self._stop(stopped) from None
        assert self._link is not None
        share = 1.0 if self.patient else IMPATIENCE
        cpu, wall = self._limits.cpu_seconds * share, self._limits.wall_seconds * share
        self._link.clock = Clock(cpu, wall, self._left, self._link.child.cpu_seconds)
        self._testing = True
        self._link.forget()

    def end_test(self) -> None:
        """Count the test's time against the submission's."""
        if self._testing and self._link is not None:
            self._used = True
            self._charge(self._link)
        self._testing = False

    def ask(self, request: str, *arguments: Any) -> Any:
        """See ``Link.ask``. After the process is gone, every further request of the test says so again."""
        if self._stopped is not None:
            raise self._stopped
        if self._link is None:
            raise StudentStopped("protocol", "a test asked before it began")
        try:
            return self._link.ask(request, *arguments)
        except StudentStopped as stopped:
            raise self._stop(stopped) from None

    def discard(self) -> None:
        """End the process; the next test gets a fresh one."""
        if self._link is not None:
            self._link.child.kill()
            self._link = None
        self._used = False

    def _stop(self, stopped: StudentStopped) -> StudentStopped:
        self._stopped = stopped
        self._timeouts += isinstance(stopped, StudentTimeout)
        if self._testing and self._link is not None:
            self._charge(self._link)
        self._testing = False
        self.discard()
        return stopped

    def _charge(self, link: Link) -> None:
        """Count what was waited for against the submission's time."""
        link.clock.stop()
        self._left -= link.clock.waited

    def _leave_out(self, places: set[tuple[int, int]]) -> None:
        self.program = replace(self.program, skip=self.program.skip | places)

    def _load(self, *, careful: bool) -> _Answer:
        child = self._supply.take()
        self.processes += 1
        self._link = link = Link(child, self._limits, self, self._names)
        seconds = self._limits.import_seconds
        most = seconds + min(LOAD_SLACK, seconds)
        link.clock = Clock(most, most, self._left, child.cpu_seconds)
        config = {
            "units": [list(unit) for unit in self.program.units],
            "modules": self.program.modules,
            "defines": list(self.program.defines),
            "skip": [list(place) for place in sorted(self.program.skip)],
            "seconds": seconds,
            "careful": careful,
            "look": self.program.look,
            "looked_for": list(self.program.looked_for),
        }
        try:
            text = link.ask("load", config)
            return msgspec.json.decode(text if isinstance(text, str) else "", type=_Answer)
        except StudentError as error:
            raise StudentStopped("protocol", f"it cannot be loaded: {error}") from None
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise StudentStopped("protocol", f"its process sent something that is no answer ({error})") from None
        finally:
            self._charge(link)
