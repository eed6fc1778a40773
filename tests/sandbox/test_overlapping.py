"""Where files can be locked, a process starts once all others are gone; elsewhere an interpreter is started ahead."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.bridge import Bridge, StudentProxy, SubmissionProgram
from autograder.bridge.prestarted_processes import ProcessPool
from autograder.course import Assignment, Limits
from autograder.faults import CallerFault
from autograder.sandbox import SandboxConfig
from autograder.sandbox.student_process import clean_up_killed_processes
from autograder.workers.cluster import dask_plugin
from autograder.workers.local_workers import open_local_workers
from tests.machine import comes_true, until
from tests.redteam.attack import attacks, named
from tests.redteam.channels import AFTERWARDS, MESSAGE, in_sandbox
from tests.redteam.processes import below, parent_of
from tests.sandbox.conftest import offered

WAITS = SubmissionProgram((("value.py", "def wait(): return 1"),), ())


@pytest.fixture
def overlapping() -> SandboxConfig:
    """Tier ``process`` with its filter."""
    sandbox = offered("process")
    if not sandbox.denies_locks_alone:
        pytest.skip("there is no filter of system calls here")
    return sandbox


@pytest.fixture
def alone(overlapping: SandboxConfig) -> SandboxConfig:
    """The same without: as where there is no seccomp."""
    return replace(overlapping, denies_locks_alone=False)


@pytest.fixture
def before() -> set[int]:
    """What runs below this process already."""
    return below(os.getpid())


def new_children(before: set[int]) -> int:
    """How many children of this process are new; a fork server of another test has its own, at any time."""
    count = 0
    for pid in below(os.getpid()) - before:
        with contextlib.suppress(OSError):  # it has just ended
            count += parent_of(pid) == os.getpid()
    return count


def settles_at(expected: int, before: set[int]) -> bool:
    """Whether so many new children run, once what was ending beside them has ended."""
    return comes_true(lambda: new_children(before) == expected)


@contextlib.contextmanager
def prestarted(sandbox: SandboxConfig) -> Iterator[ProcessPool]:
    """Processes that are gone afterwards, also when a test fails."""
    processes = ProcessPool(sandbox, Limits())
    try:
        yield processes
    finally:
        processes.end_unused_process()


@contextlib.contextmanager
def loaded(processes: ProcessPool) -> Iterator[Bridge]:
    """A submission that is loaded; its process is killed afterwards, and not waited for."""
    bridge = Bridge(WAITS, processes, Limits())
    try:
        bridge.load_without_fatal_code()
        yield bridge
    finally:
        bridge.end_process()


def test_one_is_started_ahead_where_submissions_may_overlap(overlapping: SandboxConfig, before: set[int]) -> None:
    with prestarted(overlapping) as processes, loaded(processes):
        assert settles_at(2, before)


def test_none_is_started_ahead_where_a_process_is_a_fork() -> None:
    sandbox = offered("namespaces")
    if not sandbox.uses_fork_server:
        pytest.skip("processes are not forked here")
    with prestarted(sandbox) as processes:
        clean_up_killed_processes()
        idle = below(os.getpid())
        with loaded(processes):
            assert below(os.getpid()) - idle
        until(lambda: not below(os.getpid()) - idle, "that none is started ahead")


def test_a_process_is_started_once_the_one_before_it_is_gone(alone: SandboxConfig, before: set[int]) -> None:
    with prestarted(alone) as processes:
        assert settles_at(0, before)
        for _ in range(5):
            with loaded(processes) as bridge:
                assert new_children(before) == 1
                bridge.begin_test()
                assert StudentProxy(bridge).get("wait")() == 1


@pytest.mark.parametrize("slug", ["locks_on_files", "locks_on_bytes", "locks_of_open_files"])
def test_a_lock_does_not_outlast_the_submission_that_took_it(alone: SandboxConfig, slug: str) -> None:
    assert in_sandbox(alone, named(slug, attacks("channel")).program, AFTERWARDS) != list(MESSAGE)


def test_one_worker_grades_where_submissions_must_not_overlap(
    overlapping: SandboxConfig, alone: SandboxConfig, engine: Assignment
) -> None:
    with open_local_workers(engine, overlapping, 3) as three, open_local_workers(engine, alone, 3) as one:
        assert (three.get_concurrency(), one.get_concurrency()) == (6, 2)


def test_a_worker_of_a_cluster_is_refused_where_submissions_must_not_overlap(
    alone: SandboxConfig, engine: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    requirements = dask_plugin.get_worker_requirements(engine, alone, Path(engine.course_folder))
    monkeypatch.setattr(SandboxConfig, "_make_filter", lambda self, pid: None)
    with pytest.raises(CallerFault, match="must not run at once"):
        dask_plugin.choose_sandbox_of_required_tier(requirements, engine)
