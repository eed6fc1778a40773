"""Find the interpreter and the packages that students' code may read, and copy them into a folder of their own."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import stat
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.machinery import all_suffixes
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from autograder.faults import CourseFault
from autograder.files import make_scratch_folder

LOADER_PATHS = (
    "/lib64/ld-linux-x86-64.so.2",
    "/lib/ld-linux-aarch64.so.1",
    "/lib/ld-musl-x86_64.so.1",
    "/lib/ld-musl-aarch64.so.1",
)
PACKAGE_FOLDERS = frozenset({"site-packages", "dist-packages"})
"""Folders of installed packages, which students' code gets no access to, except packages that the course allows."""


@dataclass(frozen=True, slots=True)
class CurrentInterpreterFiles:
    """The kit's own interpreter, without its packages."""

    executable: str
    stdlib: str
    loaders: tuple[str, ...]
    shared_libraries: tuple[str, ...]
    """Shared libraries outside the system's library folder, such as a libpython built by hand."""
    system_libraries: str
    """The folder that holds the C library."""
    is_reachable_by_any_user: bool
    """Whether another user can reach it."""


@functools.cache
def find_current_interpreter_files() -> CurrentInterpreterFiles:
    """Return the files of this process's interpreter that a sandbox must make available."""
    import ctypes  # noqa: F401  (so that libffi is among the mapped libraries)

    executable = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
    stdlib = os.path.realpath(sysconfig.get_path("stdlib"))
    mapped = _list_mapped_libraries()
    libc = next((path for path in mapped if Path(path).name.startswith(("libc.so", "libc-", "ld-musl"))), "")
    system = os.path.dirname(libc)
    return CurrentInterpreterFiles(
        executable=executable,
        stdlib=stdlib,
        loaders=tuple(path for path in LOADER_PATHS if os.path.exists(path)),
        shared_libraries=tuple(
            path
            for path in mapped
            if not path.startswith((f"{system}/", f"{stdlib}/")) and not PACKAGE_FOLDERS & {*Path(path).parts}
        ),
        system_libraries=system,
        is_reachable_by_any_user=is_reachable_by_any_user(executable) and is_reachable_by_any_user(stdlib),
    )


def _list_mapped_libraries() -> list[str]:
    try:
        lines = Path("/proc/self/maps").read_text().splitlines()
    except OSError:
        return []
    paths = {line.split(maxsplit=5)[5] for line in lines if line.count(" ") >= 5 and ".so" in line}
    real_paths = (os.path.realpath(path) for path in paths if path.startswith("/") and os.path.exists(path))
    return sorted(real_paths)


def is_reachable_by_any_user(path: str) -> bool:
    """Return whether every user may traverse all folders on the way to ``path``, and enter or execute it."""
    return all(os.stat(folder).st_mode & stat.S_IXOTH for folder in (path, *map(str, Path(path).parents)))


OWN_NAMES = frozenset({"autograder", "autograd-exercise-kit"})
"""The kit's package, and the distribution that holds it."""


@dataclass(frozen=True, slots=True)
class PackagePath:
    """One file or folder of an installed package."""

    path: str
    """Where it lies."""
    import_name: str
    """The name to import it by; empty for files that are only needed by others, such as a folder of libraries."""


def locate_packages_with_requirements(package_names: Iterable[str]) -> tuple[PackagePath, ...]:
    """Return the files and folders of these packages and of what they require.

    Args:
        package_names: the packages' names, as pip knows them.

    Raises:
        CourseFault: a package is not installed in the kit's environment, is in editable mode, or is the kit's own.
    """
    package_by_path: dict[str, PackagePath] = {}
    seen_names: set[str] = set()
    queue = list(package_names)
    while queue:
        name = queue.pop()
        if name.lower() in seen_names:
            continue
        seen_names.add(name.lower())
        if name.lower().replace("_", "-") in OWN_NAMES:
            raise CourseFault(
                f"package {name} is the kit itself, which no submission may import",
                where="isolation.packages in grading.yml",
                advice="take it out",
            )
        try:
            package_distribution = distribution(name)
        except (PackageNotFoundError, ValueError):
            raise CourseFault(
                f"package {name} is not installed beside the kit",
                where="isolation.packages in grading.yml",
                advice=f"install it with the Python that runs the kit: python -m pip install {name}",
            ) from None
        package_by_path |= {package.path: package for package in _list_package_paths(name, package_distribution)}
        from packaging.requirements import Requirement  # slow, and most courses let nothing else be imported

        requirements = [Requirement(text) for text in package_distribution.requires or ()]
        queue += [
            requirement.name
            for requirement in requirements
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        ]
    return tuple(package_by_path[path] for path in sorted(package_by_path))


def _list_package_paths(name: str, package_distribution: Distribution) -> list[PackagePath]:
    top_names = sorted(
        {file.parts[0] for file in package_distribution.files or () if file.parts[0] not in ("..", "__pycache__")}
    )
    site = os.path.realpath(str(package_distribution.locate_file("")))
    package_paths = [
        PackagePath(path, _import_name(path))
        for path in (os.path.join(site, top_name) for top_name in top_names)
        if not path.endswith((".dist-info", ".pth")) and "__editable__" not in path and os.path.exists(path)
    ]
    kit_folder = os.path.dirname(os.path.realpath(__file__))
    if not any(package_path.import_name for package_path in package_paths) or any(
        f"{kit_folder}/".startswith(f"{package_path.path}/") for package_path in package_paths
    ):
        raise CourseFault(
            f"package {name} cannot be shown to submissions: it is the kit's own, or installed in editable mode",
            where="isolation.packages in grading.yml",
            advice=f"install it in the ordinary way: python -m pip install {name}",
        )
    return package_paths


