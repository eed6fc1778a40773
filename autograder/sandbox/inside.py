"""Runs inside the student's process, before anything of the student's: takes every right away.

Standard library only, and little of it: the time to import it is paid for every submission. The functions are
sent over as compiled code; nothing of the kit lies where the student's process could read it.
"""

import ctypes
import os
import resource
import sys
from typing import Any

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38
LANDLOCK_CREATE_RULESET, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF = 444, 445, 446
LANDLOCK_LIST = 1 << 3
LANDLOCK_READ = (1 << 2) | LANDLOCK_LIST  # files and folders; no execution
LANDLOCK_FILE_RIGHTS = 0b111 | (1 << 14)
LANDLOCK_FS_BITS = (13, 14, 15, 15, 16)  # how many rights each ABI from 1 on knows


def lock(config: dict[str, Any]) -> dict[str, Any]:
    """Take the rights away that ``config`` names, in the only order that works.

    Args:
        config: ``limits`` {name of the limit: value}, ``uid`` or None, ``stdlib`` (a folder to reach the
            standard library through) or None, ``landlock`` {``readable``, ``listable``: paths} or None, ``seccomp``
            {``number``, ``program``} or None, ``parent_death`` bool.

    Returns:
        What was really locked: ``limits`` [names], ``uid``, ``landlock`` (ABI, or 0), ``seccomp`` bool,
        ``problems`` [sentences].
    """
    problems: list[str] = []
    libc = ctypes.CDLL(None, use_errno=True)
    if config["parent_death"] and sys.platform == "linux":
        libc.prctl(PR_SET_PDEATHSIG, 9, 0, 0, 0)
    if config["stdlib"]:
        _reach_through(config["stdlib"])
    rules = _opened(config["landlock"] or {})  # another user may not find the way to them any more
    locked: dict[str, Any] = {"limits": [], "uid": -1, "landlock": 0, "seccomp": False, "problems": problems}
    if config["uid"] is not None:
        os.setgroups([])
        os.setresgid(config["uid"], config["uid"], config["uid"])
        os.setresuid(config["uid"], config["uid"], config["uid"])
    if sys.platform == "linux":
        libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    locked["uid"] = os.getuid()
    try:
        if config["landlock"] is not None:
            locked["landlock"] = _landlock(libc, rules)
        locked["limits"] = _limit(config["limits"], problems)
        if config["seccomp"] is not None:
            _seccomp(libc, config["seccomp"]["number"], config["seccomp"]["program"])
            locked["seccomp"] = True
    except OSError as error:
        problems.append(f"{error.strerror}: {os.strerror(error.errno or 0)}")
    return locked


def _reach_through(stdlib: str) -> None:
    """Import the standard library through an open folder: its path may lie below a private home."""
    folder = os.open(stdlib, os.O_RDONLY | os.O_DIRECTORY)
    through = f"/proc/self/fd/{folder}"
    imported = [module.__path__ for module in [*sys.modules.values()] if hasattr(module, "__path__")]
    for paths in (sys.path, *imported):
        paths[:] = [through + path[len(stdlib) :] if path.startswith(stdlib) else path for path in paths]
    sys.path_importer_cache.clear()


def _opened(paths: dict[str, list[str]]) -> list[tuple[int, int]]:
    """Each path that exists, opened for Landlock, and its rights."""
    opened = []
    for path in paths.get("readable", ()):
        rights = LANDLOCK_READ if os.path.isdir(path) else LANDLOCK_READ & LANDLOCK_FILE_RIGHTS
        try:
            opened.append((os.open(path, os.O_PATH | os.O_CLOEXEC), rights))
        except OSError:
            continue
    listable = [(os.open(path, os.O_PATH | os.O_CLOEXEC), LANDLOCK_LIST) for path in paths.get("listable", ())]
    return opened + listable


def _limit(limits: dict[str, int], problems: list[str]) -> list[str]:
    done = []
    for name, value in limits.items():
        try:
            resource.setrlimit(getattr(resource, name), (value, value))
            done.append(name)
        except (AttributeError, ValueError, OSError) as error:
            problems.append(f"{name}: {error}")
    return done


def _call(libc: Any, what: str, *arguments: Any) -> int:
    result: int = libc.syscall(*arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), what)
    return result


def _landlock(libc: Any, rules: list[tuple[int, int]]) -> int:
    """Confine this process to reading what was opened. Format: ``linux/landlock.h``."""
    abi = _call(libc, "Landlock is not there", LANDLOCK_CREATE_RULESET, None, 0, 1)
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
    for place, allowed in rules:
        rule = ctypes.create_string_buffer(allowed.to_bytes(8, sys.byteorder) + place.to_bytes(4, sys.byteorder), 12)
        _call(libc, "Landlock refuses a rule", LANDLOCK_ADD_RULE, ruleset, 1, rule, 0)
        os.close(place)
    _call(libc, "Landlock cannot be entered", LANDLOCK_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)
    return abi


def _seccomp(libc: Any, number: int, program: bytes) -> None:
    """Enter the filter, for every thread (``SECCOMP_SET_MODE_FILTER`` with ``TSYNC``)."""

    class Filter(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]

    code = ctypes.create_string_buffer(program, len(program))
    _call(
        libc,
        "seccomp cannot be entered",
        number,
        1,
        1,
        ctypes.byref(Filter(len(program) // 8, ctypes.addressof(code))),
    )
