"""Control groups are used where the machine grants them, and nowhere else."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.sandbox import control_group_delegation, control_group_lifecycle
from autograder.sandbox.control_group_delegation import (
    MAIN_GROUP,
    PREFIX,
    ControlGroupDelegation,
    acquire_group_delegation,
)
from tests.sandbox.control_groups import PLENTY


def fake(folder: Path, controllers: str = "cpu memory pids", procs: str = "", *, enabled: str = "") -> Path:
    """A folder that looks like a group; what would be written to it can be read afterwards."""
    folder.mkdir(exist_ok=True)
    texts = {"controllers": controllers, "procs": procs, "subtree_control": enabled, "type": "domain"}
    for name, text in texts.items():
        folder.joinpath(f"cgroup.{name}").write_text(f"{text}\n")
    return folder


Finder = Callable[[Path, str], ControlGroupDelegation]


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Finder:
    """Gives what is granted to a process in this group, of this name."""

    def find(group: Path, named: str) -> ControlGroupDelegation:
        monkeypatch.setattr(control_group_delegation, "_find_own_group", lambda: (group, named))
        return acquire_group_delegation.__wrapped__()

    return find


def untouched(group: Path) -> bool:
    return not (group / MAIN_GROUP).exists() and group.joinpath("cgroup.subtree_control").read_text() == "\n"


@pytest.mark.parametrize("name", ["session-1.scope", "autograder.service", "user.slice", "job.scope/step"])
def test_a_group_that_systemd_has_not_delegated_stays_as_it_is(tmp_path: Path, found: Finder, name: str) -> None:
    group = fake(tmp_path, procs=str(os.getpid()))
    grant = found(group, f"/system.slice/{name}")
    assert grant.groups_folder is None
    assert grant.refusal_reason == f"systemd has not delegated control group /system.slice/{name}"
    assert "systemd-run --user --scope -p Delegate=yes" in grant.advice
    assert untouched(group)


def test_a_group_that_is_shared_with_other_processes_stays_as_it_is(tmp_path: Path, found: Finder) -> None:
    group = fake(tmp_path, procs=f"{os.getpid()}\n{os.getppid()}")
    grant = found(group, "/")
    assert grant.groups_folder is None
    assert grant.refusal_reason == f"another process ({os.getppid()}) shares control group {group} with the grader"
    assert untouched(group)


def test_a_group_that_holds_groups_of_others_stays_as_it_is(tmp_path: Path, found: Finder) -> None:
    group = fake(tmp_path, procs=str(os.getpid()))
    fake(group / "database")
    grant = found(group, "/")
    assert grant.groups_folder is None
    assert grant.refusal_reason.endswith("holds groups that are not the grader's, such as database")
    assert untouched(group)


def test_without_a_memory_controller_no_groups_are_used(tmp_path: Path, found: Finder) -> None:
    grant = found(fake(tmp_path, "cpu pids", str(os.getpid())), "/")
    assert grant.groups_folder is None
    assert grant.refusal_reason == f"control group {tmp_path} has no memory controller"
    assert "systemd.unified_cgroup_hierarchy=1" in grant.advice


def test_without_control_groups_nothing_is_used_and_nothing_fails(
    tmp_path: Path, found: Finder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert found(tmp_path / "missing", "/").refusal_reason.startswith("control groups cannot be used: [Errno 2]")
    monkeypatch.setattr(
        control_group_lifecycle,
        "acquire_group_delegation",
        lambda: ControlGroupDelegation(None),
    )
    assert control_group_lifecycle.make_control_group_or_none(PLENTY) is None


def test_a_process_alone_in_its_group_arranges_it_and_the_next_one_takes_it_as_it_is(granted_folder: Path) -> None:
    own = granted_folder / f"test-{os.getpid()}"
    own.mkdir()
    source = (
        "from autograder.sandbox.control_group_delegation import acquire_group_delegation\n"
        "import subprocess, sys\n"
        "found = acquire_group_delegation()\n"
        "print(found.groups_folder, *found.controllers, flush=True)\n"
        "if len(sys.argv) == 1: subprocess.run([sys.executable, *sys.orig_argv[1:], 'again'])\n"
    )
    entrance = os.open(own / "cgroup.procs", os.O_WRONLY)
    enter = (
        f"import os; os.write({entrance}, b'0'); os.execv({sys.executable!r}, [{sys.executable!r}, '-c', {source!r}])"
    )
    try:
        done = subprocess.run(
            [sys.executable, "-c", enter], pass_fds=[entrance], capture_output=True, text=True, check=False
        )
        words = " ".join(acquire_group_delegation().controllers)
        assert (done.stdout, done.stderr) == (f"{own} {words}\n" * 2, "")
    finally:
        os.close(entrance)
        for group in (*own.glob(f"{PREFIX}*"), own):
            group.rmdir()
