"""Run the tests on the reference solution before grading, or recall what an earlier grader saw."""

from __future__ import annotations

import hashlib
import re
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import msgspec

from autograder.bridge.student_exceptions import STOP_KINDS
from autograder.course import Assignment
from autograder.course.course_loading import COURSE_FILE_NAME
from autograder.faults import CourseFault
from autograder.files import get_cache_file_path, write_cache_file_and_prune
from autograder.grading.prefetching import ReferenceRun
from autograder.grading.results import HiddenTestResult
from autograder.grading.suite_run import SuiteRunner
from autograder.kit_version import get_kit_version_with_code_digest
from autograder.submissions import SourceUnit, Submission, UngradableSubmission, read_submission
from autograder.text import format_count

CALIBRATION = ".calibration"
UNUSABLE = (OSError, RuntimeError, TypeError, msgspec.MsgspecError)
"""Exceptions for a file that is missing, malformed or not writable, for what cannot be written down, or if the user's
home folder is unknown (``RuntimeError``)."""


def _load_reference_runs(runner: SuiteRunner) -> dict[str, ReferenceRun]:
    """Return the kept runs of the tests on the reference, by pytest's name for each; empty if there are none."""
    try:
        packed = _get_calibration_path(runner).read_bytes()
        return msgspec.msgpack.decode(packed, type=dict[str, ReferenceRun])
    except UNUSABLE:
        return {}


def _try_save_reference_runs(runner: SuiteRunner, reference_runs: dict[str, ReferenceRun]) -> None:
    """Keep the runs of the tests on the reference; on an error, keep nothing."""
    with suppress(*UNUSABLE):
        packed = msgspec.msgpack.encode(reference_runs)
        write_cache_file_and_prune(_get_calibration_path(runner), packed)


def _get_calibration_path(runner: SuiteRunner) -> Path:
    """Return the file of the cache folder for a suite, the kit, Python and the tier.

    Raises:
        RuntimeError: the user's home folder is unknown.
    """
    assignment = runner.assignment
    everything = (
        get_kit_version_with_code_digest(),
        assignment.version,
        sys.version,
        runner.process_pool.tier,
    )
    digest = hashlib.sha256("\0".join(everything).encode()).hexdigest()[:16]
    return get_cache_file_path(f"{assignment.name}-{digest}{CALIBRATION}")


MAX_FAULTY_SHARE = 0.5
"""Share of the tests that the reference may fail before nothing is graded at all."""
ADVICE_TO_STUDENT = re.compile(r" (?=(?:Save|Hand|Open|Clear|Take|Fix|Then|Start|Rename|Define) )")
"""Where advice begins in a message for a student."""


def find_faulty_test_ids(runner: SuiteRunner) -> frozenset[str]:
    """Run the tests on the reference solution and record their requests, unless an earlier grader has done so.

    Returns:
        The ids of the tests that the reference does not pass here. They do not work for any submission.

    Raises:
        CourseFault: the reference cannot be graded, or fails too many of the tests.
        KitFault: no process can be started.
    """
    if runner.prefetches_answers and runner.assignment.solution_file.is_file():
        runner.reference_runs = _load_reference_runs(runner)
    if runner.reference_runs:
        return frozenset()
    reference = read_reference_submission(runner.assignment)
    failed = _run_and_list_failed(runner, reference)
    if failed:
        # one failure may be chance, so a test is faulty only if it fails both times
        again = {one.spec.id for one in _run_and_list_failed(runner, reference)}
        failed = [one for one in failed if one.spec.id in again]
    if len(failed) > len(runner.suite.test_specs) * MAX_FAULTY_SHARE:
        raise _make_failure_fault(runner, failed)
    if not failed:
        _try_save_reference_runs(runner, runner.reference_runs)
    return frozenset(one.spec.id for one in failed)


def read_reference_submission(assignment: Assignment) -> Submission:
    """Read the reference solution.

    Raises:
        CourseFault: the solution is missing, or cannot be read.
    """
    solution = assignment.solution_file
    if not solution.is_file():
        raise CourseFault("the reference solution is missing", str(solution), advice="write it; grading needs it")
    try:
        return read_submission(solution, assignment)
    except UngradableSubmission as why:
        raise _make_ungradable_fault(assignment, why) from why


def _run_and_list_failed(runner: SuiteRunner, reference: Submission) -> list[HiddenTestResult]:
    """Run all tests on the reference, and return the results of those that it does not pass."""
    recorded_runs: dict[str, ReferenceRun] = {}
    runner.reference_runs = {}
    with runner.open_run_session(reference, recorded_runs=recorded_runs) as run:
        why = run.ungradable_reason
        results = () if why else run.run_all_tests()
    if runner.prefetches_answers:
        runner.reference_runs = recorded_runs
    if why and why.reason == "cannot-be-loaded" and not _can_load_anything(runner, reference):
        limits = runner.assignment.limits
        raise CourseFault(
            f"no program can be loaded with `memory_mb: {limits.memory_mb}`, `import_seconds: "
            f"{limits.import_seconds:g}` and `messages: {limits.messages}`, the limits of {runner.assignment.name}",
            where=str(runner.assignment.course_folder / COURSE_FILE_NAME),
            advice="raise the one that is too small",
        )
    if why:
        raise _make_ungradable_fault(runner.assignment, why)
    return [result for result in results if result.outcome != "passed"]


def _can_load_anything(runner: SuiteRunner, reference: Submission) -> bool:
    """Return whether the limits let a program run that does nothing."""
    nothing = replace(reference, units=(SourceUnit("value.py", "pass\n"),), modules={})
    with runner.open_run_session(nothing) as run:
        return run.ungradable_reason is None or run.ungradable_reason.reason != "cannot-be-loaded"


def _make_failure_fault(runner: SuiteRunner, failed: Sequence[HiddenTestResult]) -> CourseFault:
    """Return the fault for a reference that fails too many tests: it names a limit that stopped most of them."""
    assignment, count = runner.assignment, len(runner.suite.test_specs)
    first = min(one.spec.id for one in failed)
    stops = [STOP_KINDS[one.stop_cause] for one in failed if one.stop_cause]
    stopped = Counter(stop.limit for stop in stops if stop.limit)
    limit, times = stopped.most_common(1)[0] if stopped else ("", 0)
    if times > len(failed) * MAX_FAULTY_SHARE:
        return CourseFault(
            f"the reference solution of {assignment.name} needs more than `{limit}: "
            f"{getattr(assignment.limits, limit):g}` allows in {times} of {format_count(count, 'hidden test')}, "
            f"such as {first}",
            where=str(assignment.course_folder / COURSE_FILE_NAME),
            advice="raise this limit, or fix the solution or the suite",
        )
    return CourseFault(
        f"the reference solution fails {len(failed)} of {format_count(count, 'hidden test')}, such as {first}",
        where=str(assignment.solution_file),
        advice="run `autograder check` to see why, and fix the solution or the suite",
    )


def _make_ungradable_fault(assignment: Assignment, why: UngradableSubmission) -> CourseFault:
    lacks_names = why.reason in ("nothing-defined", "not-a-class")
    return CourseFault(
        f"cannot grade the reference solution: {ADVICE_TO_STUDENT.split(why.message, 1)[0].rstrip('.')}",
        where=str(assignment.solution_file),
        advice="define in it what grading.yml lists under `defines`" if lacks_names else "correct the solution",
    )
