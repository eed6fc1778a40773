"""Keep the observations of each misconception in a generated file: its wrong parts in several styles."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from autograder.course import Assignment
from autograder.course.misconceptions import list_misconception_files, load_misconception_catalogue
from autograder.course.solution_styles import load_solution_styles
from autograder.diagnosis.diagnosis_module_loading import list_diagnosis_module_files
from autograder.faults import CourseFault, make_file_fault, translate_file_errors

Observed = dict[str, str]
"""The wrong parts of a misconception with their digests, ``add local 1f2e3d4c5b6a, ...``, by the style's id."""


DIAGNOSIS_FOLDER = Path(__file__).parents[1]
MOST_LEARNED = 100
"""How many misconceptions a grader observes by itself if the file is out of date, at about 0.1 s each."""


class _ObservationsFile(msgspec.Struct, frozen=True):
    state: str
    misconceptions: dict[str, Observed]


def get_observations_file_path(assignment: Assignment) -> Path:
    """Return the path of an assignment's file of observations."""
    return assignment.solution_file.parent / "observations.json"


def hash_observation_inputs(assignment: Assignment) -> str:
    """Hash everything that names depend on: conventions, experiments, solution, misconceptions, styles and texts."""
    digest = hashlib.sha256(msgspec.json.encode(assignment.conventions))
    folder = assignment.solution_file.parent
    data = (*list_misconception_files(assignment), folder / "styles.yml", folder / "general.yml")
    for path in (*_list_experiment_files(assignment), assignment.solution_file, *data):
        with translate_file_errors(path, fault_class=CourseFault):
            content = path.read_bytes() if path.is_file() else b""
        digest.update(f"\0{path.name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def _list_experiment_files(assignment: Assignment) -> list[Path]:
    """Return the files that decide what experiments log: the assignment's, and those of the kit that it uses."""
    own = list_diagnosis_module_files(assignment)
    try:
        listed = any(b"make_call_diagnosis" in path.read_bytes() for path in own)
    except OSError:
        listed = False  # hash_observation_inputs reads these files too, and reports the error
    calls = sorted((DIAGNOSIS_FOLDER / "call_programs").glob("*.py")) if listed else []
    return [DIAGNOSIS_FOLDER / "part_experiment_log.py", DIAGNOSIS_FOLDER / "general.yml", *calls, *own]


def read_observations_if_current(assignment: Assignment) -> dict[str, Observed] | None:
    """Return the stored observations of each misconception; None if there are none, or if they are out of date.

    Raises:
        CourseFault: the file cannot be read.
    """
    kept = _read(assignment)
    return kept.misconceptions if kept and kept.state == hash_observation_inputs(assignment) else None


def get_usable_observations_hash(assignment: Assignment) -> str:
    """Return the current hash of what observations depend on; empty if there are no usable observations.

    Observations are usable if the stored ones have this hash, or if a grader may learn them while grading.
    """
    try:
        kept, current = _read(assignment), hash_observation_inputs(assignment)
        return current if (kept and kept.state == current) or can_learn_observations_on_demand(assignment) else ""
    except CourseFault:
        return ""


def can_learn_observations_on_demand(assignment: Assignment) -> bool:
    """Return whether a grader may observe the misconceptions by itself if the file is out of date.

    It may if that takes only seconds: there are few misconceptions, and one style.

    Raises:
        CourseFault: the misconceptions cannot be used.
    """
    if not list_diagnosis_module_files(assignment) or any(style.edits for style in load_solution_styles(assignment)):
        return False
    return len(load_misconception_catalogue(assignment).misconceptions) <= MOST_LEARNED


def _read(assignment: Assignment) -> _ObservationsFile | None:
    path = get_observations_file_path(assignment)
    try:
        return msgspec.json.decode(path.read_bytes(), type=_ObservationsFile)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise make_file_fault(error, path, fault_class=CourseFault) from error
    except msgspec.MsgspecError as error:
        advice = f"make it anew with `autograder check {assignment.name} --update`"
        raise CourseFault(f"the observations are malformed: {error}", where=str(path), advice=advice) from error


def encode_observations_file(assignment: Assignment, observed_misconceptions: Mapping[str, Observed]) -> bytes:
    """Return the content of the file of observations."""
    ordered = {name: dict(sorted(tests.items())) for name, tests in sorted(observed_misconceptions.items())}
    kept = _ObservationsFile(hash_observation_inputs(assignment), ordered)
    return msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n"
