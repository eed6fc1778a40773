"""Find what plug-ins of 0.2.0 imported from here: see ``common.export_model``."""

from __future__ import annotations

from autograder.former_names import make_former_name_lookup

_NEW = "autograder.platforms.common.export_model"

__getattr__ = make_former_name_lookup(
    __name__,
    {
        "Change": f"{_NEW}.ExportChange",
        "Export": f"{_NEW}.ExportResult",
        "Given": f"{_NEW}.ExportOptions",
        "Result": f"{_NEW}.SubmissionResult",
        "Results": f"{_NEW}.ClassResults",
    },
)
