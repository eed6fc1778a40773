"""Run by an installed kit's interpreter: what a submission finds of the kit's own course, in each tier.

usage: python spying.py PROGRAM; prints JSON: what ``attack()`` found, by tier and by each way to build it that works
here. ``outside`` is the same program without a sandbox.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from pathlib import Path

from autograder.bridge import Bridge, StudentProxy, SubmissionProgram
from autograder.bridge.prestarted_processes import ProcessPool
from autograder.course import Limits
from autograder.faults import KitFault
from autograder.sandbox import SandboxConfig, probe_tiers, tiers
from autograder.sandbox.installed_files import locate_packages_with_requirements

PACKAGES = ("beside",)
"""What the course lets submissions import; it lies where the kit lies."""


def found_in(sandbox: SandboxConfig, source: str) -> list[str]:
    """What ``attack()`` finds in a sandbox."""
    processes = ProcessPool(sandbox, Limits())
    bridge = Bridge(SubmissionProgram((("value.py", source),), ()), processes, Limits())
    try:
        notes = bridge.load_without_fatal_code().problems
        assert notes == (), notes
        bridge.begin_test()
        return list(StudentProxy(bridge).get("attack")())
    finally:
        bridge.end_process()
        processes.end_unused_process()


def ways_to_build() -> list[tuple[str, list[SandboxConfig]]]:
    """Each tier with all its ways, those too that another one is preferred to."""
    packages = locate_packages_with_requirements(PACKAGES)
    plain = [offer.sandbox for offer in probe_tiers(PACKAGES) if offer.tier == "process" and offer.sandbox]
    return [
        ("namespaces", tiers.list_namespaces_sandbox_configs(packages)),
        ("restricted", tiers.list_restricted_sandboxes(packages)),
        ("process", plain),
    ]


def main() -> None:
    """Print what is found where."""
    source = Path(sys.argv[1]).read_text(encoding="utf-8")
    names: dict[str, object] = {}
    exec(source, names)
    outside = names["attack"]
    assert callable(outside)
    found: dict[str, list[list[str]]] = {"outside": [outside()]}
    for tier, ways in ways_to_build():
        for sandbox in ways:
            with suppress(KitFault):  # this way does not work here
                found.setdefault(tier, []).append(found_in(sandbox, source))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
