"""Build tier ``restricted``: no namespaces, as in an unprivileged container; Landlock, seccomp, an own user."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace

from autograder.sandbox.allowed_package_paths import PackagePath
from autograder.sandbox.current_interpreter_files import (
    PACKAGE_FOLDERS,
    find_current_interpreter_files,
    is_reachable_by_any_user,
)
from autograder.sandbox.python_runtime_copy import try_copy_interpreter_and_packages
from autograder.sandbox.sandbox_config import SandboxConfig


def list_restricted_sandboxes(packages: Sequence[PackagePath] = ()) -> list[SandboxConfig]:
    """Return the ways to build this tier, best first, untried.

    The first call copies the standard library and the packages into a temporary folder, which is removed when this
    process ends.

    Args:
        packages: what the process may import besides the standard library.
    """
    if sys.platform != "linux":
        return []
    python = find_current_interpreter_files()
    # The folder of the standard library may be listed; what lies in it may be read, but for installed packages.
    stdlib = tuple(
        entry.path
        for entry in sorted(os.scandir(python.stdlib), key=lambda e: e.name)
        if entry.name not in PACKAGE_FOLDERS
    )
    named = tuple((package.import_name, package.path) for package in packages if package.import_name)
    extra = tuple(package.path for package in packages)
    readable = tuple(path for path in (*stdlib, python.system_libraries, *python.shared_libraries, *extra) if path)
    root = os.getuid() == 0
    reachable = python.is_reachable_by_any_user and all(map(is_reachable_by_any_user, extra))
    ways = []
    if library := try_copy_interpreter_and_packages(tuple(packages)):
        copied = SandboxConfig(
            "restricted",
            python.executable,
            uses_own_uid=root,
            readable_paths=(library.stdlib, library.shared_libraries, f"{library.root}/packages"),
            uses_seccomp=True,
            library_copy=library,
            packages=library.path_by_package,
        )
        ways += [replace(copied, uses_own_root=True), copied] if root else [copied]
    return [
        *ways,
        SandboxConfig(
            "restricted",
            python.executable,
            uses_own_uid=root,
            readable_paths=readable,
            listable_folders=(python.stdlib,),
            uses_seccomp=True,
            stdlib=python.stdlib if root and not reachable else None,
            packages=named,
        ),
    ]
