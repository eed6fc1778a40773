"""Right and wrong programs by the dozen: no right one may lose a mark, no wrong one may keep all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from autograder.batch import run_batch
from autograder.course import Assignment
from autograder.course.misconceptions import Catalogue, Misconception, load_catalogue, source_with, wheats
from autograder.gate.finding import Finding
from autograder.reports import ScoreReport, read_report
from autograder.sandbox import Sandbox
from autograder.submissions import Entry

Progress = Callable[[int, int], None]
"""Told how many programs of how many were graded."""


def check_population(assignment: Assignment, sandbox: Sandbox, progress: Progress) -> list[Finding]:
    """Grade every wheat, every misconception and every pair, and compare with what they should lose.

    Raises:
        CourseFault: the catalogue cannot be used.
    """
    catalogue = load_catalogue(assignment)
    programs = _programs(assignment, catalogue)
    with TemporaryDirectory(prefix="population-") as temporary:
        reports = _graded(programs, assignment, sandbox, Path(temporary), progress)
    by_id = {one.id: one for one in catalogue.misconceptions}
    wrong = {name: parts for name in programs if (parts := [by_id[p] for p in name.split("+") if p in by_id])}
    right = [name for name in programs if name not in wrong]
    return [
        Finding(
            f"every one of {len(right)} right alternatives gets full marks",
            tuple(problem for name in right for problem in _lost(name, reports[name])),
        ),
        Finding(
            f"every one of {len(catalogue.misconceptions)} misconceptions and {len(catalogue.pairs)} pairs of them "
            "loses marks where it is wrong",
            tuple(problem for name, parts in wrong.items() for problem in _kept(name, parts, reports[name])),
        ),
        Finding(
            "and nowhere else",
            tuple(problem for name, parts in wrong.items() for problem in _strayed(name, parts, reports[name])),
        ),
    ]


def _programs(assignment: Assignment, catalogue: Catalogue) -> dict[str, str]:
    """Source by name: wheats by their file's name, misconceptions by id, pairs as ``one+other``."""
    solution = assignment.solution.read_text(encoding="utf-8")
    by_id = {one.id: one for one in catalogue.misconceptions}
    programs = {f"wheats/{path.stem}": path.read_text(encoding="utf-8") for path in wheats(assignment)}
    programs |= {one.id: source_with(solution, one) for one in catalogue.misconceptions}
    programs |= {f"{a}+{b}": source_with(solution, by_id[a], by_id[b]) for a, b in catalogue.pairs}
    return programs


def _graded(
    programs: dict[str, str], assignment: Assignment, sandbox: Sandbox, folder: Path, progress: Progress
) -> dict[str, ScoreReport]:
    entries = []
    for number, (name, source) in enumerate(programs.items()):
        path = folder / f"{number}.py"
        path.write_text(source, encoding="utf-8")
        entries.append(Entry(name, path))
    done = 0

    def advance(_: object) -> None:
        nonlocal done
        done += 1
        progress(done, len(entries))

    run_batch(entries, assignment, sandbox, folder / "out", progress=advance)
    reports = (read_report(path) for path in (folder / "out" / "reports").iterdir())
    return {report.submission.id: report for report in reports}


def _concepts_lost(report: ScoreReport) -> set[str]:
    return {concept.name for concept in report.concepts if concept.score < concept.max_score}


def _lost(name: str, report: ScoreReport) -> list[str]:
    """What a right program lost; the bonus is its own business."""
    bonus = {concept.name for concept in report.concepts if concept.bonus}
    return [
        f"{name} loses {test.id}: {test.outcome}: {test.message}"
        for test in report.tests
        if test.outcome != "passed" and test.concept not in bonus
    ]


def _kept(name: str, parts: list[Misconception], report: ScoreReport) -> list[str]:
    lost = _concepts_lost(report)
    kept = [concept for part in parts for concept in part.concepts if concept not in lost]
    return [f"{name} loses nothing in {concept}" for concept in kept]


def _strayed(name: str, parts: list[Misconception], report: ScoreReport) -> list[str]:
    allowed = {concept for part in parts for concept in (*part.concepts, *part.may_touch)}
    return [
        f"{name} loses {test.id}, of {test.concept}: {test.outcome}: {test.message}"
        for test in report.tests
        if test.outcome != "passed" and test.concept not in allowed
    ]
