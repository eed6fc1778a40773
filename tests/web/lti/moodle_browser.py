"""Somebody in front of Moodle's pages, without a browser's scripts: the forms that scripts would send are sent."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests

from tests.web.lti.moodle_process import Moodle

RETURNED = re.compile(r"'mod_lti/contentitem_return'\], function\(amd\) \{amd\.init\((.*?)\); M\.util\.js_complete")
SESSION_KEY = re.compile(r'"sesskey":"(\w+)"')


@dataclass
class Form:
    """A form of a page, with what a browser would send."""

    action: str
    fields: dict[str, str] = field(default_factory=dict)
    choices: list[str] = field(default_factory=list)
    """The values of its check boxes."""


class Forms(HTMLParser):
    """All forms of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[Form] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        values = dict(attrs)
        if tag == "form":
            self.found.append(Form(values.get("action") or ""))
        elif tag == "input" and self.found and values.get("name"):
            if values.get("type") in ("checkbox", "radio"):
                self.found[-1].choices.append(values.get("value") or "")
            else:
                self.found[-1].fields[values["name"]] = values.get("value") or ""


def find_form(answer: requests.Response, *names: str) -> Form:
    """The form of a page that has these fields."""
    form = next((one for one in Forms(answer.text).found if {*names} <= {*one.fields}), None)
    assert form is not None, (answer.status_code, answer.url, re.sub(r"(?s)<[^>]+>|\s+", " ", answer.text)[:3000])
    form.action = urljoin(answer.url, form.action)
    return form


@dataclass
class MoodleBrowser:
    """Somebody who is logged in at a Moodle."""

    moodle: Moodle
    session: requests.Session = field(default_factory=requests.Session)

    def log_in(self, login: str, password: str = "Student-1234") -> MoodleBrowser:
        form = find_form(self.get("/login/index.php"), "logintoken", "username")
        self.post(form.action, {**form.fields, "username": login, "password": password})
        assert SESSION_KEY.search(self.get("/my/").text), f"{login} is not logged in"
        return self

    def get(self, path: str, **query: str) -> requests.Response:
        return self.session.get(urljoin(self.moodle.url, path), params=query, timeout=120)

    def post(self, url: str, fields: Any, **headers: str) -> requests.Response:
        return self.session.post(url, fields, headers=headers, timeout=120)

    def find_session_key(self) -> str:
        found = SESSION_KEY.search(self.get("/my/").text)
        assert found
        return found[1]

    def begin_registration(self, link: str) -> Form:
        """Paste a tool's link where an administrator does, and return the form that the tool shows."""
        answer = self.get("/mod/lti/startltiadvregistration.php", url=link, sesskey=self.find_session_key())
        return find_form(answer, "registration_token")

    def begin_launch(self, module: int) -> Form:
        """Follow a link to the tool, up to the message that Moodle posts to it."""
        return self._answer_login(self.get("/mod/lti/launch.php", id=str(module)))

    def launch(self, module: int) -> requests.Response:
        """Follow a link to the tool, and return where one lands."""
        return self.send_message(self.begin_launch(module))

    def ask_for_content(self, course: int, tool: int) -> requests.Response:
        """Choose content of the tool for a course, and return what the tool shows."""
        query = {"course": str(course), "id": str(tool), "title": "", "text": ""}
        return self.send_message(self._answer_login(self.get("/mod/lti/contentitem.php", **query)))

    def choose(self, page: requests.Response, *names: str) -> list[dict[str, Any]]:
        """Choose assignments on the tool's page, and return what Moodle makes of them."""
        form = find_form(page, "ticket")
        assert {*names} <= {*form.choices}
        answer = self.post(
            form.action, [*form.fields.items(), *(("assignment", one) for one in names)], Origin=origin(page)
        )
        back = find_form(answer, "JWT")
        returned = self.post(back.action, back.fields)
        found = RETURNED.search(returned.text)
        assert found, returned.text[-3000:]
        made: Any = json.loads(found[1])
        return list(made["multiple"]) if "multiple" in made else [made]

    def send_message(self, form: Form) -> requests.Response:
        return self.post(form.action, form.fields, Origin=self.moodle.url, **{"Sec-Fetch-Dest": "document"})

    def _answer_login(self, page: requests.Response) -> Form:
        login = find_form(page, "login_hint")
        return find_form(self.post(login.action, login.fields), "id_token", "state")


def origin(page: requests.Response) -> str:
    parts = urlsplit(page.url)
    return f"{parts.scheme}://{parts.netloc}"
