"""Split a generated page into its sections, one for each assignment of the course, and join them again."""

from __future__ import annotations

import re
from collections.abc import Mapping

TIMES = "### Times of the run that wrote this\n"
"""The heading of the part of a section that differs from machine to machine."""
MARK = "<!-- assignment: {} -->"


def split_page_by_assignment(page: str) -> dict[str, str]:
    """Split a page into its sections, by the assignment's name."""
    pieces = re.split(MARK.format(r"([\w.-]+)") + "\n", page)
    return {name: text.strip() + "\n" for name, text in zip(pieces[1::2], pieces[2::2], strict=True)}


def join_assignment_sections(section_by_assignment: Mapping[str, str], head: str) -> str:
    """Join a head and the sections of all assignments into a page."""
    return head + "".join(f"\n{MARK.format(name)}\n{text}" for name, text in section_by_assignment.items())


def remove_machine_dependent_part(section: str) -> str:
    """Return the part of a section that is the same on every machine."""
    return section.partition(TIMES)[0]
