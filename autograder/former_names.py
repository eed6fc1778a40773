"""Keep published names of 0.2.0 that were renamed since: whoever uses one gets a ``DeprecationWarning``."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def make_former_name_lookup(module_name: str, new_places: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a module's ``__getattr__`` (PEP 562), which finds its former names where they are now.

    Args:
        module_name: the module, as in ``__name__``.
        new_places: by former name, the module and the name that it has there now, such as
            ``autograder.platforms.ExportChange``.
    """

    def find_former_name(name: str) -> Any:
        if name not in new_places:
            raise AttributeError(f"module {module_name!r} has no attribute {name!r}")
        new_place = new_places[name]
        warnings.warn(f"{module_name}.{name} is now called {new_place}", DeprecationWarning, stacklevel=2)
        module, _, new_name = new_place.rpartition(".")
        return getattr(import_module(module), new_name)

    return find_former_name


class FormerAttribute:
    """A former name of an attribute or method of the same class: ``top = FormerAttribute("top_level_names")``."""

    def __init__(self, new_name: str) -> None:
        self._new_name, self._former_name = new_name, ""

    def __set_name__(self, owner: type, name: str) -> None:
        """Note the former name, for the warning."""
        self._former_name = name

    def __get__(self, instance: object, owner: type) -> Any:
        """Return what the attribute holds under its present name."""
        if instance is None:
            return self
        told = f"{owner.__name__}.{self._former_name} is now called {self._new_name}"
        warnings.warn(told, DeprecationWarning, stacklevel=2)
        return getattr(instance, self._new_name)
