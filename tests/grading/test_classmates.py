"""What is graded before a submission changes nothing that is said of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from autograder.course import Assignment
from autograder.grading import Grader
from autograder.sandbox import SandboxConfig
from tests.graded_sources import grade_source
from tests.grading.attackers import list_honest_programs, make_attackers
from tests.grading.recording_grader import result_facts
from tests.redteam.courses import part_of


def facts_of_honest_ones(grader: Grader, honest: Sequence[str]) -> list[object]:
    """What is said of each honest program."""
    return [(result_facts(graded), graded.concept_scores) for graded in (grade_source(grader, one) for one in honest)]


@pytest.mark.thorough_where(attackers_first_to_last=False)
@pytest.mark.parametrize("attackers_first_to_last", [True, False])
def test_attackers_change_no_word_on_honest_classmates(
    engine: Assignment, sandbox: SandboxConfig, root: Path, tmp_path: Path, attackers_first_to_last: bool
) -> None:
    part = part_of(engine, tmp_path, order_points=20)
    honest, attackers = list_honest_programs(root), [*make_attackers(24).values()]
    step = 1 if attackers_first_to_last else -1
    with Grader(part, sandbox) as grader:
        alone = facts_of_honest_ones(grader, honest)
    with Grader(part, sandbox) as grader:
        for attacker in attackers[::step]:
            grade_source(grader, attacker)
        assert facts_of_honest_ones(grader, honest[::step]) == alone[::step]
