"""Plain pytest, as most courses grade: hidden tests and the student's code in one process, results by json-report.

The runner is kept harmless (limits on memory, files and time, its own process group), not safe: attacks that make
processes count them themselves.
"""

from __future__ import annotations

import contextlib
import json
import os
import py_compile
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

SUITE = Path(__file__).with_name("naive_suite.py")
SOLUTION = Path(__file__).parents[2] / "solutions" / "autograd-engine" / "value.py"
CANARY = "a canary stands here"
SECONDS = 60.0
OUTPUT = 4 << 20
PASSED = re.compile(r"(\d+) passed")
WAY = """
import resource, subprocess, sys
limits = dict(AS=1 << 30, FSIZE=16 << 20, CPU=8, CORE=0)
for name, most in limits.items(): resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))
runner = subprocess.Popen([sys.executable, "-m", "pytest", *sys.argv[1:]])
sys.exit(runner.wait() % 256)
"""
"""A process between, so that one who kills its parent kills this."""


@dataclass(frozen=True, slots=True)
class Naive:
    """What plain pytest made of a program."""

    exit_code: int | None
    """None when it did not end in time."""
    in_report: int | None
    """Tests that passed by the JSON report; None without one."""
    in_summary: tuple[int, ...]
    """Every "N passed" of the output."""
    told: str
    """All that it put out, and the report."""
    seconds: float

    def gains_over(self, honest: Naive) -> list[str]:
        """The channels by which this one passed more than an honest one."""
        won = {
            "exit code": self.exit_code == 0 != honest.exit_code,
            "json report": (self.in_report or 0) > (honest.in_report or 0),
            "summary": max(self.in_summary, default=0) > max(honest.in_summary, default=0),
        }
        return [channel for channel, better in won.items() if better]

    @property
    def stalled(self) -> bool:
        """Whether there was no verdict in time, or none at all."""
        return self.exit_code is None or self.in_report is None


def run_naively(program: str, folder: Path, *, canary: str = CANARY, seconds: float = SECONDS) -> Naive:
    """Grade a program with plain pytest in a folder of its own."""
    (folder / "value.py").write_text(program, encoding="utf-8", errors="surrogatepass")
    (folder / "test_hidden.py").write_text(SUITE.read_text(encoding="utf-8").replace(CANARY, canary))
    solution = folder / "solution.py"  # many courses leave it there
    shutil.copy(SOLUTION, solution)
    py_compile.compile(str(solution))
    report, output = folder / "report.json", folder / "output.txt"
    options = ["-q", "-p", "no:cacheprovider", "-p", "pytest_metadata.plugin", "-p", "pytest_jsonreport.plugin"]
    options += ["--json-report", f"--json-report-file={report}", f"--rootdir={folder}", "test_hidden.py"]
    started = time.monotonic()
    with output.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-c", WAY, *options],
            cwd=folder,
            env={"PATH": os.environ.get("PATH", ""), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "CANARY": canary},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
        try:
            exit_code: int | None = process.wait(seconds)
        except subprocess.TimeoutExpired:
            exit_code = None
        finally:
            _kill_group(process.pid)
            process.wait()
    spent = time.monotonic() - started
    text = output.read_bytes()[:OUTPUT].decode(errors="replace")
    recorded = report.read_text(errors="replace") if report.is_file() else ""
    return Naive(exit_code, _passed(recorded), tuple(map(int, PASSED.findall(text))), text + recorded, spent)


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def _passed(recorded: str) -> int | None:
    try:
        summary = json.loads(recorded)["summary"]
        return int(summary.get("passed", 0))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
