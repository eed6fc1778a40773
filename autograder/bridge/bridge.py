"""Keep one submission's process alive from test to test, and replace it when it is gone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from autograder.bridge.connection import ProcessConnection
from autograder.bridge.hangs import StuckCodeLocator, SubmissionSource
from autograder.bridge.loading import LoadRetryState, make_load_config, parse_load_answer
from autograder.bridge.messages import NextTestSetup, RequestTranscript, UnitChange
from autograder.bridge.prestarted_processes import ProcessPool
from autograder.bridge.student_exceptions import StudentError, StudentStopped
from autograder.bridge.submission_program import LoadResult, ReportedLoadResult, SubmissionProgram
from autograder.bridge.submission_time_budget import (
    PREFETCH_SECONDS_PER_FURTHER_TEST,
    StopByLocation,
    SubmissionTimeBudget,
)
from autograder.course import Limits
from autograder.sandbox import StudentProcess
from autograder.sandbox.processor_time import get_slowness

LITTLE_MEMORY_MB = 12
"""Megabytes that such a test may use beyond those of the loaded program."""


class AdaptiveMemoryLimit:
    """Reduces the memory of a test; if the test needs more, the next one gets the full limit.

    Attributes:
        was_exceeded: whether the last test exceeded its reduced limit.
    """

    def __init__(self) -> None:
        self.was_exceeded = self._is_in_force = False

    def begin_test(self, *, memory_was_filled: bool) -> None:
        """Reduce the memory of a new test if an earlier one filled all of it, except right after it was exceeded."""
        self._is_in_force = memory_was_filled and not self.was_exceeded
        self.was_exceeded = False

    def compute_address_space_limit(self, process: StudentProcess) -> int:
        """Return the limit of the address space in the current test, in bytes; 0 for the assignment's limit."""
        return process.compute_address_space_with_spare(LITTLE_MEMORY_MB) if self._is_in_force else 0

    def record_stop(self, stop: StudentStopped) -> None:
        """Record how the current test was stopped."""
        self.was_exceeded = self._is_in_force and stop.cause == "memory" and not stop.again


QUICK_LOAD_SECONDS = 0.01
"""CPU seconds of the reference machine; code that takes this long to load, or longer, is not run again for a test."""
RELOAD_FACTOR = 3
"""How many times as long as at first it may take: the garbage of earlier tests is collected then, and one measurement
says little on a busy machine."""


class StateBetweenTests:
    """How the tests of one submission are kept apart.

    Code that loads quickly is run anew for each test, in the same process. Other code is loaded once, and its tests
    share it. Nothing is proven about what a program keeps elsewhere: what it costs a test is seen by running the test
    again in another process, after other tests (see ``SuiteRunSession``). If that makes a difference, each test gets
    a process of its own.

    Attributes:
        needs_fresh_processes: whether every test must run in a process that has run no other.
        process_served_earlier_test: whether the process of the current or last test had served another before.
    """

    def __init__(self, *, needs_fresh_processes: bool = False) -> None:
        """Begin with no process."""
        self.needs_fresh_processes = needs_fresh_processes
        self.process_served_earlier_test = False
        self._process_was_used = self._loads_quickly = False
        self._load_seconds = 0.0

    @property
    def reload_seconds(self) -> float:
        """Return the CPU seconds of the reference machine in which the code is run anew, even at a bad moment."""
        return RELOAD_FACTOR * self._load_seconds if self.runs_code_anew else 0.0

    @property
    def runs_code_anew(self) -> bool:
        """Return whether the code is run anew for each test, so that requests of several may be sent together."""
        return self._loads_quickly and not self.needs_fresh_processes

    def record_load(self, load: ReportedLoadResult, *, is_whole: bool, slowness: float) -> None:
        """Note how a process loaded the program.

        Args:
            load: the process's report.
            is_whole: whether no statement was left out.
            slowness: how many times slower than the reference machine this one is.
        """
        completed = is_whole and load.is_loaded_without_problems
        self._load_seconds = load.seconds / slowness
        self._loads_quickly = completed and self._load_seconds < QUICK_LOAD_SECONDS

    def record_test_start(self) -> bool:
        """Set ``process_served_earlier_test`` for the test that begins; return whether the code must be run anew."""
        self.process_served_earlier_test = self._process_was_used
        return self.runs_code_anew and self._process_was_used

    @property
    def process_was_used(self) -> bool:
        """Return whether a test has run in the process that there is."""
        return self._process_was_used

    def record_process_use(self) -> None:
        """Note that a test has used the process."""
        self._process_was_used = True

    def record_process_end(self) -> None:
        """Note that there is no process any more."""
        self._process_was_used = False