def _import_name(path: str) -> str:
    name = Path(path).name
    if os.path.isdir(path):
        return name if os.path.exists(os.path.join(path, "__init__.py")) else ""
    suffix = max((suffix for suffix in all_suffixes() if name.endswith(suffix)), key=len, default="")
    return name.removesuffix(suffix) if suffix else ""


NOT_COPIED = PACKAGE_FOLDERS | {"test", "tests", "idlelib", "lib2to3", "turtledemo", "ensurepip"}
"""Folders that are not copied: installed packages, and modules that no submission imports."""
MOST_BYTES = 256 * 2**20
"""Most bytes of all copied packages together."""
FIXED_ACCESS_TIME = 2_145_000_000
"""The access time of every copied file: late in 2037, which all file systems can store."""
LIST_MAPPED = """
import ctypes, sys
for path in sys.argv[1:]:
    try: ctypes.CDLL(path)
    except OSError: pass
print(open('/proc/self/maps').read())
"""


@dataclass(frozen=True, slots=True)
class PythonCopyPaths:
    """The folders of the copies of the interpreter's library and of packages."""

    root: str
    """The folder of the copy. The same path also works inside, if the folder is the root folder there."""
    stdlib: str
    shared_libraries: str
    """The folder of shared libraries, for the loader."""
    path_by_package: tuple[tuple[str, str], ...]
    """Name of each package, and its file or folder."""


@functools.cache
def try_copy_interpreter_and_packages(packages: tuple[PackagePath, ...] = ()) -> PythonCopyPaths | None:
    """Copy the interpreter's library and the packages; the copy is removed when this process ends.

    Args:
        packages: what submissions may import besides the standard library.

    Returns:
        Where the copy lies; None if there is no room for it, or the packages are too large to be copied.
    """
    if _measure_size(package.path for package in packages) > MOST_BYTES:
        return None
    try:
        root = make_scratch_folder()
    except OSError:
        return None
    atexit.register(_remove_folder, root, os.getpid())
    try:
        return _fill_folder(root, packages)
    except OSError:
        _remove_folder(root, os.getpid())  # a full disk needs the room
        return None


def _fill_folder(root: str, packages: Sequence[PackagePath]) -> PythonCopyPaths:
    stdlib, libraries = f"{root}/lib", f"{root}/libraries"
    package_copies = tuple(
        (package.import_name, f"{root}/packages/{Path(package.path).name}") for package in packages
    )
    _copy_path(find_current_interpreter_files().stdlib, stdlib)
    for package, (_, place) in zip(packages, package_copies, strict=True):
        _copy_path(package.path, place)
    os.mkdir(libraries)
    for path in _list_shared_libraries([stdlib, *(place for _, place in package_copies)]):
        _copy_library(path, libraries)
    os.makedirs(root + os.path.dirname(root))
    os.symlink("/", root + root)
    for folder, folders, files in os.walk(root, topdown=False):
        for name in (*files, *folders):
            _fix_access_time(os.path.join(folder, name))
    os.chmod(root, 0o755)
    _fix_access_time(root)
    return PythonCopyPaths(root, stdlib, libraries, tuple((name, place) for name, place in package_copies if name))


def _copy_path(source: str, target: str) -> None:
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.isdir(source):
        shutil.copytree(source, target, ignore=_list_ignored_names, ignore_dangling_symlinks=True)
    else:
        shutil.copy2(source, target)


def _list_ignored_names(folder: str, names: list[str]) -> set[str]:
    is_cache = os.path.basename(folder) == "__pycache__"
    own_suffix = f".{sys.implementation.cache_tag}.pyc"
    return {
        name
        for name in names
        if name in NOT_COPIED or name.startswith("config-") or (is_cache and not name.endswith(own_suffix))
    }


def _list_shared_libraries(folders: Iterable[str]) -> list[str]:
    """Return the libraries that are mapped once all compiled modules are; the loader knows where they lie."""
    modules = [str(path) for folder in folders for path in Path(folder).rglob("*.so")]
    process = subprocess.run(
        [find_current_interpreter_files().executable, "-I", "-S", "-c", LIST_MAPPED, *modules],
        capture_output=True,
        text=True,
        check=False,
        env={},
    )
    mapped_paths = {
        line.split(maxsplit=5)[5] for line in process.stdout.splitlines() if line.count(" ") >= 5 and ".so" in line
    }
    return sorted({os.path.realpath(path) for path in mapped_paths if path.startswith("/")} - {*modules})


def _copy_library(path: str, target: str) -> None:
    """Copy a shared library under all names that it has in its folder: programs ask for one of them."""
    folder, name = os.path.split(path)
    shutil.copy2(path, target)
    for link in _map_links(folder).get(name, ()):
        os.symlink(name, os.path.join(target, link))


@functools.cache
def _map_links(folder: str) -> dict[str, list[str]]:
    """Return a folder's links to shared libraries, by the name that they lead to."""
    links_by_target: dict[str, list[str]] = {}
    for entry in os.scandir(folder):
        if ".so" in entry.name and entry.is_symlink():
            links_by_target.setdefault(os.path.basename(os.readlink(entry.path)), []).append(entry.name)
    return links_by_target


def _fix_access_time(path: str) -> None:
    status = os.lstat(path)
    os.utime(path, ns=(FIXED_ACCESS_TIME * 10**9, status.st_mtime_ns), follow_symlinks=False)


def _measure_size(paths: Iterable[str]) -> int:
    total = 0
    for path in paths:
        files = Path(path).rglob("*") if os.path.isdir(path) else [Path(path)]
        for file in files:
            total += file.lstat().st_size
            if total > MOST_BYTES:
                return total
    return total


def _remove_folder(root: str, maker: int) -> None:
    if os.getpid() == maker:
        shutil.rmtree(root, ignore_errors=True)
