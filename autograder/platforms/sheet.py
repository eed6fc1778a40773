"""Find what plug-ins of 0.2.0 imported from here: see ``autograder.csv_sheet``."""

from __future__ import annotations

from autograder.former_names import make_former_name_lookup

__getattr__ = make_former_name_lookup(
    __name__, {"Row": "autograder.csv_sheet.SheetRow", "Sheet": "autograder.csv_sheet.EditableCsv"}
)