MAX_RELOADS = 5
UNCHANGED = UnitChange(0, 0, 0, "")


class Bridge:
    """Connects the tests of one submission with its process.

    It starts the process, replaces it when it ends, and charges time to tests.

    Attributes:
        program: the program to load; after loading, it leaves out the statements that hang or end the process.
        reverses_set_order: whether sets have the opposite order in the tests to come.
        state: the state that tests can leave behind for each other, and how it is reset.
        process_count: how many processes were started so far.
        last_prefetch_stop: how a process was stopped last in requests that were sent ahead.
        time_budget: the time that the submission has left.
        transcript: the requests of the current or last test.
        adaptive_memory_limit: the memory limit of a test after one that filled the memory.
    """

    def __init__(
        self,
        program: SubmissionProgram,
        process_pool: ProcessPool,
        limits: Limits,
        state: StateBetweenTests | None = None,
        *,
        earlier_stops: StopByLocation | None = None,
    ) -> None:
        """Prepare without starting a process.

        Args:
            program: the submission's code.
            process_pool: supplies processes.
            limits: the assignment's.
            state: what tests can leave behind; by default anything, so that each test may need a fresh process.
            earlier_stops: ``stop_by_location`` of an earlier bridge to the same program.
        """
        self.program = program
        self.state = state or StateBetweenTests()
        self.reverses_set_order = False
        self.transcript = RequestTranscript()
        self._limits = limits
        self.time_budget = SubmissionTimeBudget(limits, earlier_stops)
        self._process_pool = process_pool
        self.process_count = 0
        self.last_prefetch_stop: StudentStopped | None = None
        self._client: ProcessConnection | None = None
        self._last_stop: StudentStopped | None = None
        self.adaptive_memory_limit = AdaptiveMemoryLimit()
        self._test_is_running = False
        self._change: UnitChange | None = None
        self._process_is_changed = True

    @cached_property
    def _identifiers(self) -> frozenset[str]:
        return self.program.collect_identifiers_in_text()

    @cached_property
    def _source(self) -> SubmissionSource:
        return SubmissionSource(self.program.map_traceback_names_to_sources())

    @property
    def is_reusable_as_fresh(self) -> bool:
        """Return whether the next run of the same program can use this process like a fresh one."""
        return self._client is not None and self.state.runs_code_anew and self.time_budget.allows_process_reuse

    def reset_for_next_run(self, limits: Limits) -> None:
        """Begin again like a new bridge to the same program, but keep the running process.

        Args:
            limits: the time that tests have from now on.
        """
        self._limits, self.time_budget = limits, SubmissionTimeBudget(limits)
        self.reverses_set_order = False

    def change_unit(self, change: UnitChange) -> None:
        """Have the tests to come run a changed text, in the same process.

        This is only for a program that is run anew for each test. A process that takes its place loads the program
        as it was, and runs this text from its first test on.
        """
        self._change, self._process_is_changed = change, False

    def load_without_fatal_code(self) -> LoadResult:
        """Load the submission into a fresh process, and return what it defines.

        Statements that hang or end the process are found and left out; the other definitions are kept. A process
        that is already running is ended first.

        Raises:
            KitFault: no process can be started.
        """
        self.end_process()
        loading = LoadRetryState(self.program, self._limits.import_seconds)
        for _ in range(MAX_RELOADS):
            result: LoadResult | None = None
            try:
                result = loading.finish_or_prepare_retry(self._start_process(loading))
            except StudentStopped as stop:
                loading.prepare_retry_after_stop(stop, self._client.at if self._client else None)
            self.program = loading.program
            if result is not None:
                self.time_budget.was_loaded = True
                return result
            self.end_process()
        self.time_budget.was_loaded = True
        return loading.make_failed_load_result()

    def begin_test(self, transcript: RequestTranscript | None = None) -> None:
        """Provide a loaded process for the next test, and drop the objects of the previous test.

        Args:
            transcript: the answers that are there already; by default none.

        Raises:
            StudentStopped: the submission cannot be loaded any more, or its time is used up.
        """
        self._last_stop = None
        self.transcript = transcript or RequestTranscript()
        if self.state.needs_fresh_processes and self.state.process_was_used:
            self.end_process()
        try:
            self.time_budget.raise_if_exhausted()
            if self._client is None:
                self._start_process()
        except StudentStopped as stopped:
            raise self._handle_stop(stopped) from None
        assert self._client is not None
        reloads = self.state.record_test_start() or not self._process_is_changed
        self._client.clock = self.time_budget.start_test_clock(
            self._client.process, self.state.reload_seconds * reloads
        )
        self._test_is_running = True
        self.adaptive_memory_limit.begin_test(memory_was_filled=self.time_budget.memory_was_filled)
        setup = NextTestSetup(
            self.reverses_set_order,
            reloads,
            self.adaptive_memory_limit.compute_address_space_limit(self._client.process),
            None if self._process_is_changed else self._change,
        )
        self._client.begin_next_test(self.transcript, setup)

    def end_test_and_charge_time(self) -> None:
        """End the test, and charge its time to the submission's budget."""
        if self._test_is_running and self._client is not None:
            self.state.record_process_use()
            self.time_budget.stop_and_charge(self._client.clock)
        self._test_is_running = False

    def send_request(self, request_name: str, *arguments: Any) -> Any:
        """See ``ProcessConnection.send_request``.

        Once the test was stopped, each of its further requests raises the same exception.
        """
        if self._last_stop is not None:
            raise self._last_stop
        if self._client is None:
            raise StudentStopped("protocol", "a test asked before it began")
        try:
            return self._client.send_request(request_name, *arguments)
        except StudentStopped as stopped:
            if self.transcript.left_known_path:  # the test is run again, and is stopped where that can be told
                self._last_stop = stopped
                self._end_process_after_stopped_prefetch(stopped)
                raise
            raise self._handle_stop(stopped) from None

    def record_remembered_lookup(self, finding_name: str, finding_repr: str) -> None:
        """See ``ProcessConnection.record_remembered_lookup``."""
        if self._client is not None:
            self._client.record_remembered_lookup(finding_name, finding_repr)

    def prefetch_answers_of_tests(self, packed_tests: Sequence[tuple[bytes, bool]]) -> list[bytes]:
        """Send the requests that several tests are expected to make later, all together.

        Args:
            packed_tests: for each test, its packed requests joined by commas, and whether sets have the opposite
                order in it.

        Returns:
            The answers as ``ProcessConnection.iterate_answers_by_message`` gives them; only those of
            the first tests if the process was stopped.

        Raises:
            StudentStopped: see ``begin_test``.
        """
        change = None if self._process_is_changed else self._change
        (first_requests, is_first_reversed), *further_tests = packed_tests
        runs_code_anew = self.state.runs_code_anew
        reloads_first = runs_code_anew and (self.state.process_was_used or change is not None)
        first = first_requests, NextTestSetup(is_first_reversed, reloads_first, change=change)
        further = [(requests, NextTestSetup(is_reversed, runs_code_anew)) for requests, is_reversed in further_tests]
        return self._prefetch_together([first, *further])

    def prefetch_answers_of_changes(
        self, packed_tests: Sequence[tuple[bytes, UnitChange]], seconds_per_test: float
    ) -> list[bytes]:
        """Send the requests of tests, each of a changed text, all together; see ``change_unit``.

        Args:
            packed_tests: for each test, its packed requests joined by commas, and the change of the text that was
                handed in.
            seconds_per_test: CPU seconds of the reference machine that each may take on average.

        Returns:
            See ``prefetch_answers_of_tests``.

        Raises:
            StudentStopped: see ``begin_test``.
        """
        try:
            return self._prefetch_together(
                [(requests, NextTestSetup(reloads_code=True, change=change)) for requests, change in packed_tests],
                seconds_per_test,
            )
        finally:
            self.change_unit(self._change or UNCHANGED)

    def _prefetch_together(
        self,
        packed_tests: Sequence[tuple[bytes, NextTestSetup]],
        seconds_per_test: float = PREFETCH_SECONDS_PER_FURTHER_TEST,
    ) -> list[bytes]:
        answers: list[bytes] = []
        messages = [(requests, setup.pack_message()) for requests, setup in packed_tests]
        self.begin_test()
        assert self._client is not None
        connection = self._client
        connection.clock = self.time_budget.start_prefetch_clock(
            self._client.process,
            seconds_per_test * (len(packed_tests) - 1),
            self.state.reload_seconds * (len(packed_tests) + 1),  # begin_test has the code run anew once more
        )
        self._process_is_changed = True
        try:
            answers.extend(connection.iterate_answers_by_message(messages))
        except StudentStopped as stopped:
            self.last_prefetch_stop = stopped
            self._end_process_after_stopped_prefetch(stopped)
        else:
            self.end_test_and_charge_time()
        return answers

    def _end_process_after_stopped_prefetch(self, stop: StudentStopped) -> None:
        assert self._client is not None
        self.time_budget.stop_and_charge(self._client.clock, stop)
        self._test_is_running = False
        self.end_process()

    def reset_before_next_test(self) -> None:
        """Make sure that the next test finds the code as it was loaded, in a fresh process if necessary."""
        if not self.state.runs_code_anew:
            self.end_process()

    def end_process(self) -> None:
        """End the process; the next test gets a fresh one."""
        if self._client is not None:
            self._client.process.kill_without_waiting()
            self._client = None
        self._process_is_changed = self._change is None
        self.state.record_process_end()

    def _handle_stop(self, stop: StudentStopped) -> StudentStopped:
        self._last_stop = stop
        self.transcript.is_repeatable = False
        self.adaptive_memory_limit.record_stop(stop)
        if not self.adaptive_memory_limit.was_exceeded:
            self.time_budget.record_stop(
                stop,
                in_fresh_process=not self.state.process_served_earlier_test,
            )
        if self._test_is_running and self._client is not None:
            self.time_budget.stop_and_charge(self._client.clock, stop)
        self._test_is_running = False
        self.state.record_process_use()
        if not stop.alive:
            self.end_process()
        return stop

    def _start_process(self, retry_state: LoadRetryState | None = None) -> ReportedLoadResult:
        """Take a new process, and load the program into it.

        Args:
            retry_state: how to load it for the first time; None to load it again.
        """
        seconds = retry_state.seconds if retry_state else self._limits.import_seconds
        slowness = get_slowness()
        program, process = self.program, self._process_pool.take_process()
        self.process_count += 1
        named_count = len(program.defines) + len(program.also_named)
        locator = StuckCodeLocator(process, self._source, self.time_budget.stop_by_location.get)
        self._client = client = ProcessConnection(
            process, self._limits, self, locator, self._identifiers, named_count
        )
        client.clock = self.time_budget.start_loading_clock(process, seconds, program.count_characters())
        try:
            config = make_load_config(
                program,
                seconds * slowness,
                announces_each_statement=retry_state is not None and retry_state.announces_each_statement,
            )
            answer = parse_load_answer(client.send_request("load", config))
            self.state.record_load(answer, is_whole=not program.skipped_statements, slowness=slowness)
            return answer
        except StudentError:
            raise StudentStopped("protocol", "its process did not say what was loaded") from None
        finally:
            self.time_budget.stop_and_charge(client.clock)
