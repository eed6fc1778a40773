"""Let an author run a hidden suite by hand: ``pytest assignments/.../hidden --submission FILE``."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.bridge import Bridge
from autograder.bridge.prestarted_processes import ProcessPool
from autograder.course import Assignment, load_course, require_nearest_course_file
from autograder.course.assignment_code import load_solution_given_code
from autograder.faults import CallerFault
from autograder.grading.specs import CONVENTIONS_KEY, TARGET_KEY, TIER_KEY
from autograder.grading.submission_under_test import (
    BridgedSubmissionUnderTest,
    InProcessSubmissionUnderTest,
    make_submission_program,
)
from autograder.sandbox import choose_strongest_sandbox
from autograder.submissions import UngradableSubmission, read_submission
from autograder.submissions.source_definitions import restore_given_code


def stash_submission(config: pytest.Config, submission_path: Path, *, in_process: bool) -> None:
    """Stash a submission in ``config.stash`` as the target of this pytest run, and end its process with the run.

    Raises:
        CallerFault: the assignment or the submission cannot be found, or the submission cannot be read.
    """
    assignment = _get_named_assignment(config)
    config.stash[CONVENTIONS_KEY] = assignment.conventions
    if not submission_path.exists():
        raise CallerFault(
            "the submission does not exist", where=str(submission_path), advice="name a value.py or a notebook"
        )
    try:
        submission = restore_given_code(
            read_submission(submission_path, assignment), load_solution_given_code(assignment)
        )
    except UngradableSubmission as error:
        raise CallerFault(
            f"cannot grade this submission: {error.message.rstrip('.')}",
            where=str(submission_path),
            advice="name one that can be graded",
        ) from error
    if in_process:
        config.stash[TARGET_KEY] = InProcessSubmissionUnderTest(submission)
        return
    sandbox = choose_strongest_sandbox(assignment.weakest_tier, package_names=assignment.packages)
    process_pool = ProcessPool(sandbox, assignment.limits)
    config.stash[TIER_KEY] = sandbox.tier
    config.add_cleanup(process_pool.end_unused_process)
    bridge = Bridge(make_submission_program(submission, assignment.defines), process_pool, assignment.limits)
    config.add_cleanup(bridge.end_process)
    config.stash[TARGET_KEY] = BridgedSubmissionUnderTest(bridge, bridge.load_without_fatal_code())


def _get_named_assignment(config: pytest.Config) -> Assignment:
    """Return the assignment whose hidden suite is named on pytest's command line."""
    paths = [Path(str(argument).partition("::")[0]).resolve() for argument in config.args]
    for path in paths:
        course = load_course(require_nearest_course_file(path if path.is_dir() else path.parent))
        for assignment in course.assignments:
            if path.is_relative_to(assignment.hidden_suite_folder.resolve()):
                return assignment
    raise CallerFault(
        "--submission needs the hidden suite of an assignment",
        where="pytest",
        advice="run, for example: pytest assignments/autograd-engine/hidden --submission value.py",
    )
