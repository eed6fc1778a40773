"""Find what plug-ins of 0.2.0 imported from here: see ``autograder.editable_csv``."""

from __future__ import annotations

from autograder.former_names import make_former_name_lookup

__getattr__ = make_former_name_lookup(
    __name__, {"Row": "autograder.editable_csv.SheetRow", "Sheet": "autograder.editable_csv.EditableCsv"}
)
