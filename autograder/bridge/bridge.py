"""Keep one submission's process alive from test to test, and replace it when it is gone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from autograder.bridge.hang_location_in_source import SubmissionSource
from autograder.bridge.prestarted_processes import PrestartedProcesses
from autograder.bridge.process_messages import UnparsedAnswer
from autograder.bridge.request_transcript import RequestTranscript
from autograder.bridge.rpc_client import ProcessRpcClient
from autograder.bridge.student_errors import StudentStopped
from autograder.bridge.submission_loader import LoadRetries, load_program_in_process
from autograder.bridge.submission_program import LoadResult, ReportedLoadResult, SubmissionProgram
from autograder.bridge.submission_time_budget import StopByLocation, SubmissionTimeBudget
from autograder.course import Limits

MAX_RELOADS = 4
LEAN_MEMORY_MB = 12
"""What a test may need beyond what the loaded program needs, where an earlier one filled all of the memory."""
QUICK_LOAD_SECONDS = 0.005
"""CPU seconds; code that takes longer to load is not run anew for a test."""


class Bridge:
    """Everything that the tests of one submission ask of its process.

    Attributes:
        program: what is loaded; once it is loaded, without what hangs or ends the process.
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
        process_pool: PrestartedProcesses,
        limits: Limits,
        *,
        is_stateless: bool = False,
        keeps_state_in_own_module: bool = False,
        fresh_process_per_test: bool = False,
        earlier_stops: StopByLocation | None = None,
    ) -> None:
        """Prepare without starting a process.

        Args:
            program: the submission's code.
            process_pool: gives processes.
            limits: the assignment's.
            is_stateless: whether no test can leave anything behind for another; False in doubt.
            keeps_state_in_own_module: whether all that a test can leave behind is in the program's own module. Then
                its code is run anew in the same process, where it would need another one otherwise.
            fresh_process_per_test: whether it gets another process all the same, to compare both.
            earlier_stops: ``stop_by_location`` of an earlier bridge to the same program.
        """
        self.processes = 0
        self._is_stateless, self._keeps_state_in_own_module = is_stateless, keeps_state_in_own_module
        self._fresh_process_per_test = fresh_process_per_test
        self.program = program
        self._process_pool, self._limits = process_pool, limits
        self._client: ProcessRpcClient | None = None
        self._stopped: StudentStopped | None = None
        self.leftovers = self.apart = self.reversed_sets = False
        self.transcript = RequestTranscript()
        self._used = self._testing = self._anew = self._loads_quickly = False
        self._lean = self._was_lean = False
        self._time = SubmissionTimeBudget(limits, earlier_stops)

    @cached_property
    def _known_names(self) -> frozenset[str]:
        """Return all names that stand in the program."""
        return self.program.collect_identifiers_in_text()

    @cached_property
    def _source(self) -> SubmissionSource:
        """Return the source in which the lines of the process's stack are found."""
        return SubmissionSource(self.program.map_traceback_names_to_sources())

    @property
    def tests_are_independent(self) -> bool:
        """Return whether no test can leave anything behind for another."""
        return self._is_stateless or self._reloads_for_each_test

    @property
    def can_reset_by_reloading(self) -> bool:
        """Return whether running the code anew does what a fresh process does."""
        return self._keeps_state_in_own_module and self._loads_quickly

    @property
    def stops_by_location(self) -> StopByLocation:
        """Return where tests were stopped, and how; see ``SubmissionTimeBudget``."""
        return self._time.stop_by_location

    @property
    def gives_tests_full_time(self) -> bool:
        """Return whether a test still gets all of its time; see ``SubmissionTimeBudget``."""
        return self._time.gives_tests_full_time

    @property
    def exceeded_reduced_memory_limit(self) -> bool:
        """Return whether the test filled the little memory that it was given; the next one is given all of it."""
        return self._was_lean

    @property
    def stopped_where_earlier_test_ended(self) -> bool:
        """Return whether the test was stopped where an earlier one had ended, in a process of its own."""
        return self._stopped is not None and self._stopped.again

    @property
    def can_reuse_with_new_limits(self) -> bool:
        """Return whether its process is as good as a fresh one for whoever runs the same program next."""
        forgets = self._is_stateless or (self.can_reset_by_reloading and not self._fresh_process_per_test)
        return forgets and self._client is not None and self._time.has_most_time_left_and_no_stop

    def restart_with_new_limits_keeping_process(self, limits: Limits) -> None:
        """Begin as a new bridge to the same program would, with the process that is there.

        Args:
            limits: the time that tests have from now on.
        """
        self._limits, self._time = limits, SubmissionTimeBudget(limits)
        self.apart = self.reversed_sets = False
        self.make_next_test_start_fresh()

    def load_in_fresh_process_omitting_fatal_code(self) -> LoadResult:
        """Run the submission's code and say what it defines.

        Code that hangs or ends the process is found and left out; what was defined beside it is kept. A process that
        is there already is ended.

        Raises:
            KitFault: no process can be started.
        """
        self.end_process()
        loading = LoadRetries(self.program, self._limits.import_seconds)
        for attempt in range(MAX_RELOADS):
            loaded: LoadResult | None = None
            try:
                loaded = loading.make_result_or_prepare_retry(self._start_process(loading, charges_time=attempt > 0))
            except StudentStopped as stopped:
                loading.prepare_retry_after_stop(stopped, self._client.connection.at if self._client else None)
            if attempt == 0 and self._client:
                self._time.stop_clock_and_charge_failed_first_load(
                    self._client.connection.clock, succeeded=loaded is not None
                )
            self.program = loading.program
            if loaded is not None:
                return loaded
            self.end_process()
        return loading.make_load_result_without_definitions()

    def begin_test(self) -> None:
        """Get ready for a test: provide a process that is loaded and holds nothing of the test before.

        Raises:
            StudentStopped: the submission cannot be loaded any more, or its time is used up.
        """
        self._stopped = None
        self.transcript = RequestTranscript()
        if self.apart:
            self.make_next_test_start_fresh()
        self.leftovers = self._used
        try:
            self._time.raise_if_exhausted()
            if self._client is None:
                self._start_process()
        except StudentStopped as stopped:
            raise self._handle_stop(stopped) from None
        assert self._client is not None
        self._client.connection.clock = self._time.start_test_clock(self._client.process)
        self._testing = True
        self._lean = self._time.starts_with_little_memory and not self._was_lean
        self._was_lean = False
        self._client.drop_test_objects_and_queue_test_begin(
            self.transcript,
            reversed_sets=self.reversed_sets,
            reloads_code=self._anew,
            address_space_limit_bytes=self._measure_address_space(),
        )
        self._anew = False

    def reset_process_state_and_restart_clock(self) -> None:
        """Have the process drop what it did for the current test, which is then asked once more.

        For a submission that keeps nothing between tests. The test gets all of its time once more.

        Raises:
            StudentStopped: all the time of the submission is used up.
        """
        assert self._client is not None
        connection = self._client.connection
        self._time.stop_clock_and_charge_time(connection.clock)
        self._time.raise_if_exhausted()
        connection.clock = self._time.start_test_clock(self._client.process)
        connection.queue_test_begin(
            reversed_sets=self.reversed_sets,
            reloads_code=self._reloads_for_each_test,
            address_space_limit_bytes=self._measure_address_space(),
        )

    @property
    def _reloads_for_each_test(self) -> bool:
        return self.apart and self.can_reset_by_reloading

    def _measure_address_space(self) -> int:
        """Return the bytes that the process may have in the current test; 0 for all that the assignment allows."""
        assert self._client is not None
        return self._client.process.compute_address_space_limit_or_zero(LEAN_MEMORY_MB) if self._lean else 0

    def end_test_and_charge_time(self) -> None:
        """Count the test's time against the submission's."""
        if self._testing and self._client is not None:
            self._used = True
            self._time.stop_clock_and_charge_time(self._client.connection.clock)
        self._testing = False

    def send_request(self, request_name: str, *arguments: Any) -> Any:
        """See ``ProcessRpcClient.send_request``.

        After the process is gone, every further request of the test raises the same.
        """
        if self._stopped is not None:
            raise self._stopped
        if self._client is None:
            raise StudentStopped("protocol", "a test asked before it began")
        try:
            return self._client.send_request(request_name, *arguments)
        except StudentStopped as stopped:
            raise self._handle_stop(stopped) from None

    def check_and_record_lookup_of_finding(self, finding_name: str, finding_repr: str) -> None:
        """See ``ProcessRpcClient.check_and_record_lookup_of_finding``."""
        if self._client is not None:
            self._client.check_and_record_lookup_of_finding(finding_name, finding_repr)

    def prefetch_answers_of_current_test(self, packed_requests: Sequence[bytes]) -> list[UnparsedAnswer]:
        """Send requests that the current test is to ask later; see ``RequestTranscript.prefetched``.

        Raises:
            StudentStopped: the process is no more. This is no result yet: begin the test once more, and let it ask.
        """
        assert self._client is not None
        connection = self._client.connection
        test_clock, connection.clock = connection.clock, self._time.start_prefetch_clock(self._client.process)
        try:
            return connection.exchange_requests_until_one_fails(packed_requests)
        except StudentStopped as stopped:
            self._time.stop_clock_and_charge_time(connection.clock, stopped)
            self._testing = False
            self.end_process()
            raise
        finally:
            connection.clock = test_clock

    def prefetch_answers_of_tests(
        self, packed_requests_and_reversed_sets: Sequence[tuple[bytes, bool]]
    ) -> list[bytes]:
        """Send the requests of several tests together; each test is to ask its own later.

        Args:
            packed_requests_and_reversed_sets: see ``ProcessConnection.send_requests_and_iterate_answers_by_test``.

        Returns:
            The answers as ``ProcessConnection.send_requests_and_iterate_answers_by_test`` gives them; only those to
            the first tests if it was stopped.

        Raises:
            StudentStopped: see ``begin_test``.
        """
        answers: list[bytes] = []
        self.begin_test()
        assert self._client is not None
        connection = self._client.connection
        connection.clock = self._time.start_prefetch_clock(
            self._client.process, len(packed_requests_and_reversed_sets)
        )
        try:
            answers.extend(
                connection.send_requests_and_iterate_answers_by_test(
                    packed_requests_and_reversed_sets, reloads_code=self._reloads_for_each_test
                )
            )
        except StudentStopped as stopped:
            self._time.stop_clock_and_charge_time(connection.clock, stopped)
            self._testing = False
            self.end_process()
        else:
            self.end_test_and_charge_time()
        return answers

    def make_every_test_start_fresh(self) -> None:
        """Load the code anew for each test from now on."""
        self.apart = True

    def make_next_test_start_fresh(self) -> None:
        """Have the next test find the code as it was loaded, in a fresh process if need be."""
        if self._is_stateless:
            return
        if self._client is not None and self.can_reset_by_reloading and not self._fresh_process_per_test:
            self._anew |= self._used
            self._used = False
        else:
            self.end_process()

    def end_process(self) -> None:
        """End the process; the next test gets a fresh one."""
        if self._client is not None:
            self._client.process.kill_without_waiting()
            self._client = None
        self._used = self._anew = False

    def _handle_stop(self, stopped: StudentStopped) -> StudentStopped:
        self._stopped = stopped
        self.transcript.is_repeatable = False
        self._was_lean = self._lean and stopped.cause == "memory" and not stopped.again
        if not self._was_lean:
            self._time.record_stop_and_charge_process_restart(
                stopped, self._client.process if self._client else None, in_fresh_process=not self.leftovers
            )
        if self._testing and self._client is not None:
            self._time.stop_clock_and_charge_time(self._client.connection.clock, stopped)
        self._testing = False
        self._used = True
        if not stopped.alive:
            self.end_process()
        return stopped

    def _start_process(self, first: LoadRetries | None = None, *, charges_time: bool = True) -> ReportedLoadResult:
        """Take a new process, and load the program into it.

        Args:
            first: how to load it for the first time; None for loading it once more.
            charges_time: whether that is charged to the time of the tests.
        """
        announces_each_statement, seconds = (
            (first.announces_each_statement, first.seconds) if first else (False, self._limits.import_seconds)
        )
        child = self._process_pool.take_process()
        self.processes += 1
        names = len(self.program.defines) + len(self.program.also_named)
        self._client = client = ProcessRpcClient(child, self._limits, self, self._known_names, names)
        client.connection.clock = self._time.start_loading_clock(child, seconds, self.program.count_characters())
        locator = client.connection.locator
        locator.submission_source, locator.find_stop_of_earlier_test = (
            self._source,
            self._time.find_stop_of_earlier_test,
        )
        try:
            answer = load_program_in_process(
                client,
                self.program,
                seconds,
                announces_each_statement=announces_each_statement,
                objects_outlive_tests=not self._is_stateless,
            )
            whole = answer.ran_completely_with_all_imports and not self.program.skipped_statements
            self._loads_quickly = whole and answer.seconds < QUICK_LOAD_SECONDS
            return answer
        finally:
            if charges_time:
                self._time.stop_clock_and_charge_time(client.connection.clock)
