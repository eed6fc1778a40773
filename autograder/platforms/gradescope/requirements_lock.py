"""Read the lock file of what grading needs: names, versions and hashes, for every Python and system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from packaging.requirements import Requirement

LOCK_FILE = Path(__file__).parent / "image" / "requirements.lock"
"""In pip's format; ``make lock`` writes it."""


def iterate_requirements_for_machine(lock_text: str, marker_environment: Mapping[str, str]) -> Iterator[str]:
    r"""Yield the lines of a lock file that hold on a machine, without their conditions.

    pip evaluates the conditions for the interpreter that it runs in, and not for the one that it downloads for.

    Args:
        lock_text: the file's text.
        marker_environment: the machine's variables of PEP 508, such as ``python_version``.

    >>> lock = "click==8.1.7 ; python_version < '3.12' \\\n    --hash=sha256:ab\nmsgspec==0.19 --hash=sha256:cd\n"
    >>> [*iterate_requirements_for_machine(lock, {"python_version": "3.13"})]
    ['msgspec==0.19 --hash=sha256:cd']
    """
    for line in lock_text.replace("\\\n", " ").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        requirement_text, *hashes = line.split("--hash=")
        requirement = Requirement(requirement_text)
        if requirement.marker is None or requirement.marker.evaluate(dict(marker_environment)):
            yield " ".join(
                [f"{requirement.name}{requirement.specifier}", *(f"--hash={hash_.strip()}" for hash_ in hashes)]
            )
