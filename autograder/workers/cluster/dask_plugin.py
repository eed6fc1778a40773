"""Let a Dask worker grade for a batch, with one grading process for each of its threads.

The Dask worker itself does not grade: pytest needs a main thread of its own, a grader hides its memory, which breaks
Dask's memory measurement, and a crash of a grader must not end the worker. The processes are new interpreters,
because a Dask worker under a nanny must not start children with ``multiprocessing``.
"""

from __future__ import annotations

import asyncio
import queue
from functools import partial

from distributed import Worker, WorkerPlugin, get_worker

from autograder.faults import Fault
from autograder.workers.cluster.worker_requirements import WorkerRequirements, initialize_matching_worker
from autograder.workers.grading_tasks import GradingTask, GradingTaskResult, TaskFunction
from autograder.workers.restarting_worker_process import RestartingWorkerProcess, WorkerEnded
from autograder.workers.worker_launch import start_worker_interpreter


class GradingProcessesPlugin(WorkerPlugin):
    """Runs grading processes on every present and later worker until the batch is over.

    It is not registered with the scheduler: a worker without the kit could not load it, and would fail to start.

    A worker that meets the requirements offers a Dask resource with the batch's name, one for each thread. Every task
    requires one, so no other worker ever gets a submission.
    """

    def __init__(self, batch_name: str, requirements: WorkerRequirements, seconds_until_stuck: float) -> None:
        self.name = batch_name
        self.refusal_reason: str | None = None
        """Why this worker must not grade; empty when it may, None while it does not know."""
        self.opening: asyncio.Future[None] | None = None
        self._requirements = requirements
        self._seconds_until_stuck = seconds_until_stuck

    async def setup(self, worker: Worker) -> None:
        """Start the processes, and set ``refusal_reason``, which is empty if they may grade.

        Raise nothing if a process ends.
        """
        count = worker.state.nthreads
        initialize = partial(initialize_matching_worker, self._requirements)
        self._processes = [
            RestartingWorkerProcess(start_worker_interpreter, initialize, self._seconds_until_stuck)
            for _ in range(count)
        ]
        self._free_processes: queue.SimpleQueue[RestartingWorkerProcess] = queue.SimpleQueue()
        answers = await asyncio.gather(
            *(asyncio.to_thread(_start_and_find_refusal, process) for process in self._processes)
        )
        refusal = next(filter(None, answers), "")
        if refusal:
            self._close_processes()
        else:
            for process in self._processes:
                self._free_processes.put(process)
            await worker.set_resources(**{self.name: count})
        self.refusal_reason = refusal

    async def teardown(self, worker: Worker) -> None:
        """End the processes, and take back the resource that the worker offered."""
        await asyncio.to_thread(self._close_processes)
        if self.refusal_reason == "":
            await worker.set_resources(**{self.name: 0})

    def run_task_in_free_process(self, function: TaskFunction, task: GradingTask) -> GradingTaskResult:
        """Call ``function`` with ``task`` in an idle process.

        Raises:
            WorkerEnded: the process ended.
            Exception: whatever the function raised.
        """
        process = self._free_processes.get()
        try:
            result: GradingTaskResult = process.call(function, task)
        except Fault as fault:  # the process was started anew, and this worker no longer meets the requirements
            return GradingTaskResult(task.name, kit_failure=str(fault))
        finally:
            self._free_processes.put(process)
        return result

    def _close_processes(self) -> None:
        for process in self._processes:
            process.close()


def _start_and_find_refusal(process: RestartingWorkerProcess) -> str:
    """Start a process, and return why it must not grade; an empty text when it may."""
    try:
        process.start_if_needed()
    except WorkerEnded as error:
        return f"the grading process ended before it could start ({error})"
    except Fault as fault:
        return str(fault)
    return ""


def run_task_in_grading_process(batch_name: str, function: TaskFunction, task: GradingTask) -> GradingTaskResult:
    """Grade a task; Dask runs this on a worker. See ``GradingProcessesPlugin.run_task_in_free_process``."""
    plugin = get_worker().plugins[batch_name]
    assert isinstance(plugin, GradingProcessesPlugin)
    return plugin.run_task_in_free_process(function, task)


async def start_plugin_and_poll_refusal_reason(
    batch_name: str, requirements: WorkerRequirements, seconds_until_stuck: float, dask_worker: Worker
) -> str | None:
    """Return ``refusal_reason`` of a worker; Dask runs this there until it is not None.

    The first call starts the processes.
    """
    plugin = dask_worker.plugins.get(batch_name)
    if isinstance(plugin, GradingProcessesPlugin):
        return plugin.refusal_reason
    plugin = GradingProcessesPlugin(batch_name, requirements, seconds_until_stuck)
    dask_worker.plugins[batch_name] = plugin
    plugin.opening = asyncio.ensure_future(plugin.setup(worker=dask_worker))
    return None


async def remove_plugin_from_dask_worker(batch_name: str, dask_worker: Worker) -> None:
    """Remove the plugin; Dask runs this on a worker when the batch is over."""
    if batch_name in dask_worker.plugins:
        await dask_worker.plugin_remove(name=batch_name)
