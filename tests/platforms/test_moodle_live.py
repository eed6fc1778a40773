"""A real Moodle holds what was graded, in every mode and language: grades, comments, and everybody's page.

``KIT_MOODLE=/path/to/a/checkout KIT_MOODLE_LANGUAGES=/path/to/packs make thorough``, or
``pytest --thorough tests/platforms/test_moodle_live.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from autograder.reports import ScoreReport
from tests.cli.commands import run, succeeded
from tests.platforms.moodle_comparison import compare_class, find_gradebook_differences, grade_outside_moodle
from tests.platforms.moodle_school import MODES, PEOPLE, TEAMS, Mode, make_hand_in, write_course
from tests.platforms.moodle_teacher import MoodleTeacher
from tests.web.lti.moodle_browser import MoodleBrowser
from tests.web.lti.moodle_process import SITE, Moodle, add_languages, start_moodle

pytestmark = [pytest.mark.thorough, pytest.mark.xdist_group("moodle")]
LANGUAGES = ("en", "de", "es", "fr", "ja", "ar", "zh_cn", "eu")
WITHOUT_FOLDERS = {"ar", "de", "es", "eu"}
"""Languages in which the teacher did not tick "Download submissions in folders"."""
WITH_GRADE = {"individual": 17, "text": 17, "teams": 16, "blind": 17, "workflow": 17}
WITH_PAGE = {**WITH_GRADE, "teams": 10}
"""How many students get something; those who are in no team get no page."""


@dataclass
class MoodleSchool:
    """A Moodle with a class, and what its programs got outside it."""

    moodle: Moodle
    course: int
    languages: set[str]
    teacher: MoodleTeacher
    folder: Path
    reports: dict[int, ScoreReport]

    def do(self, action: str, **values: Any) -> Any:
        return self.moodle.do(action, SITE.with_name("assignments.php"), **values)


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MoodleSchool]:
    with start_moodle(tmp_path_factory.mktemp("moodle")) as moodle:
        folder = write_course(tmp_path_factory.mktemp("school") / "course")
        reports = grade_outside_moodle(folder)
        languages = add_languages(moodle)
        people = [{"login": login, "first": first, "last": last} for login, (first, last) in PEOPLE.items()]
        teacher = MoodleTeacher(MoodleBrowser(moodle))
        made = MoodleSchool(moodle, 0, languages, teacher, folder, reports)
        made.do("purge")
        made.course = made.do("make_school", people=people, teams=TEAMS)["course"]
        teacher.browser.log_in("teacher")
        yield made


@dataclass
class Assignment:
    """An assignment in Moodle."""

    school: MoodleSchool
    mode: Mode
    module: int
    place: Path

    def hand_in(self, programs: dict[str, int], attempts: frozenset[str] = frozenset()) -> None:
        typed = "assignsubmission_onlinetext_enabled" in self.mode.settings
        made = [
            make_hand_in(login, number, self.place, typed=typed, again=login in attempts)
            for login, number in programs.items()
        ]
        self.school.do("hand_in", module=self.module, hand_ins=made)
        self.school.do("age", module=self.module)

    def bring_back(self, name: str, language: str) -> str:
        """Download, grade, export and upload as docs/platforms/moodle.md says; return what the export says."""
        self.school.teacher.speak(language)
        place, teacher = self.place / name, self.school.teacher
        place.mkdir()
        packed = teacher.download_submissions(self.module, place / "submissions.zip")
        sheet = teacher.download_worksheet(self.module, place / "worksheet.csv")
        out, course = self.place / "results", self.school.folder
        times = ("--submission-times", sheet) if language == "en" else ()
        succeeded(run("batch", "squares", packed, "--from", "moodle", *times, "--out", out, cwd=course))
        upload = ("--gradebook", sheet, "--out", place / "upload")
        said = succeeded(run("export", "moodle", "--batch", out, *upload, cwd=course))
        teacher.upload_worksheet(self.module, place / "upload" / "worksheet.csv")
        teacher.upload_feedback(self.module, place / "upload" / "feedback.zip")
        return said

    def show(self) -> dict[str, Any]:
        found: dict[str, Any] = self.school.do("show_grades", module=self.module)
        return found


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", MODES)
def test_a_real_moodle_holds_what_was_graded_after_a_first_and_a_second_round(
    school: MoodleSchool, tmp_path: Path, name: str, language: str
) -> None:
    if language not in school.languages:
        pytest.skip(
            f"no language pack {language}: KIT_MOODLE_LANGUAGES=/path/to/packs names a folder with {language}/"
        )
    mode = MODES[name]
    settings = {**mode.settings, "grade": mode.maximum, "name": f"HW {name} {language}"}
    assignment = Assignment(
        school, mode, school.do("add_assignment", course=school.course, settings=settings)["module"], tmp_path
    )
    flat = language in WITHOUT_FOLDERS
    school.do("prefer", login="teacher", name="assign_downloadasfolders", value=0 if flat else 1)

    assignment.hand_in(mode.hand_ins)
    said = assignment.bring_back("first", language)
    found = assignment.show()
    compared = compare_class(mode, mode.hand_ins, found, school.reports)
    assert compared.differences == ()
    assert (compared.grades, compared.pages) == (WITH_GRADE[name], WITH_PAGE[name])
    assert ("no page for" in said) == (name == "teams")
    hidden = name in ("blind", "workflow")
    assert find_gradebook_differences(found, shown=not hidden) == []

    assignment.hand_in(mode.second, mode.attempts)
    assignment.bring_back("second", "en")  # Moodle reads when its marks were given in English alone
    found = assignment.show()
    compared = compare_class(mode, {**mode.hand_ins, **mode.second}, found, school.reports)
    assert compared.differences == ()
    assert (compared.grades, compared.pages) == (WITH_GRADE[name], WITH_PAGE[name])
    assert {login for login, one in found.items() if one["attempt"]} == mode.attempts
    school.do("release", module=assignment.module)
    assert find_gradebook_differences(assignment.show(), shown=True) == []
