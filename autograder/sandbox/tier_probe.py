"""Find out what this machine offers, by trying it with the real interpreter."""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from autograder.course import Limits
from autograder.course.model import TierName
from autograder.faults import CallerFault, KitFault
from autograder.sandbox import namespaces_tier, restricted_tier, seccomp_filter
from autograder.sandbox.allowed_packages import PackagePath, find_packages
from autograder.sandbox.delegation import granted
from autograder.sandbox.frame_channel import ChannelClosed
from autograder.sandbox.interpreter import find_interpreter
from autograder.sandbox.sandbox_model import Sandbox

TRIAL = """
import os, random, dataclasses, tempfile
for name in {names!r}: __import__(name)
tempfile.TemporaryFile(dir='.').write(b'x')
os.write(CHANNEL, bytes([0, 0, 0, 2]) + b'ok')
"""
TRIAL_SECONDS = 10.0

TIERS: tuple[TierName, ...] = ("namespaces", "restricted", "process")
"""Strongest first."""

ADVICE: dict[TierName, str] = {
    "namespaces": "install bubblewrap (apt-get install bubblewrap) on a Linux that allows user namespaces",
    "restricted": "use a Linux kernel 5.13 or newer with Landlock and seccomp, on x86_64 or aarch64",
    "process": "",
}


@dataclass(frozen=True, slots=True)
class TierOffer:
    """What trying one tier gave."""

    tier: TierName
    sandbox: Sandbox | None
    """None when the tier is not to be had here."""
    reason: str
    """Why not; empty when it is."""
    ungrouped: str = ""
    """Why its processes get no control group where the machine grants them; empty when they do."""


def probe_tiers(packages: Iterable[str] = ()) -> list[TierOffer]:
    """Try every tier, strongest first; each takes some tens of milliseconds.

    Args:
        packages: names of what submissions may import besides the standard library.

    Raises:
        CourseFault: one of the packages is not there.
    """
    found = find_packages(packages)
    return [_try(tier, found) for tier in TIERS]


def choose_sandbox(weakest: TierName, only: TierName | None = None, packages: Iterable[str] = ()) -> Sandbox:
    """Return the strongest sandbox of this machine.

    Args:
        weakest: the weakest tier that is accepted.
        only: this tier and no other, if given.
        packages: names of what submissions may import besides the standard library.

    Raises:
        CallerFault: the machine does not offer it; the message says what is missing and how to get it.
        CourseFault: one of the packages is not there.
    """
    found = find_packages(packages)
    refused = []
    for tier in TIERS if only is None else (only,):
        if TIERS.index(tier) > TIERS.index(weakest):
            break
        offer = _try(tier, found)
        if offer.sandbox is not None:
            return offer.sandbox
        refused.append(f"{tier}: {offer.reason}; {ADVICE[tier]}")
    if only is not None and not refused:
        raise CallerFault(
            f"tier {only} is weaker than is accepted here ({weakest})",
            where="isolation.weakest_tier",
            advice="take another, or for submissions that you trust `--allow-unsafe`",
        )
    raise CallerFault(
        f"this machine offers no tier as strong as {weakest}: " + " / ".join(refused),
        where="isolation",
        advice="or, for submissions that you trust, `--allow-unsafe`",
    )


def _try(tier: TierName, packages: Sequence[PackagePath]) -> TierOffer:
    makers: dict[TierName, Callable[[Sequence[PackagePath]], list[Sandbox]]] = {
        "namespaces": namespaces_tier.list_namespaces_sandboxes,
        "restricted": restricted_tier.list_restricted_sandboxes,
        "process": _plain,
    }
    if tier != "process" and not (
        sys.platform == "linux" and seccomp_filter.is_supported_machine(os.uname().machine)
    ):
        return TierOffer(tier, None, f"not on {sys.platform} {os.uname().machine}")
    reason = "bubblewrap is not installed" if tier == "namespaces" else "not on this system"
    for sandbox in makers[tier](packages):
        reason = _tried(sandbox)
        if not reason:
            return TierOffer(tier, sandbox, "")
        if granted().base and not _tried(without := replace(sandbox, grouped=False)):
            return TierOffer(tier, without, "", ungrouped=reason)
    return TierOffer(tier, None, reason)


def _plain(packages: Sequence[PackagePath]) -> list[Sandbox]:
    places = tuple((package.name, package.path) for package in packages if package.name)
    return [Sandbox("process", find_interpreter().executable, packages=places)]


def _tried(sandbox: Sandbox) -> str:
    """Return why a sandbox cannot be used; empty if a locked process can import, write to its folder and answer."""
    code = compile(TRIAL.format(names=[name for name, _ in sandbox.packages]), "<trial>", "exec")
    try:
        child = sandbox.start_process(Limits())
    except KitFault as fault:
        return fault.what
    try:
        child.wait_until_locked(marshal.dumps([("trial", code)]))
        answer = child.channel.wait_for_frame(TRIAL_SECONDS)
        return "" if answer == b"ok" else "the process does not answer"
    except KitFault as fault:
        return fault.what
    except ChannelClosed:
        return f"the standard library or a package cannot be used in it: {child.read_printed_output()}"
    finally:
        child.kill()
