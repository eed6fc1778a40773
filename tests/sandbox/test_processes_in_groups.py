"""Each student's process is in a control group of its own, which it does not see.

Skipped where the kernel grants the grader no controllers of version 2.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.course import Limits
from autograder.faults import KitFault
from autograder.sandbox import SandboxConfig, StudentProcess
from autograder.sandbox.control_group import ControlGroup
from autograder.sandbox.control_group_delegation import PREFIX, acquire_group_delegation
from autograder.sandbox.control_group_lifecycle import remove_abandoned_groups
from autograder.sandbox.interpreter_launch import BOOT_CODE
from autograder.sandbox.process_starter import start_student_process
from autograder.sandbox.sandbox_config import EXTRA_MEMORY_MB, THREADS
from autograder.sandbox.sandbox_selection import TierProbeResult, probe_tiers
from tests.sandbox.conftest import Run, offered
from tests.sandbox.control_groups import has_gone
from tests.tiers import IDLE

ENTER = "os.write(group, b'0'); "


def test_each_process_has_a_group_before_anything_of_the_students_is_sent(
    granted_folder: Path, any_tier: SandboxConfig
) -> None:
    assert any_tier.uses_control_group
    child = start_student_process(any_tier, Limits(), IDLE)
    group = child._group
    assert group
    try:
        child.wait_for_lockdown()
        assert group.contains_process(child.pid)
        assert Path(group.path).is_relative_to(granted_folder)
        limits = {name: Path(group.path, name).read_text().strip() for name in ("memory.max", "memory.oom.group")}
        assert limits == {"memory.max": str((512 + EXTRA_MEMORY_MB) << 20), "memory.oom.group": "1"}
        if "pids" in acquire_group_delegation().controllers:
            assert Path(group.path, "pids.max").read_text().strip() == str(THREADS)
    finally:
        child.kill_without_waiting()
    assert has_gone(group)


def test_a_process_that_did_not_enter_its_group_is_refused(
    granted_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox = offered("process")
    assert BOOT_CODE.count(ENTER) == 1
    monkeypatch.setattr("autograder.sandbox.interpreter_launch.BOOT_CODE", BOOT_CODE.replace(ENTER, ""))
    child = start_student_process(sandbox, Limits(), IDLE)
    with pytest.raises(KitFault, match="is not in its control group"):
        child.wait_for_lockdown()


def test_a_tier_that_cannot_use_groups_is_offered_without_them(
    granted_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(self: ControlGroup, pid: int) -> bool:
        return False

    monkeypatch.setattr(ControlGroup, "contains_process", refused)
    offers: list[TierProbeResult] = probe_tiers()
    for offer in offers:
        if offer.sandbox is not None:
            assert not offer.sandbox.uses_control_group
            assert offer.no_control_group_reason == "the student's process is not in its control group"


def test_a_process_that_is_killed_by_another_ones_doing_was_not_too_large(granted_folder: Path) -> None:
    child: StudentProcess = start_student_process(offered("process"), Limits(), IDLE)
    child.wait_for_lockdown()
    os.kill(child.pid, signal.SIGKILL)
    child.wait_for_exit_status_or_none()
    assert not child.exceeded_control_group_memory
    child.kill_without_waiting()


LOOK = """
def attack():
    found = []
    for path in ('/proc/self/cgroup', '/sys/fs/cgroup/cgroup.controllers', '/proc/self/mountinfo', PEAK):
        try: found.append(open(path).read())
        except OSError: found.append('')
    return ''.join(found)
"""


def test_a_submission_sees_nothing_of_its_group(granted_folder: Path, run_in: Run, any_tier: SandboxConfig) -> None:
    peaks = [granted_folder / "memory.peak", *granted_folder.glob(f"{PREFIX}*/*/memory.peak")]
    seen = [run_in(any_tier, LOOK.replace("PEAK", repr(str(peak)))) for peak in peaks]
    assert all(seen) if any_tier.tier == "process" else not any(seen)


def test_a_grader_that_was_killed_leaves_no_group_once_another_one_starts(granted_folder: Path) -> None:
    source = (
        "import time\n"
        "from autograder.course import Limits\n"
        "from autograder.sandbox.sandbox_selection import probe_tiers\n"
        "from tests.tiers import IDLE\n"
        "from autograder.sandbox.process_starter import start_student_process\n"
        "child = start_student_process(probe_tiers()[-1].sandbox, Limits(), IDLE)\n"
        "child.wait_for_lockdown()\n"
        "print(child._group.path, flush=True)\n"
        "time.sleep(100)\n"
    )
    with subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True) as grader:
        assert grader.stdout
        group = Path(grader.stdout.readline().strip())
        remove_abandoned_groups(granted_folder)
        assert group.is_dir()  # it is in use
        grader.kill()
    assert group.is_dir()
    remove_abandoned_groups(granted_folder)
    assert not group.parent.exists()
