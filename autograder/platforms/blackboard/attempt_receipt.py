"""Read the text file that Blackboard writes for every attempt: the student, the typed text, and the files' names."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from autograder.platforms.common.html_to_text import convert_html_to_plain_text

NAME_LINE = re.compile(r"Name:\s*(?P<name>.*\S)\s*\((?P<login>[^()]+)\)\s*")
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
    who = next((found for line in head[:20] if (found := NAME_LINE.fullmatch(line))), None)
    return AttemptReceipt(
        who["name"] if who else "",
        who["login"] if who else "",
        _text(lines),
        _parse_original_names(lines),
    )


def _text(lines: list[str]) -> str:
    if "Submission Field:" not in lines:
        return ""
    below = lines[lines.index("Submission Field:") + 1 :]
    text = "\n".join(below[: below.index("Comments:")] if "Comments:" in below else below).strip("\n")
    if text.strip().casefold() == NOTHING:
        return ""
    return convert_html_to_plain_text(text) if MARKUP.search(text) else text


def _parse_original_names(lines: list[str]) -> dict[str, str]:
    marks = [number for number, line in enumerate(lines) if line == "Files:"]
    found, original = {}, ""
    for line in lines[marks[-1] + 1 :] if marks else []:
        plain = line.strip()
        if plain.startswith(ORIGINAL):
            original = plain.removeprefix(ORIGINAL).strip()
        elif plain.startswith(STORED) and original:
            found[plain.removeprefix(STORED).strip()] = original
            original = ""
    return found
