"""Read the text file that Blackboard writes for every attempt: the student, the typed text, and the files' names."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from autograder.platforms.common.html_to_text import convert_html_to_plain_text

NAME_LINE = re.compile(r"Name:(?P<name>.*)\((?P<login>[^()]+)\)\s*")
NOTHING = "there is no student submission text data for this assignment."
LONGEST = 1000
"""Characters in a line that Blackboard wrote."""
ORIGINAL, STORED = "Original filename:", "Filename:"
MARKUP = re.compile(r"<(?:p|br|div|pre|span|li|strong|em)\b[^<>]*/?>", re.I)


@dataclass(frozen=True, slots=True)
class AttemptReceipt:
    """The content of the text file that Blackboard adds to each attempt; a field is empty where it says nothing."""

    name: str = ""
    login: str = ""
    text: str = ""
    """The text that the student typed instead of handing in a file."""
    original_name_by_file: dict[str, str] = field(default_factory=dict)
    """What each file was called, by its name in the download."""


def parse_receipt(receipt_content: bytes) -> AttemptReceipt:
    r"""Read a receipt.

    The student wrote some of it: the text, and the comments. So the owner is looked for only above the first empty
    line, and the files' names only below the last line ``Files:``.

    >>> parse_receipt(b"Name: Ada Lovelace (ada)\nAssignment: Engine\n\nComments:\nName: Bob (bob)\n").login
    'ada'
    """
    lines = receipt_content.decode("utf-8-sig", "replace").replace("\r\n", "\n").split("\n")
    head = [line for line in (lines[: lines.index("")] if "" in lines else lines) if len(line) <= LONGEST]
    name_match = next((match for line in head[:20] if (match := NAME_LINE.fullmatch(line))), None)
    return AttemptReceipt(
        name_match["name"].strip() if name_match else "",
        name_match["login"] if name_match else "",
        _parse_typed_text(lines),
        _parse_original_names(lines),
    )


def _parse_typed_text(lines: list[str]) -> str:
    if "Submission Field:" not in lines:
        return ""
    field_lines = lines[lines.index("Submission Field:") + 1 :]
    text = "\n".join(
        field_lines[: field_lines.index("Comments:")] if "Comments:" in field_lines else field_lines
    ).strip("\n")
    if text.strip().casefold() == NOTHING:
        return ""
    return convert_html_to_plain_text(text) if MARKUP.search(text) else text


def _parse_original_names(lines: list[str]) -> dict[str, str]:
    files_lines = [number for number, line in enumerate(lines) if line == "Files:"]
    original_name_by_file, original_name = {}, ""
    for line in lines[files_lines[-1] + 1 :] if files_lines else []:
        text = line.strip()
        if text.startswith(ORIGINAL):
            original_name = text.removeprefix(ORIGINAL).strip()
        elif text.startswith(STORED) and original_name:
            original_name_by_file[text.removeprefix(STORED).strip()] = original_name
            original_name = ""
    return original_name_by_file
