"""Programs that keep the verdict waiting: it comes in time, says what happened, and nothing of them is left.

A file for each tier takes these tests over, so that tiers can be tried side by side: most stalls only wait.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograder.course import Assignment
from autograder.diagnosis.diagnoser import SubmissionDiagnoser
from autograder.grading import GradedSubmission, Grader
from autograder.sandbox import SandboxConfig
from autograder.sandbox.student_process import clean_up_killed_processes
from autograder.sandbox.tiers import TIERS
from tests.machine import PATIENCE
from tests.redteam.attack import Attack, attacks
from tests.redteam.courses import A_FEW, STALL_LIMITS, hand_in, part_of
from tests.redteam.honest import WEAK
from tests.redteam.processes import adopt_orphans, below, left_over, processes_of
from tests.tiers import offered, only_the_strongest

STALLS = attacks("stall")
SLACK = 1.0
LARGEST_RECORD = 8 << 20
"""Bytes; an honest engine's record of a few tests has some thousands."""


@dataclass(frozen=True, slots=True)
class Patient:
    """A grader with small limits, and what it must not lose."""

    grader: Grader
    diagnoser: SubmissionDiagnoser
    tier: str
    with_diagnosis: bool
    """In one tier: what it does is done by the trusted side, which is the same in all."""
    longest: float
    outcomes: tuple[str, ...]
    """Of the weak engine alone."""
    others: frozenset[int]
    """Processes of other tests that were there before."""

    def processes(self) -> set[int]:
        """Those that are meant to be there: one that was started ahead of need, or what forks the next one."""
        pool = self.grader.suite_runner.process_pool
        if pool._next is not None:
            return processes_of(pool._next)
        forked = pool.take_process()
        try:
            return processes_of(forked)
        finally:
            forked.kill_without_waiting()
            clean_up_killed_processes()


def outcomes_of(graded: GradedSubmission) -> tuple[str, ...]:
    return tuple(result.outcome for result in graded.test_results)


@pytest.fixture(scope="module")
def each_tier(request: pytest.FixtureRequest) -> SandboxConfig:
    """The tier that the file is named after; one of the weaker ones only with ``--every-tier``."""
    tier = request.module.__name__.rpartition("_in_")[2]
    only_the_strongest(request, tier)
    return offered(tier)


@pytest.fixture(scope="module")
def patient(
    engine: Assignment, each_tier: SandboxConfig, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Patient]:
    adopt_orphans()
    others = frozenset(below(os.getpid()))
    part = part_of(engine, tmp_path_factory.mktemp("course"), STALL_LIMITS, A_FEW)
    longest = part.limits.submission_seconds + part.limits.import_seconds + SLACK
    with Grader(part, each_tier) as opened:
        alone = outcomes_of(hand_in(opened, WEAK, tmp_path_factory.mktemp("alone")))
        yield Patient(
            opened, SubmissionDiagnoser(opened), each_tier.tier, each_tier.tier == TIERS[0], longest, alone, others
        )


def says(verdict: str, graded: GradedSubmission, alone: tuple[str, ...]) -> bool:
    """Whether a verdict is as an attack states it."""
    kind, _, cause = verdict.partition(" ")
    if verdict == "no harm":
        return outcomes_of(graded) == alone
    if verdict == "no gain":
        return outcomes_of(graded).count("passed") <= alone.count("passed")
    if kind == "status":
        return graded.status == cause
    return any(result.outcome == kind and cause in ("", result.stop_cause) for result in graded.test_results)


@pytest.mark.parametrize("attack", STALLS, ids=lambda attack: attack.slug)
def test_the_verdict_comes_in_time(patient: Patient, folder: Path, attack: Attack) -> None:
    if patient.tier not in attack.tiers:
        pytest.skip(f"tier {patient.tier} does not promise this")
    started = time.monotonic()
    graded = hand_in(patient.grader, attack.program, folder)
    assert says(attack.verdict, graded, patient.outcomes), [(r.outcome, r.stop_cause) for r in graded.test_results]
    assert says("no gain", graded, patient.outcomes)
    assert "grader error" not in outcomes_of(graded)
    if time.monotonic() - started < patient.longest:  # no wall clock can have struck by then, whatever a process says
        assert not graded.has_wall_clock_stop, "it would be graded once more"
    if patient.with_diagnosis:
        patient.diagnoser.diagnose(graded)
    patient.grader.suite_runner.end_process_kept_for_diagnosis()
    assert time.monotonic() - started < PATIENCE
    assert len(json.dumps(graded.pytest_record)) < LARGEST_RECORD
    clean_up_killed_processes()
    left = left_over(patient.others, patient.processes)
    assert not left, f"processes {left} are left"


def test_who_comes_after_them_gets_what_is_due(patient: Patient, folder: Path) -> None:
    assert outcomes_of(hand_in(patient.grader, WEAK, folder)) == patient.outcomes
