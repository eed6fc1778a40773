"""Start the processes of one submission, one after the other, each ready to load its program."""

from __future__ import annotations

from functools import cached_property

from autograder.bridge.hang_location import SubmissionSource
from autograder.bridge.prestarted_processes import ProcessPool
from autograder.bridge.rpc_client import ProcessRpcClient
from autograder.bridge.student_object_stand_ins import RequestSender
from autograder.bridge.submission_program import SubmissionProgram
from autograder.bridge.submission_time_budget import SubmissionTimeBudget
from autograder.course import Limits


class SubmissionProcessStarter:
    """Starts and counts processes for one program.

    Attributes:
        process_count: how many were started so far.
    """

    def __init__(self, program: SubmissionProgram, process_pool: ProcessPool, request_sender: RequestSender) -> None:
        """Start nothing yet.

        Args:
            program: the submission's code, whole.
            process_pool: supplies processes.
            request_sender: carries the messages of the stand-ins for the process's objects.
        """
        self.process_count = 0
        self._program, self._process_pool, self._request_sender = program, process_pool, request_sender

    @cached_property
    def _identifiers(self) -> frozenset[str]:
        return self._program.collect_identifiers_in_text()

    @cached_property
    def _source(self) -> SubmissionSource:
        return SubmissionSource(self._program.map_traceback_names_to_sources())

    def start_process(
        self, limits: Limits, time_budget: SubmissionTimeBudget, loading_cpu_seconds: float
    ) -> ProcessRpcClient:
        """Start a process, and the clock of its loading.

        Args:
            limits: the assignment's.
            time_budget: the submission's.
            loading_cpu_seconds: CPU time that loading may take.

        Returns:
            The client of the process, which holds no program yet.

        Raises:
            KitFault: no process can be started as its tier promises.
        """
        program = self._program
        process = self._process_pool.take_process()
        self.process_count += 1
        names = len(program.defines) + len(program.also_named)
        client = ProcessRpcClient(process, limits, self._request_sender, self._identifiers, names)
        client.connection.clock = time_budget.start_loading_clock(
            process, loading_cpu_seconds, program.count_characters()
        )
        locator = client.connection.locator
        locator.submission_source = self._source
        locator.find_stop_of_earlier_test = time_budget.stop_by_location.get
        return client
