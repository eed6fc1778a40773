"""Small courses that attacks are graded in: a part of the real suite, with little patience."""

from __future__ import annotations

import shutil
from fractions import Fraction
from pathlib import Path

from autograder.course import Assignment, load_course
from autograder.grading import GradedSubmission, Grader

FORGE_LIMITS = "{cpu_seconds: 0.25, wall_seconds: 0.75, import_seconds: 1, submission_seconds: 10, memory_mb: 256}"
STALL_LIMITS = "{cpu_seconds: 0.2, wall_seconds: 0.6, import_seconds: 0.5, submission_seconds: 2.5, memory_mb: 256}"
SUITES = ("test_3_accumulation.py", "test_6_tanh.py", "test_7_whole.py", "test_9_robustness.py")
CONCEPTS = "{accumulation: 40, tanh: 30, the engine as a whole: 10, robustness: 20}"
A_PART = """

def pytest_collection_modifyitems(items):
    items[:] = [item for number, item in enumerate(items) if number % 4 == 1
                or item.get_closest_marker("beyond_contract")
                or item.name in ("test_a_plus_a", "test_the_worked_example_at_other_numbers")]
"""
"""A few of the tests find out as much about a trick as all of them."""

A_FEW = """

def pytest_collection_modifyitems(items):
    items[:] = [item for number, item in enumerate(items) if number % 6 == 1
                or item.get_closest_marker("beyond_contract")]
"""
"""Enough to be hung up in."""


def part_of(
    engine: Assignment, root: Path, limits: str = FORGE_LIMITS, more: str = A_PART, order_points: int = 0
) -> Assignment:
    """A course with a part of the engine's hidden suite, and little patience.

    With points for it, there are also tests of the order, which lend the submission callbacks.
    """
    concepts = CONCEPTS.replace("}", f", topological order: {order_points}}}") if order_points else CONCEPTS
    (root / "grading.yml").write_text(
        f"limits: {limits}\nassignments:\n  {engine.name}:\n    defines: [Value]\n    concepts: {concepts}\n"
    )
    hidden, solution = root / "assignments" / engine.name / "hidden", root / "solutions" / engine.name / "value.py"
    hidden.mkdir(parents=True)
    solution.parent.mkdir(parents=True)
    shutil.copytree(engine.folder / "diagnosis", hidden.parent / "diagnosis")
    for path in engine.hidden_suite_folder.glob("*.py"):
        if not path.name.startswith("test_"):
            shutil.copy(path, hidden)
    for name in (*SUITES, "test_4_topological_order.py") if order_points else SUITES:
        shutil.copy(engine.hidden_suite_folder / name, hidden)
    with (hidden / "conftest.py").open("a", encoding="utf-8") as file:
        file.write(more)
    shutil.copy(engine.solution_file, solution)
    return load_course(root).assignments[0]


def hand_in(grader: Grader, source: str, folder: Path) -> GradedSubmission:
    """Grade this source text."""
    path = folder / "value.py"
    path.write_text(source, encoding="utf-8", errors="surrogatepass")
    return grader.grade(path)


def total(graded: GradedSubmission) -> Fraction:
    """Points of a submission."""
    return sum((concept.score for concept in graded.concept_scores), Fraction(0))
