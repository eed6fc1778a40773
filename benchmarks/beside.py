"""What the red team's stalls cost a class: how long each is graded, and what it costs the honest submissions beside.

    python -m benchmarks.beside                  # some minutes
    python -m benchmarks.beside --every 4        # to try it

The honest ones are the right alternatives to the reference solution. They are graded alone, and then in one batch
with every program that hangs, crashes or floods, one of these after each of those, at the course's own limits. It
writes a table into benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.course import Assignment, load_course
from autograder.course.model import TierName
from autograder.sandbox import probe_tiers
from benchmarks.classes import ROOT
from benchmarks.measure import measure
from benchmarks.peers.kit import Kit
from benchmarks.peers.peer import Job
from benchmarks.readme import machine, put_between, require_parts
from tests.redteam.attack import Attack, attacks

README = ROOT / "benchmarks" / "README.md"
PART = "beside"
HEAD = (
    "tier",
    "attacks",
    "mean s",
    "longest s",
    "which",
    "honest",
    "alone: median s",
    "beside: median s",
    "beside: longest s",
    "other marks",
)


@dataclass(frozen=True, slots=True)
class Row:
    """What one tier made of the class.

    Attributes:
        tier: the isolation.
        attacks: the seconds that grading each attack took, by its name.
        alone: the same of the honest submissions, graded alone.
        beside: the same, graded beside the attacks.
        other_marks: how many honest submissions got other marks beside the attacks.
    """

    tier: TierName
    attacks: Mapping[str, float]
    alone: Sequence[float]
    beside: Sequence[float]
    other_marks: int

    def cells(self) -> list[str]:
        """Return the row of the table."""
        slowest = max(self.attacks, key=lambda name: self.attacks[name])
        numbers = [
            statistics.mean(self.attacks.values()),
            self.attacks[slowest],
            statistics.median(self.alone),
            statistics.median(self.beside),
            max(self.beside),
        ]
        mean, longest, alone, beside, longest_beside = (f"{number:.2f}" for number in numbers)
        cells = [f"`{self.tier}`", str(len(self.attacks)), mean, longest, f"`{slowest}`", str(len(self.alone))]
        return [*cells, alone, beside, longest_beside, str(self.other_marks)]


def measure_tier(
    assignment: Assignment, tier: TierName, honest: Mapping[str, str], hostile: Sequence[Attack], scratch: Path
) -> Row:
    """Grade the honest submissions alone, and then both together.

    Args:
        assignment: what is graded.
        tier: the isolation.
        honest: their sources, by the names that they get.
        hostile: those beside.
        scratch: an empty folder.
    """
    stalls = {f"{name}-stall": attack.program for name, attack in zip(honest, hostile, strict=False)}
    alone, alone_marks = _grade(assignment, tier, honest, scratch / "alone")
    beside, beside_marks = _grade(assignment, tier, {**honest, **stalls}, scratch / "beside")
    slugs = dict(zip(stalls, (attack.slug for attack in hostile), strict=True))
    return Row(
        tier,
        {slug: beside[name] for name, slug in slugs.items()},
        [alone[name] for name in honest],
        [beside[name] for name in honest],
        sum(alone_marks[name] != beside_marks[name] for name in honest),
    )


def _grade(
    assignment: Assignment, tier: TierName, sources: Mapping[str, str], scratch: Path
) -> tuple[dict[str, float], Mapping[str, float]]:
    """Grade a class with two workers; return the seconds and the marks of each submission."""
    (scratch / "submissions").mkdir(parents=True)
    paths = [scratch / "submissions" / f"{name}.py" for name in sorted(sources)]
    for path in paths:
        path.write_text(sources[path.stem], encoding="utf-8")
    job = Job(assignment, ROOT, paths, scratch, 2, with_bonus=False)
    kit = Kit(tier)
    measure(kit.commands(job), 1)
    return {path.stem: kit.seconds(job, path) for path in paths}, kit.shares(job)


def main() -> None:
    """Measure each tier that is there, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="take every so many of the attacks")
    parser.add_argument("--readme", type=Path, default=README, help="where the table goes")
    options = parser.parse_args()
    require_parts(options.readme, [PART])
    said = machine()
    assignment = next(one for one in load_course(ROOT).assignments if one.name == "autograd-engine")
    wheats = sorted((assignment.solution_file.parent / "wheats").glob("*.py"))
    honest = {f"student{number:03}": path.read_text(encoding="utf-8") for number, path in enumerate(wheats)}
    rows = []
    for offer in probe_tiers():
        if offer.sandbox is None:
            continue
        hostile = [attack for attack in attacks("stall") if offer.tier in attack.tiers][:: options.every]
        with tempfile.TemporaryDirectory() as scratch:
            rows.append(measure_tier(assignment, offer.tier, honest, hostile, Path(scratch)))
        print(" | ".join(rows[-1].cells()))
    lines = [HEAD, ["---", *["---:"] * (len(HEAD) - 1)], *(row.cells() for row in rows)]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    put_between(options.readme, PART, f"{said}\n\n{table}")


if __name__ == "__main__":
    main()
