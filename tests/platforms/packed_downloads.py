"""Downloads as each platform packs them, made of students of whom the platform knows what follows from a number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from autograder.platforms.canvas.reader import make_canvas_owner_key
from autograder.text import format_moodle_path_name
from tests.platforms.classes import laid_out

NAMES = ("Ada Lovelace", "Bob Smith", "Chiara Rossi", "Dmitri Ivanov", "Eve Mallory")
DEFAULT_TEAM = "Default group"
STAMP = "2026-11-20-11-00-{:02}"


@dataclass(frozen=True)
class Student:
    """One student of a class; what a platform knows of them follows from the number."""

    number: int
    name: str
    files: tuple[str, ...]
    late: bool = False

    @property
    def login(self) -> str:
        return f"user{self.number}"

    @property
    def content(self) -> str:
        return f"# by {self.number}\n"


Layout = Callable[[Student], dict[str, str]]
"""What a platform packs of one student: contents by path."""


def canvas(student: Student) -> dict[str, str]:
    start = f"{make_canvas_owner_key(student.name)}_{'LATE_' if student.late else ''}{canvas_id(student)}"
    return {f"{start}_{90000 + 10 * student.number + place}_{file}": "" for place, file in enumerate(student.files)}


def canvas_id(student: Student) -> str:
    return f"400{student.number}"


def canvas_groups(student: Student) -> dict[str, str]:
    """A group's files have its name, and the id of the member who handed in."""
    group = f"Project Groups {student.number + 1}" if student.name in NAMES else student.name
    return canvas(replace(student, name=group))


def canvas_anonymous(student: Student) -> dict[str, str]:
    late = "LATE_" if student.late else ""
    start = f"{late}{anonymous_name(student)}"
    return {f"{start}_{90000 + 10 * student.number + place}_{file}": "" for place, file in enumerate(student.files)}


def anonymous_name(student: Student) -> str:
    known = ("aB3dE", "Zz9yX", "1f2G3", "x0x0x", "40012")
    return f"anon_{known[student.number] if student.number < len(known) else f'q{student.number:02}Zz'}"


def moodle_in_folders(student: Student) -> dict[str, str]:
    return {
        f"{format_moodle_path_name(student.name)}_{21 + student.number}_assignsubmission_file/{file}": ""
        for file in student.files
    }


def moodle_flat(student: Student) -> dict[str, str]:
    return {
        f"{format_moodle_path_name(student.name)}_{21 + student.number}_assignsubmission_file_{file}": ""
        for file in student.files
    }


def moodle_teams_in_folders(student: Student) -> dict[str, str]:
    return {f"{moodle_team_start(student)}/{file}": "" for file in student.files}


def moodle_teams_flat(student: Student) -> dict[str, str]:
    return {f"{moodle_team_start(student)}_{file}": "" for file in student.files}


def moodle_team_start(student: Student) -> str:
    """The team of those who are in none has no number."""
    number = f"_{21 + student.number}" if student.number else ""
    return f"{format_moodle_path_name(moodle_team(student))}{number}_assignsubmission_file"


def moodle_team(student: Student) -> str:
    if student.number == 0:
        return DEFAULT_TEAM
    return f"Team {student.number}" if student.name in NAMES else student.name


def moodle_team_id(student: Student) -> str:
    return str(21 + student.number) if student.number else DEFAULT_TEAM


def moodle_blind(student: Student) -> dict[str, str]:
    return {f"Participant_{21 + student.number}_assignsubmission_file_{file}": "" for file in student.files}


def blackboard(student: Student) -> dict[str, str]:
    start = f"HW_1_{student.login}_attempt_{STAMP.format(student.number)}"
    receipt = f"Name: {student.name} ({student.login})\nAssignment: HW 1\n\nFiles:\n"
    return {f"{start}.txt": receipt, **{f"{start}_{file}": "" for file in student.files}}


def brightspace(student: Student) -> dict[str, str]:
    name = student.name.replace("/", "")
    return {f"{100 + student.number}-7 - {name} - Nov 3, 2026 1200 PM/{file}": "" for file in student.files}


def nbgrader(student: Student) -> dict[str, str]:
    place = f"{student.login}/hw1"
    return {**{f"{place}/{file}": "" for file in student.files}, f"{place}/timestamp.txt": "2026-11-02 10:00:00"}


def gradescope(student: Student) -> dict[str, str]:
    entry = {
        ":submitters": [{":name": student.name, ":sid": f"00{student.number}", ":email": ""}],
        ":created_at": "2026-11-02 10:00:00.861687000 Z",
    }
    table = yaml.safe_dump({f"submission_{700 + student.number}": entry}, allow_unicode=True, sort_keys=False)
    return {
        **{f"submission_{700 + student.number}/{file}": "" for file in student.files},
        "submission_metadata.yml": table,
    }


def github(student: Student) -> dict[str, str]:
    place = f"hw1-{student.login}"
    return {**{f"{place}/{file}": "" for file in student.files if file != ".git"}, f"{place}/.git/HEAD": "ref"}


PACKINGS: dict[str, tuple[Layout, str, Callable[[Student], str]]] = {
    "canvas": (canvas, "canvas", canvas_id),
    "canvas groups": (canvas_groups, "canvas", canvas_id),
    "canvas anonymous": (canvas_anonymous, "canvas", anonymous_name),
    "moodle in folders": (moodle_in_folders, "moodle", lambda one: str(21 + one.number)),
    "moodle flat": (moodle_flat, "moodle", lambda one: str(21 + one.number)),
    "moodle teams in folders": (moodle_teams_in_folders, "moodle", moodle_team_id),
    "moodle teams flat": (moodle_teams_flat, "moodle", moodle_team_id),
    "moodle blind": (moodle_blind, "moodle", lambda one: str(21 + one.number)),
    "gradescope": (gradescope, "gradescope", lambda one: f"00{one.number}"),
    "blackboard": (blackboard, "blackboard", lambda one: one.login),
    "brightspace": (brightspace, "brightspace", lambda one: str(100 + one.number)),
    "nbgrader": (nbgrader, "nbgrader", lambda one: one.login),
    "github": (github, "github", lambda one: one.login),
}
"""How each platform packs a class, what the kit calls it, and the id that it gives a student."""


def packed(root: Path, layout: Layout, students: Sequence[Student]) -> Path:
    files: dict[str, str] = {}
    for one in students:
        for path, text in layout(one).items():
            if len(path) < 250:
                files[path] = files.get(path, "") + (text or one.content)  # a table has a part of each student
    return laid_out(root, files)
