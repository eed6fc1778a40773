"""Students choose what they are called, on several platforms: an id or an e-mail address always goes first."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.roster.roster import Roster, RosterMatchResult
from autograder.submissions import Person, SubmissionEntry, SubmissionOrigin
from tests.roster_rows import find_student_row

LIST = b"""\
student,name,email,sid
ada,Ada Lovelace,ada@example.com,111
mal,Mallory,mal@example.com,222
kim,Kim Jones,kim@example.com,333
"""


def entry(name: str, *people: Person, platform: str = "gradescope", group: str = "") -> SubmissionEntry:
    return SubmissionEntry(name, Path(name), origin=SubmissionOrigin(platform, people, group))


def students(found: RosterMatchResult) -> dict[str, str]:
    """Whose each submission is on the list."""
    return {
        one.name: " + ".join(row["student"] for row in one.origin.roster) if one.origin else ""
        for one in found.entries
    }


@pytest.fixture
def roster() -> Roster:
    return Roster(LIST, "list.csv")


HERS = entry("hers", Person("111", "Countess", "ada@example.com"))


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_name_takes_no_row_that_another_has_by_an_id(roster: Roster, order: tuple[int, ...]) -> None:
    his = entry("his", Person(name="Ada Lovelace", email="mal@elsewhere.example"))
    found = roster.match_entries_to_rows([[HERS, his][place] for place in order])
    assert students(found) == {"hers": "ada", "his": ""}
    assert found.disputes == ("ambiguous roster match for his; left unmatched, because hers matches ada better",)


def test_a_row_that_two_have_by_name_is_nobodys(roster: Roster) -> None:
    twins = [entry(one, Person(id_, "Ada Lovelace"), platform="moodle") for one, id_ in (("a", "1"), ("b", "2"))]
    found = roster.match_entries_to_rows(twins)
    assert students(found) == {"a": "", "b": ""}
    assert found.disputes == ("ambiguous roster match for a and b; left unmatched, because all match ada",)


def test_attempts_of_one_student_are_no_dispute(roster: Roster) -> None:
    person = Person("7", "Ada Lovelace")
    found = roster.match_entries_to_rows([entry(one, person, platform="moodle") for one in ("first", "second")])
    assert students(found) == {"first": "ada", "second": "ada"}
    assert found.disputes == ()


@pytest.mark.parametrize(
    "claimed",
    [
        Person("111", "Mallory", "mal@example.com"),
        Person("", "Mallory", "mal@example.com", login="ada"),
        Person("222", "Mallory", login="ada"),
    ],
)
def test_an_id_of_anothers_beside_ones_own_address_is_nobodys(roster: Roster, claimed: Person) -> None:
    found = roster.match_entries_to_rows([HERS, entry("his", claimed)])
    assert students(found) == {"hers": "ada", "his": ""}


def test_an_address_or_an_id_for_a_name_is_no_address_and_no_id() -> None:
    listed = Roster(LIST.replace(b"Mallory", b"ada@example.com").replace(b"Kim Jones", b"ada"), "list.csv")
    assert students(listed.match_entries_to_rows([entry("hers", Person(email="ada@example.com"))])) == {"hers": "ada"}
    for name in ("ada", "ada@example.com", "111"):
        assert students(listed.match_entries_to_rows([SubmissionEntry(name, Path(name))])) == {name: "ada"}


def test_a_display_name_in_a_platforms_own_table_is_no_id() -> None:
    """Canvas's gradebook: its column ``Student`` holds what students call themselves."""
    listed = Roster(b'Student,ID,SIS Login ID\n"Lovelace, Ada",111,ada\n111,222,mal\n', "gradebook.csv")
    row = find_student_row(listed, Person("111"), "canvas")
    assert row is not None
    assert row["SIS Login ID"] == "ada"


def test_where_the_list_says_what_students_are_called_on_a_platform_nothing_else_does() -> None:
    """On GitHub a student calls oneself as another does at home."""
    listed = Roster(b"student,name,github\nada,Ada Lovelace,countess\nmal,Mallory,mal99\nkim,Kim,\n", "list.csv")
    logins = ("countess", "ada", "mal", "Ada Lovelace")
    found = listed.match_entries_to_rows(
        [entry(one, Person(login=one, name=one), platform="github") for one in logins]
    )
    assert students(found) == {"countess": "ada", "ada": "", "mal": "", "Ada Lovelace": ""}


def test_exactly_an_id_goes_before_one_like_it(roster: Roster) -> None:
    both = [entry(one, Person(one, login=one), platform="nbgrader") for one in ("ADA.", "ada")]
    found = roster.match_entries_to_rows(both)
    assert students(found) == {"ADA.": "", "ada": "ada"}
    assert len(found.disputes) == 1


def test_a_group_that_calls_itself_as_another_gets_nobodys_points() -> None:
    listed = Roster(b"student,group\nada,red\nkim,red\n", "list.csv")
    groups = [entry(one, platform="moodle", group=group) for one, group in (("one", "red"), ("two", "Red"))]
    assert students(listed.match_entries_to_rows(groups)) == {"one": "", "two": ""}


@pytest.mark.thorough
def test_a_class_of_thousands_is_recognised_at_once() -> None:
    rows = "".join(f"s{number},{number},Name {number},s{number}@example.com\n" for number in range(4000))
    listed = Roster(f"student,sid,name,email\n{rows}".encode(), "list.csv")
    found = listed.match_entries_to_rows([entry(f"s{one}", Person("", f"Name {one}")) for one in range(4000)])
    assert students(found) == {f"s{number}": f"s{number}" for number in range(4000)}
