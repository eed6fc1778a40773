"""Find by name the packages that a course lets submissions use, without ever listing a folder of packages."""

import os
import sys
from _frozen_importlib_external import spec_from_file_location
from typing import Any

INIT = "__init__.py"


class AllowedPackageFinder:
    """Finder for ``sys.meta_path``, after the standard library's finders, that knows some names only."""

    def __init__(self, path_by_name: dict[str, str]) -> None:
        """Take the file or folder of each name."""
        self.places = path_by_name

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return the spec of an allowed package; see ``importlib.abc.MetaPathFinder``."""
        place = self.places.get(name)
        if place is None:
            return None
        if os.path.isdir(place):
            return spec_from_file_location(name, f"{place}/{INIT}", submodule_search_locations=[place])
        return spec_from_file_location(name, place)


def allow_imports(path_by_package_name: dict[str, str]) -> None:
    """Let these packages be imported."""
    if path_by_package_name:
        sys.meta_path.append(AllowedPackageFinder(path_by_package_name))
