"""One submission's process, kept alive from test to test and replaced when it is gone."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import cached_property
from typing import Any

import msgspec

from autograder.bridge.clock import Clock
from autograder.bridge.errors import Misjudged, StudentError, StudentStopped, StudentTimeout
from autograder.bridge.link import Link
from autograder.bridge.program import LoadAnswer, Loaded, LoadNote, Program
from autograder.bridge.supply import Supply
from autograder.course import Limits

MOST_RELOADS = 4
NAME = re.compile(r"[A-Za-z_]\w*")
MOST_NOTES = 1000
PATIENT_UNTIL = 3
"""Time-outs after which a submission's other tests get less time: it is an endless loop, met again and again."""
IMPATIENCE = 0.25
"""What is left of a test's time then; a right engine needs a hundredth."""
LOAD_SLACK = 5.0
"""Seconds beyond the limit on loading before the process is killed; it is meant to stop by itself."""


class Bridge:
    """Everything that the tests of one submission ask of its process.

    Attributes:
        program: what is loaded; after ``load``, without what hangs or ends the process.
        processes: how many were started so far.
        leftovers: whether the process of the current or last test had served another before: a failure may then be
            what that one left behind.
        apart: whether each test gets a process of its own.
        misjudged: whether something that was sent ahead did not go as foretold; what the test said does not count.
    """

    def __init__(
        self, program: Program, supply: Supply, limits: Limits, waits: AbstractSet[str] | None = None
    ) -> None:
        """Nothing is started yet.

        Args:
            program: the submission's code.
            supply: gives processes.
            limits: the assignment's.
            waits: tests that wait for every answer, while others send requests ahead (see ``ahead``); None when all
                wait.
        """
        self.processes = 0
        self.program = program
        self._supply, self._limits = supply, limits
        self._link: Link | None = None
        self._stopped: StudentStopped | None = None
        self._waits = waits
        self._step_by_step = False
        self.leftovers = self.apart = self.misjudged = False
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

    def begin_test(self, test: str = "") -> None:
        """Get ready for a test: a process that is loaded, and holds nothing of the test before.

        Args:
            test: which, as ``waits`` names it.

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
        self._link.ahead.on = self._waits is not None and test not in self._waits and not self._step_by_step
        self._step_by_step = False

    def end_test(self) -> None:
        """Have done what the test asked for last, and count its time against the submission's.

        Raises:
            StudentStopped: the process ended or broke a limit while it did that.
        """
        if self._testing and self._link is not None:
            self._used = True
            self.settle()
        if self._testing and self._link is not None:
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

    def settle(self) -> None:
        """Have everything done that was sent ahead. Raises what ``ask`` does."""
        if self._link is not None and self._link.ahead.waiting:
            self.ask("settle")

    def part(self) -> None:
        """From now on, give each test a process of its own, and wait for every answer."""
        self.apart, self._waits = True, None

    def step_by_step(self) -> None:
        """In the next test, wait for every answer: something in the last one did not go as foretold."""
        self._step_by_step, self.misjudged = True, False

    def discard(self) -> None:
        """End the process; the next test gets a fresh one."""
        if self._link is not None:
            self._link.child.kill()
            self._link = None
        self._used = False

    def _stop(self, stopped: StudentStopped) -> StudentStopped:
        self._stopped = stopped
        self._timeouts += isinstance(stopped, StudentTimeout)
        self.misjudged |= isinstance(stopped, Misjudged)
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

    def _load(self, *, careful: bool) -> LoadAnswer:
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
            return msgspec.json.decode(text if isinstance(text, str) else "", type=LoadAnswer)
        except StudentError as error:
            raise StudentStopped("protocol", f"it cannot be loaded: {error}") from None
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise StudentStopped("protocol", f"its process sent something that is no answer ({error})") from None
        finally:
            self._charge(link)
