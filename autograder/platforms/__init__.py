"""Read the downloads of course platforms, and write the files that they import; one module or package for each."""

from autograder.former_names import make_former_name_lookup
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

__getattr__ = make_former_name_lookup(
    __name__,
    {
        "Arrival": f"{__name__}.DownloadedSubmission",
        "Change": f"{__name__}.ExportChange",
        "Export": f"{__name__}.ExportResult",
        "Given": f"{__name__}.ExportOptions",
        "Result": f"{__name__}.SubmissionResult",
        "Results": f"{__name__}.ClassResults",
        "platform_of": f"{__name__}.require_platform",
        "platforms": f"{__name__}.load_platforms_by_name",
    },
)
