"""One class in a Moodle 4.3, in every mode and in eight languages: everybody gets what was handed in for them.

``tests/data/platforms/moodle/class`` holds downloads and worksheets as that Moodle wrote them. Downloads in Arabic,
Basque, German and Spanish are without folders. A file begins with the user name of who handed it in, and ``who.json``
says whose each number is, from Moodle's database.
"""

from __future__ import annotations

import hashlib
import json
import re
from datetime import UTC, datetime

import msgspec
import pytest

from autograder.platforms import ExportResult, SubmissionResult
from autograder.platforms.common.opened_submissions import open_class_submissions
from autograder.platforms.moodle.submission_times import looks_like_grading_worksheet, read_worksheet_times
from autograder.reports import ScoreReport
from autograder.submissions import SubmissionEntry
from autograder.tables import EditableCsv
from tests.platforms.moodle_class import GOLDEN, REPORTS, cells, export, pages, result

CLASS = GOLDEN / "class"
WHO = json.loads((CLASS / "who.json").read_text("utf-8"))
LANGUAGES = ("en", "de", "es", "fr", "ja", "ar", "zh_cn", "eu")
FULL = {"teams": 50, "flow": 100, "blind": 100, "text": 7}
TEAM_OF = {one: name for name, team in WHO["teams"].items() for one in team["members"]}
"""Nothing for those who are in no team."""
MODES = [(mode, language) for mode in ("teams", "flow", "blind") for language in LANGUAGES] + [("text", "en")]


def author(mode: str, entry: SubmissionEntry) -> str:
    """The user whose submission it is: the file says so, and the participant's number where it does not."""
    files = [entry.path] if entry.path.is_file() else [one for one in entry.path.rglob("*") if one.is_file()]
    said = {found[1] for one in files if (found := re.match(r"# (\w+)\n", one.read_text("utf-8")))}
    if not said and entry.origin:
        said = {WHO["participants"][mode][entry.origin.people[0].id]}
    (user,) = said
    return str(user)


def digest(name: str) -> str:
    """A short name for a report, which a page shows."""
    return hashlib.sha256(name.encode()).hexdigest()[:12]


def report_of(submission: str) -> ScoreReport:
    """A report whose page shows which submission it is of."""
    report = REPORTS["overwrites"]
    return msgspec.structs.replace(report, submission=msgspec.structs.replace(report.submission, id=submission))


def class_of(mode: str, language: str) -> tuple[dict[str, str], list[SubmissionResult]]:
    """The author of each submission, and results that all differ: half a point, 1, 1.5 ..."""
    with open_class_submissions(CLASS / f"{mode}-{language}.zip") as found:
        assert found.platform is not None
        assert (found.platform.name, [one.reading_problem for one in found.entries if one.reading_problem]) == (
            "moodle",
            [],
        )
        authors = {one.name: author(mode, one) for one in found.entries}
        rows = [
            result(one.name, n / 2, report=report_of(digest(one.name)), origin=one.origin)
            for n, one in enumerate(found.entries, 1)
        ]
    return authors, rows


def export_mode(mode: str, language: str, rows: list[SubmissionResult]) -> ExportResult:
    """What the writer makes of the worksheet."""
    sheet = (CLASS / f"{mode}-{language}.csv").read_bytes()
    return export(sheet, *rows, max_points=FULL[mode])


def written(mode: str, made: ExportResult) -> dict[str, str]:
    """What stands in the column of grades, by user; nothing for those who have none."""
    rows = cells(made.files["worksheet.csv"])[1:]
    place = {"teams": 5, "flow": 5, "blind": 2, "text": 4}[mode]
    users = WHO["participants"][mode]
    return {users[re.sub(r"\D", "", row[0])]: row[place].replace(",", ".") for row in rows if row[place]}


def wanted(mode: str, authors: dict[str, str], rows: list[SubmissionResult]) -> dict[str, str]:
    """The points that each user should have, by who handed in."""
    points = {authors[one.name]: f"{one.points:g}" for one in rows}
    users = set(WHO["participants"][mode].values())
    if mode != "teams":
        return {user: points[user] for user in users if user in points}
    by_team = {TEAM_OF.get(user, ""): value for user, value in points.items()}
    return {user: by_team[TEAM_OF.get(user, "")] for user in users if TEAM_OF.get(user, "") in by_team}


