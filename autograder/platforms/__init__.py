"""Read the downloads of course platforms, and write the files that they import; one module or package for each."""

from autograder.platforms.common.download import Download
from autograder.platforms.common.installed_platforms import load_platforms_by_name, require_platform
from autograder.platforms.common.platform_model import (
    ClassResults,
    DownloadedSubmission,
    ExportChange,
    ExportOptions,
    ExportResult,
    Platform,
    SubmissionResult,
)

__all__ = [
    "ClassResults",
    "Download",
    "DownloadedSubmission",
    "ExportChange",
    "ExportOptions",
    "ExportResult",
    "Platform",
    "SubmissionResult",
    "load_platforms_by_name",
    "require_platform",
]
