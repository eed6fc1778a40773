"""A teacher in front of the pages of an Assignment activity: what comes out of Moodle by hand, and goes in again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import requests

from tests.web.lti.moodle_browser import MoodleBrowser, find_form

UPLOADER = re.compile(r'"id":"?(\d+)"?,"name":"[^"]*","type":"upload"')
"""The number of the source "Upload a file" in a page's file picker."""


@dataclass
class MoodleTeacher:
    """A teacher who is logged in, in a language."""

    browser: MoodleBrowser

    def speak(self, language: str) -> None:
        self.browser.get("/my/", lang=language)

    def download_submissions(self, module: int, place: Path) -> Path:
        return save(self.browser.get("/mod/assign/view.php", id=str(module), action="downloadall"), place)

    def download_worksheet(self, module: int, place: Path) -> Path:
        return save(self._open(module, "offline", "downloadgrades"), place)

    def upload_worksheet(self, module: int, file: Path) -> str:
        """Upload a worksheet, without the tick that lets it write over newer marks; return Moodle's answer."""
        page = self._open(module, "offline", "uploadgrades")
        return self._upload(page, "gradesfile", file, encoding="UTF-8", separator="comma")

    def upload_feedback(self, module: int, file: Path) -> str:
        """Upload feedback files in a zip; return Moodle's answer."""
        return self._upload(self._open(module, "file", "uploadzip"), "feedbackzip", file)

    def _open(self, module: int, plugin: str, action: str) -> requests.Response:
        query = {"pluginsubtype": "assignfeedback", "plugin": plugin, "pluginaction": action}
        return self.browser.get("/mod/assign/view.php", id=str(module), action="viewpluginpage", **query)

    def _upload(self, page: requests.Response, name: str, file: Path, **choices: str) -> str:
        form, uploader = find_form(page, name), UPLOADER.search(page.text)
        assert uploader, page.text[-3000:]
        values = {
            "sesskey": self.browser.find_session_key(), "repo_id": uploader[1], "itemid": form.fields[name],
            "env": "filepicker", "title": file.name, "savepath": "/", "author": "", "license": "unknown",
            "accepted_types[]": file.suffix,
        }  # fmt: skip
        answer = self.browser.session.post(
            f"{self.browser.moodle.url}/repository/repository_ajax.php?action=upload",
            values,
            files={"repo_upload_file": (file.name, file.read_bytes())},
            timeout=300,
        ).json()
        assert "error" not in answer, answer
        asked = self.browser.post(form.action, without_cancel({**form.fields, **choices}))
        confirmation = find_form(asked, "confirm")
        answered = self.browser.post(confirmation.action, without_cancel(confirmation.fields))
        assert answered.status_code == 200, answered.text[-3000:]
        return re.sub(r"(?s)<(script|style)\b.*?</\1>|<[^>]+>|\s+", " ", answered.text)


def without_cancel(fields: dict[str, str]) -> dict[str, str]:
    """What a browser sends when somebody clicks on the other button."""
    return {name: value for name, value in fields.items() if name != "cancel"}


def save(answer: requests.Response, place: Path) -> Path:
    assert "attachment" in answer.headers.get("Content-Disposition", ""), answer.text[-3000:]
    place.write_bytes(answer.content)
    return place
