"""Write the marks of the outbox as a table, for where an LMS takes nothing else."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from autograder.formula_injection import neutralize_formula
from autograder.web.lms.lms_mark_rows import OutboxMarkRow


def format_outbox_marks_as_csv(rows: Iterable[OutboxMarkRow]) -> str:
    """Return a CSV file with a byte order mark, as spreadsheets read it; no cell is a formula."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["student", "login", "place", "points", "out of", "comment", "state", "answer"])
    for row in rows:
        mark = row.mark
        cells = (row.name, row.login, row.place, f"{mark.value.points:g}", f"{mark.value.maximum:g}")
        writer.writerow([neutralize_formula(cell) for cell in (*cells, mark.value.comment, mark.state, mark.answer)])
    return "\ufeff" + text.getvalue()
