"""Find the files of the packages that a course lets submissions import, and of their requirements."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.machinery import all_suffixes
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from autograder.faults import CourseFault

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
