"""Build the sandboxes of each tier, try them, and choose the strongest that this machine offers."""

from __future__ import annotations

import errno
import marshal
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.course import Limits
from autograder.course.model import TierName
from autograder.faults import CallerFault, KitFault
from autograder.sandbox import seccomp_filter
from autograder.sandbox.fork_server import discard_thread_fork_server
from autograder.sandbox.frame_channel import ChannelClosed
from autograder.sandbox.installed_files import (
    PACKAGE_FOLDERS,
    PackagePath,
    find_current_interpreter_files,
    is_reachable_by_any_user,
    locate_packages_with_requirements,
    try_copy_interpreter_and_packages,
)
from autograder.sandbox.interpreter_start import ENVIRONMENT
from autograder.sandbox.sandbox_config import SCRATCH_MB, SandboxConfig, find_low_limit_fault
from autograder.sandbox.student_process import clean_up_killed_processes, start_student_process

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
        elif os.path.realpath(os.path.dirname(loader)) != python.system_libraries:  # else it is bound already
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


TRIAL_CODE = """
def serve_requests():
    import os, random, dataclasses, tempfile
    for name in {names!r}: __import__(name)
    tempfile.TemporaryFile(dir='.').write(b'x')
    os.write(CHANNEL, bytes([0, 0, 0, 2]) + b'ok')
"""
TRIAL_SECONDS = 10.0

TIERS: tuple[TierName, ...] = ("namespaces", "restricted", "process")
"""Strongest first."""

EXHAUSTED_LIMITS = (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM)
"""Errors of a machine or account that is used up, whichever tier is tried."""

REQUIRED_BY_COURSE = "isolation.weakest_tier in grading.yml"

ADVICE: dict[TierName, str] = {
    "namespaces": "install bubblewrap (apt-get install bubblewrap) on a Linux that allows user namespaces",
    "restricted": "use a Linux kernel 5.13 or newer with Landlock and seccomp, on x86_64 or aarch64",
    "process": "",
}


@dataclass(frozen=True, slots=True)
class TierProbeResult:
    """The result of probing one tier."""

    tier: TierName
    sandbox: SandboxConfig | None
    """The best working sandbox of the tier; None if this machine does not offer the tier."""
    unavailable_reason: str
    """Why the tier is unavailable; empty if it is available."""
    advice: str = ""
    """What would make it available; empty if nothing is known."""


def probe_tiers(package_names: Iterable[str] = ()) -> list[TierProbeResult]:
    """Try every tier, strongest first; each takes some tens of milliseconds.

    Args:
        package_names: names of what submissions may import besides the standard library.

    Raises:
        CourseFault: one of the packages is not there.
    """
    packages = locate_packages_with_requirements(package_names)
    return [_probe_tier(tier, packages) for tier in TIERS]


def choose_strongest_sandbox(
    weakest_accepted_tier: TierName,
    only_tier: TierName | None = None,
    package_names: Iterable[str] = (),
    *,
    required_by: str = REQUIRED_BY_COURSE,
) -> SandboxConfig:
    """Return the strongest sandbox of this machine.

    Args:
        weakest_accepted_tier: the weakest tier that is accepted.
        only_tier: this tier and no other, if given.
        package_names: names of what submissions may import besides the standard library.
        required_by: the option or the key that requires the weakest accepted tier, for a message.

    Raises:
        CallerFault: the machine does not offer it; the message says what is missing and how to get it.
        KitFault: this account's limits leave too little for any sandbox.
        CourseFault: one of the packages is not there.
    """
    packages = locate_packages_with_requirements(package_names)
    if fault := find_low_limit_fault(Limits()):
        raise fault
    reasons = []
    for tier in TIERS if only_tier is None else (only_tier,):
        if TIERS.index(tier) > TIERS.index(weakest_accepted_tier):
            break
        probe = _probe_tier(tier, packages)
        if probe.sandbox is not None:
            return probe.sandbox
        reasons.append(f"{tier}: {probe.unavailable_reason}; {probe.advice}")
    if only_tier is not None and not reasons:
        raise CallerFault(
            f"tier {only_tier} is weaker than the required tier {weakest_accepted_tier}",
            where=required_by,
            advice=(
                "choose a stronger one; for submissions that you trust, add `--allow-unsafe`"
                if required_by == REQUIRED_BY_COURSE
                else f"choose a stronger one, or a weaker one for {required_by}"
            ),
        )
    raise CallerFault(
        f"this machine offers no tier as strong as {weakest_accepted_tier}: " + " / ".join(reasons),
        where="isolation",
        advice="for submissions that you trust, add `--allow-unsafe`",
    )


def _probe_tier(tier: TierName, packages: Sequence[PackagePath]) -> TierProbeResult:
    if fault := find_low_limit_fault(Limits()):
        return TierProbeResult(tier, None, fault.what, fault.advice)
    if tier != "process" and not _is_seccomp_supported():
        reason = f"this tier does not exist on {sys.platform} {os.uname().machine}"
        return TierProbeResult(tier, None, reason, ADVICE[tier])
    reason = "bubblewrap is not installed" if tier == "namespaces" else "this tier does not exist on this system"
    for sandbox in _list_sandboxes(tier, packages):
        reason = _find_problem(sandbox)
        if not reason:
            return TierProbeResult(tier, sandbox, "")
    return TierProbeResult(tier, None, reason, ADVICE[tier])


def _is_seccomp_supported() -> bool:
    return sys.platform == "linux" and seccomp_filter.is_supported_machine(os.uname().machine)


def _list_sandboxes(tier: TierName, packages: Sequence[PackagePath]) -> list[SandboxConfig]:
    """Return the ways to build a tier, best first."""
    if tier == "namespaces":
        return list_namespaces_sandbox_configs(packages)
    if tier == "restricted":
        return list_restricted_sandboxes(packages)
    places = tuple((package.import_name, package.path) for package in packages if package.import_name)
    config = SandboxConfig("process", find_current_interpreter_files().executable, packages=places)
    return [replace(config, denies_locks_alone=True), config] if _is_seccomp_supported() else [config]


def _find_problem(sandbox: SandboxConfig) -> str:
    """Return why a sandbox cannot be used; empty if a locked process can import, write to its folder and answer.

    Raises:
        KitFault: this process cannot open another file or start another process, which no other sandbox changes.
    """
    code = compile(TRIAL_CODE.format(names=[name for name, _ in sandbox.packages]), "<trial>", "exec")
    try:
        child = start_student_process(sandbox, Limits(), marshal.dumps([("trial", code)]))
    except KitFault as fault:
        if isinstance(fault.__cause__, OSError) and fault.__cause__.errno in EXHAUSTED_LIMITS:
            raise
        return fault.what
    try:
        child.wait_for_lockdown()
        answer = child.channel.receive_frame_or_none_within(TRIAL_SECONDS)
        return "" if answer == b"ok" else "the process does not answer"
    except KitFault as fault:
        return fault.what
    except ChannelClosed:
        return f"the standard library or a package cannot be used in it: {child.read_final_output()}"
    finally:
        child.kill_without_waiting()
        clean_up_killed_processes()
        discard_thread_fork_server()
