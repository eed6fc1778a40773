"""Drop every privilege, in the only order that works."""

import ctypes
import os
import resource
import sys
import time
from typing import Any

from autograder.sandbox.inside.allowed_package_finder import allow_imports
from autograder.sandbox.inside.self_check import (
    MACHINE,
    list_confirmed_guarantees,
    list_file_lock_guarantees,
    list_guarantees_before_seccomp,
)
from autograder.sandbox.inside.syscalls import (
    PR_SET_DUMPABLE,
    PR_SET_NO_NEW_PRIVS,
    PR_SET_PDEATHSIG,
    drop_all_capabilities,
    libc,
    make_system_call,
)

CHANNEL: int = globals().get("CHANNEL", -1)  # set by whoever runs this

LANDLOCK_CREATE_RULESET, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF = 444, 445, 446
LANDLOCK_LIST = 1 << 3
LANDLOCK_READ = (1 << 2) | LANDLOCK_LIST  # files and folders; no execution
LANDLOCK_FILE_RIGHTS = 0b111 | (1 << 14)
# write, remove and make files; no folders, no links
LANDLOCK_SCRATCH = LANDLOCK_READ | (1 << 1) | (1 << 5) | (1 << 8)
LANDLOCK_TRUNCATE = 1 << 14
LANDLOCK_FS_BITS = (13, 14, 15, 15, 16)  # how many rights each ABI from 1 on knows
FOLDER = os.O_RDONLY | os.O_DIRECTORY


def lock_down_and_report(config: dict[str, Any]) -> dict[str, Any]:
    """Drop the privileges that ``config`` names, then check that they are gone.

    Args:
        config: ``limits`` {name of the limit: value}, ``uid`` or None, ``stdlib`` (a folder to reach the standard
            library through) or None, ``copy`` (the standard library's folder, and that of its copy) or None,
            ``root`` (the only folder that is to exist) or None, ``packages`` {name: file or folder}, ``scratch``
            (where to work) or None, ``landlock`` {``readable``, ``listable``: paths} or None, ``seccomp`` (a
            program) or None, ``confined`` (whether that denies more than locks), ``numbers`` {system call: its
            number}, ``parent_death`` bool, ``environment`` {name: value}; to try, ``outside`` (a file that must not
            be reached, or None) and ``library`` (a folder that must not be written to, or None).

    Returns:
        ``in_force``: the guarantees found to hold (see ``tier_guarantees``); ``problems``: sentences on failures.
    """
    problems: list[str] = []
    open_descriptors: set[int] = set()
    if config["stdlib"]:
        _reach_through(config["stdlib"], open_descriptors)
    if config["copy"]:
        _move_library(*config["copy"])
    allow_imports(
        _map_packages_through_descriptors(config["packages"], open_descriptors)
        if config["stdlib"]
        else config["packages"]
    )
    os.environ.clear()  # Python and bubblewrap add variables of their own
    os.environ.update(config["environment"])
    if config["scratch"]:
        os.chdir(config["scratch"])
    os.utime(".")  # its age would tell how long the submission before this one took
    # another user may not be able to reach them later
    rules = _open_paths(config["landlock"] or {}, config["scratch"])
    in_force: list[str] = []
    try:
        _drop_privileges(config["root"], config["uid"], dies_with_parent=config["parent_death"])
        if config["landlock"] is not None:
            _enter_landlock(rules)
            in_force.append("Landlock")
        _set_limits(config["limits"], problems)
        in_force += list_guarantees_before_seccomp(config, open_descriptors)
        if config["confined"]:
            _answer_in_place_of_kernel()
        if config["seccomp"] is not None:
            _enter_seccomp(config["numbers"]["seccomp"], config["seccomp"])
            in_force += ["seccomp", *list_file_lock_guarantees()]
        if config["confined"]:
            in_force += list_confirmed_guarantees(config["numbers"])
    except OSError as error:
        problems.append(f"{error.strerror}: {os.strerror(error.errno or 0)}")
    return {"in_force": in_force, "problems": problems}


def _drop_privileges(root_folder: str | None, uid: int | None, *, dies_with_parent: bool) -> None:
    if root_folder:
        os.chroot(root_folder)  # the folder to work in lies below it
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    if sys.platform == "linux":
        if dies_with_parent:  # becoming another user would undo it
            libc.prctl(PR_SET_PDEATHSIG, 9, 0, 0, 0)
        drop_all_capabilities()
        libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def _reach_through(stdlib: str, open_descriptors: set[int]) -> None:
    """Import the standard library through an open descriptor: its path may be below a private home."""
    _move_library(stdlib, _open_stable_path(stdlib, open_descriptors))


