"""Read the options of an export: settings from the command line and the environment, and the platform's table."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from autograder.faults import CallerFault, translate_file_errors
from autograder.platforms.common.export_points import BONUS_SETTING_HELP
from autograder.platforms.common.platform_model import ExportOptions, Platform

COMMON_SETTINGS = {"bonus": BONUS_SETTING_HELP}
"""Settings that every platform understands."""


def map_settings_to_meanings(platform: Platform) -> dict[str, str]:
    """Return the keys of ``--set`` for a platform with their meanings; none if it has nothing to write."""
    writer = platform.class_writer or platform.report_writer or platform.uploader
    return {**COMMON_SETTINGS, **platform.settings} if writer else {}


def parse_settings_with_environment_defaults(platform: Platform, setting_texts: Iterable[str]) -> dict[str, str]:
    """Return the settings of an export: what the environment says of them, and what is said here.

    Args:
        platform: the writer's platform.
        setting_texts: ``KEY=VALUE`` each.

    Raises:
        CallerFault: the platform does not know a setting.
    """
    values = {}
    for setting in setting_texts:
        key, equals_sign, value = setting.partition("=")
        if not equals_sign or key not in map_settings_to_meanings(platform):
            known_settings = ", ".join(f"{name}=..." for name in map_settings_to_meanings(platform))
            raise CallerFault(
                f"unknown setting '{setting}' of {platform.title}",
                where="--set",
                advice=f"choose from {known_settings}",
            )
        values[key] = value
    variables = [key for key in platform.settings if key.isupper() and key in os.environ]
    return {**{key: os.environ[key] for key in variables}, **values}


def read_export_options(
    platform: Platform, setting_texts: tuple[str, ...], sheet: Path | None, max_points: float | None
) -> ExportOptions:
    """Read what the command line hands to a writer.

    Args:
        platform: the writer's platform; settings that it does not know are refused.
        setting_texts: ``KEY=VALUE`` each.
        sheet: the platform's table.
        max_points: full marks there.

    Raises:
        CallerFault: the platform does not know a setting, or the table cannot be read.
    """
    settings = parse_settings_with_environment_defaults(platform, setting_texts)
    with translate_file_errors(sheet, advice="name a file with --gradebook"):
        content = sheet.read_bytes() if sheet else None
        fingerprint = (
            compute_sheet_fingerprint(content, sheet.stat().st_mtime_ns) if sheet and content is not None else ""
        )
    return ExportOptions(content, str(sheet) if sheet else "", settings, max_points, fingerprint)


def compute_sheet_fingerprint(sheet_content: bytes, arrival_time: object) -> str:
    """Return a fingerprint that distinguishes a table from a later download with the same content."""
    return f"{hashlib.sha256(sheet_content).hexdigest()[:16]} {arrival_time}"
