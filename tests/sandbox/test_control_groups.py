"""Control groups: a submission's processes are counted together where the machine grants it, and nowhere else.

What needs a kernel with controllers of version 2, and a subtree of one's own, is skipped where these are not.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.bridge import StudentStopped
from autograder.course import Limits
from autograder.faults import KitFault
from autograder.sandbox import Sandbox, StudentProcess, control_group_folders, control_group_grant
from autograder.sandbox.control_group import ControlGroup, ControlGroupLimits
from autograder.sandbox.control_group_folders import remove_abandoned_groups
from autograder.sandbox.control_group_grant import MAIN_GROUP, PREFIX, ControlGroupGrant, obtain_control_group_grant
from autograder.sandbox.interpreter_launch import BOOT_CODE
from autograder.sandbox.sandbox_model import EXTRA_MEMORY_MB, THREADS
from autograder.sandbox.tier_probe import TierProbe, probe_tiers
from tests.sandbox.conftest import Run, offered
from tests.tiers import IDLE

ENTER = "os.write(group, b'0'); "
PLENTY = ControlGroupLimits(memory_bytes=1 << 30, max_tasks=100)
SMALL = Limits(memory_mb=128, cpu_seconds=20, wall_seconds=60, submission_seconds=60)
DEAF = """
import signal
for number in (1, 2, 15): signal.signal(number, signal.SIG_IGN)
print(flush=True)
signal.pause()
"""


@pytest.fixture
def base() -> Path:
    """The group below which the grader makes groups."""
    if (grant := obtain_control_group_grant()).groups_folder is None:
        pytest.skip(f"no control groups here: {grant.refusal_reason}")
    return grant.groups_folder


@pytest.fixture
def folder() -> Iterator[Path]:
    """A group to make groups in, without any controller: a mounted file system of version 2 is enough."""
    obtain_control_group_grant()  # arranges the group that this one is made in
    try:
        here, _ = control_group_grant._own_group()
        made = here / f"test-{os.getpid()}"
        made.mkdir()
    except (control_group_grant.ControlGroupsNotGranted, OSError) as error:
        pytest.skip(f"no control group can be made here: {error}")
    yield made
    for group in made.iterdir():
        if group.is_dir():
            group.rmdir()
    made.rmdir()


def inside(group: ControlGroup) -> subprocess.Popen[bytes]:
    """A process in a group that ignores what it is told by signals, with another process that does so too."""
    entrance = group.open_entrance_descriptor()
    source = f"import os\nos.write({entrance}, b'0')\nos.fork()\n{DEAF}"
    process = subprocess.Popen([sys.executable, "-c", source], pass_fds=[entrance], stdout=subprocess.PIPE)
    os.close(entrance)
    assert process.stdout
    process.stdout.readline()
    process.stdout.readline()
    return process


def gone(group: ControlGroup) -> bool:
    """Whether a group could be removed within five seconds."""
    deadline = time.monotonic() + 5
    while not group.remove_if_empty():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.001)
    return True


def test_killing_a_group_ends_all_of_it_whatever_signals_it_ignores(folder: Path) -> None:
    group = ControlGroup(str(folder), PLENTY, ())
    process = inside(group)
    assert process.stdout
    with process:
        assert group.contains_process(process.pid)
        assert not group.remove_if_empty()
        process.send_signal(signal.SIGTERM)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.2)
        group.kill()
        assert process.wait(5) == -signal.SIGKILL
        assert process.stdout.read() == b""  # the other one is gone too
    assert gone(group)
    assert not group.contains_process(process.pid)


def test_removing_a_group_twice_is_no_mistake(folder: Path) -> None:
    group = ControlGroup(str(folder), PLENTY, ())
    assert group.remove_if_empty()
    assert group.remove_if_empty()
    group.kill()


def test_a_group_whose_limits_are_refused_is_not_left_behind(folder: Path) -> None:
    with pytest.raises(OSError, match=r"(cpu|memory)\.max"):
        ControlGroup(str(folder), ControlGroupLimits(-1, 1, 0), ("memory", "cpu"))
    assert not [entry for entry in folder.iterdir() if entry.is_dir()]


# what may be used


def fake(folder: Path, controllers: str = "cpu memory pids", procs: str = "", *, enabled: str = "") -> Path:
    """A folder that looks like a group; what would be written to it can be read afterwards."""
    folder.mkdir(exist_ok=True)
    texts = {"controllers": controllers, "procs": procs, "subtree_control": enabled, "type": "domain"}
    for name, text in texts.items():
        folder.joinpath(f"cgroup.{name}").write_text(f"{text}\n")
    return folder


Finder = Callable[[Path, str], ControlGroupGrant]


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Finder:
    """Gives what is granted to a process in this group, of this name."""

    def find(group: Path, named: str) -> ControlGroupGrant:
        monkeypatch.setattr(control_group_grant, "_own_group", lambda: (group, named))
        return obtain_control_group_grant.__wrapped__()

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
    monkeypatch.setattr(control_group_folders, "obtain_control_group_grant", lambda: ControlGroupGrant(None))
    assert control_group_folders.make_group_if_granted(PLENTY) is None


def test_what_the_grader_started_is_moved_with_it_and_nothing_else(folder: Path) -> None:
    """The controllers are missing on some machines; moving is what is tried here."""
    source = (
        "import os, subprocess, sys\n"
        "from pathlib import Path\n"
        "from autograder.sandbox import control_group_grant as groups\n"
        f"base = Path({str(folder)!r})\n"
        "(base / 'cgroup.procs').write_text('0')\n"
        "helper = subprocess.Popen(['sleep', '100'])\n"
        "groups._move_into_main(base)\n"
        "print(sorted((base / groups.MAIN_GROUP / 'cgroup.procs').read_text().split()) == "
        "sorted(map(str, (os.getpid(), helper.pid))), (base / 'cgroup.procs').read_text() == '')\n"
        "helper.kill()\n"
        "helper.wait()\n"
    )
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("True True\n", "")


# where groups are granted


def test_a_process_alone_in_its_group_arranges_it_and_the_next_one_takes_it_as_it_is(base: Path) -> None:
    own = base / f"test-{os.getpid()}"
    own.mkdir()
    source = (
        "from autograder.sandbox.control_group_grant import obtain_control_group_grant\n"
        "import subprocess, sys\n"
        "print(obtain_control_group_grant().groups_folder, *obtain_control_group_grant().controllers, flush=True)\n"
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
        words = " ".join(obtain_control_group_grant().controllers)
        assert (done.stdout, done.stderr) == (f"{own} {words}\n" * 2, "")
    finally:
        os.close(entrance)
        for group in (*own.glob(f"{PREFIX}*"), own):
            group.rmdir()


def test_each_process_has_a_group_before_anything_of_the_students_is_sent(base: Path, any_tier: Sandbox) -> None:
    assert any_tier.uses_control_group
    child = any_tier.start_process(Limits(), IDLE)
    group = child._group
    assert group
    try:
        child.wait_until_locked()
        assert group.contains_process(child.pid)
        assert Path(group.path).is_relative_to(base)
        limits = {name: Path(group.path, name).read_text().strip() for name in ("memory.max", "memory.oom.group")}
        assert limits == {"memory.max": str((512 + EXTRA_MEMORY_MB) << 20), "memory.oom.group": "1"}
        if "pids" in obtain_control_group_grant().controllers:
            assert Path(group.path, "pids.max").read_text().strip() == str(THREADS)
    finally:
        child.kill_without_waiting()
    assert gone(group)


def test_a_process_that_did_not_enter_its_group_is_refused(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox = offered("process")
    assert BOOT_CODE.count(ENTER) == 1
    monkeypatch.setattr("autograder.sandbox.interpreter_launch.BOOT_CODE", BOOT_CODE.replace(ENTER, ""))
    child = sandbox.start_process(Limits(), IDLE)
    with pytest.raises(KitFault, match="is not in its control group"):
        child.wait_until_locked()


def test_a_tier_that_cannot_use_groups_is_offered_without_them(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(self: ControlGroup, pid: int) -> bool:
        return False

    monkeypatch.setattr(ControlGroup, "contains_process", refused)
    offers: list[TierProbe] = probe_tiers()
    for offer in offers:
        if offer.sandbox is not None:
            assert not offer.sandbox.uses_control_group
            assert offer.no_control_group_reason == "the student's process is not in its control group"


MANY = """
import mmap, os, time
def keep_deleted_files(kept):
    for number in range(50):
        name = f'{os.getpid()}'
        kept.append(open(name, 'wb', buffering=0))
        os.unlink(name)
        kept[-1].write(bytes(250_000))
