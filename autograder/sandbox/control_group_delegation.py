"""Find a subtree of control groups that this process may manage.

Groups are used if the machine allows it: in a subtree that systemd delegated, in a container whose ``/sys/fs/cgroup``
is writable, or as root on a machine without systemd. Groups and processes of others are never moved or changed. See
cgroups(7), the kernel's ``cgroup-v2.rst``, and systemd's "Control Group APIs and Delegation".
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

CONTROLLERS = ("memory", "pids", "cpu")
PREFIX = "autograder-"
MAIN_GROUP = f"{PREFIX}main"
"""The group that the grader moves into: a group with controllers holds groups or processes, never both."""
MAIN_GROUP_WEIGHT = "10000"
"""The ``cpu.weight`` of the graders, by which they have priority over all submissions."""
UNIT_SUFFIXES = (".service", ".scope", ".slice")
DELEGATION_ATTRIBUTES = ("user.delegate", "trusted.delegate")
"""Extended attributes with which systemd marks a delegated subtree; the first one since version 251."""
ATTEMPTS = 3

DELEGATION_ADVICE = (
    "start it with `systemd-run --user --scope -p Delegate=yes autograder ...` (as root without --user), "
    "or as the first process of a container that may write to /sys/fs/cgroup"
)
NO_CONTROLLER = (
    "boot with `systemd.unified_cgroup_hierarchy=1` where control groups of version 1 have it, "
    f"or where its parent has it, {DELEGATION_ADVICE}"
)


@dataclass(frozen=True, slots=True)
class ControlGroupDelegation:
    """The place where this machine lets the kit make control groups, or the reason why it does not.

    Attributes:
        groups_folder: the group below which groups may be made; None if there is none.
        controllers: the enabled controllers below that group.
        refusal_reason: why there is no such group; empty if there is one.
        advice: what to do if there is none.
    """

    groups_folder: Path | None
    controllers: tuple[str, ...] = ()
    refusal_reason: str = ""
    advice: str = DELEGATION_ADVICE


class ControlGroupsNotDelegated(Exception):
    """No groups may be made; the text says why.

    Attributes:
        advice: what to do.
    """

    def __init__(self, reason: str, advice: str = DELEGATION_ADVICE) -> None:
        super().__init__(reason)
        self.advice = advice


@functools.cache
def acquire_group_delegation() -> ControlGroupDelegation:
    """Return the machine's delegation or its refusal; if needed, move this process into a group of its own first."""
    try:
        base = _find_base()
        return ControlGroupDelegation(base, _enable_and_list_controllers(base))
    except ControlGroupsNotDelegated as refusal:
        return ControlGroupDelegation(None, refusal_reason=str(refusal), advice=refusal.advice)
    except OSError as error:
        return ControlGroupDelegation(None, refusal_reason=f"control groups cannot be used: {error}")


def _find_base() -> Path:
    """Return the group below which this process may make groups.

    Raises:
        ControlGroupsNotDelegated: there is none.
    """
    group, group_name = _find_own_group()
    if group.name == MAIN_GROUP:
        group, group_name = group.parent, os.path.dirname(group_name)
    _require_delegation(group, group_name)
    if "memory" not in _read_words(group / "cgroup.controllers"):
        raise ControlGroupsNotDelegated(f"control group {group} has no memory controller", NO_CONTROLLER)
    if not all(os.access(group / name, os.W_OK) for name in ("", "cgroup.procs", "cgroup.subtree_control")):
        raise ControlGroupsNotDelegated(f"control group {group} cannot be written to")
    return group


def _find_own_group() -> tuple[Path, str]:
    """Return the folder of this process's group, and the group's name."""
    if sys.platform != "linux":
        raise ControlGroupsNotDelegated("control groups exist only on Linux")
    lines = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    group_name = next((line[3:] for line in lines if line.startswith("0::")), None)
    mounts = [line.split() for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()]
    for mount in mounts:
        root, place = mount[3:5]
        if group_name is None or mount[mount.index("-") + 1] != "cgroup2":
            continue
        folder = Path(os.path.normpath(os.path.join(place, os.path.relpath(group_name, root))))
        if folder.is_relative_to(place) and str(os.getpid()) in _read_words(folder / "cgroup.procs"):
            return folder, group_name
    raise ControlGroupsNotDelegated("control groups of version 2 are not mounted here")


def _require_delegation(group: Path, group_name: str) -> None:
    """Refuse a group that systemd did not delegate: only systemd may change groups there."""
    in_unit = any(part.endswith(UNIT_SUFFIXES) for part in group_name.split("/"))
    if not in_unit and not (group_name == "/" and os.path.isdir("/run/systemd/system")):
        return
    for attribute in DELEGATION_ATTRIBUTES:
        with contextlib.suppress(OSError):
            if os.getxattr(group, attribute) == b"1":
                return
    raise ControlGroupsNotDelegated(f"systemd has not delegated control group {group_name}")


def _enable_and_list_controllers(base: Path) -> tuple[str, ...]:
    """Enable controllers for the groups below ``base``, and return them.

    Raises:
        ControlGroupsNotDelegated: the group contains processes or groups of others.
        OSError: the kernel refuses.
    """
    controllers = [name for name in CONTROLLERS if name in _read_words(base / "cgroup.controllers")]
    if not {*controllers} <= {*_read_words(base / "cgroup.subtree_control")}:
        other_groups = [
            entry.name for entry in base.iterdir() if entry.is_dir() and not entry.name.startswith(PREFIX)
        ]
        if other_groups:
            raise ControlGroupsNotDelegated(
                f"control group {base} holds groups that are not the grader's, such as {other_groups[0]}"
            )
        if (base / "cgroup.type").exists():  # the machine's first group may hold processes and groups
            _move_into_main(base)
        enable_subgroup_controllers(base, controllers)
    enabled = _read_words(base / "cgroup.subtree_control")
    return tuple(name for name in controllers if name in enabled)


def _move_into_main(base: Path) -> None:
    """Move this process and its descendants into the main group."""
    main = base / MAIN_GROUP
    for _ in range(ATTEMPTS):  # processes may start further ones meanwhile
        pids = [int(pid) for pid in _read_words(base / "cgroup.procs")]
        if strangers := [pid for pid in pids if not _is_own_process(pid)]:
            raise ControlGroupsNotDelegated(
                f"another process ({strangers[0]}) shares control group {base} with the grader"
            )
        main.mkdir(exist_ok=True)
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                main.joinpath("cgroup.procs").write_text(str(pid))


def _is_own_process(pid: int) -> bool:
    """Return whether a process is this one or descends from it."""
    while pid > 1 and pid != os.getpid():
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])
        except OSError:
            return True  # it has ended
    return pid == os.getpid()


def enable_subgroup_controllers(group_folder: Path, controllers: Iterable[str]) -> None:
    """Enable the available ones of some controllers for the groups below a group.

    The main group's CPU weight is set, too, if possible.

    Raises:
        OSError: the memory controller cannot be enabled.
    """
    for name in controllers:
        try:
            group_folder.joinpath("cgroup.subtree_control").write_text(f"+{name}")
        except OSError:
            if name == "memory":
                raise
    with contextlib.suppress(OSError):
        group_folder.joinpath(MAIN_GROUP, "cpu.weight").write_text(MAIN_GROUP_WEIGHT)


def _read_words(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").split()
