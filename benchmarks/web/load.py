"""Measure a server while a whole class hands in within the last minute.

python -m benchmarks.web.load                            # 300 students in 60 s, on this machine
python -m benchmarks.web.load --students 20 --seconds 5  # try the measurement
python -m benchmarks.web.load --backlog                  # graders start when all are there: how fast is the rest?
python -m benchmarks.web.load --pages                    # nothing is graded: what do pages and receipts take?
python -m benchmarks.web.load --store postgresql:///load # another store than SQLite; the database must be empty

A class (see ``benchmarks.generated_class``) is graded by ``autograder batch``; then its students hand in the same
files at ``autograder serve``, driven by Locust from the same machine, which costs processor time, too.

Five hand-ins a second are fewer than are graded: the queue never waits, and nothing says how fast it would be worked
off. With ``--backlog`` the pages take everything in first, and the graders start while the class looks at its pages.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from autograder.batch.batch_location import BatchLocation
from autograder.course import load_course
from autograder.web.store.hand_ins import HandIn
from autograder.web.store.server_store import open_server_store
from benchmarks.account import Account, open_account
from benchmarks.generated_class import make_class
from benchmarks.readme import machine, put_between

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = Path(__file__).resolve().parent
LOCUST = ROOT / "build" / "locust"
ASSIGNMENT = "autograd-engine"
HEADER = "X-Remote-User"
PORT = 8765
KINDS = ("floor", "receipt", "page")
"""What is measured; the floor is a file for which the server does nothing but send it."""


@dataclass(frozen=True, slots=True)
class Load:
    """What was measured."""

    students: int
    seconds: float
    """The time within which they hand in."""
    percentiles: dict[str, tuple[int, float, float, float]]
    """Of each kind of request: how many, then milliseconds of the median, the 95th percentile and the longest. They
    are Locust's: https://docs.locust.io."""
    failed_requests: int
    backlog: bool
    """Whether graders started only when all were there."""
    is_graded: bool
    """Whether anything was; if not, what is said of graders and the batch is 0."""
    graded_a_second: float
    """Hand-ins, from the first one's arrival, or from the start of the graders, to the last one's result."""
    batch_a_second: float
    web_cpu: float
    """Seconds of the processors for a hand-in: pages and graders, without Locust."""
    batch_cpu: float
    lost: int
    doubled: int
    failed: int
    """Hand-ins that the grader failed on."""


