"""Start, lock, watch and kill one student's process, and clean up behind it."""

from __future__ import annotations

import ast
import atexit
import contextlib
import marshal
import os
import resource
import secrets
import signal
import time
from pathlib import Path
from typing import Any

from autograder.course import Limits
from autograder.faults import KitFault
from autograder.sandbox import inside
from autograder.sandbox.fork_server import end_discarded_fork_servers, get_thread_fork_server
from autograder.sandbox.frame_channel import ChannelClosed, FrameChannel
from autograder.sandbox.interpreter_start import RunningProcess, launch_interpreter
from autograder.sandbox.processor_time import ThreadSchedstatReader
from autograder.sandbox.sandbox_config import BoundedScratchFolder, SandboxConfig, protect_grader_memory
from autograder.sandbox.tier_guarantees import list_required_guarantees

_killed_processes: list[tuple[RunningProcess, BoundedScratchFolder]] = []
"""Processes that may still be ending, each with the folder that it may still write to."""
os.register_at_fork(after_in_child=_killed_processes.clear)  # a fork cannot wait for its parent's children


def _remember_killed_process(process: RunningProcess, scratch: BoundedScratchFolder) -> None:
    """Remember a process that is being killed, without waiting for it."""
    _killed_processes.append((process, scratch))


def _remove_leftovers_of_killed_processes() -> None:
    """Remove the folders of killed processes that have ended; waiting for each would cost milliseconds."""
    for process, scratch in [*_killed_processes]:
        if process.wait_for_exit_status_or_none(0) is not None:
            scratch.remove()
            _killed_processes.remove((process, scratch))


def clean_up_killed_processes(timeout_seconds: float = 5.0) -> bool:
    """Wait until all killed processes have ended, and remove their folders.

    Unused fork servers are ended, too.

    Returns:
        Whether all of them ended within the time.
    """
    deadline = time.monotonic() + timeout_seconds
    for process, _ in [*_killed_processes]:
        process.wait_for_exit_status_or_none(max(0.0, deadline - time.monotonic()))
    _remove_leftovers_of_killed_processes()
    end_discarded_fork_servers()
    return not _killed_processes


atexit.register(clean_up_killed_processes)


LARGEST_FRAME = 2 * 2**20
"""Most bytes of a message from a student's process: thirty times what the largest answer of a solution has."""
START_SECONDS = 120.0
TICKS = os.sysconf("SC_CLK_TCK")


