"""Read the options of an export, and compute the points that count: after lateness, with the bonus as chosen."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Context, Decimal
from pathlib import Path

from autograder.faults import CallerFault, translate_file_errors
from autograder.platforms.common.platform_model import ExportOptions, Platform
from autograder.reports import ScoreReport

BONUS_RULES = {
    "capped": "the bonus counts, up to full marks",
    "added": "the bonus counts, beyond full marks too",
    "none": "the bonus does not count",
}
BONUS_SETTING_HELP = "capped (default), added or none: whether the bonus counts, and beyond full marks"
"""What ``--set bonus=...`` means, on every platform."""
LARGEST_BELOW = 0.999999
"""The largest share below 1 that is exported, so that nothing is rounded up to full marks."""
HUNDREDTH = Decimal("0.01")
WIDE = Context(prec=400)
"""A context with enough digits for any float, and for any number in a damaged table."""


def compute_fraction_of_full_marks(report: ScoreReport, options: ExportOptions) -> float:
    """Return the share of full marks that counts, from 0 to 1: for platforms that know nothing beyond full marks.

    Raises:
        CallerFault: ``bonus`` is set to an unknown way to count one.
    """
    points, full_marks = compute_counted_points(report, options.settings.get("bonus", "")), report.final.max_score
    if not full_marks:
        return 0.0
    return 1.0 if points >= full_marks else min(round(points / full_marks, 6), LARGEST_BELOW)


def compute_points_to_export(report: ScoreReport, options: ExportOptions) -> float:
    """Return the points that count, out of full marks on the platform.

    Raises:
        CallerFault: ``bonus`` is set to an unknown way to count one.
    """
    points, full_marks = compute_counted_points(report, options.settings.get("bonus", "")), report.final.max_score
    if options.max_points is None or not full_marks:
        return round(points, 6)
    return round(points * options.max_points / full_marks, 6)


def compute_counted_points(report: ScoreReport, bonus_rule: str = "capped") -> float:
    """Return the points of a report that count, out of ``report.final.max_score``.

    Args:
        report: with lateness taken off already, where it is known.
        bonus_rule: one of ``BONUS_RULES``; empty for ``capped``.

    Raises:
        CallerFault: ``bonus_rule`` is none of them.

    >>> from types import SimpleNamespace
    >>> from autograder.reports.report_model import FinalScore
    >>> report = SimpleNamespace(final=FinalScore(score=95, max_score=100, bonus=8))
    >>> [compute_counted_points(report, rule) for rule in ("capped", "added", "none")]
    [100, 103, 95]
    """
    final = report.final
    match bonus_rule or "capped":
        case "capped":
            return max(final.score, min(final.total, final.max_score))
        case "added":
            return final.total
        case "none":
            return final.score
        case _:
            raise CallerFault(f"unknown bonus rule '{bonus_rule}'", advice=f"choose from {', '.join(BONUS_RULES)}")


def rescale_points(points: float, old_maximum: float, new_maximum: Decimal | float) -> Decimal:
    """Rescale points out of ``old_maximum`` to points out of ``new_maximum``, in hundredths as tables keep them.

    >>> rescale_points(75.7, 100, 20), rescale_points(33.125, 100, 100)
    (Decimal('15.14'), Decimal('33.13'))
    """
    exact_points = (
        Decimal(str(points)) * Decimal(str(new_maximum)) / Decimal(str(old_maximum)) if old_maximum else Decimal(0)
    )
    return round_to_hundredths(exact_points)


def round_to_hundredths(number: Decimal) -> Decimal:
    """Round a number to hundredths as the kit rounds points: a half goes up.

    >>> round_to_hundredths(Decimal("2.675")), round_to_hundredths(Decimal(7))
    (Decimal('2.68'), Decimal('7.00'))
    """
    return number.quantize(HUNDREDTH, ROUND_HALF_UP, WIDE)


NUMBER = re.compile(r"-?(?=[.,]*[0-9])[0-9.,]{1,300}")
"""A longer one is no mark, and exceeds the arithmetic."""


def try_parse_number(cell: str) -> Decimal | None:
    """Read a cell's number, where the last point or comma is the decimal one; None if it is not a number.

    >>> try_parse_number("1.234,5"), try_parse_number("17.5"), try_parse_number("A-")
    (Decimal('1234.5'), Decimal('17.5'), None)
    """
    text = cell.strip()
    if not NUMBER.fullmatch(text):
        return None
    *whole_parts, last_part = re.split("[.,]", text)
    return Decimal(f"{''.join(whole_parts) or '0'}.{last_part or '0'}" if whole_parts else last_part)


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
