"""Read the form of an export."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from pathlib import PurePath

from flask import request

from autograder.english_wording import format_count
from autograder.faults import CallerFault
from autograder.platforms.common.manual_mark_protection import ALL_STUDENTS
from autograder.store.column_encoding import utc_now

MOST_SETTINGS, MOST_CHARACTERS_OF_SETTINGS = 20, 2000


@dataclass(frozen=True, slots=True)
class ExportFormInput:
    """The submitted form. The preview sends it back, so that the files are made from the same input."""

    platform: str = ""
    settings: str = ""
    """``KEY=VALUE``, one a line."""
    max_score: str = ""
    gradebook: bytes | None = None
    """The table that the platform exported."""
    gradebook_name: str = ""
    sent_at: str = ""
    """When the table was uploaded."""
    overwrite: frozenset[str] = frozenset()
    """Students whose marks and comments are replaced although a person set them, by the platform's ids."""

    @property
    def base64_gradebook(self) -> str:
        """Return the table as a form can hold it."""
        return base64.b64encode(self.gradebook or b"").decode("ascii")


def read_export_form() -> ExportFormInput:
    """Return the submitted form, with a newly chosen table or else the one that the preview kept."""
    form, upload = request.form, request.files.get("gradebook")
    gradebook: bytes | None
    if upload is not None and upload.filename:
        gradebook, sent_at = upload.read(), utc_now().isoformat()
        gradebook_name = PurePath(upload.filename.replace("\\", "/")).name
    else:
        gradebook_name, sent_at = form.get("gradebook_name", "")[:200], form.get("sent_at", "")[:40]
        try:
            gradebook = base64.b64decode(form.get("kept_gradebook", ""), validate=True) or None
        except binascii.Error:
            gradebook = None
    return ExportFormInput(
        form.get("platform", "")[:2000],
        form.get("settings", "").replace("\r\n", "\n"),
        form.get("max_score", "")[:2000],
        gradebook,
        gradebook_name,
        sent_at,
        frozenset(form.getlist("overwrite")) - {ALL_STUDENTS},
    )


def split_setting_lines(text: str) -> list[str]:
    """Return the lines of the field for settings.

    Raises:
        CallerFault: it holds too much.
    """
    lines = text.splitlines()
    if len(text) > MOST_CHARACTERS_OF_SETTINGS or len(lines) > MOST_SETTINGS:
        raise CallerFault(
            f"the settings have {len(text):,} characters in {format_count(len(lines), 'line')}, "
            f"and may have {MOST_CHARACTERS_OF_SETTINGS:,} in {MOST_SETTINGS}",
            advice="shorten them",
        )
    return lines


def parse_max_score(text: str) -> float | None:
    """Return the maximum points on the platform; None if the field is empty.

    Raises:
        CallerFault: it is no number of points.
    """
    if not text.strip():
        return None
    try:
        points = float(text)
    except ValueError:
        points = 0.0
    if not 0 < points <= 1e9:
        raise CallerFault(
            f"the full marks {text[:40]!r} are not a positive number", advice="leave the field empty, or say 20"
        )
    return points
