"""What a worker does that has no work: in a module of its own, since workers on a cluster import it."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path

import msgspec

from autograder.store.results.result_model import pack_report, unpack_report
from autograder.submissions.submission_files import RawSubmission
from autograder.workers.grading_tasks import GradingTask, GradingTaskResult

TEMPLATE = "AUTOGRADER_BENCHMARK_RESULT"
"""Names the file with the result that all others are made of."""


@cache
def _template() -> GradingTaskResult:
    return msgspec.msgpack.decode(Path(os.environ[TEMPLATE]).read_bytes(), type=GradingTaskResult)


def ready(task: GradingTask) -> GradingTaskResult:
    """Give a result without any work, under the task's own name and digest: run again, nothing is out of date."""
    done = _template()
    collected = task.raw_submission
    content = collected.files[0].content if isinstance(collected, RawSubmission) else task.path.read_bytes()
    assert done.packed_result is not None
    report = unpack_report(done.packed_result.packed_report)
    part = msgspec.structs.replace(
        report.submission, id=task.name, sha256=sha256(content).hexdigest(), files=[task.path.name]
    )
    record = replace(done.packed_result, packed_report=pack_report(msgspec.structs.replace(report, submission=part)))
    return replace(done, name=task.name, packed_result=record)