@pytest.mark.first_cases(8)
@pytest.mark.parametrize(("mode", "language"), MODES)
def test_everybody_gets_the_grade_of_what_was_handed_in_for_them(mode: str, language: str) -> None:
    authors, rows = class_of(mode, language)
    made = export_mode(mode, language, rows)
    got = written(mode, made)
    assert got == wanted(mode, authors, rows)
    assert len(got) == {"teams": 16, "flow": 17, "blind": 17, "text": 8}[mode]
    assert made.unmatched == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_team_has_its_page_under_the_number_that_moodle_gave_the_team(language: str) -> None:
    authors, rows = class_of("teams", language)
    made = export_mode("teams", language, rows)
    found = {name.split("_")[1]: page for name, page in pages(made).items()}
    teams = {one.name: WHO["teams"][TEAM_OF[user]] for one in rows if (user := authors[one.name]) in TEAM_OF}
    assert set(found) == {str(team["number"]) for team in teams.values()}
    assert all(page_is_of(found[str(team["number"])], name) for name, team in teams.items())
    assert [note for note in made.notes if note.startswith("no page for ")] != []


@pytest.mark.first_cases(4)
@pytest.mark.parametrize(("mode", "language"), [one for one in MODES if one[0] in ("flow", "blind")])
def test_every_student_has_a_page_under_the_participants_number(mode: str, language: str) -> None:
    authors, rows = class_of(mode, language)
    found = {
        WHO["participants"][mode][name.split("_")[1]]: page
        for name, page in pages(export_mode(mode, language, rows)).items()
    }
    assert set(found) == set(authors.values())
    assert all(page_is_of(found[user], name) for name, user in authors.items())


def page_is_of(page: str, submission: str) -> bool:
    """Whether a page was made of a submission's report."""
    return f"<title>autograd-engine: {digest(submission)}</title>" in page


@pytest.mark.first_cases(3)
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_keeps_the_gradebook_empty_is_told_in_every_language(language: str) -> None:
    notes = {
        mode: export_mode(mode, language, class_of(mode, language)[1]).notes for mode in ("flow", "blind", "teams")
    }
    assert {mode: [one.partition(":")[0] for one in said if "gradebook" in one] for mode, said in notes.items()} == {
        "flow": ["marks have a workflow"],
        "blind": ["names are hidden"],
        "teams": [],
    }


@pytest.mark.parametrize("mode", ["teams", "flow", "blind"])
def test_everybody_has_a_hand_in_time(mode: str) -> None:
    sheet = EditableCsv((CLASS / f"{mode}-en.csv").read_bytes(), "sheet.csv")
    assert looks_like_grading_worksheet(sheet)
    _, rows = class_of(mode, "en")
    origins = {one.name: one.origin for one in rows}
    times = read_worksheet_times(sheet, origins, UTC, datetime(2026, 12, 1, tzinfo=UTC), lambda line: None)
    assert times.keys() == origins.keys()


def test_the_class_has_a_student_whose_name_no_file_system_takes() -> None:
    _, rows = class_of("flow", "en")
    assert max(len(one.name.encode()) for one in rows) > 255


def test_teams_with_hidden_names_and_a_workflow_get_their_grades_and_nobody_is_called_by_a_status() -> None:
    authors, rows = class_of("teams", "de")
    sheet = (GOLDEN / "worksheets" / "hidden-teams-workflow-de.csv").read_bytes()
    made = export(sheet, *rows, max_points=FULL["teams"])
    users = WHO["participants"]["teams"]
    got = {
        users[re.sub(r"\D", "", row[0])]: row[4].replace(",", ".") for row in cells(made.files["worksheet.csv"])[1:]
    }
    assert {user: grade for user, grade in got.items() if grade} == wanted("teams", authors, rows)
    assert {one.student.partition(" (")[0] for one in made.changes} == {"Teilnehmer/in"}
    assert [one.partition(":")[0] for one in made.notes if "gradebook" in one] == [
        "names are hidden",
        "marks have a workflow",
    ]
