"""The floor: the hidden tests in a pytest session that stays open, on submissions imported into it.

What isolation, reports and diagnoses cost is what the kit takes beyond this.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from autograder.course import load_course
from autograder.grading.hidden_suite import HiddenSuiteSession
from autograder.grading.submission_under_test import InProcessSubmissionUnderTest
from autograder.submissions import read_submission
from benchmarks.classes import ROOT
from benchmarks.measure import Command
from benchmarks.peers.peer import Job, Kind, read_result


class Floor:
    """A process for each processor, which takes its share of the submissions."""

    name = "the floor: one warm pytest session, no isolation"
    kind: Kind = "floor"
    warm = True

    def commands(self, job: Job) -> Sequence[Command]:
        """See ``Peer``."""
        commands = []
        for number in range(job.at_once):
            mine = [str(path) for path in job.submissions[number :: job.at_once]]
            words = [sys.executable, "-m", "benchmarks.peers.floor", str(job.course), job.assignment.name]
            words += ["bonus" if job.with_bonus else "core", str(job.scratch / f"{number}.json")]
            commands.append(Command([*words, *mine], ROOT))
        return commands

    def shares(self, job: Job) -> Mapping[str, float]:
        """See ``Peer``."""
        found = [read_result(path) or {} for path in job.scratch.glob("*.json")]
        return {name: share for shares in found for name, share in shares.items()}


def main() -> None:
    """Grade; arguments: the course, the assignment, what counts, where the shares go, and the submissions."""
    course, name, counts, out, *submissions = sys.argv[1:]
    assignment = next(one for one in load_course(Path(course)).assignments if one.name == name)
    left_out = {one.name for one in assignment.concepts if one.bonus and counts == "core"}
    shares = {}
    with HiddenSuiteSession(assignment) as suite:
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000, 20, 20)  # as the kit's workers do
        for path in submissions:
            target = InProcessSubmissionUnderTest(read_submission(Path(path), assignment))
            with suite.open_target(target):
                raised = {
                    spec: test.run(None).clear_exception_frames().exception
                    for test, spec in suite.select_tests(spec.id for spec in suite.test_specs)
                }
            passed = [error is None for spec, error in raised.items() if spec.concept not in left_out]
            shares[Path(path).stem] = sum(passed) / len(passed)
    Path(out).write_text(json.dumps(shares))


if __name__ == "__main__":
    main()
