"""A control group holds processes, ends all of them at once, and is removed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.sandbox.control_group import ControlGroup, ControlGroupLimits
from tests.sandbox.control_groups import PLENTY, has_gone

DEAF = """
import signal
for number in (1, 2, 15): signal.signal(number, signal.SIG_IGN)
print(flush=True)
signal.pause()
"""


def inside(group: ControlGroup) -> subprocess.Popen[bytes]:
    """A process in a group that ignores what it is told by signals, with another process that does so too."""
    entrance = group.open_procs_descriptor()
    source = f"import os\nos.write({entrance}, b'0')\nos.fork()\n{DEAF}"
    process = subprocess.Popen([sys.executable, "-c", source], pass_fds=[entrance], stdout=subprocess.PIPE)
    os.close(entrance)
    assert process.stdout
    process.stdout.readline()
    process.stdout.readline()
    return process


def test_killing_a_group_ends_all_of_it_whatever_signals_it_ignores(groups_folder: Path) -> None:
    group = ControlGroup(str(groups_folder), PLENTY, ())
    process = inside(group)
    assert process.stdout
    with process:
        assert group.contains_process(process.pid)
        assert not group.remove_if_empty()
        process.send_signal(signal.SIGTERM)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.2)
        group.kill_all_processes()
        assert process.wait(300) == -signal.SIGKILL
        assert process.stdout.read() == b""  # the other one is gone too
    assert has_gone(group)
    assert not group.contains_process(process.pid)


def test_removing_a_group_twice_is_no_mistake(groups_folder: Path) -> None:
    group = ControlGroup(str(groups_folder), PLENTY, ())
    assert group.remove_if_empty()
    assert group.remove_if_empty()
    group.kill_all_processes()


def test_a_group_whose_limits_are_refused_is_not_left_behind(groups_folder: Path) -> None:
    with pytest.raises(OSError, match=r"(cpu|memory)\.max"):
        ControlGroup(str(groups_folder), ControlGroupLimits(-1, 1, 0), ("memory", "cpu"))
    assert not [entry for entry in groups_folder.iterdir() if entry.is_dir()]


def test_what_the_grader_started_is_moved_with_it_and_nothing_else(groups_folder: Path) -> None:
    """The controllers are missing on some machines; moving is what is tried here."""
    source = (
        "import os, subprocess, sys\n"
        "from pathlib import Path\n"
        "from autograder.sandbox import control_group_delegation as groups\n"
        f"base = Path({str(groups_folder)!r})\n"
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
