"""Find the installed platforms by name, and the entry point that names each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from autograder.faults import CallerFault
from autograder.platforms.blame import fault_of, found_at, raised
from autograder.platforms.model import Platform

GROUP = "autograder.platforms"


@dataclass(frozen=True, slots=True)
class Installed:
    """A platform, and the entry point that names it."""

    platform: Platform
    point: EntryPoint


@cache
def installed() -> dict[str, Installed]:
    """Return every platform, the kit's own and those that a course installed, sorted by name.

    Raises:
        CallerFault: an entry point names no platform, or two have one name.
        KitFault: one of the kit's own cannot be loaded.
    """
    found: dict[str, Installed] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            platform = point.load()
        except (Exception, SystemExit) as error:  # of a distribution that is not ours
            raise fault_of(point, f"cannot be loaded: {raised(error, point)}", found_at(point)) from error
        if not isinstance(platform, Platform):
            raise fault_of(point, "names no Platform", found_at(point))
        if not _is_described(platform):
            raise fault_of(point, "names a Platform whose name, title or settings are no text", found_at(point))
        if platform.name in found:
            raise CallerFault("is there twice", where=f"platform {platform.name}", advice="uninstall one of them")
        found[platform.name] = Installed(platform, point)
    return found


def platforms() -> dict[str, Platform]:
    """Return every platform by name, sorted; see ``installed``."""
    return {name: one.platform for name, one in installed().items()}


def platform_of(name: str) -> Platform:
    """Return one platform.

    Raises:
        CallerFault: no platform has that name.
    """
    try:
        return installed()[name].platform
    except KeyError:
        raise CallerFault("is no platform", where=name, advice=f"known: {', '.join(installed())}") from None


def point_of(platform: Platform) -> EntryPoint | None:
    """Return the entry point that names a platform; None if the platform is not installed."""
    found = installed().get(platform.name)
    return found.point if found and found.platform is platform else None


def _is_described(platform: Platform) -> bool:
    settings: object = platform.settings
    if not isinstance(settings, Mapping):
        return False
    return all(isinstance(word, str) for word in (platform.name, platform.title, *settings, *settings.values()))
