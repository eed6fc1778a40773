"""Define in what a worker on another machine must agree with the coordinator before it may grade."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from pathlib import Path

from autograder.course import Assignment, load_course
from autograder.course.model import TierName
from autograder.diagnosis.naming.misconception_observations_file import get_usable_observations_hash
from autograder.faults import CallerFault
from autograder.kit_version import get_kit_version_with_code_digest
from autograder.sandbox import SandboxConfig, choose_strongest_sandbox
from autograder.workers.grading_worker import initialize_worker


@dataclass(frozen=True, slots=True)
class WorkerRequirements:
    """Everything that a verdict depends on besides the submission; plain data, sent to every worker."""

    kit_version: str
    python_version: str
    course_path_on_worker: str
    """The folder of the course on a worker."""
    assignment_name: str
    assignment_version: str
    observations_digest: str
    tier: TierName


def get_worker_requirements(
    assignment: Assignment, sandbox: SandboxConfig, course_path_on_worker: Path | None = None
) -> WorkerRequirements:
    """Return what workers must have in common with this machine.

    Args:
        assignment: the assignment as it is here.
        sandbox: the sandbox as it is here.
        course_path_on_worker: where the course lies on the workers; at the same path as here when None.
    """
    return WorkerRequirements(
        kit_version=get_kit_version_with_code_digest(),
        python_version=_name_python_version(),
        course_path_on_worker=str(course_path_on_worker or assignment.course_folder),
        assignment_name=assignment.name,
        assignment_version=assignment.version,
        observations_digest=get_usable_observations_hash(assignment),
        tier=sandbox.tier,
    )


def load_matching_assignment(requirements: WorkerRequirements) -> Assignment:
    """Return the assignment of the course on this machine, if the kit, Python and the assignment are as required.

    Raises:
        CallerFault: something differs (the message names both values), or the course or the assignment is missing.
    """
    _require_same(
        "the kit's version",
        get_kit_version_with_code_digest(),
        requirements.kit_version,
        "install the same version, of the same code",
    )
    _require_same(
        "Python", _name_python_version(), requirements.python_version, "start the worker with the same version"
    )
    folder = Path(requirements.course_path_on_worker)
    if not folder.is_dir():
        raise CallerFault(
            "the course is not on this worker", where=str(folder), advice="name its folder with --worker-course"
        )
    assignment = load_course(folder).find_assignment(requirements.assignment_name)
    if assignment is None:
        raise CallerFault(
            f"the course on this worker has no assignment {requirements.assignment_name}",
            where=str(folder),
            advice="copy the course anew",
        )
    advice = f"copy the course anew to {folder}"
    _require_same(f"{assignment.name}'s version", assignment.version, requirements.assignment_version, advice)
    _require_same(
        f"the state of {assignment.name}'s observations",
        get_usable_observations_hash(assignment),
        requirements.observations_digest,
        advice,
    )
    return assignment


def choose_sandbox_of_required_tier(requirements: WorkerRequirements, assignment: Assignment) -> SandboxConfig:
    """Return a sandbox of the required tier on this machine.

    Raises:
        CallerFault: the tier is not available, or submissions must not run at the same time on this machine.
    """
    sandbox = choose_strongest_sandbox("process", requirements.tier, assignment.packages)
    if not sandbox.lets_processes_overlap:
        raise CallerFault(
            "locks on files cannot be denied on this worker, so submissions must not run at once there",
            advice="start it on a Linux with seccomp, or grade without a cluster",
        )
    return sandbox


def initialize_matching_worker(requirements: WorkerRequirements) -> None:
    """Prepare this process to grade; see ``initialize_worker``.

    Raises:
        CallerFault: this machine does not meet the requirements.
        Fault: the suite cannot be used, or no student process can be started.
    """
    assignment = load_matching_assignment(requirements)
    initialize_worker(assignment, choose_sandbox_of_required_tier(requirements, assignment))


def _require_same(subject: str, own_value: str, required_value: str, advice: str) -> None:
    if own_value != required_value:
        raise CallerFault(
            f"{subject} is {own_value or 'none'} on this worker "
            f"and {required_value or 'none'} where the batch was started",
            advice=advice,
        )


def _name_python_version() -> str:
    """Return the interpreter's name and minor version, which may change a program's behaviour."""
    return f"{platform.python_implementation()} {'.'.join(platform.python_version_tuple()[:2])}"