def main() -> None:
    """Measure, and write the table into the README of the benchmarks unless the class is another one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--backlog", action="store_true", help="start the graders when everything is handed in")
    parser.add_argument("--pages", action="store_true", help="grade nothing, neither here nor as a batch")
    parser.add_argument("--store", default="", help="an SQLAlchemy URL; SQLite by default")
    parser.add_argument("--no-readme", action="store_true", help="print the table alone")
    options = parser.parse_args()
    said = machine()
    with TemporaryDirectory() as folder:
        run = Run(Path(folder), options.students, options.seconds, options.backlog, options.pages, options.store)
        table = describe(run.measure())
    print(table)
    if (
        not options.no_readme
        and options.students == 300
        and (options.backlog or options.pages or options.seconds == 60.0)
    ):
        name = (
            "pages"
            if options.pages
            else "backlog"
            if options.backlog
            else "load on another store"
            if options.store
            else "load"
        )
        put_between(ROOT / "benchmarks" / "README.md", name, f"{said}\n\n{table}")


@dataclass(frozen=True, slots=True)
class Run:
    """One measurement.

    Attributes:
        scratch: an empty folder.
        students: how many hand in.
        seconds: within which time.
        backlog: whether graders start only when everything was handed in.
        pages: whether nothing is graded at all.
        store: the URL of the server's store; SQLite when empty.
    """

    scratch: Path
    students: int
    seconds: float
    backlog: bool
    pages: bool
    store: str

    @property
    def place(self) -> BatchLocation:
        """Return where the server's results are."""
        return BatchLocation(self.scratch / "web", self.store)

    def measure(self) -> Load:
        """Grade a generated class as a batch, then on the web.

        Raises:
            SystemExit: Locust cannot be installed, or a command failed.
        """
        locust = install_locust()
        files = self._make_files()
        with open_account() as account:
            batch = (0.0, 0.0) if self.pages else self._grade_as_batch(account)
            logins = [f"s{number:03}" for number in range(self.students)]
            run_command(account, "invite", *logins, *self._name_store())
            self._write_plan(logins, files)
            with account.part() as counted:
                with serve(counted, self._name_store(), "pages" if self.backlog or self.pages else "all"):
                    begun, ended = self._hand_in(locust, counted)
                web_cpu = counted.seconds()
        return self._read_load((begun, ended), batch, web_cpu)

    def _grade_as_batch(self, account: Account) -> tuple[float, float]:
        """Grade the same files in a shell, and return how many seconds that took, and those of the processors."""
        with account.part() as counted:
            started = time.monotonic()
            folders = (self.scratch / "batched", "--out", self.scratch / "batch")
            run_command(counted, "batch", ASSIGNMENT, *folders, "--no-explain")
            return time.monotonic() - started, counted.seconds()

    def _make_files(self) -> list[Path]:
        """Write what is handed in: right programs and wrong ones, none that hangs."""
        engine = next(one for one in load_course(ROOT).assignments if one.name == ASSIGNMENT)
        made = make_class(self.scratch / "class", engine, self.students * 5 // 4)
        files = [one.path for one in made if one.kind in ("right", "wrong")][: self.students]
        assert len(files) == self.students
        (self.scratch / "batched").mkdir()
        for path in files:
            (self.scratch / "batched" / path.name).write_bytes(path.read_bytes())
        return files

    def _name_store(self) -> list[str | Path]:
        return ["--out", self.scratch / "web", *(["--store", self.store] if self.store else [])]

    def _write_plan(self, logins: list[str], files: list[Path]) -> None:
        plan = {
            "students": [{"login": login, "file": str(path)} for login, path in zip(logins, files, strict=True)],
            "header": HEADER,
            "assignment": ASSIGNMENT,
            "seconds": self.seconds,
        }
        (self.scratch / "plan.json").write_text(json.dumps(plan), encoding="utf-8")

    def _hand_in(self, locust: Path, account: Account) -> tuple[float, float]:
        """Let all students hand in and look at their pages; return when grading began, and the last result was there.

        It begins with the first hand-in, or when the graders start.
        """
        words = [locust, "-f", HERE / "locustfile.py", "--headless", "--host", f"http://127.0.0.1:{PORT}"]
        words += ["--users", self.students, "--spawn-rate", self.students, "--run-time", "15m"]
        words += [
            "--csv",
            self.scratch / "load",
            "--only-summary",
            "--exit-code-on-error",
            0,
            "--loglevel",
            "WARNING",
        ]
        environment = {**os.environ, "LOAD_PLAN": str(self.scratch / "plan.json")}
        begun = ended = 0.0
        with (
            ExitStack() as graders,
            subprocess.Popen([*map(str, words)], env=environment, stdout=subprocess.DEVNULL) as running,
        ):
            while running.poll() is None and not ended:
                time.sleep(0.5)
                found = self._list_hand_ins()
                if not begun and self.backlog and len(found) >= self.students:
                    begun = time.time()
                    graders.enter_context(run_server(account, self._name_store(), "worker"))
                elif not begun and not self.backlog and found:
                    begun = min(one.handed_in for one in found).timestamp()
                is_done = self.pages or all(one.state in ("graded", "failed") for one in found)
                if len(found) >= self.students and is_done:
                    ended = time.time()
                    time.sleep(16)  # the last pages are looked at
            running.send_signal(signal.SIGTERM)
            running.wait(60)
        return begun, ended or time.time()

    def _list_hand_ins(self) -> list[HandIn]:
        with open_server_store(self.place) as store:
            return store.hand_ins.list_hand_ins(self.place.class_key_in_store, ASSIGNMENT)

    def _read_load(self, period: tuple[float, float], batch: tuple[float, float], web_cpu: float) -> Load:
        """Put together what Locust measured and what the store holds.

        Args:
            period: when grading began and ended.
            batch: the batch's seconds, and those of the processors.
            web_cpu: the server's seconds of the processors.
        """
        found = self._list_hand_ins()
        owners = Counter(one.owner for one in found)
        with (self.scratch / "load_stats.csv").open(encoding="utf-8", newline="") as file:
            rows = {row["Name"]: row for row in csv.DictReader(file)}
        percentiles = {
            name: (
                int(rows[name]["Request Count"]),
                float(rows[name]["50%"]),
                float(rows[name]["95%"]),
                float(rows[name]["Max Response Time"]),
            )
            for name in KINDS
        }
        return Load(
            self.students,
            self.seconds,
            percentiles,
            sum(int(rows[name]["Failure Count"]) for name in KINDS),
            self.backlog,
            not self.pages,
            0.0 if self.pages else len(found) / (period[1] - period[0]),
            0.0 if self.pages else self.students / batch[0],
            web_cpu / self.students,
            batch[1] / self.students,
            lost=self.students - len(owners),
            doubled=sum(number - 1 for number in owners.values()),
            failed=sum(one.state == "failed" for one in found),
        )


def run_command(account: Account, *words: str | Path) -> None:
    """Run a command of the kit.

    Raises:
        SystemExit: it failed.
    """
    command = account.inside([sys.executable, "-m", "autograder", *map(str, words)])
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise SystemExit(f"autograder {words[0]} failed with {done.returncode}")


@contextmanager
def run_server(account: Account, place: list[str | Path], part: str) -> Iterator[None]:
    """Run a part of a server that believes this machine who somebody is."""
    words = ["serve", *place, "--port", PORT, "--only", part, "--trusted-proxy", "127.0.0.1", "--user-header", HEADER]
    command = account.inside([sys.executable, "-m", "autograder", *map(str, words)])
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        try:
            yield
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(60)


@contextmanager
def serve(account: Account, place: list[str | Path], part: str) -> Iterator[None]:
    """Run a server, and wait until its pages are there.

    Raises:
        SystemExit: they do not come.
    """
    with run_server(account, place, part):
        for _ in range(300):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{PORT}/sign-in", timeout=5).close()
                break
            except OSError:
                time.sleep(0.2)
        else:
            raise SystemExit("the server does not answer")
        yield


def describe(load: Load) -> str:
    """Return the table, in Markdown."""
    lines = [
        f"{load.students} students hand in within {load.seconds:.0f} s; half of the programs are wrong.",
        "",
        "| request | how many | median, ms | 95th percentile, ms | longest, ms | 95th percentile, in floors |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    floor = load.percentiles["floor"][2]
    lines += [
        f"| {name} | {number:,} | {middle:.0f} | {most:.0f} | {longest:.0f} | {most / floor:.1f} |"
        for name, (number, middle, most, longest) in load.percentiles.items()
    ]
    lines += [
        "",
        f"Requests that failed: {load.failed_requests}. Hand-ins lost: {load.lost}; kept twice: {load.doubled}.",
    ]
    if load.is_graded:
        share = load.graded_a_second / load.batch_a_second
        since = "from the start of the graders, with everything there," if load.backlog else "from the first arrival"
        lines[-1] += (
            f" That the grader failed on: {load.failed}. Graded, {since} to the last result: "
            f"{load.graded_a_second:.1f} a second, {share:.0%} of what `autograder batch` grades of the same files "
            f"({load.batch_a_second:.1f} a second, start-up included). Processor time for a hand-in: "
            f"{load.web_cpu:.3f} s of pages and graders, {load.batch_cpu:.3f} s of the batch "
            f"({load.batch_cpu / load.web_cpu:.0%}); Locust's is not counted, and takes its share of the processors."
        )
        if not load.backlog:
            lines[-1] += (
                f" {load.students / load.seconds:.1f} a second come, so more than that cannot be graded before they "
                "are all there."
            )
    return "\n".join(lines)


def install_locust() -> Path:
    """Return Locust's command, in an environment of its own.

    Raises:
        SystemExit: it cannot be installed.
    """
    command = LOCUST / "bin" / "locust"
    if not command.exists():
        print(f"installing Locust into {LOCUST}, once", file=sys.stderr)
        for words in (
            [sys.executable, "-m", "venv", str(LOCUST)],
            [str(LOCUST / "bin" / "python"), "-m", "pip", "install", "--quiet", "locust>=2.40"],
        ):
            if subprocess.run(words, check=False).returncode:
                raise SystemExit("Locust cannot be installed")
    return command


if __name__ == "__main__":
    main()
