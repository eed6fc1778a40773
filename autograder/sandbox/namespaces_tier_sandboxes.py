"""Build tier ``namespaces``: bubblewrap, with nothing mounted but an interpreter and its standard library."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from autograder.sandbox.allowed_package_paths import PackagePath
from autograder.sandbox.bounded_scratch_folder import SCRATCH_MB
from autograder.sandbox.current_interpreter_files import PACKAGE_FOLDERS, find_current_interpreter_files
from autograder.sandbox.interpreter_launch import ENVIRONMENT
from autograder.sandbox.sandbox_config import SandboxConfig

PACKAGES = "/packages"


def list_namespaces_sandbox_configs(packages: Sequence[PackagePath] = ()) -> list[SandboxConfig]:
    """Return the ways to build this tier, best first; empty without bubblewrap.

    Args:
        packages: what the process may import besides the standard library.
    """
    bwrap = shutil.which("bwrap")
    if not bwrap:
        return []
    python = find_current_interpreter_files().executable
    places = tuple((package.import_name, _make_mount_path(package)) for package in packages if package.import_name)
    configs = []
    if os.getuid() == 0:
        # Root needs no user namespace, and can give each process a user id of its own from inside: bubblewrap
        # started as that user could not read an interpreter below a private home.
        capabilities = ("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")
        options = (*_list_options(packages), *capabilities)
        configs.append(
            SandboxConfig("namespaces", python, bwrap, options, uses_own_uid=True, uses_seccomp=True, packages=places)
        )
    user = ("--unshare-user", "--disable-userns", "--uid", "65534", "--gid", "65534")
    configs.append(
        SandboxConfig(
            "namespaces", python, bwrap, (*_list_options(packages), *user), uses_seccomp=True, packages=places
        )
    )
    return [variant for config in configs for variant in (_let_fork(config), config)]


def _let_fork(sandbox: SandboxConfig) -> SandboxConfig:
    """Return a sandbox with an interpreter in it that forks into namespaces of their own."""
    return replace(
        sandbox, bwrap_arguments=(*sandbox.bwrap_arguments, "--cap-add", "CAP_SYS_ADMIN"), uses_fork_server=True
    )


def _make_mount_path(package: PackagePath) -> str:
    return f"{PACKAGES}/{Path(package.path).name}"


def _list_options(packages: Sequence[PackagePath]) -> tuple[str, ...]:
    """Return bubblewrap's options; it carries them out in this order."""
    python = find_current_interpreter_files()
    options = [
        *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
        *("--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv", "--hostname", "sandbox"),
        *(argument for name, value in ENVIRONMENT.items() for argument in ("--setenv", name, value)),
        *("--size", str(SCRATCH_MB * 2**20), "--perms", "1777", "--tmpfs", "/tmp"),
    ]
    if python.system_libraries:
        # bubblewrap may keep the folders that it makes on the way to a mount for root alone.
        for folder in _on_the_way((python.system_libraries,)):
            options += ["--perms", "0755", "--dir", folder]
        options += ["--ro-bind", python.system_libraries, python.system_libraries]
    for folder in ("/lib", "/lib64"):
        if os.path.islink(folder):
            options += ["--symlink", os.readlink(folder), folder]
    for loader in python.loaders:
        real_path = os.path.realpath(loader)
        if not real_path.startswith(f"{python.system_libraries}/"):
            options += ["--ro-bind", real_path, real_path]
        if not os.path.islink(os.path.dirname(loader)):
            options += ["--ro-bind", real_path, loader]
        elif not _bound_already(loader, python.system_libraries):
            options += [
                "--symlink",
                real_path,
                os.path.join(os.path.realpath(os.path.dirname(loader)), Path(loader).name),
            ]
    # bubblewrap would give the folders on the way the modes they have outside, which may shut others out.
    for folder in _on_the_way(
        (*python.shared_libraries, python.executable, python.stdlib, *map(_make_mount_path, packages))
    ):
        options += ["--perms", "0755", "--dir", folder]
    for library in python.shared_libraries:
        options += ["--ro-bind", library, library]
    options += ["--ro-bind", python.executable, python.executable, "--ro-bind", python.stdlib, python.stdlib]
    for name in sorted(PACKAGE_FOLDERS):
        folder = os.path.join(python.stdlib, name)
        if os.path.isdir(folder):
            options += ["--perms", "0000", "--size", "4096", "--tmpfs", folder, "--remount-ro", folder]
    for package in packages:
        options += ["--ro-bind", package.path, _make_mount_path(package)]
    return (*options, "--dev-bind", "/dev/null", "/dev/null", "--chdir", "/tmp", "--remount-ro", "/")


def _on_the_way(paths: tuple[str, ...]) -> list[str]:
    return sorted({str(folder) for path in paths for folder in Path(path).parents} - {"/"})


def _bound_already(loader: str, system: str) -> bool:
    return os.path.realpath(os.path.dirname(loader)) == system
