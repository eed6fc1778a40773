"""Make the autograder zip: scripts, the kit as a wheel, and as much of a course as grading one assignment needs.

Format: https://gradescope-autograders.readthedocs.io/en/latest/specs/.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from autograder.course import Assignment, load_course
from autograder.course.assignment_version import FRESH_LOOK_FILE
from autograder.course.course_loading import COURSE_FILE_NAME
from autograder.course.misconceptions import list_misconception_files
from autograder.course.yaml_documents import read_yaml_document
from autograder.diagnosis.diagnosis_module_loading import list_diagnosis_module_files
from autograder.diagnosis.naming.misconception_observations_file import hash_observation_inputs
from autograder.faults import CallerFault, KitFault
from autograder.files_without_tool_caches import list_files_without_tool_caches
from autograder.platforms.common.zip_packing import make_zip
from autograder.platforms.gradescope.course_requirements import list_course_requirements
from autograder.platforms.gradescope.requirements_lock import LOCK_FILE
from autograder.platforms.gradescope.wheels import download_dependency_wheels, make_kit_wheel_name_and_content
from autograder.temporary_folders import temporary_folder

IMAGE = Path(__file__).parent / "image"
PROGRAMS = ("setup.sh", "run_autograder")
PYTHONS = ("3.14", "3.13", "3.12", "3.11")
"""Newest first; the first one that is present or can be installed is used."""


def make_autograder_zip(
    assignment: Assignment, *, bonus_rule: str = "capped", include_wheels: bool = False, python_version: str = "3.11"
) -> bytes:
    """Make the zip to upload under "Configure Autograder".

    Args:
        assignment: its hidden suite, solution and misconceptions go into the zip; no other assignment's do.
        bonus_rule: what the bonus adds to the score, one of ``export_points.BONUS_RULES``.
        include_wheels: whether everything that the kit needs goes into the zip, so that the image is built offline.
        python_version: the version of Python that the wheels are for.

    Raises:
        CallerFault: the course requires more isolation than the platform has, or pip cannot get a wheel.
        KitFault: the kit is not installed, or the packed course differs from the course here.
    """
    if assignment.weakest_tier == "namespaces":
        raise CallerFault(
            "the course requires tier namespaces, but Gradescope's containers offer only restricted",
            where=f"{assignment.course_folder / COURSE_FILE_NAME}: isolation.weakest_tier",
            advice='allow restricted, or grade the export at home: "autograder batch --from gradescope"',
        )
    kit_wheel = make_kit_wheel_name_and_content()
    packages = (*assignment.packages, *list_course_requirements(assignment))
    wheels = download_dependency_wheels(kit_wheel, packages, python_version) if include_wheels else {}
    files = {name: (IMAGE / name).read_bytes().replace(b"\r\n", b"\n") for name in PROGRAMS}
    files[LOCK_FILE.name] = LOCK_FILE.read_bytes()
    files["settings.sh"] = _format_script_settings(
        packages, bonus_rule, (python_version,) if include_wheels else PYTHONS, offline=include_wheels
    )
    files[f"kit/{kit_wheel[0]}"] = kit_wheel[1]
    files |= {f"wheels/{name}": content for name, content in wheels.items()}
    files |= {f"course/{name}": content for name, content in _make_course_files_of_one_assignment(assignment).items()}
    return make_zip(files, frozenset(PROGRAMS))


def _make_course_files_of_one_assignment(assignment: Assignment) -> Mapping[str, bytes]:
    """Return the files of a course with this assignment alone, by path: only those that grading needs.

    Raises:
        KitFault: the packed course would grade differently from the course here.
    """
    root = assignment.course_folder
    paths = [
        *list_files_without_tool_caches(assignment.hidden_suite_folder),
        assignment.solution_file,
        assignment.folder / FRESH_LOOK_FILE,
        *list_diagnosis_module_files(assignment),
        *list_misconception_files(assignment),
        *(assignment.solution_file.parent / name for name in ("observations.json", "styles.yml")),
        *(assignment.template_folder / f"value{suffix}" for suffix in (".py", ".ipynb")),
    ]
    files = {COURSE_FILE_NAME: _make_course_file(assignment)}
    files |= {path.relative_to(root).as_posix(): path.read_bytes() for path in paths if path.is_file()}
    with temporary_folder("course") as folder:
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        (packed_assignment,) = load_course(folder).assignments
        is_same_observation_input = hash_observation_inputs(packed_assignment) == hash_observation_inputs(assignment)
    if (packed_assignment.version, packed_assignment.deadline_rules) != (
        assignment.version,
        assignment.deadline_rules,
    ) or not is_same_observation_input:
        raise KitFault("the packed course would grade differently from the course here", where=assignment.name)
    return files


def _make_course_file(assignment: Assignment) -> bytes:
    """Return the course's ``grading.yml`` without other assignments, and without its cluster."""
    data: dict[str, Any] = dict(read_yaml_document(assignment.course_folder / COURSE_FILE_NAME).data)
    data.pop("cluster", None)
    data["assignments"] = {assignment.name: data["assignments"][assignment.name]}
    return yaml.safe_dump(data, allow_unicode=True, sort_keys=False).encode()


def _format_script_settings(
    packages: Iterable[str], bonus_rule: str, pythons: tuple[str, ...], *, offline: bool
) -> bytes:
    """Return the settings for the scripts; every value is a word of the kit's own or the name of a package."""
    return (
        f'pythons="{" ".join(pythons)}"\noffline={"yes" if offline else "no"}\n'
        f'packages="{" ".join(packages)}"\nbonus={bonus_rule}\n'
    ).encode()
