"""Compare the names of students, whoever wrote them."""

from __future__ import annotations

import unicodedata


def normalize_student_name_keeping_case(name: str) -> str:
    r"""Normalize a student's name for comparison: no white space around it, accents in one form, always valid text.

    >>> normalize_student_name_keeping_case(" Zoe\u0308 ") == "Zo\u00eb"
    True
    """
    return unicodedata.normalize("NFC", name.strip()).encode("utf-8", "backslashreplace").decode()
