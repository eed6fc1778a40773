"""Find the files of the packages that a course lets submissions import, and of their requirements."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.machinery import all_suffixes
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from autograder.faults import CourseFault


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
    found: dict[str, PackagePath] = {}
    seen: set[str] = set()
    wanted = list(package_names)
    while wanted:
        name = wanted.pop()
        if name.lower() in seen:
            continue
        seen.add(name.lower())
        try:
            installed = distribution(name)
        except (PackageNotFoundError, ValueError):
            raise CourseFault(
                f"package {name} is not installed beside the kit",
                where="isolation.packages in grading.yml",
                advice=f"install it with the Python that runs the kit: python -m pip install {name}",
            ) from None
        found |= {package.path: package for package in _parts(name, installed)}
        from packaging.requirements import Requirement  # slow, and most courses let nothing else be imported

        needed = [Requirement(text) for text in installed.requires or ()]
        wanted += [one.name for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
    return tuple(found[path] for path in sorted(found))


def _parts(name: str, installed: Distribution) -> list[PackagePath]:
    tops = sorted({file.parts[0] for file in installed.files or () if file.parts[0] not in ("..", "__pycache__")})
    site = os.path.realpath(str(installed.locate_file("")))
    parts = [
        PackagePath(path, _import_name(path))
        for path in (os.path.join(site, top) for top in tops)
        if not path.endswith((".dist-info", ".pth")) and "__editable__" not in path and os.path.exists(path)
    ]
    ours = os.path.dirname(os.path.realpath(__file__))
    if not any(part.import_name for part in parts) or any(f"{ours}/".startswith(f"{part.path}/") for part in parts):
        raise CourseFault(
            f"package {name} cannot be shown to submissions: it is the kit's own, or installed in editable mode",
            where="isolation.packages in grading.yml",
            advice=f"install it in the ordinary way: python -m pip install {name}",
        )
    return parts


def _import_name(path: str) -> str:
    name = Path(path).name
    if os.path.isdir(path):
        return name if os.path.exists(os.path.join(path, "__init__.py")) else ""
    suffix = max((suffix for suffix in all_suffixes() if name.endswith(suffix)), key=len, default="")
    return name.removesuffix(suffix) if suffix else ""
