"""Find what plug-ins of 0.2.0 imported from here: see ``common.platform_model``."""

from __future__ import annotations

from autograder.former_names import make_former_name_lookup

_NEW = "autograder.platforms.common.platform_model"
_UNCHANGED = ("ClassWriter", "Platform", "ReportWriter", "Uploader")

__getattr__ = make_former_name_lookup(
    __name__,
    {
        **{name: f"{_NEW}.{name}" for name in _UNCHANGED},
        "Arrival": f"{_NEW}.DownloadedSubmission",
        "Change": f"{_NEW}.ExportChange",
        "Checker": f"{_NEW}.AccessChecker",
        "Export": f"{_NEW}.ExportResult",
        "Given": f"{_NEW}.ExportOptions",
        "Reader": f"{_NEW}.DownloadReader",
        "Result": f"{_NEW}.SubmissionResult",
        "Results": f"{_NEW}.ClassResults",
        "Sending": f"{_NEW}.UploadObserver",
    },
)
