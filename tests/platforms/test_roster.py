"""The course's list: of any program, in any order, and nobody gets another's row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from autograder.faults import CallerFault
from autograder.roster.roster import Roster
from autograder.submissions import Person, SubmissionEntry, SubmissionOrigin
from tests.roster_rows import find_student_row, with_roster_rows

# ------------------------------------------------------------------ roster


DATA = Path(__file__).parents[1] / "data" / "platforms"
LIST = """\
student,ID,SIS Login ID,email,first name,last name,Identifier,group
ada,12345,alove,ada@example.com,Ada,Lovelace,Participant 2,red
bob,340934,bsmith,bob@example.com,Bob,Smith,Participant 12345,red
lee,77,lee,LEE@example.com,小龙,李,Participant 1,
jose,78,jose,jose@example.com,José María,Ñandú-O'Brien,Participant 6,
"""


@pytest.fixture
def roster() -> Roster:
    return Roster(LIST.encode(), "list.csv")


@pytest.mark.parametrize(
    ("person", "platform", "student"),
    [
        (Person("12345"), "canvas", "ada"),
        (Person("12345"), "moodle", "bob"),
        (Person("2"), "moodle", "ada"),
        (Person("2"), "canvas", None),
        (Person(email="lee@EXAMPLE.com"), "gradescope", "lee"),
        (Person(login="bsmith"), "blackboard", "bob"),
        (Person("999", "lovelaceada"), "canvas", "ada"),
        (Person("", "Smith, Bob"), "canvas", "bob"),
        (Person("", "José María Ñandú-OBrien"), "moodle", "jose"),
        (Person("", "小龙 李"), "moodle", "lee"),
        (Person("", "Somebody Else"), "moodle", None),
        (Person(), "moodle", None),
    ],
)
def test_a_person_is_found_by_what_the_platform_calls_them(
    roster: Roster, person: Person, platform: str, student: str | None
) -> None:
    row = find_student_row(roster, person, platform)
    assert (row["student"] if row else None) == student


def test_a_name_that_two_have_is_nobodys() -> None:
    roster = Roster(b"student,name\na,Jan Novak\nb,Jan Novak\n", "list.csv")
    assert find_student_row(roster, Person(name="Jan Novak"), "moodle") is None


def test_signs_that_are_part_of_a_letter_tell_names_apart() -> None:
    roster = Roster("student,name\na,काला\nb,कली\n".encode(), "list.csv")
    row = find_student_row(roster, Person(name="काला"), "moodle")
    assert row is not None
    assert row["student"] == "a"


@pytest.mark.parametrize(
    ("name", "student"), [("ada", "ada"), ("bob@example.com", "bob"), ("Lee", "lee"), ("red", "")]
)
def test_a_plain_folders_submissions_are_found_by_their_names(roster: Roster, name: str, student: str) -> None:
    origin = with_roster_rows(roster, SubmissionEntry(name, Path(name))).origin
    assert origin is not None
    assert origin.student_or_group_identifier == student


def test_a_group_is_its_members(roster: Roster) -> None:
    origin = with_roster_rows(
        roster, SubmissionEntry("red", Path(), origin=SubmissionOrigin("canvas", group="red"))
    ).origin
    assert origin is not None
    assert [row["student"] for row in origin.roster] == ["ada", "bob"]


def test_a_group_of_which_one_is_a_stranger_is_not_on_the_list(roster: Roster) -> None:
    people = (Person(email="ada@example.com"), Person(email="mallory@example.com"))
    origin = with_roster_rows(
        roster, SubmissionEntry("x", Path(), origin=SubmissionOrigin("gradescope", people))
    ).origin
    assert origin is not None
    assert origin.roster == ()


def test_who_handed_in_nothing_is_known(roster: Roster) -> None:
    entries = [with_roster_rows(roster, SubmissionEntry(name, Path(name))) for name in ("ada", "stranger", "jose")]
    assert roster.list_students_without_entry(entries) == ["bob", "lee"]


@pytest.mark.parametrize("content", [b"", b"a,b\nx,1\nX,2\n"])
def test_a_list_that_says_not_who_is_who_is_refused(content: bytes) -> None:
    with pytest.raises(CallerFault, match=r"list\.csv"):
        Roster(content, "list.csv")


def test_who_has_an_extension_by_one_name_has_it_by_all_of_them(roster: Roster) -> None:
    assert roster.map_aliases_to_names(["ada@example.com"]) == dict.fromkeys(
        ["ada", "12345", "alove", "Ada", "Lovelace", "Participant 2"], "ada@example.com"
    )


def test_a_group_is_no_name_of_its_members(roster: Roster) -> None:
    assert roster.map_aliases_to_names(["red"]) == {}
    assert "red" not in roster.map_aliases_to_names(["ada"])


@pytest.mark.parametrize("chosen", [["ada", "alove"], ["alove", "ada"]])
def test_of_two_names_with_an_extension_the_courses_own_counts(roster: Roster, chosen: list[str]) -> None:
    assert roster.map_aliases_to_names(chosen)["12345"] == "ada"


def test_an_extension_of_nobody_on_the_list_names_nobody(roster: Roster) -> None:
    assert roster.map_aliases_to_names(["eve@example.com"]) == {}


def test_moodles_export_of_grades_is_a_list_by_address_and_not_by_first_names() -> None:
    roster = Roster((DATA / "moodle" / "gradebook_export.csv").read_bytes(), "grades.csv")
    names = ["bob", "ada", "nosub", "under_score", "jose", "lee"]
    assert roster.list_students_without_entry([]) == [f"{name}@example.com" for name in names]
    row = find_student_row(roster, Person("6", "José María Ñandú-OBrien"), "moodle")
    assert row is not None
    assert row["ID number"] == "S-jose"


def test_a_row_of_canvass_gradebook_that_is_no_students_is_nobody() -> None:
    table = b'Student,ID,Section,HW1 (4711)\n    Points Possible,,,20.00\n"Block, Jasen",11,XC 101,17.50\n'
    assert Roster(table, "grades.csv").list_students_without_entry([]) == ["Block, Jasen"]


@pytest.mark.parametrize(
    ("person", "whose"),
    [
        (Person("95", "Team Blue"), None),
        (Person("95", "Robert Bob OBrien"), "bob@example.com"),
        (Person("95", 'O\'Brien, Robert "Bob"'), "bob@example.com"),
        (Person("95", "Participant"), "bob@example.com"),
        (Person("95"), "bob@example.com"),
    ],
)
def test_a_team_is_not_the_participant_who_has_the_groups_number(person: Person, whose: str | None) -> None:
    worksheet = (
        'Identifier,Full name,Email address,Group\nParticipant 95,"Robert ""Bob"" O\'Brien",bob@example.com,Red\n'
    )
    row = find_student_row(Roster(worksheet.encode(), "worksheet.csv"), person, "moodle")
    assert (row and row["Email address"]) == whose


def test_a_list_that_says_what_moodle_calls_a_student_is_believed_whatever_the_name() -> None:
    roster = Roster(b"student,name,moodle\nbob,Robert O'Brien,95\n", "list.csv")
    assert find_student_row(roster, Person("95", "Bob"), "moodle") is not None


@pytest.mark.parametrize(
    "content",
    [
        "sep=;\r\nlogin;name\r\nada;Ada L\r\nzoe;Zoë N\r\n".encode(),
        '"sep=;"\r\nlogin;name\r\nada;Ada L\r\nzoe;Zoë N\r\n'.encode("utf-8-sig"),
        "login;name\r\nada;Ada L\r\nzoe;Zoë N\r\n".encode("cp1252"),
        "login\tname\r\nada\tAda L\r\nzoe\tZoë N\r\n".encode("utf-16"),
        "ada,Ada L\nzoe,Zoë N\n".encode(),
        "sep=,\nada,Ada L\nzoe,Zoë N".encode("cp1252"),
    ],
    ids=["sep", "quoted sep", "cp1252", "Unicode text", "no header", "sep, cp1252 and no header"],
)
def test_a_table_from_excel_is_read_as_it_writes_it(content: bytes) -> None:
    assert Roster(content, "list.csv").rows == [{"login": "ada", "name": "Ada L"}, {"login": "zoe", "name": "Zoë N"}]


@pytest.mark.parametrize(
    ("content", "first_row"),
    [
        ("ada\nbob\n", {"login": "ada"}),
        ("Ada L,ada\nBob M,bob\n", {"name": "Ada L", "login": "ada"}),
        ("ada@uni.example,Ada L\nbob@uni.example,Bob M\n", {"email": "ada@uni.example", "name": "Ada L"}),
        ("2001,Ada,L\n2002,Bob,M\n", {"id": "2001", "name": "Ada", "column 3": "L"}),
        ("ada1,2001\nbob,2002\n", {"login": "ada1", "id": "2001"}),
    ],
)
def test_a_table_without_a_header_has_the_first_student_too(content: str, first_row: dict[str, str]) -> None:
    rows = Roster(content.encode(), "list.csv").rows
    assert (rows[0], len(rows)) == (first_row, 2)


@pytest.mark.parametrize(
    "header",
    ["Kennung;Nachname", "Matrikel;Kürzel", "kennung;vorname", "Nummer;E-Mail-Adresse", "Login;Gruppe", "wer;login"],
)
@pytest.mark.parametrize("row", ["123;Ada", "123;ada@uni.example"])
def test_a_header_in_any_language_is_no_student(header: str, row: str) -> None:
    (found,) = Roster(f"{header}\n{row}\n".encode(), "list.csv").rows
    assert [*found] == header.split(";")


@pytest.mark.parametrize(
    "header",
    [
        '"identifier","github_username","github_id","name"',
        "identifier,login,github_id,name",
        "identifier,github,number,name",
        "identifier,GitHub Username,x,name",
    ],
)
def test_a_student_is_found_by_the_roster_of_github_classroom(header: str) -> None:
    roster = Roster(f'{header}\n"00123","ada-gh","1001","Ada L"\n"00124","bob-gh","1002",""\n'.encode(), "roster.csv")
    row = find_student_row(roster, Person(login="bob-gh"), "github")
    assert row is not None
    assert row["identifier"] == "00124"
    assert find_student_row(roster, Person(login="1002"), "github") is None


# ------------------------------------------------------------------ members


LTI = Path(__file__).parents[1] / "data" / "platforms" / "lti"
LEARNER = "http://purl.imsglobal.org/vocab/lis/v2/membership#Learner"
INSTRUCTOR = "http://purl.imsglobal.org/vocab/lis/v2/membership#Instructor"


def members(*people: dict[str, Any]) -> bytes:
    return json.dumps({"members": people}).encode()


def firsts(roster: Roster) -> list[str]:
    return [next(iter(row.values())) for row in roster.rows]


def test_moodles_students_are_called_by_their_addresses_and_teachers_are_left_out() -> None:
    roster = Roster((LTI / "moodle_members.json").read_bytes(), "members.json")
    assert firsts(roster) == [f"{one}@example.com" for one in ("bob", "ada", "nosub", "under_score", "jose", "lee")]


@pytest.mark.parametrize(
    ("person", "student"),
    [
        (Person("6", "José María Ñandú-OBrien"), "jose@example.com"),
        (Person("5", "A b 12 van der Berg, Jr."), "under_score@example.com"),
        (Person("1", "小龙 李"), "lee@example.com"),
        (Person("2", "Grace Hopper"), None),
        (Person(id="7"), None),
    ],
)
def test_a_download_of_the_same_moodle_finds_its_people_by_name_and_never_by_another_number(
    person: Person, student: str | None
) -> None:
    row = find_student_row(Roster((LTI / "moodle_members.json").read_bytes(), "members.json"), person, "moodle")
    assert (row["email"] if row else None) == student


def test_students_of_a_platform_that_keeps_names_to_itself_are_called_by_their_ids() -> None:
    assert firsts(Roster((LTI / "edx_members.json").read_bytes(), "members.json")) == ["ext-7", "ext-8"]


def test_pages_of_one_class_come_in_an_array() -> None:
    pages = [json.loads(members({"user_id": one, "roles": [LEARNER]})) for one in ("1", "2")]
    assert firsts(Roster(json.dumps(pages).encode(), "members.json")) == ["1", "2"]


def test_the_key_is_what_all_have_for_themselves() -> None:
    shared = [
        {"user_id": one, "roles": ["Learner"], "email": "lab@x", "ext_user_username": f"u{one}"} for one in "12"
    ]
    assert firsts(Roster(members(*shared), "members.json")) == ["u1", "u2"]


def test_who_left_or_does_not_learn_is_no_student() -> None:
    people: list[dict[str, Any]] = [
        {"user_id": "1", "roles": [INSTRUCTOR, LEARNER], "name": None},
        {"user_id": "2", "roles": [LEARNER], "status": "Inactive"},
        {"user_id": "3", "roles": [INSTRUCTOR]},
        {"user_id": "4"},
    ]
    assert firsts(Roster(members(*people), "members.json")) == ["1"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"id": "x"}', "not a list of LTI members"),
        (b'{"members": ', "not a list of LTI members"),
        (b'{"members": [{"user_id": 5}]}', "not a list of LTI members"),
        (b"[" * 100_000, "not a list of LTI members"),
        (b'{"members": [{"user_id": "\xff"}]}', "not a list of LTI members"),
        (members({"user_id": "1", "roles": [INSTRUCTOR]}), "no active student"),
        (members(*[{"user_id": "1", "roles": [LEARNER]}] * 2), "two rows begin with '1'"),
    ],
)
def test_what_is_no_such_list_is_refused_in_a_line(content: bytes, says: str) -> None:
    with pytest.raises(CallerFault, match=says) as caught:
        Roster(content, "members.json")
    assert "\n" not in str(caught.value)
