"""Find the installed platforms by name, and the entry point that names each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from autograder.faults import CallerFault
from autograder.platforms.common.platform_model import Platform
from autograder.platforms.common.plugin_fault_messages import InvalidPluginAnswer, blame_plugin

GROUP = "autograder.platforms"


@dataclass(frozen=True, slots=True)
class InstalledPlatform:
    """A platform, and the entry point that names it."""

    platform: Platform
    entry_point: EntryPoint


@cache
def load_installed_platforms() -> dict[str, InstalledPlatform]:
    """Return every platform, the kit's own and those that a course installed, sorted by name.

    Raises:
        CallerFault: an entry point names no platform, or two have one name.
        KitFault: one of the kit's own cannot be loaded.
    """
    installed_by_name: dict[str, InstalledPlatform] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda entry_point: entry_point.name):
        with blame_plugin(point, format_entry_point_declaration(point), "platform"):
            platform = point.load()
            if not isinstance(platform, Platform):
                raise InvalidPluginAnswer("is not a Platform")
            words = (platform.name, platform.title, *platform.settings, *platform.settings.values())
            if not all(isinstance(word, str) for word in words):
                raise InvalidPluginAnswer("has a name, title or settings that are not text")
        if platform.name in installed_by_name:
            raise CallerFault(f"two distributions bring a platform {platform.name}", advice="uninstall one of them")
        installed_by_name[platform.name] = InstalledPlatform(platform, point)
    return installed_by_name


def load_platforms_by_name() -> dict[str, Platform]:
    """Return every platform by name, sorted; see ``load_installed_platforms``."""
    return {name: installed_platform.platform for name, installed_platform in load_installed_platforms().items()}


def require_platform(platform_name: str) -> Platform:
    """Return one platform.

    Raises:
        CallerFault: no platform has that name.
    """
    platforms = load_platforms_by_name()
    if platform_name not in platforms:
        raise CallerFault(f"unknown platform '{platform_name}'", advice=f"choose from {', '.join(platforms)}")
    return platforms[platform_name]


def format_entry_point_declaration(entry_point: EntryPoint) -> str:
    """Return the entry point as its distribution writes it."""
    return f"entry point {entry_point.name} = {entry_point.value}"
