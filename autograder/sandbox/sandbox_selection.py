"""Try which tiers this machine offers, with the real interpreter, and choose the strongest sandbox."""

from __future__ import annotations

import errno
import marshal
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from autograder.course import Limits
from autograder.course.model import TierName
from autograder.faults import CallerFault, KitFault
from autograder.sandbox import namespaces_tier_sandboxes, restricted_tier_sandboxes, seccomp_filter
from autograder.sandbox.allowed_package_paths import PackagePath, locate_packages_with_requirements
from autograder.sandbox.current_interpreter_files import find_current_interpreter_files
from autograder.sandbox.fork_server import discard_thread_fork_server
from autograder.sandbox.frame_channel import ChannelClosed
from autograder.sandbox.inherited_limits import find_low_limit_fault
from autograder.sandbox.killed_process_cleanup import clean_up_killed_processes
from autograder.sandbox.process_starter import start_student_process
from autograder.sandbox.sandbox_config import SandboxConfig

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
        return namespaces_tier_sandboxes.list_namespaces_sandbox_configs(packages)
    if tier == "restricted":
        return restricted_tier_sandboxes.list_restricted_sandboxes(packages)
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
