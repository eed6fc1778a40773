"""Make the autograder zip: scripts, the kit as a wheel, and as much of a course as grading needs.

Format: https://gradescope-autograders.readthedocs.io/en/latest/specs/.
"""

from __future__ import annotations

import ast
import base64
import hashlib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution, packages_distributions
from pathlib import Path
from typing import Any

import yaml
from packaging.utils import canonicalize_name

import autograder
from autograder.course import Assignment, load_course
from autograder.course.course_loading import COURSE_FILE_NAME, FRESH_LOOK_FILE
from autograder.course.misconceptions import list_misconception_files
from autograder.course.yaml_documents import read_yaml_document
from autograder.diagnosis.definition import list_diagnosis_module_files
from autograder.diagnosis.naming import hash_observation_inputs
from autograder.faults import CallerFault, KitFault
from autograder.files import list_files_without_tool_caches, temporary_folder
from autograder.kit_version import COURSE_PREFIX
from autograder.platforms.common.export_files import make_zip

LOCK_FILE = Path(__file__).parent / "image" / "requirements.lock"
"""In pip's format; ``make lock`` writes it."""


def list_course_requirements(assignment: Assignment) -> list[str]:
    """Return the packages to install besides the kit, by their names for pip; students' code cannot import them.

    Those that submissions may import too (``isolation.packages``) are left out.
    """
    locked = re.findall(r"^([\w.-]+)==", LOCK_FILE.read_text(encoding="utf-8"), re.M)
    installed = {canonicalize_name(name) for name in (*locked, *assignment.packages)}
    distributions = packages_distributions()
    names = {*_iterate_imported_modules(assignment)} - sys.stdlib_module_names - {"autograder"}
    possible = [[canonicalize_name(one) for one in distributions.get(name, ())] for name in names]
    return sorted({found[0] for found in possible if found and installed.isdisjoint(found)})


def _iterate_imported_modules(assignment: Assignment) -> Iterator[str]:
    """Yield the first part of each module that is imported; files that are not Python have been refused before."""
    hidden = assignment.hidden_suite_folder
    own = {path.stem for path in hidden.rglob("*.py")} | {path.name for path in hidden.iterdir() if path.is_dir()}
    for path in (*sorted(hidden.rglob("*.py")), *list_diagnosis_module_files(assignment)):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            else:
                continue
            yield from (name.partition(".")[0] for name in names if name.partition(".")[0] not in own)


NAME = "autograd-exercise-kit"
WHEEL = b"Wheel-Version: 1.0\nGenerator: autograder gradescope-zip\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def make_kit_wheel_name_and_content() -> tuple[str, bytes]:
    """Make a wheel of the kit as it runs here, installed or editable; return its file name and content.

    This works offline, and gives the same wheel each time.

    Raises:
        KitFault: the kit runs without being installed.
    """
    try:
        kit = distribution(NAME)
    except PackageNotFoundError as error:
        raise KitFault(
            f"{NAME} is not installed", advice="install it with pip, then run the command again"
        ) from error
    stem = f"{NAME.replace('-', '_')}-{kit.version}"
    info_folder = f"{stem}.dist-info"
    files = dict(_iterate_package_files())
    files[f"{info_folder}/METADATA"] = _read_metadata(kit, "METADATA", "PKG-INFO")
    files[f"{info_folder}/entry_points.txt"] = _read_metadata(kit, "entry_points.txt")
    files[f"{info_folder}/WHEEL"] = WHEEL
    files[f"{info_folder}/RECORD"] = _format_wheel_record(files, f"{info_folder}/RECORD")
    return f"{stem}-py3-none-any.whl", make_zip(files)


def _iterate_package_files() -> Iterable[tuple[str, bytes]]:
    """Yield the package's files, without the course for ``autograder init``: the zip has a course already."""
    root = Path(autograder.__file__).parent
    for path in list_files_without_tool_caches(root):
        name = path.relative_to(root).as_posix()
        if not name.startswith(COURSE_PREFIX):
            yield f"autograder/{name}", path.read_bytes()


def _read_metadata(kit: Distribution, *names: str) -> bytes:
    for name in names:
        text = kit.read_text(name)
        if text:
            return text.encode()
    raise KitFault(f"{NAME} is installed without {names[0]}", advice="install it again")


def _format_wheel_record(files: Mapping[str, bytes], record_path: str) -> bytes:
    lines = [
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()},"
        f"{len(content)}"
        for name, content in files.items()
    ]
    return "\n".join([*lines, f"{record_path},,", ""]).encode()


IMAGE = Path(__file__).parent / "image"
PROGRAMS = ("setup.sh", "run_autograder")
PYTHONS = ("3.14", "3.13", "3.12", "3.11")
"""Newest first; the first one that is present or can be installed is used."""


def make_autograder_zip(assignment: Assignment, *, bonus_rule: str = "capped") -> bytes:
    """Make the zip to upload under "Configure Autograder".

    Args:
        assignment: its hidden suite, solution and misconceptions go into the zip; no other assignment's do.
        bonus_rule: what the bonus adds to the score, one of ``export_points.BONUS_RULES``.

    Raises:
        CallerFault: the course requires more isolation than the platform has.
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
    files = {name: (IMAGE / name).read_bytes().replace(b"\r\n", b"\n") for name in PROGRAMS}
    files[LOCK_FILE.name] = LOCK_FILE.read_bytes()
    # every value is a word of the kit's own or the name of a package
    settings = {"pythons": " ".join(PYTHONS), "packages": " ".join(packages), "bonus": bonus_rule}
    files["settings.sh"] = "".join(f'{name}="{value}"\n' for name, value in settings.items()).encode()
    files[f"kit/{kit_wheel[0]}"] = kit_wheel[1]
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
