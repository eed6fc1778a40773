"""Ask for known vulnerabilities of what a lock file names; exit code 1 if there is one.

usage: python .ci/audit.py LOCK..., where pip-audit is installed. A database that cannot be reached, or knows none
of the packages (as a mirror of PyPI may), is told, and no failure.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any


def audited(lock: str) -> list[dict[str, Any]] | str:
    """Return what pip-audit says of each package of a lock file, or why it says nothing."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        command = [
            sys.executable,
            "-m",
            "pip_audit",
            "--disable-pip",
            "--require-hashes",
            "--progress-spinner",
            "off",
        ]
        done = subprocess.run(
            [*command, "--format", "json", "--output", str(answer), "--requirement", lock],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if not answer.exists():
            return (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1]
        packages: list[dict[str, Any]] = json.loads(answer.read_text(encoding="utf-8"))["dependencies"]
        return packages


def told(lock: str, packages: list[dict[str, Any]] | str) -> bool:
    """Print what was found, and return whether nothing was."""
    if isinstance(packages, str):
        print(f"{lock}: skipped, since the database of vulnerabilities cannot be reached: {packages[:300]}")
        return True
    known = [one for one in packages if "skip_reason" not in one]
    if not known:
        print(f"{lock}: skipped, since the database reached from here knows none of the {len(packages)} packages")
        return True
    found = [(one, flaw) for one in known for flaw in one["vulns"]]
    for one, flaw in found:
        fixed = ", ".join(flaw["fix_versions"]) or "no version yet"
        print(f"{lock}: {one['name']} {one['version']} has {flaw['id']} (fixed in {fixed}): run `make lock`")
    print(f"{lock}: {len(known)} of {len(packages)} packages looked up, {len(found)} known vulnerabilities")
    return not found


if __name__ == "__main__":
    holds = [told(lock, audited(lock)) for lock in sys.argv[1:]]
    sys.exit(not all(holds))
