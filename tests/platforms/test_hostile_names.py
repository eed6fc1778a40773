"""What one student calls a file, or is called, changes nothing of whose anybody else's work is, on any platform."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.platforms.canvas.packed_file_names import make_canvas_owner_key
from autograder.platforms.canvas.student_matching import CanvasStudent as Listed
from autograder.platforms.canvas.student_matching import CanvasStudentIndex, UnmatchedSubmission
from autograder.platforms.common.opened_submissions import open_class_submissions
from autograder.student_name_comparison import format_name_as_in_moodle_path
from autograder.submissions import Person, SubmissionEntry, SubmissionOrigin
from tests.platforms.classes import laid_out, result

LONGEST = 120
NAMES = ("Ada Lovelace", "Bob Smith", "Chiara Rossi", "Dmitri Ivanov", "Eve Mallory")
DEFAULT_TEAM = "Default group"
STAMP = "2026-11-20-11-00-0{}"


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
    return f"anon_{('aB3dE', 'Zz9yX', '1f2G3', 'x0x0x', '40012')[student.number]}"


def moodle_in_folders(student: Student) -> dict[str, str]:
    return {
        f"{format_name_as_in_moodle_path(student.name)}_{21 + student.number}_assignsubmission_file/{file}": ""
        for file in student.files
    }


def moodle_flat(student: Student) -> dict[str, str]:
    return {
        f"{format_name_as_in_moodle_path(student.name)}_{21 + student.number}_assignsubmission_file_{file}": ""
        for file in student.files
    }


def moodle_teams_in_folders(student: Student) -> dict[str, str]:
    return {f"{moodle_team_start(student)}/{file}": "" for file in student.files}


def moodle_teams_flat(student: Student) -> dict[str, str]:
    return {f"{moodle_team_start(student)}_{file}": "" for file in student.files}


def moodle_team_start(student: Student) -> str:
    """The team of those who are in none has no number."""
    number = f"_{21 + student.number}" if student.number else ""
    return f"{format_name_as_in_moodle_path(moodle_team(student))}{number}_assignsubmission_file"


def moodle_team(student: Student) -> str:
    if student.number == 0:
        return DEFAULT_TEAM
    return f"Team {student.number}" if student.name in NAMES else student.name


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


PLATFORMS: dict[str, tuple[Layout, str, Callable[[Student], str]]] = {
    "canvas": (canvas, "canvas", canvas_id),
    "canvas groups": (canvas_groups, "canvas", canvas_id),
    "canvas anonymous": (canvas_anonymous, "canvas", anonymous_name),
    "moodle in folders": (moodle_in_folders, "moodle", lambda one: str(21 + one.number)),
    "moodle flat": (moodle_flat, "moodle", lambda one: str(21 + one.number)),
    "moodle teams in folders": (moodle_teams_in_folders, "moodle", lambda one: moodle_team_id(one)),
    "moodle teams flat": (moodle_teams_flat, "moodle", lambda one: moodle_team_id(one)),
    "moodle blind": (moodle_blind, "moodle", lambda one: str(21 + one.number)),
    "gradescope": (gradescope, "gradescope", lambda one: f"00{one.number}"),
    "blackboard": (blackboard, "blackboard", lambda one: one.login),
    "brightspace": (brightspace, "brightspace", lambda one: str(100 + one.number)),
    "nbgrader": (nbgrader, "nbgrader", lambda one: one.login),
    "github": (github, "github", lambda one: one.login),
}
"""How each packs a class, what the kit calls it, and the id that it gives a student."""


def moodle_team_id(student: Student) -> str:
    return str(21 + student.number) if student.number else DEFAULT_TEAM


def pieces(layout: Layout) -> tuple[list[str], list[str]]:
    """What hostile names are made of: numbers that platforms wrote, everybody's and one's own; and other words."""
    everybody = [Student(number, name, ("a.py", "b.py", "c.py")) for number, name in enumerate(NAMES)]
    whole = [path.replace("/", "_") for one in everybody for path in layout(one)]
    parts = {part for path in whole for part in path.split("_")}
    odd = {"LATE", "anon", "text.html", "link.html", "value", ".py", ".txt", "", "\n", "李", ".git"}
    numbers = {part for part in parts if part.isdecimal()} | {"1", "20261102"}
    return sorted(numbers), sorted((parts | odd | {*whole}) - numbers)


def hostile(layout: Layout) -> st.SearchStrategy[str]:
    """Texts that look like others' ids and like what the platform writes, in any order.

    A space hides a number from Canvas, which takes ``_`` away around numbers first, and then spaces.
    """
    numbers, words = map(st.sampled_from, pieces(layout))
    piece = st.tuples(numbers | numbers | numbers | words, st.sampled_from(["_", "_", "_ "])).map("".join)
    return st.lists(piece, min_size=1, max_size=7).map(lambda found: "".join(found)[:LONGEST].rstrip("_ "))


def hostile_files(layout: Layout) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(hostile(layout).map(lambda name: f"{name}.py"), min_size=1, max_size=3, unique=True).map(tuple)


def said_of(entry: SubmissionEntry) -> tuple[set[str], set[str], bool]:
    """Whose work is in a submission, by its lines; whose ids it carries; and whether it is late."""
    files = [entry.path] if entry.path.is_file() else [*entry.path.rglob("*.py")]
    assert entry.origin is not None
    ids = {one for person in entry.origin.people for one in (person.id, person.login) if one}
    if not entry.origin.people:  # the name that stands for it
        ids = {entry.origin.group or entry.name}
    return (
        {line for path in files if path.is_file() for line in path.read_text().splitlines()},
        ids,
        entry.origin.marked_late,
    )


def packed(root: Path, layout: Layout, students: Sequence[Student]) -> Path:
    files: dict[str, str] = {}
    for one in students:
        for path, text in layout(one).items():
            if len(path) < 250:
                files[path] = files.get(path, "") + (text or one.content)  # a table has a part of each student
    return laid_out(root, files)


def check(name: str, students: Sequence[Student], mallory: Student) -> None:
    """Read a class: everybody has their own work, ids and late marks; ``mallory`` alone may lose her own ids."""
    layout, platform, id_of = PLATFORMS[name]
    with (
        tempfile.TemporaryDirectory() as root,
        open_class_submissions(packed(Path(root), layout, students)) as found,
    ):
        assert found.platform is not None, "one student's name hides the class"
        assert found.platform.name == platform
        said = [said_of(entry) for entry in found.entries]
    for one in students:
        theirs = [(work, ids, late) for work, ids, late in said if one.content.strip() in work]
        assert theirs, "somebody's work is gone"
        own, others = (
            {id_of(one)},
            {id_of(Student(number, "", ())) for number in range(len(NAMES)) if number != one.number},
        )
        for work, ids, late in theirs:
            assert work == {one.content.strip()}, "two students' work is one submission"
            is_late = one.late and name.startswith("canvas")
            if one is mallory:
                assert not ids & others, "somebody else's id"
                assert late == is_late or (late and ids != own), "a late mark that is lost or forged"
            else:
                assert ids == own
                assert late == is_late
        assert one is mallory or len(theirs) == 1


@pytest.mark.parametrize("name", PLATFORMS)
@settings(max_examples=30)
@given(data=st.data())
def test_no_files_name_takes_anothers_id_or_place(name: str, data: st.DataObject) -> None:
    layout = PLATFORMS[name][0]
    late = data.draw(st.sets(st.integers(0, len(NAMES) - 1)))
    honest = [
        Student(number, one, ("value.py", "helper.py"), number in late) for number, one in enumerate(NAMES[:-1])
    ]
    absent = data.draw(st.integers(0, len(honest)))
    mallory = Student(4, NAMES[4], data.draw(hostile_files(layout)), 4 in late)
    there = [one for one in honest if one.number != absent]
    check(name, [*there, mallory], mallory)


@pytest.mark.parametrize("name", PLATFORMS)
@settings(max_examples=30)
@given(data=st.data())
def test_no_students_name_takes_anothers_work_or_hides_the_class(name: str, data: st.DataObject) -> None:
    layout = PLATFORMS[name][0]
    absent = data.draw(st.integers(0, len(NAMES) - 1))
    late = data.draw(st.sets(st.integers(0, len(NAMES) - 1)))
    honest = [
        Student(number, one, ("value.py", "helper.py"), number in late) for number, one in enumerate(NAMES[:-1])
    ]
    called = data.draw(
        hostile(layout).filter(
            lambda text: format_name_as_in_moodle_path(text) != "" and make_canvas_owner_key(text) != ""
        )
    )
    mallory = Student(4, called, ("value.py", "more.py"), 4 in late)
    check(name, [*(one for one in honest if one.number != absent), mallory], mallory)


HONEST = [f"student{number}_{4000 + number}_{90000 + number * 7}_value.py" for number in range(20)]


@pytest.mark.parametrize("victim", ["4200", "4005"], ids=["absent", "there"])
@pytest.mark.parametrize(
    "files",
    [
        ["90500_{}_90600_value.py"],
        ["90500_{}_90600_value.py", "90501_9_90500_x.py"],
        ["90500_{}_90600_value.py", "90501_{}_90500_x.py"],
        ["90500_{}_90600_value.py", "90501_{}_90500_{}_90500_x.py", "90502_90500_90501_{}_90500_y.py"],
    ],
    ids=["alone", "own id in another", "own id as the victim's", "three"],
)
def test_a_file_of_canvass_that_repeats_its_own_id_in_another_is_still_its_owners(
    tmp_path: Path, files: list[str], victim: str
) -> None:
    names = [f"mallory_4100_{name.replace('{}', victim)}" for name in files]
    with open_class_submissions(laid_out(tmp_path, dict.fromkeys([*HONEST, *names], "x = 1"))) as found:
        assert found.platform is not None
        assert found.platform.name == "canvas"
        people = {entry.name: entry.origin.people for entry in found.entries if entry.origin}
    assert {one.id for name, who in people.items() if name.startswith("mallory_4100") for one in who} <= {"", "4100"}
    assert len([one for who in people.values() for one in who if one.id == victim]) == (victim == "4005")
    assert people["student5_4005"][0].id == "4005"


def test_an_uncertain_file_stays_apart_from_its_likely_owners_others(tmp_path: Path) -> None:
    names = [*HONEST, "student1_4001_90200_4200_90600_more.py"]
    with open_class_submissions(laid_out(tmp_path, dict.fromkeys(names, "x = 1"))) as found:
        ids = {
            entry.name: entry.origin.people[0].id
            for entry in found.entries
            if entry.origin and entry.name.startswith("student1_")
        }
    assert ids == {"student1_4001": "4001", "student1_4001_90200": ""}


def test_what_is_nobodys_for_sure_gets_no_mark_by_its_numbers() -> None:
    students = CanvasStudentIndex([Listed("4200", "Victim, Val"), Listed("4100", "Mallory, Eve")])
    name = "mallory_4100_90500_4200_90600_value.py"
    uncertain = SubmissionOrigin("canvas", (Person(name=name),), names=(name,))
    with pytest.raises(UnmatchedSubmission, match="several numbers"):
        students.require_students_of(result("mallory_4100_90500", 10, uncertain))
