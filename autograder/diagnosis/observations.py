"""Keep in a file what the parts of each misconception look like in several styles, computed by running it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from autograder.course import Assignment
from autograder.course.misconceptions import catalogue_files
from autograder.faults import CourseFault

Observed = dict[str, str]
"""The wrong parts of a misconception by the style that it is written in: ``add local 1f2e3d4c5b6a, ...``."""
PROBES = Path(__file__).parent / "probes"


class _File(msgspec.Struct, frozen=True):
    state: str
    misconceptions: dict[str, Observed]


def path_of(assignment: Assignment) -> Path:
    """Return the path of an assignment's observations."""
    return assignment.solution.parent / "observations.json"


def state_of(assignment: Assignment) -> str:
    """Hash all that names depend on: conventions, experiments, the solution, misconceptions, styles, texts."""
    digest = hashlib.sha256(msgspec.json.encode(assignment.conventions))
    folder = assignment.solution.parent
    data = (*catalogue_files(assignment), folder / "styles.yml", folder / "general.yml")
    for path in (*sorted(PROBES.glob("*.py")), assignment.solution, *data):
        try:
            content = path.read_bytes() if path.is_file() else b""
        except OSError as error:
            raise CourseFault(f"cannot be read: {error.strerror}", where=str(path)) from error
        digest.update(f"\0{path.name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def read_observations(assignment: Assignment) -> dict[str, Observed] | None:
    """Return what was observed of each misconception; None when nothing is kept, or when it is out of date.

    Raises:
        CourseFault: the file cannot be read.
    """
    kept = _read(assignment)
    return kept.misconceptions if kept and kept.state == state_of(assignment) else None


def state_in_use(assignment: Assignment) -> str:
    """Return the state that submissions are compared with now; empty when there is none that can be used."""
    try:
        kept = _read(assignment)
        return kept.state if kept and kept.state == state_of(assignment) else ""
    except CourseFault:
        return ""


def _read(assignment: Assignment) -> _File | None:
    path = path_of(assignment)
    try:
        return msgspec.json.decode(path.read_bytes(), type=_File)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CourseFault(f"cannot be read: {error.strerror}", where=str(path)) from error
    except msgspec.MsgspecError as error:
        advice = "make it anew: autograder check --update"
        raise CourseFault(f"is not what the kit wrote: {error}", where=str(path), advice=advice) from error


def observations_text(assignment: Assignment, observed: Mapping[str, Observed]) -> bytes:
    """Return the content of the file of observations."""
    ordered = {name: dict(sorted(tests.items())) for name, tests in sorted(observed.items())}
    kept = _File(state_of(assignment), ordered)
    return msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n"
