"""Find by name the packages that a course lets submissions use: no folder of packages is ever listed."""

import os
import sys
from _frozen_importlib_external import spec_from_file_location
from typing import Any

INIT = "__init__.py"


class PackageFinder:
    """On ``sys.meta_path`` after the standard library's finders: these names, and no others."""

    def __init__(self, places: dict[str, str]) -> None:
        """Take the file or folder of each name."""
        self.places = places

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Answer the import system's question; see ``importlib.abc.MetaPathFinder``."""
        place = self.places.get(name)
        if place is None:
            return None
        if os.path.isdir(place):
            return spec_from_file_location(name, f"{place}/{INIT}", submodule_search_locations=[place])
        return spec_from_file_location(name, place)


def allow_imports(places: dict[str, str]) -> None:
    """Let these packages be imported."""
    if places:
        sys.meta_path.append(PackageFinder(places))
