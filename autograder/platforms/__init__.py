"""Platforms that courses live in: what they pack is read, what they take is written, a module each."""

from autograder.platforms.common.download import Download
from autograder.platforms.common.installed_platforms import load_platforms_by_name, require_platform
from autograder.platforms.common.platform_model import (
    ClassExport,
    ClassResults,
    DownloadedSubmission,
    ExportOptions,
    GradeChange,
    Platform,
    StudentResult,
)

__all__ = [
    "ClassExport",
    "ClassResults",
    "Download",
    "DownloadedSubmission",
    "ExportOptions",
    "GradeChange",
    "Platform",
    "StudentResult",
    "load_platforms_by_name",
    "require_platform",
]
