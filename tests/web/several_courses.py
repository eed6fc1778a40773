"""Several courses on one server, and browsers of their people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flask import Flask

from autograder.web.people import enrol_with_sign_in_link
from autograder.web.server import create_server_app
from autograder.web.settings import CourseServerSettings
from autograder.web.store.hand_ins import HandIn, NewHandIn
from autograder.web.store.roll import MemberDetails
from autograder.web.store.server_store import open_server_store
from tests.web.conftest import PEOPLE, Browser

ONE, TWO = "mg101", "mg102-2026"


@dataclass
class SeveralCourses:
    """Two courses under one address."""

    courses: dict[str, CourseServerSettings]
    browsers: int = 0

    def __post_init__(self) -> None:
        self.app: Flask = create_server_app([*self.courses.values()])

    def browser(self, **headers: str) -> Browser:
        self.browsers += 1
        opened = Browser(self.app.test_client(), headers)
        opened.client.environ_base["REMOTE_ADDR"] = f"10.1.{self.browsers // 250}.{self.browsers % 250 + 1}"
        return opened

    def invite(self, course: str, login: str, role: str = "") -> str:
        place = self.courses[course].location
        with open_server_store(place) as store:
            given: Any = role or PEOPLE[login][0]
            path = enrol_with_sign_in_link(
                store, place.class_key_in_store, MemberDetails(login, login.title(), given)
            )[1]
        return f"/{course}{path}"

    def sign_in(self, browser: Browser, course: str, login: str, role: str = "") -> Browser:
        assert browser.post(self.invite(course, login, role)).status_code == 303
        return browser

    def hand_ins(self, course: str) -> list[HandIn]:
        place = self.courses[course].location
        with open_server_store(place) as store:
            return store.hand_ins.list_hand_ins(place.class_key_in_store, "toy")

    def queue(self, course: str, login: str, sources: list[str]) -> None:
        """Hand in one after the other, as students may without a limit of attempts."""
        place = self.courses[course].location
        with open_server_store(place) as store:
            person = store.accounts.find_enrolment(place.class_key_in_store, login)
            assert person is not None
            for source in sources:
                store.hand_ins.add_hand_in_unless_duplicate(
                    NewHandIn(place.class_key_in_store, "toy", [person], "value.py", source.encode())
                )