def _move_library(stdlib: str, new_folder: str) -> None:
    """Import the standard library from somewhere else."""
    package_paths = [module.__path__ for module in [*sys.modules.values()] if hasattr(module, "__path__")]
    for paths in (sys.path, *package_paths):
        paths[:] = [new_folder + path[len(stdlib) :] if path.startswith(stdlib) else path for path in paths]
    sys.path_importer_cache.clear()


def _map_packages_through_descriptors(packages: dict[str, str], open_descriptors: set[int]) -> dict[str, str]:
    """Return the packages' paths through open folders: their own, or the one that a single file lies in."""
    path_by_name = {}
    for name, path in packages.items():
        folder, file = (path, "") if os.path.isdir(path) else os.path.split(path)
        path_by_name[name] = os.path.join(_open_stable_path(folder, open_descriptors), file).rstrip("/")
    return path_by_name


def _open_stable_path(folder: str, open_descriptors: set[int]) -> str:
    """Return a path to a folder that stays valid, whichever user this process becomes."""
    descriptor = os.open(folder, FOLDER)
    open_descriptors.add(descriptor)
    return f"/proc/self/fd/{descriptor}"


def _open_paths(paths: dict[str, list[str]], scratch: str | None) -> list[tuple[int, int]]:
    """Return each path that exists, opened for Landlock, and its rights."""
    rules = []
    for path in paths.get("readable", ()):
        rights = LANDLOCK_READ if os.path.isdir(path) else LANDLOCK_READ & LANDLOCK_FILE_RIGHTS
        try:
            rules.append((os.open(path, os.O_PATH | os.O_CLOEXEC), rights))
        except OSError:
            continue
    listing_rules = [(os.open(path, os.O_PATH | os.O_CLOEXEC), LANDLOCK_LIST) for path in paths.get("listable", ())]
    if paths and scratch:
        rules.append((os.open(scratch, os.O_PATH | os.O_CLOEXEC), LANDLOCK_SCRATCH))
    return rules + listing_rules


def _set_limits(limits: dict[str, int], problems: list[str]) -> None:
    for name, value in limits.items():
        try:
            resource.setrlimit(getattr(resource, name), (value, value))
        except (AttributeError, ValueError, OSError) as error:
            problems.append(f"{name}: {error}")


def _enter_landlock(rules: list[tuple[int, int]]) -> None:
    """Confine this process to what was opened. Format: ``linux/landlock.h``."""
    abi = make_system_call("Landlock is not there", LANDLOCK_CREATE_RULESET, None, 0, 1)
    rights = (1 << LANDLOCK_FS_BITS[min(abi, 5) - 1]) - 1
    network = 0b11 if abi >= 4 else 0
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    ruleset = -1
    for scope in (0b11, 0b01) if abi >= 6 else (0,):  # some kernels claim ABI 6 and lack one scope
        attributes = (ctypes.c_uint64 * 3)(rights, network, scope)
        ruleset = libc.syscall(LANDLOCK_CREATE_RULESET, attributes, size, 0)
        if ruleset >= 0:
            break
    if ruleset < 0:
        raise OSError(ctypes.get_errno(), "Landlock refuses its rules")
    for descriptor, path_rights in rules:
        rule_rights = path_rights | (LANDLOCK_TRUNCATE & rights if path_rights == LANDLOCK_SCRATCH else 0)
        rule = ctypes.create_string_buffer(
            rule_rights.to_bytes(8, sys.byteorder) + descriptor.to_bytes(4, sys.byteorder), 12
        )
        make_system_call("Landlock refuses a rule", LANDLOCK_ADD_RULE, ruleset, 1, rule, 0)
        os.close(descriptor)
    make_system_call("Landlock cannot be entered", LANDLOCK_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _answer_in_place_of_kernel() -> None:
    """Make ``os.uname`` give a constant machine name, and ``os.times`` own times: the filter denies their calls."""
    import posix

    system = os.uname()
    constant_system = os.uname_result((system.sysname, MACHINE, system.release, system.version, system.machine))
    os.uname = posix.uname = lambda: constant_system
    os.times = posix.times = lambda: os.times_result((time.process_time(), 0.0, 0.0, 0.0, time.monotonic()))


def _enter_seccomp(number: int, program: bytes) -> None:
    """Enter the filter, for every thread (``SECCOMP_SET_MODE_FILTER`` with ``TSYNC``)."""

    class Filter(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]

    code = ctypes.create_string_buffer(program, len(program))
    filter_ = ctypes.byref(Filter(len(program) // 8, ctypes.addressof(code)))
    make_system_call("seccomp cannot be entered", number, 1, 1, filter_)
