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
        for entry in sorted(os.scandir(python.stdlib), key=lambda entry: entry.name)
        if entry.name not in PACKAGE_FOLDERS
    )
    package_paths = tuple((package.import_name, package.path) for package in packages if package.import_name)
    extra_paths = tuple(package.path for package in packages)
    readable_paths = tuple(
        path for path in (*stdlib, python.system_libraries, *python.shared_libraries, *extra_paths) if path
    )
    is_root = os.getuid() == 0
    is_reachable = python.is_reachable_by_any_user and all(map(is_reachable_by_any_user, extra_paths))
    configs = []
    if library := try_copy_interpreter_and_packages(tuple(packages)):
        config = SandboxConfig(
            "restricted",
            python.executable,
            uses_own_uid=is_root,
            readable_paths=(library.stdlib, library.shared_libraries, f"{library.root}/packages"),
            uses_seccomp=True,
            library_copy=library,
            packages=library.path_by_package,
        )
        configs += [replace(config, uses_own_root=True), config] if is_root else [config]
    return [
        *configs,
        SandboxConfig(
            "restricted",
            python.executable,
            uses_own_uid=is_root,
            readable_paths=readable_paths,
            listable_folders=(python.stdlib,),
            uses_seccomp=True,
            stdlib=python.stdlib if is_root and not is_reachable else None,
            packages=package_paths,
        ),
    ]
