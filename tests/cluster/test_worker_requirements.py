"""A process that grades beside a Dask worker refuses what is not the same here."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from autograder.course import Assignment
from autograder.faults import CallerFault
from autograder.kit_version import get_kit_version_with_code_digest
from autograder.sandbox import SandboxConfig
from autograder.workers.cluster.dask_plugin import (
    WorkerRequirements,
    choose_sandbox_of_required_tier,
    get_worker_requirements,
    initialize_matching_worker,
    load_matching_assignment,
)
from autograder.workers.worker_processes import RestartingWorkerProcess, start_worker_interpreter


@pytest.fixture
def requirements(toy: Assignment, sandbox: SandboxConfig) -> WorkerRequirements:
    return get_worker_requirements(toy, sandbox)


def test_what_is_the_same_on_both_machines_may_grade(
    requirements: WorkerRequirements, toy: Assignment, sandbox: SandboxConfig
) -> None:
    assert load_matching_assignment(requirements) == toy
    assert choose_sandbox_of_required_tier(requirements, toy) == sandbox


@pytest.mark.parametrize(
    ("difference", "says"),
    [
        (
            {"kit_version": "9.9"},
            f"the kit's version is {get_kit_version_with_code_digest()} on this worker and 9.9 where the batch was "
            "started",
        ),
        ({"python_version": "CPython 2.7"}, "on this worker and CPython 2.7 where the batch was started"),
        (
            {"course_path_on_worker": "/nowhere"},
            "/nowhere: the course is not on this worker (name its folder with --worker-course)",
        ),
        ({"assignment_name": "sorting"}, "has no assignment sorting"),
        ({"assignment_version": "0" * 16}, f"on this worker and {'0' * 16} where the batch was started"),
        ({"observations_digest": "1" * 16}, f"on this worker and {'1' * 16} where the batch was started"),
    ],
)
def test_what_differs_is_refused_and_both_values_are_named(
    requirements: WorkerRequirements, difference: dict[str, str], says: str
) -> None:
    with pytest.raises(CallerFault) as caught:
        load_matching_assignment(replace(requirements, **difference))  # type: ignore[arg-type]
    assert says in str(caught.value)


def test_a_process_that_must_not_grade_says_why(requirements: WorkerRequirements) -> None:
    process = RestartingWorkerProcess(
        start_worker_interpreter, partial(initialize_matching_worker, replace(requirements, kit_version="9.9"))
    )
    with pytest.raises(CallerFault, match=r"9\.9 where the batch was started"):
        process.start_if_needed()
    process.close()
