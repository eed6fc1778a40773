"""Two programs, of which one has something to say to the other: as submissions, and as plain processes."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from autograder.bridge import Bridge, StudentError, StudentProxy, StudentStopped, SubmissionProgram
from autograder.bridge.prestarted_processes import ProcessPool
from autograder.bridge.student_exceptions import StudentTimeout
from autograder.course import Limits
from autograder.sandbox import SandboxConfig
from autograder.sandbox.installed_files import find_current_interpreter_files

SIDE_BY_SIDE, AFTERWARDS, IN_TWO_WORKERS = "side by side", "one after the other", "in two workers"
MODES = (SIDE_BY_SIDE, AFTERWARDS)
"""What a control can be tried in; in two workers, two submissions run side by side, too."""
MESSAGE = (1, 0, 0, 1, 0)
"""No pattern that all bits, no bits or a bit alone would make."""
TRIES = 5
"""A channel may be noisy; a message that ever arrives has arrived."""
MOST_PROCESSES = 300
"""Processes that a submission may end until one of them is as it wants it."""
OF_THE_LIBRARY = """
import os, sys
_root = next(path for path in sys.path if os.path.isdir(path + '/json'))
FILES = sorted(f'{_root}/json/{name}' for name in os.listdir(_root + '/json') if name.endswith('.py'))
FILES += sorted(f'{_root}/{name}' for name in os.listdir(_root) if name.endswith('.py'))
"""
COMMANDS = """
import json
for _line in sys.stdin:
    _name, _argument = json.loads(_line)
    try: _answer = (globals().get(_name) or len)(_argument)
    except OSError as _error: _answer = str(_error)
    print(json.dumps(_answer), flush=True)
"""


class SandboxedProgram:
    """A program in a sandbox."""

    def __init__(self, supply: ProcessPool, program: str) -> None:
        self._bridge = Bridge(SubmissionProgram((("value.py", OF_THE_LIBRARY + program),), ()), supply, Limits())
        self._bridge.load_without_fatal_code()
        self._bridge.begin_test()

    def call(self, name: str, argument: Any) -> Any:
        """What a function of it gives; None where it raises, or ends each process that it gets."""
        for number in range(MOST_PROCESSES):
            try:
                if number:
                    self._bridge.end_test_and_charge_time()
                    self._bridge.begin_test()
                return StudentProxy(self._bridge).get(name)(argument)
            except (StudentError, StudentTimeout):
                return None
            except StudentStopped:
                continue
        return None

    def end(self) -> None:
        """End it."""
        self._bridge.end_process()


class Worker:
    """The processes of one worker, and with them its fork server, if it has one."""

    def __init__(self, sandbox: SandboxConfig) -> None:
        self._supply = ProcessPool(sandbox, Limits())

    def open(self, program: str) -> SandboxedProgram:
        """A submission to this worker."""
        return SandboxedProgram(self._supply, program)

    def close(self) -> None:
        """End what was started ahead, and wait until all is gone."""
        self._supply.end_unused_process()


class WorkerInProcess:
    """A worker in a process of its own, as those of a batch are, and the one submission that it is at."""

    def __init__(self, sandbox: SandboxConfig) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._link, theirs = spawn.Pipe()
        self._process = spawn.Process(target=_work, args=(theirs, sandbox), daemon=True)
        self._process.start()

    def open(self, program: str) -> WorkerInProcess:
        """A submission to this worker."""
        self._ask("open", program)
        return self

    def call(self, name: str, argument: Any) -> Any:
        """As of ``Submission``."""
        return self._ask("call", name, argument)

    def end(self) -> None:
        """As of ``Submission``."""
        self._ask("end")

    def close(self) -> None:
        """As of ``Worker``."""
        self._ask("close")
        self._process.join()

    def _ask(self, *words: Any) -> Any:
        self._link.send(words)
        return self._link.recv()


def _work(link: Connection, sandbox: SandboxConfig) -> None:
    """Do what a ``WorkerInProcess`` is asked."""
    worker = Worker(sandbox)
    opened: SandboxedProgram | None = None
    while True:
        match link.recv():
            case ("open", program):
                opened = worker.open(program)
                link.send(None)
            case ("close",):
                worker.close()
                link.send(None)
                return
            case (method, *arguments):
                link.send(getattr(opened, method)(*arguments))


class PlainProcess:
    """A program in a process of its own, which nothing keeps from anything."""

    def __init__(self, files: Sequence[Path], program: str) -> None:
        source = f"import os, sys\nFILES = {[str(file) for file in files]!r}\n{program}\n{COMMANDS}"
        self._process = subprocess.Popen(
            [sys.executable, "-c", source], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def call(self, name: str, argument: Any) -> Any:
        """What a function of it gives, or the sentence of the error that the system gave it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{json.dumps([name, argument])}\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def end(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()


def in_sandbox(sandbox: SandboxConfig, program: str, mode: str) -> Any:
    """What arrives of a message between two submissions."""
    _forget_library(sandbox)
    kind, count = (WorkerInProcess, 2) if mode == IN_TWO_WORKERS else (Worker, 1)
    workers: list[Worker | WorkerInProcess] = [kind(sandbox) for _ in range(count)]
    opened: list[SandboxedProgram | WorkerInProcess] = [workers[0].open(program)]
    try:
        if mode != AFTERWARDS:
            opened.append(workers[-1].open(program))
        opened[0].call("send", list(MESSAGE))
        if mode == AFTERWARDS:
            opened[0].end()
            opened.append(workers[0].open(program))
        return opened[-1].call("receive", len(MESSAGE))
    finally:
        for one in opened:
            one.end()
        for worker in workers:
            worker.close()


def _forget_library(sandbox: SandboxConfig) -> None:
    """Have the library's sources out of memory, as after a boot: no other test reads them."""
    folder = sandbox.library_copy.stdlib if sandbox.library_copy else find_current_interpreter_files().stdlib
    if not hasattr(os, "posix_fadvise"):
        return
    for path in (*Path(folder, "json").glob("*.py"), *Path(folder).glob("*.py")):
        with path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def in_the_open(folder: Path, program: str, mode: str) -> Any:
    """What arrives of a message between two plain processes that have a few files in common."""
    files = _common_files(folder)
    opened: list[PlainProcess] = []
    try:
        with _on_one_processor():
            for _ in range(2):  # the second is there before the first has ended, as in a worker
                opened.append(PlainProcess(files, program))
                opened[-1].call("len", [])
            opened[0].call("send", list(MESSAGE))
            if mode == AFTERWARDS:
                opened[0].end()
                if "NEEDS_A_LATER_PROCESS" in program:
                    opened.append(PlainProcess(files, program))
            return opened[-1].call("receive", len(MESSAGE))
    finally:
        for one in opened:
            one.end()


@contextmanager
def _on_one_processor() -> Iterator[None]:
    """Keep to one processor: each takes numbers out of the machine's counters for itself, some hundred at once."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _common_files(folder: Path) -> list[Path]:
    """Files that nobody read for days."""
    files = [folder / f"{number}.py" for number in range(2 * len(MESSAGE))]
    long_ago = time.time() - 5 * 86400
    for file in files:
        file.write_bytes(os.urandom(8192))
        with file.open("rb") as written:
            os.fsync(written.fileno())
        os.utime(file, (long_ago, long_ago))
    return files
