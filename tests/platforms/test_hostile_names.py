"""What one student calls a file, or is called, changes nothing of whose anybody else's work is, on any platform."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.platforms.canvas.reader import make_canvas_owner_key
from autograder.platforms.canvas.student_matching import CanvasStudent as Listed
from autograder.platforms.canvas.student_matching import CanvasStudentIndex, UnmatchedSubmission
from autograder.platforms.common.opened_submissions import open_class_submissions
from autograder.submissions import Person, SubmissionEntry, SubmissionOrigin
from autograder.text import format_moodle_path_name
from tests.platforms.classes import laid_out, result
from tests.platforms.packed_downloads import NAMES, PACKINGS, Layout, Student, packed

LONGEST = 300


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


def check(name: str, students: Sequence[Student], mallory: Student) -> None:
    """Read a class: everybody has their own work, ids and late marks; ``mallory`` alone may lose her own ids."""
    layout, platform, id_of = PACKINGS[name]
    with tempfile.TemporaryDirectory() as root, open_class_submissions(packed(Path(root), layout, students)) as found:
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


ONE_OF_EACH = ("canvas", "moodle in folders", "gradescope", "blackboard", "brightspace", "nbgrader", "github")
"""A packing of each platform."""


@pytest.mark.first_cases(3)
@pytest.mark.thorough_but(*ONE_OF_EACH)
@pytest.mark.parametrize("name", PACKINGS)
@settings(max_examples=30)
@given(data=st.data())
def test_no_files_name_takes_anothers_id_or_place(name: str, data: st.DataObject) -> None:
    layout = PACKINGS[name][0]
    late = data.draw(st.sets(st.integers(0, len(NAMES) - 1)))
    honest = [
        Student(number, one, ("value.py", "helper.py"), number in late) for number, one in enumerate(NAMES[:-1])
    ]
    absent = data.draw(st.integers(0, len(honest)))
    mallory = Student(4, NAMES[4], data.draw(hostile_files(layout)), 4 in late)
    there = [one for one in honest if one.number != absent]
    check(name, [*there, mallory], mallory)


@pytest.mark.first_cases(3)
@pytest.mark.thorough_but(*ONE_OF_EACH)
@pytest.mark.parametrize("name", PACKINGS)
@settings(max_examples=30)
@given(data=st.data())
def test_no_students_name_takes_anothers_work_or_hides_the_class(name: str, data: st.DataObject) -> None:
    layout = PACKINGS[name][0]
    absent = data.draw(st.integers(0, len(NAMES) - 1))
    late = data.draw(st.sets(st.integers(0, len(NAMES) - 1)))
    honest = [
        Student(number, one, ("value.py", "helper.py"), number in late) for number, one in enumerate(NAMES[:-1])
    ]
    called = data.draw(
        hostile(layout).filter(lambda text: format_moodle_path_name(text) != "" and make_canvas_owner_key(text) != "")
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
