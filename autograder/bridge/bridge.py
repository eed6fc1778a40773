"""One submission's process, kept alive from test to test and replaced when it is gone."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Any

from autograder.bridge.allowance import Allowance
from autograder.bridge.errors import Misjudged, StudentStopped
from autograder.bridge.link import Link
from autograder.bridge.loading import Loading, ask_to_load
from autograder.bridge.program import LoadAnswer, Loaded, Program
from autograder.bridge.supply import Supply
from autograder.course import Limits

MOST_RELOADS = 4


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
        self._time = Allowance(limits)

    @cached_property
    def _names(self) -> frozenset[str]:
        """All names that stand in the program."""
        return self.program.names()

    @property
    def patient(self) -> bool:
        """Whether a test still gets all of its time."""
        return self._time.patient

    def load(self) -> Loaded:
        """Run the submission's code and say what it defines.

        Code that hangs or ends the process is found and left out; what was defined beside it is kept.

        Raises:
            KitFault: no process can be started.
        """
        loading = Loading(self.program)
        for _ in range(MOST_RELOADS):
            try:
                loaded = loading.answered(self._start(careful=loading.careful))
            except StudentStopped as stopped:
                loading.stopped(stopped, self._link.exchange.at if self._link else None)
            else:
                if loaded is not None:
                    return loaded
            self.discard()
            self.program = loading.program
        return loading.given_up()

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
        try:
            self._time.check()
            if self._link is None:
                self._start(careful=False)
        except StudentStopped as stopped:
            raise self._stop(stopped) from None
        assert self._link is not None
        self._link.exchange.clock = self._time.for_test(self._link.child)
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
            self._time.charge(self._link.exchange.clock)
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
        self._time.count(stopped)
        self.misjudged |= isinstance(stopped, Misjudged)
        if self._testing and self._link is not None:
            self._time.charge(self._link.exchange.clock)
        self._testing = False
        self.discard()
        return stopped

    def _start(self, *, careful: bool) -> LoadAnswer:
        """Take a new process, and load the program into it."""
        child = self._supply.take()
        self.processes += 1
        self._link = link = Link(child, self._limits, self, self._names)
        link.exchange.clock = self._time.for_loading(child)
        try:
            return ask_to_load(link, self.program, self._limits.import_seconds, careful=careful)
        finally:
            self._time.charge(link.exchange.clock)
