"""Keep one submission's process alive from test to test, and replace it when it is gone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from autograder.bridge.errors import StudentStopped
from autograder.bridge.process_pool import ProcessPool
from autograder.bridge.rpc_client import RpcClient
from autograder.bridge.stall_location import SubmissionSource
from autograder.bridge.submission_loader import SubmissionLoader, request_load
from autograder.bridge.submission_program import LoadAnswer, LoadResult, SubmissionProgram
from autograder.bridge.time_budget import TimeBudget
from autograder.bridge.transcript import Transcript
from autograder.bridge.wire_format import UnreadAnswer
from autograder.course import Limits

MOST_RELOADS = 4
LEAN_MB = 32
"""What a test may need beyond what the loaded program needs, where an earlier one filled all of the memory."""
QUICK_LOAD = 0.005
"""CPU seconds; code that takes longer to load is not run anew for a test."""


class Bridge:
    """Everything that the tests of one submission ask of its process.

    Attributes:
        program: what is loaded; after ``load``, without what hangs or ends the process.
        processes: how many were started so far.
        leftovers: whether the process of the current or last test had served another before: a failure may then be
            what that one left behind.
        apart: whether each test begins with the code loaded anew.
        reversed_sets: whether sets have the opposite order in the tests to come.
        transcript: what the current or last test asked.
    """

    def __init__(
        self,
        program: SubmissionProgram,
        supply: ProcessPool,
        limits: Limits,
        *,
        is_stateless: bool = False,
        keeps_state_in_own_module: bool = False,
        in_processes: bool = False,
    ) -> None:
        """Prepare without starting a process.

        Args:
            program: the submission's code.
            supply: gives processes.
            limits: the assignment's.
            is_stateless: whether no test can leave anything behind for another; False in doubt.
            keeps_state_in_own_module: whether all that a test can leave behind is in the program's own module. Then
                its code is run anew in the same process, where it would need another one otherwise.
            in_processes: whether it gets another process all the same, to compare both.
        """
        self.processes = 0
        self._is_stateless, self._keeps_state_in_own_module = is_stateless, keeps_state_in_own_module
        self._in_processes = in_processes
        self.program = program
        self._supply, self._limits = supply, limits
        self._link: RpcClient | None = None
        self._stopped: StudentStopped | None = None
        self.leftovers = self.apart = self.reversed_sets = False
        self.transcript = Transcript()
        self._used = self._testing = self._anew = self._loads_quickly = False
        self._lean = self._was_lean = False
        self._time = TimeBudget(limits)

    @cached_property
    def _names(self) -> frozenset[str]:
        """Return all names that stand in the program."""
        return self.program.collect_names()

    @cached_property
    def _source(self) -> SubmissionSource:
        """Return the source in which the lines of the process's stack are found."""
        return SubmissionSource(self.program.sources_by_name())

    @property
    def is_stateless(self) -> bool:
        """Return whether no test can leave anything behind for another."""
        return self._is_stateless or (self.apart and self.can_reload)

    @property
    def can_reload(self) -> bool:
        """Return whether running the code anew does what a fresh process does."""
        return self._keeps_state_in_own_module and self._loads_quickly

    @property
    def allows_full_time(self) -> bool:
        """Return whether a test still gets all of its time; see ``TimeBudget``."""
        return self._time.allows_full_time

    @property
    def was_lean(self) -> bool:
        """Return whether the test filled the little memory that it was given; the next one is given all of it."""
        return self._was_lean

    @property
    def stopped_at_known_place(self) -> bool:
        """Return whether the test was stopped where an earlier one had ended, in a process of its own."""
        return self._stopped is not None and self._stopped.again

    def load(self) -> LoadResult:
        """Run the submission's code and say what it defines.

        Code that hangs or ends the process is found and left out; what was defined beside it is kept.

        Raises:
            KitFault: no process can be started.
        """
        loading = SubmissionLoader(self.program, self._limits.import_seconds)
        for attempt in range(MOST_RELOADS):
            try:
                loaded = loading.handle_answer(self._start(loading, charged=attempt > 0))
            except StudentStopped as stopped:
                loading.handle_stop(stopped, self._link.exchange.at if self._link else None)
            else:
                if loaded is not None:
                    self.program = loading.program
                    return loaded
            self.end_process()
            self.program = loading.program
        return loading.give_up()

    def begin_test(self) -> None:
        """Get ready for a test: provide a process that is loaded and holds nothing of the test before.

        Raises:
            StudentStopped: the submission cannot be loaded any more, or its time is used up.
        """
        self._stopped = None
        self.transcript = Transcript()
        if self.apart:
            self.require_fresh_state()
        self.leftovers = self._used
        try:
            self._time.raise_if_exhausted()
            if self._link is None:
                self._start()
        except StudentStopped as stopped:
            raise self._stop(stopped) from None
        assert self._link is not None
        self._link.exchange.clock = self._time.start_test_clock(self._link.child)
        self._testing = True
        self._link.begin_test(self.transcript, reversed_sets=self.reversed_sets, reload=self._anew)
        self._anew = False
        self._lean = self._time.lean and not self._was_lean
        self._was_lean = False
        self._link.child.limit_memory(LEAN_MB if self._lean else None)

    def end_test(self) -> None:
        """Count the test's time against the submission's."""
        if self._testing and self._link is not None:
            self._used = True
            self._time.stop_and_charge(self._link.exchange.clock)
        self._testing = False

    def send_request(self, request: str, *arguments: Any) -> Any:
        """See ``RpcClient.send_request``.

        After the process is gone, every further request of the test raises the same.
        """
        if self._stopped is not None:
            raise self._stopped
        if self._link is None:
            raise StudentStopped("protocol", "a test asked before it began")
        try:
            return self._link.send_request(request, *arguments)
        except StudentStopped as stopped:
            raise self._stop(stopped) from None

    def note_lookup(self, name: str, found: str) -> None:
        """See ``RpcClient.note_lookup``."""
        if self._link is not None:
            self._link.note_lookup(name, found)

    def prefetch_answers(self, requests: Sequence[bytes]) -> list[UnreadAnswer]:
        """Send requests that the current test is to ask later; see ``Transcript.given``.

        Raises:
            StudentStopped: the process is no more. This is no result yet: begin the test once more, and let it ask.
        """
        assert self._link is not None
        exchange = self._link.exchange
        for_all, exchange.clock = exchange.clock, self._time.start_script_clock(self._link.child)
        try:
            return exchange.send_requests(requests)
        except StudentStopped as stopped:
            self._time.stop_and_charge(exchange.clock, stopped)
            self._testing = False
            self.end_process()
            raise
        finally:
            exchange.clock = for_all

    def prefetch_tests(self, tests: Sequence[tuple[bytes, bool]]) -> list[bytes]:
        """Send the requests of several tests together; each test is to ask its own later.

        Args:
            tests: see ``ProcessConnection.send_tests``.

        Returns:
            The answers as ``ProcessConnection.send_tests`` gives them; only those to the first tests if it was
            stopped.

        Raises:
            StudentStopped: see ``begin_test``.
        """
        answers: list[bytes] = []
        self.begin_test()
        assert self._link is not None
        exchange = self._link.exchange
        exchange.clock = self._time.start_script_clock(self._link.child, len(tests))
        try:
            answers.extend(exchange.send_tests(tests, anew=self.apart and self.can_reload))
        except StudentStopped as stopped:
            self._time.stop_and_charge(exchange.clock, stopped)
            self._testing = False
            self.end_process()
        else:
            self.end_test()
        return answers

    def reload_for_each_test(self) -> None:
        """Load the code anew for each test from now on."""
        self.apart = True

    def require_fresh_state(self) -> None:
        """Have the next test find the code as it was loaded, in a fresh process if need be."""
        if self._is_stateless:
            return
        if self._link is not None and self.can_reload and not self._in_processes:
            self._anew |= self._used
            self._used = False
        else:
            self.end_process()

    def end_process(self) -> None:
        """End the process; the next test gets a fresh one."""
        if self._link is not None:
            self._link.child.kill()
            self._link = None
        self._used = self._anew = False

    def _stop(self, stopped: StudentStopped) -> StudentStopped:
        self._stopped = stopped
        self.transcript.repeatable = False
        self._was_lean = self._lean and stopped.cause == "memory" and not stopped.again
        if not self._was_lean:
            self._time.record_stop(stopped, fresh=not self.leftovers)
        if self._testing and self._link is not None:
            self._time.stop_and_charge(self._link.exchange.clock, stopped)
        self._testing = False
        self._used = True
        if not stopped.alive:
            self.end_process()
        return stopped

    def _start(self, first: SubmissionLoader | None = None, *, charged: bool = True) -> LoadAnswer:
        """Take a new process, and load the program into it.

        Args:
            first: how to load it for the first time; None for loading it once more.
            charged: whether that is charged to the time of the tests.
        """
        careful, seconds = (first.careful, first.seconds) if first else (False, self._limits.import_seconds)
        child = self._supply.take_process()
        self.processes += 1
        names = len(self.program.defines) + len(self.program.also_named)
        self._link = link = RpcClient(child, self._limits, self, self._names, names)
        link.exchange.clock = self._time.start_loading_clock(child, seconds, self.program.count_characters())
        whereabouts = link.exchange.whereabouts
        whereabouts.stalls, whereabouts.had_its_time = self._source, self._time.find_earlier_stop
        try:
            answer = request_load(link, self.program, seconds, one_at_a_time=careful)
            whole = answer.ran_completely and not self.program.skip
            self._loads_quickly = whole and answer.seconds < QUICK_LOAD
            return answer
        finally:
            if charged:
                self._time.stop_and_charge(link.exchange.clock)
