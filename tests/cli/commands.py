"""The command line as a process of its own, and what came of it."""

from __future__ import annotations

import atexit
import functools
import itertools
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from tests.cli import prepared

DONE, NOT_PROVEN, CALLERS_MISTAKE = 0, 1, 2
AUTOGRADER = Path(sys.executable).with_name("autograder")
SECONDS = 300
READ_AT_START = ("PYTHON", "LANG", "LC_")
"""What the names of variables begin with that an interpreter reads before any command begins."""

Run = subprocess.CompletedProcess[str]
Copy = Callable[[], Path]


def run(
    *arguments: str | Path,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
    umask: int | None = None,
) -> Run:
    """Run a command in a process that is forked from a prepared one, where that is the same as a new interpreter.

    It keeps to one processor, and so a class has one worker unless it is told otherwise: each worker costs more than
    a few submissions do.

    Args:
        arguments: what comes after ``autograder``.
        cwd: where; in the current folder when None.
        environment: variables beside those of this process.
        umask: the mode bits that new files lack; those of this process when None.
    """
    variables, commands = {**clean_environment(), **(environment or {})}, prepared_commands()
    if at_start(variables) != at_start(commands.environment):
        assert umask is None
        return run_anew(*arguments, cwd=cwd, environment=environment)
    return commands.run([*map(str, arguments)], (cwd or Path()).absolute(), variables, umask)


def run_anew(
    *arguments: str | Path,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
    command: tuple[str | Path, ...] = (AUTOGRADER,),
) -> Run:
    """Run a command as a shell does: a new interpreter reads the script."""
    return subprocess.run(
        [*command, *arguments],
        cwd=cwd,
        env={**clean_environment(), **(environment or {})},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def clean_environment() -> dict[str, str]:
    """The variables of this process without those that pytest sets, or that colour what is printed."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "FORCE_COLOR"))}


def current_umask() -> int:
    """The mode bits that new files of this process lack."""
    umask = os.umask(0)
    os.umask(umask)
    return umask


def at_start(environment: Mapping[str, str]) -> dict[str, str]:
    """What an interpreter reads of its environment when it starts, and cannot be told later."""
    return {
        name: value for name, value in environment.items() if name.startswith(READ_AT_START) and name != "PYTHONPATH"
    }


class Prepared:
    """A process from which commands are forked; see ``prepared``.

    Attributes:
        environment: the variables that it was started with.
    """

    def __init__(self, folder: Path) -> None:
        """Start it; ``folder`` is for the output of commands."""
        self._processors = take_turns()
        self.environment = {name: value for name, value in clean_environment().items() if name != "PYTHONPATH"}
        self._stdout, self._stderr, self._complaints = (folder / name for name in ("stdout", "stderr", "complaints"))
        with self._complaints.open("wb") as complaints:
            self._process = subprocess.Popen(
                [sys.executable, prepared.__file__],
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
                bufsize=0,  # two lines that come at once are not both read with the first: ``select`` sees the second
            )

    def run(
        self,
        arguments: list[str],
        folder: Path,
        environment: Mapping[str, str],
        umask: int | None = None,
        program: str = "autograder",
    ) -> Run:
        """Run one command."""
        pid = self.start(arguments, folder, environment, umask, program)
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], SECONDS)[0]:
            os.kill(pid, signal.SIGKILL)
            self._answer(self._process.stdout)
            raise subprocess.TimeoutExpired(arguments, SECONDS)
        return self.finish(arguments)

    def start(
        self,
        arguments: list[str],
        folder: Path,
        environment: Mapping[str, str],
        umask: int | None = None,
        program: str = "autograder",
    ) -> int:
        """Start one command, and return its process's id; there is no other until it is finished."""
        for file in (self._stdout, self._stderr):
            file.write_bytes(b"")
        request = {
            "program": program,
            "processor": next(self._processors),
            "arguments": arguments,
            "folder": str(folder),
            "environment": dict(environment),
            "umask": current_umask() if umask is None else umask,
            "stdout": str(self._stdout),
            "stderr": str(self._stderr),
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        line = json.dumps(request).encode() + b"\n"
        assert self._process.stdin.write(line) == len(line)
        return self._answer(self._process.stdout)

    def finish(self, arguments: list[str]) -> Run:
        """Wait for the end of the command that was started."""
        assert self._process.stdout is not None
        code = self._answer(self._process.stdout)
        return Run(arguments, code, self._stdout.read_text(), self._stderr.read_text())

    def printed_until_now(self) -> str:
        """What the command that runs now has printed."""
        return self._stdout.read_text()

    def _answer(self, answers: IO[bytes]) -> int:
        line = answers.readline()
        assert line, f"no commands can be prepared: {self._complaints.read_text()}"
        return int(line)

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


def take_turns() -> Iterator[int | None]:
    """Yield the processors that may be used, in turn; each process that runs tests begins with another one."""
    if not hasattr(os, "sched_getaffinity"):
        return itertools.repeat(None)
    processors = sorted(os.sched_getaffinity(0))
    first = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % len(processors)
    return itertools.cycle([*processors[first:], *processors[:first]])


@functools.cache
def prepared_commands() -> Prepared:
    """The process from which the commands of all tests here are forked."""
    folder = TemporaryDirectory(prefix="kit-commands-")
    made = Prepared(Path(folder.name))
    atexit.register(folder.cleanup)
    atexit.register(made.close)
    return made


def told(done: Run) -> str:
    """The one line that a caller's mistake is told in."""
    assert done.returncode == CALLERS_MISTAKE, done.stderr
    lines = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith("isolation: ")]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("error: ")
    return lines[0]


def succeeded(done: Run) -> str:
    """What a command printed that did its work."""
    assert done.returncode == DONE, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def unwrapped(text: str) -> str:
    """Text without its white space: long lines are wrapped, and a path may be in two of them."""
    return "".join(text.split())
