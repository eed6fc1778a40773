"""Attackers that keep a count where nobody looks change no word on their classmates, in any tier."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.course import Assignment
from autograder.grading import Grader
from autograder.sandbox import SandboxConfig
from tests.graded_sources import grade_source
from tests.grading.attackers import list_honest_programs, make_attackers
from tests.grading.test_classmates import facts_of_honest_ones
from tests.redteam.courses import part_of

pytestmark = pytest.mark.redteam


def test_two_hundred_attackers_change_no_word_on_honest_classmates(
    engine: Assignment, each_tier: SandboxConfig, root: Path, tmp_path: Path
) -> None:
    part, honest = part_of(engine, tmp_path, order_points=20), list_honest_programs(root)
    with Grader(part, each_tier) as grader:
        alone = facts_of_honest_ones(grader, honest)
    with Grader(part, each_tier) as grader:
        for attacker in make_attackers(200).values():
            grade_source(grader, attacker)
        assert facts_of_honest_ones(grader, honest) == alone
