"""Run by an installed kit's interpreter: what a submission finds of the kit's own course, in each tier.

usage: python spying.py PROGRAM; prints JSON, by tier: what ``attack()`` found, or why the machine does not offer the
tier. ``outside`` is the same program without a sandbox.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from autograder.bridge import Bridge, Program, Student
from autograder.bridge.supply import Supply
from autograder.course import Limits
from autograder.sandbox import Sandbox, probe

PACKAGES = ("beside",)
"""What the course lets submissions import; it lies where the kit lies."""


def found_in(sandbox: Sandbox, source: str) -> list[str]:
    """What ``attack()`` finds in a sandbox."""
    supply = Supply(sandbox, Limits())
    bridge = Bridge(Program((("value.py", source),), ()), supply, Limits())
    try:
        notes = bridge.load().notes
        assert notes == (), notes
        bridge.begin_test()
        return list(Student(bridge).get("attack")())
    finally:
        bridge.discard()
        supply.close()


def main() -> None:
    """Print what is found where."""
    source = Path(sys.argv[1]).read_text(encoding="utf-8")
    names: dict[str, object] = {}
    exec(source, names)
    outside = names["attack"]
    assert callable(outside)
    found: dict[str, list[str]] = {"outside": outside()}
    missing: dict[str, str] = {}
    for offer in probe(PACKAGES):
        if offer.sandbox is None:
            missing[offer.tier] = offer.reason
        else:
            found[offer.tier] = found_in(offer.sandbox, source)
    print(json.dumps({"found": found, "missing": missing}))


if __name__ == "__main__":
    main()
