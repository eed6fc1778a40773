"""The platforms that are installed, by name."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from autograder.faults import CallerFault
from autograder.platforms.model import Platform
from autograder.text import clean

GROUP = "autograder.platforms"


@cache
def platforms() -> dict[str, Platform]:
    """Every platform, the kit's own and those that a course installed, sorted by name.

    Raises:
        CallerFault: an entry point names no platform, or two have one name.
    """
    found: dict[str, Platform] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            platform = point.load()
        except Exception as error:  # of a distribution that is not ours
            raise CallerFault(
                f"cannot be loaded: {type(error).__name__}: {clean(str(error))}",
                where=_of(point),
                advice="mend or uninstall the distribution that brings it",
            ) from error
        if not isinstance(platform, Platform):
            raise CallerFault("names no Platform", where=_of(point))
        if platform.name in found:
            raise CallerFault("is there twice", where=f"platform {platform.name}", advice="uninstall one of them")
        found[platform.name] = platform
    return found


def _of(point: EntryPoint) -> str:
    return f"entry point {point.name} = {point.value}"


def platform_of(name: str) -> Platform:
    """One platform.

    Raises:
        CallerFault: there is none of that name.
    """
    try:
        return platforms()[name]
    except KeyError:
        raise CallerFault("is no platform", where=name, advice=f"known: {', '.join(platforms())}") from None
