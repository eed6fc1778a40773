"""Find the installed platforms by name, and the entry point that names each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from autograder.faults import CallerFault
from autograder.platforms.common.platform_model import Platform
from autograder.platforms.common.plugin_fault_messages import (
    describe_plugin_exception,
    format_entry_point_declaration,
    make_plugin_fault,
)

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
        try:
            platform = point.load()
        except (Exception, SystemExit) as error:  # code of a third-party distribution may raise anything
            raise make_plugin_fault(
                point,
                f"cannot load the platform: {describe_plugin_exception(error, point)}",
                format_entry_point_declaration(point),
            ) from error
        if not isinstance(platform, Platform):
            raise make_plugin_fault(
                point, "the entry point does not name a Platform", format_entry_point_declaration(point)
            )
        if not _is_complete(platform):
            raise make_plugin_fault(
                point,
                "the platform's name, title or settings are not text",
                format_entry_point_declaration(point),
            )
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
    try:
        return load_installed_platforms()[platform_name].platform
    except KeyError:
        raise CallerFault(
            f"unknown platform '{platform_name}'",
            advice=f"choose from {', '.join(load_installed_platforms())}",
        ) from None


def find_entry_point(platform: Platform) -> EntryPoint | None:
    """Return the entry point that names a platform; None if the platform is not installed."""
    installed_platform = load_installed_platforms().get(platform.name)
    return installed_platform.entry_point if installed_platform and installed_platform.platform is platform else None


def _is_complete(platform: Platform) -> bool:
    settings: object = platform.settings
    if not isinstance(settings, Mapping):
        return False
    return all(isinstance(text, str) for text in (platform.name, platform.title, *settings, *settings.values()))
