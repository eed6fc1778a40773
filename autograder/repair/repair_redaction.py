"""Cut a repair to what a student may see: the method, the line, the kind of change, or the change itself."""

from __future__ import annotations

from msgspec import structs

from autograder.course.model import RepairLevel
from autograder.repair.repair_model import Edit, Repair


def redact_repair(repair: Repair, level: RepairLevel) -> Repair | None:
    """Return what a student's report may hold at a level: what lies beyond it is empty; None where it is hidden.

    The text of another method is the reference's, so no student sees it at any level.
    """
    if level == "hidden" or repair.shown_to == "hidden":
        return None
    return structs.replace(
        repair,
        edits=tuple(_redact_edit(edit, level) for edit in repair.edits),
        others=tuple(tuple(_redact_edit(edit, level) for edit in edits) for edits in repair.others),
        shown_to=level,
    )


def _redact_edit(edit: Edit, level: RepairLevel) -> Edit:
    if level == "method":
        return Edit(
            file=edit.file, line=0, end_line=0, before="", after="", kind="", function=edit.function, mends=edit.mends
        )
    if level == "change" and edit.kind != "method":
        return edit
    return structs.replace(edit, after="", old="", new="", kind="" if level == "line" else edit.kind)
