"""What VPL reads in what a run prints."""

from __future__ import annotations

import re

GRADE = re.compile(r"^Grade :=>>(.*)$", re.M)
BEGIN = re.compile(r"^[ \t]*(Comment :=>>(.*)|<\|--)[ \t]*$", re.M)
END = re.compile(r"^[ \t]*--\|>[ \t]*$", re.M)


def grade_of(printed: str) -> str:
    """The grade that VPL reads: the last one, trimmed."""
    found: list[str] = GRADE.findall(printed)
    return found[-1].strip()


def comments_of(printed: str) -> list[str]:
    """The comments that VPL reads; one that is not closed runs to the end."""
    found, place = [], 0
    while begin := BEGIN.search(printed, place):
        place = begin.end()
        if begin[2] is not None:
            found.append(begin[2])
            continue
        end = END.search(printed, place)
        found.append(printed[place : end.start() if end else len(printed)].strip("\n"))
        place = end.end() if end else len(printed)
    return found