def keep_mapped_memory(kept):
    kept.append(mmap.mmap(-1, 30 << 20))
    for place in range(0, 30 << 20, 4096): kept[-1][place] = 1
def keep_a_list(kept):
    kept.append(bytearray(b'x' * (20 << 20)))
def attack():
    for _ in range(30):
        if os.fork() == 0:
            kept = []
            KEEP(kept)
            time.sleep(100)
    while True: time.sleep(0.01), sum(range(10000))
"""


@pytest.mark.parametrize("way", ["keep_deleted_files", "keep_mapped_memory", "keep_a_list"])
def test_memory_is_that_of_all_processes_together_however_it_is_held(
    base: Path, run_in: Run, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In tier ``process`` alone may a submission start processes and make pipes."""
    monkeypatch.setattr("tempfile.tempdir", "/dev/shm")
    with pytest.raises(StudentStopped) as stopped:
        run_in(offered("process"), MANY.replace("KEEP", way), SMALL)
    assert (stopped.value.cause, stopped.value.message) == ("memory", "it needs more than 128 MB of memory")


def test_a_program_that_fills_its_memory_is_told_the_same_with_and_without_groups(
    base: Path, any_tier: Sandbox, run_in: Run
) -> None:
    source = "def attack():\n    kept = []\n    while True: kept.append(bytearray(b'x' * (1 << 20)))\n"
    told = []
    for sandbox in (any_tier, replace(any_tier, uses_control_group=False)):
        with pytest.raises(StudentStopped) as stopped:
            run_in(sandbox, source, SMALL)
        told.append((stopped.value.cause, stopped.value.message, stopped.value.key))
    assert told[0] == told[1]
    assert told[0][:2] == ("memory", "it needs more than 128 MB of memory")


