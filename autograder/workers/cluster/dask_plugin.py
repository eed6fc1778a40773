"""Let a Dask worker grade for a batch, if it agrees with the coordinator in all that decides a result.

The Dask worker itself does not grade: pytest needs a main thread of its own, a grader hides its memory, which breaks
Dask's memory measurement, and a crash of a grader must not end the worker. The processes are new interpreters,
because a Dask worker under a nanny must not start children with ``multiprocessing``.
"""

from __future__ import annotations

import asyncio
import platform
import queue
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from distributed import Worker, WorkerPlugin, get_worker

from autograder.course import Assignment, load_course
from autograder.course.model import TierName
from autograder.diagnosis.naming import get_usable_observations_hash
from autograder.faults import CallerFault, Fault
from autograder.kit_version import get_kit_version_with_code_digest
from autograder.sandbox import SandboxConfig, choose_strongest_sandbox
from autograder.workers.grading_tasks import GradingTask, GradingTaskResult, TaskFunction
from autograder.workers.grading_worker import initialize_worker
from autograder.workers.worker_processes import RestartingWorkerProcess, WorkerEnded, start_worker_interpreter


@dataclass(frozen=True, slots=True)
class WorkerRequirements:
    """Everything that a verdict depends on besides the submission; plain data, sent to every worker."""

    kit_version: str
    python_version: str
    course_path_on_worker: str
    """The folder of the course on a worker."""
    assignment_name: str
    assignment_version: str
    observations_digest: str
    tier: TierName


def get_worker_requirements(
    assignment: Assignment, sandbox: SandboxConfig, course_path_on_worker: Path | None = None
) -> WorkerRequirements:
    """Return what workers must have in common with this machine.

    Args:
        assignment: the assignment as it is here.
        sandbox: the sandbox as it is here.
        course_path_on_worker: where the course lies on the workers; at the same path as here when None.
    """
    return WorkerRequirements(
        kit_version=get_kit_version_with_code_digest(),
        python_version=_name_python_version(),
        course_path_on_worker=str(course_path_on_worker or assignment.course_folder),
        assignment_name=assignment.name,
        assignment_version=assignment.version,
        observations_digest=get_usable_observations_hash(assignment),
        tier=sandbox.tier,
    )


def load_matching_assignment(requirements: WorkerRequirements) -> Assignment:
    """Return the assignment of the course on this machine, if the kit, Python and the assignment are as required.

    Raises:
        CallerFault: something differs (the message names both values), or the course or the assignment is missing.
    """
    _require_same(
        "the kit's version",
        get_kit_version_with_code_digest(),
        requirements.kit_version,
        "install the same version, of the same code",
    )
    _require_same(
        "Python", _name_python_version(), requirements.python_version, "start the worker with the same version"
    )
    folder = Path(requirements.course_path_on_worker)
    if not folder.is_dir():
        raise CallerFault(
            "the course is not on this worker", where=str(folder), advice="name its folder with --worker-course"
        )
    assignment = load_course(folder).find_assignment(requirements.assignment_name)
    if assignment is None:
        raise CallerFault(
            f"the course on this worker has no assignment {requirements.assignment_name}",
            where=str(folder),
            advice="copy the course anew",
        )
    advice = f"copy the course anew to {folder}"
    _require_same(f"{assignment.name}'s version", assignment.version, requirements.assignment_version, advice)
    _require_same(
        f"the state of {assignment.name}'s observations",
        get_usable_observations_hash(assignment),
        requirements.observations_digest,
        advice,
    )
    return assignment


def choose_sandbox_of_required_tier(requirements: WorkerRequirements, assignment: Assignment) -> SandboxConfig:
    """Return a sandbox of the required tier on this machine.

    Raises:
        CallerFault: the tier is not available, or submissions must not run at the same time on this machine.
    """
    sandbox = choose_strongest_sandbox("process", requirements.tier, assignment.packages)
    if not sandbox.lets_processes_overlap:
        raise CallerFault(
            "locks on files cannot be denied on this worker, so submissions must not run at once there",
            advice="start it on a Linux with seccomp, or grade without a cluster",
        )
    return sandbox


def initialize_matching_worker(requirements: WorkerRequirements) -> None:
    """Prepare this process to grade; see ``initialize_worker``.

    Raises:
        CallerFault: this machine does not meet the requirements.
        Fault: the suite cannot be used, or no student process can be started.
    """
    assignment = load_matching_assignment(requirements)
    initialize_worker(assignment, choose_sandbox_of_required_tier(requirements, assignment))


def _require_same(subject: str, own_value: str, required_value: str, advice: str) -> None:
    if own_value != required_value:
        raise CallerFault(
            f"{subject} is {own_value or 'none'} on this worker "
            f"and {required_value or 'none'} where the batch was started",
            advice=advice,
        )


def _name_python_version() -> str:
    """Return the interpreter's name and minor version, which may change a program's behaviour."""
    return f"{platform.python_implementation()} {'.'.join(platform.python_version_tuple()[:2])}"


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
