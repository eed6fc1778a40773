"""Measure a server while a whole class hands in within the last minute.

python -m benchmarks.web.load                            # 300 students in 60 s, on this machine
python -m benchmarks.web.load --students 20 --seconds 5  # try the measurement

A class is made (see ``benchmarks.made_class``) and graded by ``autograder batch``; then its students hand in the same
files at ``autograder serve``, driven by Locust from the same machine, which costs processor time, too.
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
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from autograder.batch.location import BatchLocation
from autograder.course import load_course
from benchmarks.made_class import make_class
from benchmarks.readme import machine, put_between

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = Path(__file__).resolve().parent
LOCUST = ROOT / "build" / "locust"
ASSIGNMENT = "autograd-engine"
HEADER = "X-Remote-User"
PORT = 8765


@dataclass(frozen=True, slots=True)
class Load:
    """What was measured."""

    students: int
    seconds: float
    """The time within which they hand in."""
    percentiles: dict[str, tuple[int, float, float, float]]
    """Of each kind of request: how many, then milliseconds of the median, the 95th percentile and the longest."""
    failed_requests: int
    graded_a_second: float
    """Hand-ins, from the first one's arrival to the last one's result."""
    batch_a_second: float
    lost: int
    doubled: int
    failed: int
    """Hand-ins that the grader failed on."""


def main() -> None:
    """Measure, and write the table into the README of the benchmarks unless the class is another one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--no-readme", action="store_true", help="print the table alone")
    options = parser.parse_args()
    said = machine()
    with TemporaryDirectory() as folder:
        table = describe(measure(Path(folder), options.students, options.seconds))
    print(table)
    if not options.no_readme and (options.students, options.seconds) == (300, 60.0):
        put_between(ROOT / "benchmarks" / "README.md", "load", f"{said}\n\n{table}")


def measure(scratch: Path, students: int, seconds: float) -> Load:
    """Grade a made class as a batch, then on the web.

    Raises:
        SystemExit: Locust cannot be installed, or a command failed.
    """
    locust = install_locust()
    engine = next(one for one in load_course(ROOT).assignments if one.name == ASSIGNMENT)
    made = [one for one in make_class(scratch / "class", engine, students * 5 // 4) if one.kind in ("right", "wrong")]
    files = [one.path for one in made][:students]
    assert len(files) == students
    batch_folder = scratch / "batched"
    batch_folder.mkdir()
    for path in files:
        (batch_folder / path.name).write_bytes(path.read_bytes())
    started = time.monotonic()
    run_command("batch", ASSIGNMENT, batch_folder, "--out", scratch / "batch")
    batch_seconds = time.monotonic() - started
    logins = [f"s{number:03}" for number in range(students)]
    out = scratch / "web"
    run_command("invite", *logins, "--out", out)
    plan = {
        "students": [{"login": login, "file": str(path)} for login, path in zip(logins, files, strict=True)],
        "header": HEADER,
        "assignment": ASSIGNMENT,
        "seconds": seconds,
    }
    (scratch / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    with serve(out):
        ended = hand_in(locust, scratch, students)
    return read_load(scratch, ended, students, seconds, batch_seconds)


def run_command(*words: str | Path) -> None:
    """Run a command of the kit.

    Raises:
        SystemExit: it failed.
    """
    done = subprocess.run(
        [sys.executable, "-m", "autograder", *map(str, words)], cwd=ROOT, stdout=subprocess.DEVNULL, check=False
    )
    if done.returncode:
        raise SystemExit(f"autograder {words[0]} failed with {done.returncode}")


@contextmanager
def serve(out: Path) -> Iterator[None]:
    """Run a server that believes this machine who somebody is."""
    words = [sys.executable, "-m", "autograder", "serve", "--out", str(out), "--port", str(PORT)]
    words += ["--trusted-proxy", "127.0.0.1", "--user-header", HEADER]
    with subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        try:
            for _ in range(300):
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{PORT}/sign-in", timeout=5).close()
                    break
                except OSError:
                    time.sleep(0.2)
            else:
                raise SystemExit("the server does not answer")
            yield
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(60)


def hand_in(locust: Path, scratch: Path, students: int) -> float:
    """Let all students hand in, and wait until each has seen the result; return when the last one was there."""
    words = [locust, "-f", HERE / "locustfile.py", "--headless", "--host", f"http://127.0.0.1:{PORT}"]
    words += ["--users", students, "--spawn-rate", students, "--run-time", "15m", "--csv", scratch / "load"]
    words += ["--only-summary", "--exit-code-on-error", 0, "--loglevel", "WARNING"]
    environment = {**os.environ, "LOAD_PLAN": str(scratch / "plan.json")}
    with subprocess.Popen([str(word) for word in words], env=environment, stdout=subprocess.DEVNULL) as running:
        ended = 0.0
        while running.poll() is None and not ended:
            time.sleep(1)
            if all_graded(scratch / "web", students):
                ended = time.time()
                time.sleep(8)  # the last pages are looked at
        running.send_signal(signal.SIGTERM)
        running.wait(60)
    return ended or time.time()


def all_graded(out: Path, students: int) -> bool:
    """Return whether every student has a result."""
    place = BatchLocation(out, "")
    with place.open_store() as store:
        found = store.hand_ins.list_hand_ins(place.class_name, ASSIGNMENT)
    return len(found) >= students and all(one.state in ("graded", "failed") for one in found)


def read_load(scratch: Path, ended: float, students: int, seconds: float, batch_seconds: float) -> Load:
    """Put together what Locust measured and what the store holds."""
    place = BatchLocation(scratch / "web", "")
    with place.open_store() as store:
        found = store.hand_ins.list_hand_ins(place.class_name, ASSIGNMENT)
        begun = min(one.handed_in for one in found).timestamp()
    owners = Counter(one.owner for one in found)
    with (scratch / "load_stats.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["Name"]: row for row in csv.DictReader(file)}
    percentiles = {
        name: (
            int(rows[name]["Request Count"]),
            float(rows[name]["50%"]),
            float(rows[name]["95%"]),
            float(rows[name]["Max Response Time"]),
        )
        for name in ("receipt", "page")
    }
    return Load(
        students,
        seconds,
        percentiles,
        sum(int(rows[name]["Failure Count"]) for name in ("receipt", "page")),
        len(found) / (ended - begun),
        students / batch_seconds,
        lost=students - len(owners),
        doubled=sum(number - 1 for number in owners.values()),
        failed=sum(one.state != "graded" for one in found),
    )


def describe(load: Load) -> str:
    """Return the table, in Markdown."""
    lines = [
        f"{load.students} students hand in within {load.seconds:.0f} s; half of the programs are wrong.",
        "",
        "| request | how many | median, ms | 95th percentile, ms | longest, ms |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {name} | {number:,} | {middle:.0f} | {most:.0f} | {longest:.0f} |"
        for name, (number, middle, most, longest) in load.percentiles.items()
    ]
    share = load.graded_a_second / load.batch_a_second
    lines += [
        "",
        f"Requests that failed: {load.failed_requests}. Hand-ins lost: {load.lost}; kept twice: {load.doubled}; "
        f"that the grader failed on: {load.failed}. Graded, from the first arrival to the last result: "
        f"{load.graded_a_second:.1f} a second, {share:.0%} of what `autograder batch` grades of the same files "
        f"({load.batch_a_second:.1f} a second, start-up included). {load.students / load.seconds:.1f} a second come, "
        "so more than that cannot be graded before they are all there.",
    ]
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
