"""What isolation costs: the same class graded in every tier that this machine offers, in turn, in one run.

    python -m benchmarks.isolation --copies 100 --rounds 3

Half of the class hands in the reference solution, half hands in programs with mistakes, which need a process anew for
each test that fails and a diagnosis: starting processes is what isolation makes dearer.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path

from autograder.course import load_course
from autograder.sandbox import probe_tiers
from benchmarks.classes import ROOT, make_copies
from benchmarks.measure import measure
from benchmarks.peers.kit import Kit
from benchmarks.peers.peer import Job


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--copies", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--assignment", default="autograd-engine")
    options = parser.parse_args()
    tiers = [offer.tier for offer in probe_tiers() if offer.sandbox]
    seconds: dict[str, list[float]] = {tier: [] for tier in tiers}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "submissions"
        assignment = next(one for one in load_course(ROOT).assignments if one.name == options.assignment)
        paths = make_copies(folder, assignment.solution_file, options.copies)
        add_mistakes(paths[::2])
        for number in range(options.rounds):
            for tier in tiers:
                scratch = Path(temporary) / f"{tier}-{number}"
                scratch.mkdir()
                job = Job(assignment, ROOT, paths, scratch, options.workers)
                seconds[tier].append(measure(Kit(tier).commands(job), 1).seconds)
    plain = statistics.median(seconds["process"])
    print(f"| tier | seconds for {len(paths)} (median of {options.rounds}) | times tier `process` |")
    print("| --- | ---: | ---: |")
    for tier in tiers:
        middle = statistics.median(seconds[tier])
        print(f"| `{tier}` | {middle:.1f} | {middle / plain:.2f} |")


def add_mistakes(paths: list[Path]) -> None:
    """Write programs with mistakes over these, the examples one after the other."""
    examples = sorted((ROOT / "examples" / "submissions").glob("*.py"))
    for number, path in enumerate(paths):
        source = examples[number % len(examples)].read_text(encoding="utf-8")
        path.write_text(f"{source}\n# student {number}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
