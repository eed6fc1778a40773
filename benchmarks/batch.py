"""How fast a class is graded: the kit, fully sandboxed, against plain pytest in a subprocess per submission.

    make bench                           # 200 submissions, or: python benchmarks/batch.py --copies 50
    python benchmarks/batch.py --plain-every 10   # plain pytest on every tenth submission only

Each copy of the reference solution carries another comment, so that nothing can be cached. Both ways run the same
hidden suite in the same run, on as many workers as there are processors; plain pytest imports the submission into
its own process, with no isolation at all.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
AUTOGRADER = Path(sys.executable).with_name("autograder")


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--copies", type=int, default=200)
    parser.add_argument("--plain-every", type=int, default=5, help="plain pytest runs on every n-th copy")
    parser.add_argument("--assignment", default="autograd-engine")
    parser.add_argument("--tier", default="namespaces")
    options = parser.parse_args()
    workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "submissions"
        paths = make_copies(folder, options.assignment, options.copies)
        plain = timed_plain(paths[:: options.plain_every], options.assignment, workers)
        kit = timed_kit(folder, options.assignment, options.tier, Path(temporary) / "out")
    kit_rate, plain_rate = len(paths) / kit, len(paths[:: options.plain_every]) / plain
    print(f"| {workers} processors, {options.assignment} | submissions | seconds | a second |")
    print("| --- | ---: | ---: | ---: |")
    print(f"| `autograder batch`, tier {options.tier} | {len(paths)} | {kit:.1f} | {kit_rate:.1f} |")
    print(
        f"| plain pytest, a subprocess each | {len(paths[:: options.plain_every])} | {plain:.1f} | {plain_rate:.1f} |"
    )
    print(f"\nratio: {kit_rate / plain_rate:.1f}")


def make_copies(folder: Path, assignment: str, count: int) -> list[Path]:
    """Copies of the reference solution, no two alike."""
    folder.mkdir()
    source = (ROOT / "solutions" / assignment / "value.py").read_text(encoding="utf-8")
    paths = [folder / f"student{number:04}.py" for number in range(count)]
    for number, path in enumerate(paths):
        path.write_text(f"{source}\n# student {number}\n", encoding="utf-8")
    return paths


def timed_kit(folder: Path, assignment: str, tier: str, out: Path) -> float:
    """Seconds of one ``autograder batch`` from shell to gradebook."""
    command = [str(AUTOGRADER), "batch", assignment, str(folder), "--out", str(out), "--tier", tier, "--allow-unsafe"]
    command += ["--course", str(ROOT)]
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - started


def timed_plain(paths: list[Path], assignment: str, workers: int) -> float:
    """Seconds of a pytest subprocess per submission, ``workers`` at once."""

    def run(path: Path) -> None:
        hidden = ROOT / "assignments" / assignment / "hidden"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(hidden)]
        done = subprocess.run([*command, "--submission", str(path), "--in-process"], capture_output=True, check=False)
        if done.returncode:
            raise SystemExit(done.stdout.decode())

    started = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(run, paths))
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
