"""Make a wheel of the kit from what is installed, and fetch the wheels of what it needs."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Iterable, Mapping
from email import message_from_bytes
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

import autograder
from autograder.faults import CallerFault, CourseWarning, KitFault
from autograder.files_without_tool_caches import list_files_without_tool_caches
from autograder.kit_version import COURSE_PREFIX
from autograder.platforms.common.zip_packing import make_zip
from autograder.platforms.gradescope.requirements_lock import LOCK_FILE, iterate_requirements_for_machine
from autograder.safe_text import escape_for_display
from autograder.temporary_folders import temporary_folder

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


def download_dependency_wheels(
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