PIPES = """
import fcntl, os, time
def fill_pipes():
    kept = [os.pipe() for _ in range(25)]
    for _, end in kept:
        fcntl.fcntl(end, 1031, 1 << 20)  # F_SETPIPE_SZ
        if FILLED: os.write(end, bytes(1 << 20))
    return kept
def attack():
    memory = bytearray(80 << 20)
    for place in range(0, len(memory), 4096): memory[place] = 1
    kept = fill_pipes()
    if os.fork() == 0: time.sleep(100)
    for pair in kept:
        for end in pair: os.close(end)
    return len(fill_pipes())
"""


@pytest.mark.parametrize("filled", [False, True], ids=["empty pipes are not", "full pipes are"])
def test_what_lies_in_pipes_is_counted(
    base: Path, run_in: Run, monkeypatch: pytest.MonkeyPatch, *, filled: bool
) -> None:
    monkeypatch.setattr("autograder.sandbox.sandbox_model.EXTRA_MEMORY_MB", 0)
    sandbox, source = offered("process"), PIPES.replace("FILLED", str(filled))
    if not filled:
        assert run_in(sandbox, source, SMALL) == 25
        return
    with pytest.raises(StudentStopped, match="it needs more than 128 MB of memory"):
        run_in(sandbox, source, SMALL)


BOMB = """
import os, time
def attack():
    made = 0
    while True:
        try:
            if os.fork() == 0: time.sleep(100)
            made += 1
        except OSError: return made
"""


def test_a_fork_bomb_is_bounded_and_ends_with_its_process(base: Path, run_in: Run) -> None:
    if "pids" not in obtain_control_group_grant().controllers:
        pytest.skip("no pids controller")
    assert 0 < run_in(offered("process"), BOMB, SMALL) < THREADS


def test_a_process_that_is_killed_by_another_ones_doing_was_not_too_large(base: Path) -> None:
    child: StudentProcess = offered("process").start_process(Limits(), IDLE)
    child.wait_until_locked()
    os.kill(child.pid, signal.SIGKILL)
    child.read_exit_status()
    assert not child.exceeded_group_memory
    child.kill_without_waiting()


LOOK = """
def attack():
    found = []
    for path in ('/proc/self/cgroup', '/sys/fs/cgroup/cgroup.controllers', '/proc/self/mountinfo', PEAK):
        try: found.append(open(path).read())
        except OSError: found.append('')
    return ''.join(found)
"""


def test_a_submission_sees_nothing_of_its_group(base: Path, run_in: Run, any_tier: Sandbox) -> None:
    peaks = [base / "memory.peak", *base.glob(f"{PREFIX}*/*/memory.peak")]
    seen = [run_in(any_tier, LOOK.replace("PEAK", repr(str(peak)))) for peak in peaks]
    assert all(seen) if any_tier.tier == "process" else not any(seen)


def test_a_grader_that_was_killed_leaves_no_group_once_another_one_starts(base: Path) -> None:
    source = (
        "import time\n"
        "from autograder.course import Limits\n"
        "from autograder.sandbox.tier_probe import probe_tiers\n"
        "from tests.tiers import IDLE\n"
        "child = probe_tiers()[-1].sandbox.start_process(Limits(), IDLE)\n"
        "child.wait_until_locked()\n"
        "print(child._group.path, flush=True)\n"
        "time.sleep(100)\n"
    )
    with subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True) as grader:
        assert grader.stdout
        group = Path(grader.stdout.readline().strip())
        remove_abandoned_groups(base)
        assert group.is_dir()  # it is in use
        grader.kill()
    assert group.is_dir()
    remove_abandoned_groups(base)
    assert not group.parent.exists()
