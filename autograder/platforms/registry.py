"""The platforms that are installed, by name."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points

from autograder.faults import CallerFault
from autograder.platforms.model import Platform

GROUP = "autograder.platforms"


@cache
def platforms() -> dict[str, Platform]:
    """Every platform, the kit's own and those that a course installed, sorted by name.

    Raises:
        CallerFault: an entry point names no platform, or two have one name.
    """
    found: dict[str, Platform] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        platform = point.load()
        if not isinstance(platform, Platform):
            raise CallerFault("names no Platform", where=f"entry point {point.name} = {point.value}")
        if platform.name in found:
            raise CallerFault("is there twice", where=f"platform {platform.name}", advice="uninstall one of them")
        found[platform.name] = platform
    return found


def platform_of(name: str) -> Platform:
    """One platform.

    Raises:
        CallerFault: there is none of that name.
    """
    try:
        return platforms()[name]
    except KeyError:
        raise CallerFault("is no platform", where=name, advice=f"known: {', '.join(platforms())}") from None
