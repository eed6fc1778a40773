"""What a platform answers a tool that asks for the members of a course will do as a roster."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from autograder.faults import CallerFault
from autograder.roster.roster import Roster
from autograder.submissions import Person
from tests.roster_rows import find_student_row

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
