"""Classes of submissions, and batches that were run of them."""

from __future__ import annotations

import csv
import json
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from autograder.batch import BatchConfig, BatchLocation, BatchSummary, run_batch
from autograder.course import Assignment
from autograder.reports import ScoreReport, read_report_json
from autograder.sandbox import SandboxConfig
from autograder.submissions import open_submission_entries
from autograder.workers.grading_tasks import GradingTaskResult
from autograder.workers.local_workers import open_local_workers

MB = 2**20
ENGINE = "class Value:\n    def __init__(self, data):\n        self.data, self.grad = data, 0.0\n"


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch that was run."""

    out: Path
    names: list[str]
    summary: BatchSummary

    @property
    def reports(self) -> dict[str, ScoreReport]:
        """Every report there is, by the submission's name."""
        return {report.submission.id: report for report in map(read_report_json, (self.out / "reports").iterdir())}

    @property
    def gradebook(self) -> list[dict[str, str]]:
        with (self.out / "gradebook.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    @property
    def written_at(self) -> dict[str, int]:
        return {path.name: path.stat().st_mtime_ns for path in (self.out / "reports").iterdir()}


Grade = Callable[..., Batch]


def grade_all(
    source: Path,
    out: Path,
    assignment: Assignment,
    sandbox: SandboxConfig,
    progress: Callable[[GradingTaskResult], None] = lambda done: None,
    workers: int = 1,
) -> Batch:
    with open_submission_entries(source) as entries:
        open_workers = partial(open_local_workers, worker_count=workers)
        summary = run_batch(BatchConfig(assignment, sandbox, BatchLocation(out), open_workers, progress), entries)
        return Batch(out, [entry.name for entry in entries], summary)


def write_class(folder: Path) -> Path:
    """Three students: Alice has written something, Bob nothing, Carol has a syntax error."""
    folder.mkdir()
    (folder / "alice.py").write_text(ENGINE, encoding="utf-8")
    (folder / "bob.py").touch()
    (folder / "carol.py").write_text("def (:\n", encoding="utf-8")
    return folder


def notebook(*cells: str, output: str = "") -> str:
    outputs = [{"output_type": "stream", "name": "stdout", "text": output}] if output else []
    made = [
        {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": outputs, "source": source}
        for source in cells
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})


def zipped(path: Path, members: Iterable[tuple[str, str]], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as opened:
        for name, text in members:
            opened.writestr(name, text)
    return path
