"""The solution with one thing wrong, hundreds of times: the hidden suite must notice every one."""

from __future__ import annotations

import dataclasses
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool

import msgspec

from autograder.batch.worker import opened, processors, start_workers
from autograder.course import Assignment
from autograder.faults import CourseFault, KitFault
from autograder.gate.equivalents import load_equivalents
from autograder.gate.finding import Finding
from autograder.gate.mutation import Mutant, mutants
from autograder.gate.population import Progress
from autograder.grading import TestSpec
from autograder.sandbox import Sandbox
from autograder.submissions import Submission, Unit

CPU_SECONDS = 0.3
"""Of one test. Many mutants never end. The solution itself needs a third of it, and is asked first: a test that is
too long for it here counts for no mutant."""


def check_mutants(assignment: Assignment, sandbox: Sandbox, progress: Progress) -> list[Finding]:
    """Run every mutant of the solution up to its first failing test.

    Raises:
        CourseFault: the suite, the solution or ``equivalents.yml`` cannot be used.
        KitFault: no process can be started, or one ended.
    """
    listed = load_equivalents(assignment)
    made = _made(assignment)
    losses = _losses(made, assignment, sandbox, progress)
    unknown = [f"{id_}: there is no such mutant" for id_ in listed if id_ not in losses]
    wrong = [f"{id_}: loses {losses[id_]}" for id_ in listed if losses.get(id_)]
    kept = [f"{id_}: gets full marks" for id_, loss in losses.items() if not loss and id_ not in listed]
    return [
        Finding(
            f"every one of {len(made)} mutants of the solution loses marks, or is right for a reason", tuple(kept)
        ),
        Finding(f"every one of {len(listed)} mutants with such a reason is there, and right", (*unknown, *wrong)),
    ]


def begin_with(mutant: Mutant, specs: tuple[TestSpec, ...]) -> tuple[str, ...]:
    """Ids of the tests that are about what is wrong with a mutant."""
    return tuple(spec.id for spec in specs if not set(mutant.names).isdisjoint(spec.about))


def _made(assignment: Assignment) -> list[Mutant]:
    try:
        return mutants(assignment.solution.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, SyntaxError) as error:
        raise CourseFault(f"cannot be used: {error}", where=str(assignment.solution)) from error


def _losses(made: list[Mutant], assignment: Assignment, sandbox: Sandbox, progress: Progress) -> dict[str, str]:
    """For each mutant what it loses first, by id, in the order of the file."""
    limits = msgspec.structs.replace(assignment.limits, cpu_seconds=CPU_SECONDS)
    hurried = dataclasses.replace(assignment, limits=limits)
    found: dict[str, str] = {}
    workers = start_workers(hurried, sandbox, processors())
    try:
        ids = {workers.submit(_first_loss, mutant): mutant.id for mutant in made}
        for future in as_completed(ids):
            found[ids[future]] = future.result()
            progress(len(found), len(made))
    except BrokenProcessPool as error:
        raise KitFault("a worker process ended", advice="run the same command again") from error
    finally:
        workers.shutdown(wait=True, cancel_futures=True)
    return {mutant.id: found[mutant.id] for mutant in made}


def _first_loss(mutant: Mutant) -> str:
    """What a mutant loses first; in a worker."""
    grader = opened()
    submission = Submission(mutant.id, "", ("value.py",), (Unit("value.py", mutant.source),))
    return grader.first_loss(submission, begin_with(mutant, grader.specs))
