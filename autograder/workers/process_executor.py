"""Hand calls to worker processes on this machine, as an executor."""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

from autograder.workers.restarting_worker_process import RestartingWorkerProcess


class WorkerProcessExecutor(Executor):
    """Owns worker processes and their common queue: a call goes to the first idle process.

    When a process ends, the future of its current call fails with ``WorkerEnded``. No other call is affected.
    """

    def __init__(self, workers: Sequence[RestartingWorkerProcess]) -> None:
        """Take ownership of workers; start no process until there is a call for it.

        Args:
            workers: the workers, each for one call at a time. ``shutdown`` closes them.
        """
        self._workers = workers
        self._free_workers: queue.SimpleQueue[RestartingWorkerProcess] = queue.SimpleQueue()
        for worker in workers:
            self._free_workers.put(worker)
        self._threads = ThreadPoolExecutor(len(workers), "worker")

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Future[Any]:
        """Call a module-level function in a worker; see ``Executor.submit``."""
        return self._threads.submit(self._call_worker, function, arguments, keywords)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Wait for the running calls, then end the workers; see ``Executor.shutdown``.

        Args:
            wait: whether to wait; otherwise running calls fail.
            cancel_futures: whether calls that no worker has begun are cancelled.
        """
        try:
            self._threads.shutdown(wait=wait, cancel_futures=cancel_futures)
        finally:
            with ThreadPoolExecutor(len(self._workers)) as threads:  # each may take a moment to end
                list(threads.map(RestartingWorkerProcess.close, self._workers))

    def _call_worker(self, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        worker = self._free_workers.get()
        try:
            return worker.call(function, *arguments, **keywords)
        finally:
            self._free_workers.put(worker)
