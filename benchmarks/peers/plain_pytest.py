"""pytest with pytest-json-report in a subprocess for each submission, which it imports: no isolation at all."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from benchmarks.measure import Command
from benchmarks.peers.peer import Job, Kind


class PlainPytest:
    """``pytest --json-report``."""

    name = "`pytest --json-report`, a process each"
    kind: Kind = "peer"
    warm = False

    def commands(self, job: Job) -> Sequence[Command]:
        """See ``Peer``."""
        words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(job.assignment.hidden)]
        words += ["--in-process", "--json-report"]
        reports = [f"--json-report-file={job.scratch / path.stem}.json" for path in job.submissions]
        return [
            Command([*words, report, "--submission", str(path)], job.course)
            for report, path in zip(reports, job.submissions, strict=True)
        ]

    def shares(self, job: Job) -> Sequence[float]:
        """See ``Peer``."""
        summaries = [json.loads(path.read_text())["summary"] for path in sorted(job.scratch.glob("*.json"))]
        return [summary.get("passed", 0) / summary["total"] for summary in summaries]
