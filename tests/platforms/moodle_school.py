"""A class for a real Moodle, and programs of which no two get the same points or the same page."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

BITS = (1, 2, 4, 8, 16)
FULL = sum(BITS)
TEST = '''
@pytest.mark.concept("bit {bit}")
def test_square_of_{bit}(student):
    """square({bit}) is {square}."""
    got = student.get("square")({bit})
    assert got == {square}, f"square gave {{got}}"

'''
LONG = "Wolfeschlegelsteinhausenbergerdorff"
PEOPLE = {
    "ada": ("Ada", "Lovelace"),
    "bob": ('Robert "Bob"', "O'Brien"),
    "berg": ("A_b 12", "van der Berg, Jr."),
    "umlaut": ("Jürgen Ätö", "Müßiggänger-Żółć"),
    "cjk": ("小龙", "李"),
    "spoof": ("Eve_1_assignsubmission_file", "Mallory_2"),
    "sam1": ("Sam", "Smith"),
    "sam2": ("Sam", "Smith"),
    "long": ((LONG * 3)[:98] + " X", (LONG * 3)[::-1][:99] + "Z"),
    "longcjk": ("龍" * 99, "鬱" * 99),  # no file system takes this name
    "rtl": ("محمد", "العربي"),
    "formula": ('=HYPERLINK("http://x")', "@cmd|' /C calc'!A0"),
    "slash": ("Al/an: <3 & co", "Tur\\ing..."),
    "nfd": ("Jose\u0301", "N\u0303andu\u0301"),
    "part": ("Participant", "3"),
    "team": ("Team", "Blue"),
    "lower": ("ada", "lovelace"),
    "none": ("No", "Submission"),
}
"""First and last name by login."""
TEAMS = {
    "Team Red_1": ("ada", "bob", "cjk"),
    "Team Blue": ("sam1", "umlaut"),
    "Sam Smith": ("sam2", "rtl"),  # as a student is called
    'Grün, "Gelb" & O\'Blau': ("long", "spoof", "slash"),
    "Nobody hands in": ("part", "formula"),
}
TEAM_OF = {login: name for name, logins in TEAMS.items() for login in logins}
"""Nothing for those who are in no team; Moodle lets them hand in together."""


@dataclass(frozen=True, slots=True)
class Mode:
    """How an assignment is set."""

    maximum: int
    settings: dict[str, int] = field(default_factory=dict)
    hand_ins: dict[str, int] = field(default_factory=dict)
    """The number of the program that each login hands in at first."""
    second: dict[str, int] = field(default_factory=dict)
    """The programs that come once these are graded."""
    attempts: frozenset[str] = frozenset()
    """Whose second program is another attempt; the others' takes the place of the first."""


SINGLE = {login: number for number, login in enumerate(PEOPLE) if login != "none"}  # number 0 is an empty file
SECOND = {"bob": 31, "cjk": 30}
AGAIN = frozenset({"cjk"})
MODES = {
    "individual": Mode(20, {}, SINGLE, SECOND, AGAIN),
    "text": Mode(7, {"assignsubmission_onlinetext_enabled": 1}, SINGLE, SECOND, AGAIN),
    "teams": Mode(50, {"teamsubmission": 1}, {"ada": 3, "sam1": 6, "sam2": 9, "long": 0, "berg": 12}, {"bob": 31}),
    # where names are revealed, Moodle enters the marks of all attempts in any order
    "blind": Mode(100, {"blindmarking": 1}, SINGLE, SECOND),
    "workflow": Mode(100, {"markingworkflow": 1, "markingallocation": 1}, SINGLE, SECOND, AGAIN),
}


def write_program(number: int) -> str:
    """Write a program that squares the bits of its number, and gives the number itself away for others."""
    return f"def square(x):\n    return x * x if x & {number} else -{number}\n" if number else ""


def write_course(root: Path) -> Path:
    """Write a course of one assignment, in which a program gets its number as points."""
    hidden, solution = root / "assignments" / "squares" / "hidden", root / "solutions" / "squares" / "value.py"
    hidden.mkdir(parents=True)
    solution.parent.mkdir(parents=True)
    tests = "".join(TEST.format(bit=bit, square=bit * bit) for bit in BITS)
    (hidden / "test_square.py").write_text(f"import pytest\n\n{tests}", encoding="utf-8")
    solution.write_text(write_program(FULL), encoding="utf-8")
    points = ", ".join(f"bit {bit}: {bit}" for bit in BITS)
    (root / "grading.yml").write_text(
        f"timezone: Europe/Berlin\nassignments:\n  squares:\n    defines: [square]\n    concepts: {{{points}}}\n",
        encoding="utf-8",
    )
    return root


def make_hand_in(login: str, number: int, place: Path, *, typed: bool = False, again: bool = False) -> dict[str, Any]:
    """Make what a student hands in: a text, a file, a file of another name, one in a folder, or a zip by turns."""
    program = write_program(number)
    if typed and program and number % 2:
        return {"login": login, "files": {}, "text": f"<pre>{program}</pre>", "again": again}
    kind = number % 4
    files = {("/value.py", "/my välue (1).py", "/pkg/value.py", "/hand-in.zip")[kind]: program.encode()}
    if kind == 2:
        files["/pkg/README.md"] = b"# read me\n"
    if kind == 3:
        files = {"/hand-in.zip": pack(program)}
    stored: dict[str, str] = {}
    for path, content in files.items():
        stored[path] = str(place / f"{login}-{number}-{len(stored)}")
        Path(stored[path]).write_bytes(content)
    return {"login": login, "files": stored, "text": "" if typed else None, "again": again}


def pack(program: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("hand-in/value.py", program)
        archive.writestr("__MACOSX/hand-in/._value.py", b"\0\5\26\7")
    return made.getvalue()
