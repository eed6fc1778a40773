"""pytest with pytest-json-report in a subprocess for each submission, which it imports: no isolation at all."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.measure import Command
from benchmarks.peers.peer import Job, Kind, read_result
from benchmarks.peers.wrapped import counted_suites


class PlainPytest:
    """``pytest --json-report``."""

    name = "`pytest --json-report`, a process each"
    kind: Kind = "peer"
    warm = False

    def commands(self, job: Job) -> Sequence[Command]:
        """See ``Peer``."""
        words = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            str(job.assignment.hidden_suite_folder),
        ]
        words += ["--in-process", "--json-report"]
        reports = [f"--json-report-file={job.scratch / path.stem}.json" for path in job.submissions]
        return [
            Command([*words, report, "--submission", str(path)], job.course)
            for report, path in zip(reports, job.submissions, strict=True)
        ]

    def shares(self, job: Job) -> Mapping[str, float]:
        """See ``Peer``."""
        suites = counted_suites(job)
        shares = {}
        for path in job.submissions:
            report = read_result(job.scratch / f"{path.stem}.json") or {}
            tests = [test for test in report.get("tests", ()) if _suite(test["nodeid"]) in suites]
            if tests:
                shares[path.stem] = sum(test["outcome"] == "passed" for test in tests) / len(tests)
        return shares


def _suite(node: str) -> str:
    return Path(node.partition("::")[0]).stem
