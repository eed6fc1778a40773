"""Define what a worker on another machine must have in common with the coordinator before it grades anything."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from pathlib import Path

from autograder.batch.worker import initialize_worker
from autograder.course import Assignment, load_course
from autograder.course.model import TierName
from autograder.diagnosis.observations import current_input_hash
from autograder.faults import CallerFault
from autograder.kit_version import get_kit_version
from autograder.sandbox import Sandbox, choose_sandbox


@dataclass(frozen=True, slots=True)
class WorkerRequirements:
    """Everything that a verdict depends on besides the submission; plain data, sent to every worker."""

    kit: str
    python: str
    course: str
    """Where the course lies on a worker."""
    assignment: str
    version: str
    observations: str
    tier: TierName


def make_worker_requirements(
    assignment: Assignment, sandbox: Sandbox, course: Path | None = None
) -> WorkerRequirements:
    """Return the standard that workers must meet.

    Args:
        assignment: the assignment as it is here.
        sandbox: the sandbox as it is here.
        course: where the course lies on the workers; at the same path as here when None.
    """
    return WorkerRequirements(
        kit=get_kit_version(),
        python=_python(),
        course=str(course or assignment.root),
        assignment=assignment.name,
        version=assignment.version,
        observations=current_input_hash(assignment),
        tier=sandbox.tier,
    )


def open_matching_course(requirements: WorkerRequirements) -> tuple[Assignment, Sandbox]:
    """Open the course on this machine.

    Returns:
        The assignment and the sandbox as they are on this machine; all that decides a verdict is as in
        ``requirements``.

    Raises:
        CallerFault: something differs; the message names both values. Or the course or the assignment is missing.
    """
    _same("the kit's version", get_kit_version(), requirements.kit, "install the same version, of the same code")
    _same("Python", _python(), requirements.python, "start the worker with the same version")
    folder = Path(requirements.course)
    if not folder.is_dir():
        raise CallerFault("the course is not on this worker", where=str(folder), advice="say --worker-course PATH")
    chosen = next((one for one in load_course(folder).assignments if one.name == requirements.assignment), None)
    if chosen is None:
        raise CallerFault(
            f"has no assignment {requirements.assignment}", where=str(folder), advice="copy the course anew"
        )
    advice = f"copy the course anew to {folder}"
    _same(f"{chosen.name}'s version", chosen.version, requirements.version, advice)
    _same(f"the state of {chosen.name}'s observations", current_input_hash(chosen), requirements.observations, advice)
    return chosen, choose_sandbox("process", requirements.tier, chosen.packages)


def open_if_same(standard: WorkerRequirements) -> None:
    """Get this process ready to grade; see ``initialize_worker``.

    Raises:
        CallerFault: this machine does not meet the standard; see ``open_matching_course``.
        Fault: the suite cannot be used, or no student process can be started.
    """
    initialize_worker(*open_matching_course(standard))


def _same(what: str, here: str, there: str, advice: str) -> None:
    if here != there:
        raise CallerFault(
            f"{what} is {here or 'none'} on this worker and {there or 'none'} where the batch was started",
            advice=advice,
        )


def _python() -> str:
    """Name the interpreter up to its minor version: what a program does may change with that."""
    return f"{platform.python_implementation()} {'.'.join(platform.python_version_tuple()[:2])}"
