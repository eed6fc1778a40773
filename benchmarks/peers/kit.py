"""This kit: ``autograder batch``, from shell to gradebook."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from autograder.course.model import TierName
from benchmarks.classes import AUTOGRADER
from benchmarks.measure import Command
from benchmarks.peers.peer import Job, Kind, read_result


class Kit:
    """The kit in one isolation tier."""

    kind: Kind = "kit"
    warm = True

    def __init__(self, tier: TierName) -> None:
        self.name = f"this kit, tier `{tier}`"
        self._tier = tier

    def commands(self, job: Job) -> Sequence[Command]:
        """See ``Peer``."""
        words = [str(AUTOGRADER), "batch", job.assignment.name, str(job.submissions[0].parent)]
        words += ["--out", str(job.scratch / "out"), "--course", str(job.course), "--workers", str(job.at_once)]
        return [Command([*words, "--no-explain", "--tier", self._tier, "--allow-unsafe"], job.scratch)]

    def shares(self, job: Job) -> Mapping[str, float]:
        """See ``Peer``; the bonus never counts."""
        with (job.scratch / "out" / "gradebook.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        return {row["submission"]: float(row["score"]) / float(row["max_score"]) for row in rows if row["score"]}

    def seconds(self, job: Job, submission: Path) -> float:
        """Return how long the kit took for one submission, by its report."""
        report = read_result(job.scratch / "out" / "reports" / f"{submission.stem}.json")
        return float(report["timing"]["seconds"]["total"])