class StudentProcess:
    """A process that will run one student's code.

    The constructor starts it without waiting, so that it can be started before it is needed;
    ``wait_for_lockdown`` waits for it.

    Attributes:
        channel: the frames to and from it.
        scratch: the folder it may write to.
        pid: its id as this process sees it; 0 when unknown.
    """

    def __init__(self, sandbox: SandboxConfig, limits: Limits, uid: int | None, server_code: bytes) -> None:
        """Start the interpreter.

        Args:
            sandbox: its sandbox.
            limits: the assignment's.
            uid: the user id that it takes on, if any.
            server_code: marshalled list of (module name, code), run in this order with ``CHANNEL`` set to its end's
                descriptor; the last one's ``serve_requests`` is called once the process is locked.

        Raises:
            KitFault: it cannot be started.
            OSError: no descriptor or temporary folder is available.
        """
        _remove_leftovers_of_killed_processes()
        self.pid = 0
        self._is_killed = False
        self._sandbox = sandbox
        self._limits = limits
        self._uid = uid
        self._pidfd = -1
        self._main_thread_times: ThreadSchedstatReader | None = None
        self._server_code = server_code
        self.scratch = BoundedScratchFolder(
            uid,
            in_private_file_system=bool(sandbox.bwrap_path),
            parent_folder=sandbox.library_copy.root if sandbox.library_copy else None,
        )
        try:
            launched = (
                get_thread_fork_server(sandbox, server_code).fork_interpreter()
                if sandbox.uses_fork_server
                else launch_interpreter(sandbox)
            )
        except BaseException:
            self.scratch.remove()
            raise
        self._process = launched.process
        self.channel = FrameChannel(
            launched.connection, launched.output_descriptor, LARGEST_FRAME, limits.output_kb * 1024
        )

    def wait_for_lockdown(self) -> list[str]:
        """Wait until the process is locked; from then on it serves.

        Returns:
            The guarantees in force, in the words of ``tier_guarantees``.

        Raises:
            KitFault: it did not start, or is not locked as its tier promises. Nothing of the student's was sent.
        """
        try:
            if not self._sandbox.uses_fork_server:
                self.channel.send_frame(inside.compile_modules())
                self.channel.send_frame(self._server_code)
            pid, self.pid, folder = self.channel.receive_greeting(START_SECONDS)
            if self.pid and hasattr(os, "pidfd_open"):
                self._pidfd = os.pidfd_open(self.pid)
            if self.pid:
                self._main_thread_times = ThreadSchedstatReader(f"/proc/{self.pid}/schedstat")
            if folder >= 0:
                self.scratch.take_folder_descriptor(folder)
            if not pid:
                raise ChannelClosed("the process does not answer")
            config = self._sandbox.make_lockdown_config(
                self._limits, self._uid, int(pid), self.scratch.path_outside_namespace
            )
            self.channel.send_frame(marshal.dumps(config))
            answer = self.channel.receive_frame_or_none_within(START_SECONDS)
            if answer is None:
                raise ChannelClosed("the process does not answer")
        except (ChannelClosed, ValueError, ProcessLookupError) as error:
            output = self.read_final_output()
            self.kill_without_waiting()
            raise KitFault(
                f"the student's process did not start in tier {self._sandbox.tier}: {output or error}",
                advice="see `autograder doctor`",
            ) from None
        report: dict[str, Any] = ast.literal_eval(answer.decode())  # nothing of the student's has run yet
        self._require_guarantees(report["in_force"], report["problems"])
        self._process.receive_namespace_init_pidfd()
        return list(report["in_force"])

    def read_cpu_seconds_and_state(self) -> tuple[float | None, str]:
        """Return the CPU time of all of its threads so far, in steps of 10 ms, and its state's letter; see proc(5).

        Returns:
            CPU seconds and the letter; None and an empty text where the system does not say.
        """
        if not self.pid:
            return None, ""
        try:
            # in bytes: a process may give itself a name that is no text
            fields = Path(f"/proc/{self.pid}/stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            return None, ""
        return (int(fields[11]) + int(fields[12])) / TICKS, fields[0].decode()

    def read_main_thread_times(self) -> tuple[float, float]:
        """Return the seconds in which its main thread ran, and waited for a processor; zeros if nothing is known."""
        return self._main_thread_times.read_run_and_wait_seconds() if self._main_thread_times else (0.0, 0.0)

    def get_current_sleep_id_or_none(self) -> int | None:
        """Return an id of the process's current sleep, if its only thread is blocked and not waiting for a processor.

        Returns:
            A number that differs from sleep to sleep; None when it is awake, has more threads, or nothing is known.
            See proc(5).
        """
        if not self.pid:
            return None
        try:
            lines = Path(f"/proc/{self.pid}/status").read_bytes().splitlines()
        except OSError:
            return None
        status_fields = {name: content.split() for name, _, content in (line.partition(b":") for line in lines)}
        is_asleep = status_fields.get(b"State", [b""])[0] == b"S" and status_fields.get(b"Threads") == [b"1"]
        return int(status_fields.get(b"voluntary_ctxt_switches", [b"0"])[0]) if is_asleep else None

    def compute_address_space_with_spare(self, spare_mb: int) -> int:
        """Return the size of its address space plus ``spare_mb``, in bytes; 0 if the size is unknown."""
        with contextlib.suppress(OSError, ValueError, IndexError):
            pages = int(Path(f"/proc/{self.pid}/statm").read_bytes().split()[0])
            return pages * resource.getpagesize() + spare_mb * 2**20
        return 0

    def send_signal(self, signal_number: int = signal.SIGUSR1) -> None:
        """Send a signal; see ``bridge.inside.grader_signals``.

        Do nothing without a pidfd: by its id alone, the signal might reach another process.
        """
        if self._pidfd >= 0:
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(self._pidfd, signal_number)

    def wait_for_exit_status_or_none(self, timeout_seconds: float = 1.0) -> int | None:
        """Return how the process ended: its exit code, or the negative number of a signal; None if it still runs."""
        return self._process.wait_for_exit_status_or_none(timeout_seconds)

    @property
    def was_killed_from_outside(self) -> bool:
        """Return whether it was ended from outside, and not by the submission; see ``RunningProcess``."""
        return self._process.was_killed_from_outside

    def read_final_output(self) -> str:
        """Return its output, for an error message of the kit; empty if it still runs after a second."""
        return "" if self._process.wait_for_exit_status_or_none(1) is None else self.channel.read_output_for_error()

    def kill_without_waiting(self) -> None:
        """End the process and everything it started, without waiting for it. A second call does nothing."""
        if self._is_killed:
            return
        self._is_killed = True
        _remember_killed_process(self._process, self.scratch)
        self._process.kill()
        if self._pidfd >= 0:
            os.close(self._pidfd)
            self._pidfd = -1
        if self._main_thread_times is not None:
            self._main_thread_times.close()
            self._main_thread_times = None
        self.channel.close()

    def _require_guarantees(self, in_force: list[str], problems: list[str]) -> None:
        """Raise ``KitFault`` if the process lacks a guarantee of its tier."""
        missing = [
            guarantee for guarantee in list_required_guarantees(self._sandbox, self._uid) if guarantee not in in_force
        ]
        if missing:
            self.kill_without_waiting()
            raise KitFault(
                f"tier {self._sandbox.tier} does not keep its guarantees: {', '.join(missing)} not in force "
                f"({'; '.join(problems) or 'no reason given'})",
                advice="see `autograder doctor`",
            )


FIRST_UID, UIDS = 600_000_000, 1 << 28


def _choose_random_process_uid() -> int:
    """Return a random user id that no account has.

    Consecutive ids would let a submission send information to the next one by the number of processes that it ends. A
    common id would let submissions see and use up each other's threads, which are counted by user. Two of a hundred
    processes get the same id once in 50,000 such hundreds; even then, the system-call filter forbids signals and
    tracing between them.
    """
    return FIRST_UID + secrets.randbelow(UIDS)


def start_student_process(sandbox: SandboxConfig, limits: Limits, server_code: bytes) -> StudentProcess:
    """Start a process; it is locked before anything of the student's is sent.

    From the first call on, no debugger can attach to this process (see ``protect_grader_memory``).

    Args:
        sandbox: how it is shut in.
        limits: the assignment's.
        server_code: what it runs; see ``StudentProcess``.

    Raises:
        KitFault: the process cannot be started.
    """
    protect_grader_memory()
    try:
        return StudentProcess(
            sandbox, limits, _choose_random_process_uid() if sandbox.uses_own_uid else None, server_code
        )
    except OSError as error:
        raise KitFault(
            f"cannot start a process: {error}", advice="see whether too many files or processes are open"
        ) from error
