"""Make the autograder zip: scripts, the kit and what it needs as wheels, and as much of a course as grading needs.

Format: https://gradescope-autograders.readthedocs.io/en/latest/specs/.
"""

from __future__ import annotations

import ast
import base64
import hashlib
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from email import message_from_bytes
from importlib.metadata import Distribution, PackageNotFoundError, distribution, packages_distributions
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

import autograder
from autograder.course import Assignment, load_course
from autograder.course.course_loading import COURSE_FILE_NAME, FRESH_LOOK_FILE
from autograder.course.misconceptions import list_misconception_files
from autograder.course.yaml_documents import read_yaml_document
from autograder.diagnosis.definition import list_diagnosis_module_files
from autograder.diagnosis.naming import hash_observation_inputs
from autograder.faults import CallerFault, CourseWarning, KitFault
from autograder.files import list_files_without_tool_caches, temporary_folder
from autograder.kit_version import COURSE_PREFIX
from autograder.platforms.common.export_files import make_zip
from autograder.text import escape_for_display

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
    for requirement, hashes in _iterate_locked(lock_text):
        if requirement.marker is None or requirement.marker.evaluate(dict(marker_environment)):
            yield " ".join(
                [f"{requirement.name}{requirement.specifier}", *(f"--hash={one.strip()}" for one in hashes)]
            )


def _iterate_locked(lock_text: str) -> Iterator[tuple[Requirement, list[str]]]:
    """Yield the requirements in a lock file, with their hashes."""
    for line in lock_text.replace("\\\n", " ").splitlines():
        if line.strip() and not line.startswith("#"):
            requirement_text, *hashes = line.split("--hash=")
            yield Requirement(requirement_text), hashes


def list_course_requirements(assignment: Assignment) -> list[str]:
    """Return the packages to install besides the kit, by their names for pip; students' code cannot import them.

    Those that submissions may import too (``isolation.packages``) are left out.
    """
    locked = {requirement.name for requirement, _ in _iterate_locked(LOCK_FILE.read_text(encoding="utf-8"))}
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
GLIBC_MINOR_VERSIONS = (5, 12, 17, 24, 27, 28, 31, 34, 35)
"""Of the manylinux tags that run on Ubuntu 22.04."""
MACHINE = {
    "os_name": "posix", "sys_platform": "linux", "platform_system": "Linux", "platform_machine": "x86_64",
    "implementation_name": "cpython", "platform_python_implementation": "CPython", "extra": "",
}  # fmt: skip
"""Gradescope's, for the conditions of requirements."""


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


def _download_dependency_wheels(
    kit_wheel: tuple[str, bytes], packages: Iterable[str], python_version: str
) -> Mapping[str, bytes]:
    """Fetch wheels of everything that the kit and some packages need on the platform's machine, by file name.

    Args:
        kit_wheel: the name and content of the kit's own wheel, which is not returned.
        packages: what submissions may import, by the names that pip knows.
        python_version: the version of Python on that machine, such as ``3.11``.

    Raises:
        CallerFault: pip is missing, or cannot get everything as wheels.
        KitFault: a registry gives something else for a version than what was locked.
    """
    if find_spec("pip") is None:
        raise CallerFault("pip is not installed here", "--wheels", "install it, or leave out --wheels")
    with temporary_folder("wheels") as folder:
        wheel_folder = folder / "wanted"
        wheel_folder.mkdir()
        (wheel_folder / kit_wheel[0]).write_bytes(kit_wheel[1])
        version_options = _download_locked_versions(wheel_folder, python_version)
        if packages := [*packages]:
            _run_pip_download([*version_options, *packages], wheel_folder, python_version)
        while missing := list_missing_requirements(wheel_folder, python_version):
            _run_pip_download([*version_options, *missing], wheel_folder, python_version)
        return {
            path.name: path.read_bytes() for path in sorted(wheel_folder.glob("*.whl")) if path.name != kit_wheel[0]
        }


def list_missing_requirements(wheel_folder: Path, python_version: str) -> list[str]:
    """Return the requirements of a folder's wheels on the platform's machine that it lacks, without conditions.

    pip evaluates the conditions for the interpreter that it runs in, and not for the one that it downloads for.
    """
    present_names = {parse_wheel_filename(path.name)[0] for path in wheel_folder.glob("*.whl")}
    environment = _make_target_environment(python_version)
    missing = set()
    for requirement in (
        requirement for path in wheel_folder.glob("*.whl") for requirement in _read_requirements(path)
    ):
        is_needed = requirement.marker is None or requirement.marker.evaluate(environment)
        if is_needed and canonicalize_name(requirement.name) not in present_names:
            requirement.marker = None  # pip would leave it out once more
            missing.add(str(requirement))
    return sorted(missing)


def _read_requirements(wheel: Path) -> Iterable[Requirement]:
    with zipfile.ZipFile(wheel) as archive:
        name = next(member for member in archive.namelist() if member.endswith(".dist-info/METADATA"))
        requirement_texts = message_from_bytes(archive.read(name)).get_all("Requires-Dist", [])
    return map(Requirement, requirement_texts)


def _make_target_environment(python_version: str) -> dict[str, str]:
    return {**MACHINE, "python_version": python_version, "python_full_version": f"{python_version}.0"}


def _download_locked_versions(folder: Path, python_version: str) -> list[str]:
    """Download the versions that the lock file names, checked by their hashes; warn if pip cannot get them.

    Returns:
        The options that tell pip to take the same versions from then on.
    """
    lines = [
        *iterate_requirements_for_machine(
            LOCK_FILE.read_text(encoding="utf-8"), _make_target_environment(python_version)
        )
    ]
    lock_path, constraints_path = folder.parent / "locked", folder.parent / "versions"
    lock_path.write_text("\n".join(lines), encoding="utf-8")
    constraints_path.write_text("\n".join(line.partition(" ")[0] for line in lines), encoding="utf-8")
    try:
        _run_pip_download(["--no-deps", "--require-hashes", "--requirement", str(lock_path)], folder, python_version)
    except CallerFault as fault:
        problem = f"the zip gets other versions than {LOCK_FILE.name} names, within the kit's ranges"
        warnings.warn(f"{problem}: {fault.what}", CourseWarning, stacklevel=2)
        return []
    return ["--constraint", str(constraints_path)]


def _run_pip_download(arguments: Iterable[str], folder: Path, python_version: str) -> None:
    platforms = [word for minor in GLIBC_MINOR_VERSIONS for word in ("--platform", f"manylinux_2_{minor}_x86_64")]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--only-binary=:all:", "--implementation", "cp", "--python-version", python_version, *platforms]
    command += ["--platform", "manylinux2014_x86_64", "--platform", "manylinux1_x86_64", "--dest", str(folder)]
    process = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)
    if "DO NOT MATCH THE HASHES" in process.stderr:
        raise KitFault(f"a package does not match its hash in {LOCK_FILE.name}", "--wheels", "try another network")
    if process.returncode:
        last_line = escape_for_display((process.stderr.strip() or "pip failed").splitlines()[-1], 300)
        raise CallerFault(
            f"pip cannot download the wheels: {last_line}", "--wheels", "leave out --wheels, or try another --python"
        )


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
    wheels = _download_dependency_wheels(kit_wheel, packages, python_version) if include_wheels else {}
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
