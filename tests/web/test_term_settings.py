"""What changes within a term is set on the web, counts everywhere, and can be pasted into ``grading.yml``."""

from __future__ import annotations

import html
import re
import shutil
from pathlib import Path

import pytest
import yaml

from autograder.batch.graded_class import open_graded_class
from autograder.course import load_course
from autograder.course.model import Assignment
from tests.cli.commands import run
from tests.toy import RIGHT
from tests.web.conftest import Browser, Site, change_grading, make_site

PATH, EXTENSIONS = "/class/toy/settings", "/class/toy/extensions"
FORM = {
    "timezone": "Europe/Berlin",
    "deadline": "2099-01-01T12:00",
    "count": "best",
    "at_most": "",
    "minutes_between": "0",
    "late_rate": "none",
    "percent": "",
    "cap_percent": "100",
    "grace_minutes": "0",
    "latest_days": "",
    "results": "visible",
    "hidden_tests": "visible",
    "inquiries": "open",
}
"""What the form of the toy says where nobody changed anything."""


def change(browser: Browser, path: str = PATH, **fields: str) -> str:
    """Save the form; return what the page then says."""
    done = browser.post(path, **{**FORM, **fields})
    assert done.status_code == 303, done.text
    return browser.get(path).text


def add_twin(root: Path) -> Site:
    """Serve the course with a second assignment, which is as the first one."""
    for kind in ("assignments", "solutions"):
        shutil.copytree(root / "course" / kind / "toy", root / "course" / kind / "twin")
    more = "  twin:\n    defines: [double]\n    concepts: {doubling: 10}\n    deadline: 2098-01-01 12:00\n"
    return change_grading(root, more)


def assignment(site: Site, name: str = "toy") -> Assignment:
    """The assignment as commands see it."""
    found = site.settings.location.load_course(site.settings.course).find_assignment(name)
    assert found is not None
    return found


def exported(browser: Browser) -> str:
    found = re.search(r"<textarea readonly[^>]*>(.*?)</textarea>", browser.get("/settings").text, re.S)
    return html.unescape(found[1]) if found else ""


def test_the_form_as_it_comes_changes_nothing(site: Site) -> None:
    ines = site.browser("ines")
    change(ines)
    assert "Set here" not in ines.get(PATH).text
    assert assignment(site).settings_in_place == ()
    assert exported(ines) == ""
    assert site.in_store(lambda store: store.audit.load_audit_rows("", "toy")) == []


@pytest.mark.parametrize(
    "typed",
    ["4 December 2020 23:59", "Fri, Dec 4th 2020, 11:59 pm", "4.12.2020 23:59", "23:59 on 4 Dec 2020", "2020-12-04"],
)
def test_a_deadline_is_read_as_people_type_it_and_counts_for_marks(site: Site, typed: str) -> None:
    config = site.settings.course / "grading.yml"
    config.write_text(f"{config.read_text(encoding='utf-8')}late: {{percent_per_day: 100}}\n", encoding="utf-8")
    ines = make_site(site.settings.course.parent).browser("ines")
    page = change(ines, deadline_typed=typed, late_rate="percent_per_day", percent="100")
    assert 'value="2020-12-04T23:59"' in page
    assert "grading.yml</code> says: 2099-01-01 12:00" in page
    assert ines.get("/gradebook.csv").text.count(",0\r\n") == 4
    with open_graded_class(site.settings.location, "toy", lambda _: assignment(site)) as opened:
        assert {entry.report.final.score for entry in opened.load_personalized_entries()} == {0}


def test_what_is_taken_off_counts_at_once_and_a_table_of_the_file_stays(site: Site) -> None:
    config = site.settings.course / "grading.yml"
    table = "late: {table: [{up_to_days: 2, percent: 30}], cap_percent: 60}\n"
    config.write_text(f"{config.read_text(encoding='utf-8')}{table}", encoding="utf-8")
    ines = make_site(site.settings.course.parent).browser("ines")
    late = {"late_rate": "table", "cap_percent": "60"}
    assert "Set here" not in change(ines, **late)
    past = {"deadline": "2020-12-04T12:00"}
    for fields, points in (
        ({**late, "cap_percent": "40"}, "0"),
        ({"late_rate": "percent_per_day", "percent": "1", "cap_percent": "30"}, "7"),
        ({}, "10"),
    ):
        change(ines, **past, **fields)
        assert re.search(rf"ada,.*,{points}(,|\r\n)", ines.get("/gradebook.csv").text), fields
    rows = site.in_store(lambda store: store.audit.load_audit_rows("", "toy"))
    said = [row.event.after for row in rows if row.event.changed_item == "late"]
    assert said == ["by a table, 40 % at most", "1 % off per day that has begun, 30 % at most", "nothing off"]


def test_what_is_changed_for_every_assignment_leaves_their_deadlines(root: Path) -> None:
    course, site = root / "course", add_twin(root)
    ines = site.browser("ines")
    change(ines, **{"deadline": "2097-01-01T12:00", "at_most": "3", "for": "all"})
    toy, twin = site.settings.location.load_course(course).assignments
    assert (toy.deadline_rules.most_attempts, twin.deadline_rules.most_attempts) == (3, 3)
    assert (toy.settings_in_place, twin.settings_in_place) == (("attempts", "deadline"), ("attempts",))
    assert site.in_store(lambda store: store.audit.load_audit_rows("", "twin"))
    refused = ines.post(PATH, **{**FORM, "deadline": "2097-01-01T12:00", "count": "most", "for": "all"})
    assert refused.status_code == 422
    assert site.settings.location.load_course(course).assignments == (toy, twin)


@pytest.mark.parametrize(("command", "name"), [("batch", "twin"), ("regrade", "toy")])
def test_workers_that_are_forked_grade_by_what_was_set(root: Path, tmp_path: Path, command: str, name: str) -> None:
    site = add_twin(root)
    late = {"late_rate": "percent_per_day", "percent": "1", "deadline": "2020-12-04T12:00"}
    change(site.browser("ines"), f"/class/{name}/settings", hidden_tests="hidden", **late)
    folder = tmp_path / "downloaded"
    folder.mkdir()
    for number in range(3):
        (folder / f"s{number}.py").write_text(f"# {number}\n{RIGHT}", encoding="utf-8")
    words = [command, name, *([str(folder)] if command == "batch" else [])]
    places = ["--out", str(site.settings.location.output_folder), "--course", str(site.settings.course)]
    done = run(*words, *places, "--workers", "2", "--allow-unsafe")
    assert done.returncode == 0, done.stderr
    assert f"{name}: deadline, feedback.hidden_tests and late as set on the web" in done.stderr
    with open_graded_class(site.settings.location, name, lambda _: assignment(site, name)) as opened:
        reports = [entry.report for entry in opened.load_personalized_entries()]
    assert len(reports) > 2
    assert {report.assignment.version for report in reports} == {assignment(site, name).version}
    assert {test.visibility for report in reports for test in report.tests} == {"hidden"}


def test_commands_use_what_was_set_and_say_so(site: Site) -> None:
    change(site.browser("ines"), deadline="2098-01-01T12:00", count="last")
    out, course = str(site.settings.location.output_folder), str(site.settings.course)
    done = run("report", "--out", out, "--course", course)
    assert done.returncode == 0
    assert "toy: attempts and deadline as set on the web, not as in grading.yml" in done.stderr
    rows = site.in_store(lambda store: store.audit.load_audit_rows("", "toy"))
    assert any(row.action.kind == "deadlines" and "2098-01-01" in row.event.after for row in rows)


def test_who_changed_what_from_what_to_what_is_in_the_audit_log(site: Site) -> None:
    change(site.browser("ines"), at_most="3", results="after_published")
    rows = site.in_store(lambda store: store.audit.load_audit_rows("", "toy"))
    best = "the attempt with most points counts"
    assert {(one.action.kind, one.as_account) for one in rows} == {("settings", "Ines")}
    assert [(one.event.changed_item, one.event.before, one.event.after) for one in rows] == [
        ("attempts", best, f"{best}; at most 3 attempts"),
        ("results", "as soon as they are graded", "when they are published"),
    ]


def test_students_meet_what_was_set(site: Site) -> None:
    ada, ines, path = site.browser("ada"), site.browser("ines"), f"/hand-ins/{site.key('ada-1')}"
    change(ines, at_most="1", results="after_published", inquiries="closed")
    assert ada.get(f"{path}/report.json").status_code == 404
    assert ada.hand_in(RIGHT + "\n# new").status_code == 422
    change(ines, inquiries="closed")
    assert not re.search("Ask about this|Ask the staff", ada.get(path).text)
    assert "The staff takes no questions about this assignment now." in ada.get(f"{path}/ask").text
    assert ada.post(f"{path}/ask", page="/account", text="Why?", test="").status_code == 422
    change(ines, inquiries="until", inquiries_until="2020-01-01T12:00")
    assert "any more: the last moment was 2020-01-01 12:00 CET" in ada.get(f"{path}/ask").text


def test_a_setting_is_reset_to_what_the_file_says_and_others_stay(site: Site) -> None:
    ines = site.browser("ines")
    change(ines, at_most="3", inquiries="closed")
    reset = ines.post(f"{PATH}/reset", page=PATH, setting="attempts")
    assert reset.status_code == 303
    now = assignment(site)
    assert (now.deadline_rules.most_attempts, now.inquiries, now.settings_in_place) == (
        None,
        "closed",
        ("inquiries",),
    )


def test_what_was_set_and_extensions_pasted_into_the_file_are_the_same_course(site: Site) -> None:
    ines, config = site.browser("ines"), site.settings.course / "grading.yml"
    late = {"late_rate": "percent_per_hour", "percent": "2.5", "cap_percent": "50", "latest_days": "7"}
    shown = {"results": "after_published", "hidden_tests": "hidden"}
    change(ines, deadline="2098-06-01T23:59", at_most="3", inquiries="closed", **late, **shown)
    more = {"students": "ada, BOB", "until": "", "until_typed": "3 days", "reason": "ill"}
    assert ines.post(EXTENSIONS, **more).status_code == 303
    page = ines.get(EXTENSIONS).text
    assert re.search(
        r">Ada &lt;b&gt;Okafor&lt;/b&gt; \(ada\)</a></th><td class=\"when\">2098-06-04 23:59 CEST</td><td>Ines", page
    )
    data, pasted = yaml.safe_load(config.read_text(encoding="utf-8")), yaml.safe_load(exported(ines))
    data["assignments"]["toy"] |= pasted["assignments"]["toy"]
    before = assignment(site)
    config.write_text(yaml.safe_dump(data), encoding="utf-8")
    (alone,) = load_course(site.settings.course).assignments
    assert alone.deadline_rules.deadline == before.deadline_rules.deadline
    assert dict(alone.deadline_rules.extensions).keys() == {"ada", "bob"}
    assert (alone.deadline_rules.most_attempts, alone.feedback, alone.inquiries) == (3, before.feedback, "closed")
    assert alone.deadline_rules.late_policy == before.deadline_rules.late_policy
    assert alone.deadline_rules.late_policy.percent_per_hour == 2.5


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        (
            {"deadline_typed": "next week"},
            "&#39;next week&#39; is not a date and time (write it as 2025-11-21 23:59)",
        ),
        ({"deadline_typed": "12/4/2026 23:59"}, "is not a date and time"),
        ({"deadline_typed": "2026-03-29 02:30"}, "does not exist: clocks in Europe/Berlin are put forward then"),
        ({"timezone": "Berlin"}, "Unknown time zone &#39;Berlin&#39;"),
        ({"at_most": "many"}, "&#39;at_most&#39; must be a whole number, not &#39;many&#39;"),
        ({"at_most": "0"}, "&#39;at_most&#39; must be at least 1"),
        ({"late_rate": "percent_per_day"}, "What is taken off is missing"),
        ({"late_rate": "percent_per_day", "percent": "200"}, "&#39;percent_per_day&#39; must be at most 100"),
        ({"results": "sometimes"}, "&#39;results&#39; cannot be &#39;sometimes&#39;"),
        ({"inquiries": "until"}, "The last moment for questions is missing"),
    ],
)
def test_what_cannot_be_set_is_told_in_a_sentence_and_nothing_changes(
    site: Site, fields: dict[str, str], sentence: str
) -> None:
    refused = site.browser("ines").post(PATH, **{**FORM, **fields})
    assert refused.status_code == 422
    assert sentence in refused.text
    assert assignment(site).settings_in_place == ()


def test_an_extension_for_nobody_of_the_course_is_refused(site: Site) -> None:
    more = {"students": "ada, eve", "until": "2099-02-01T12:00", "reason": "ill"}
    refused = site.browser("ines").post(EXTENSIONS, **more)
    assert "No student here has the login &#39;eve&#39;" in refused.text
    assert "Nobody has more time" in refused.text


def test_a_file_that_no_longer_goes_with_what_was_set_is_refused_with_both_named(site: Site) -> None:
    change(site.browser("ines"), deadline="2099-06-01T12:00")
    config = site.settings.course / "grading.yml"
    text = config.read_text(encoding="utf-8").replace("toy:\n", "toy:\n    extensions: {ada: 2099-03-01 12:00}\n")
    config.write_text(text, encoding="utf-8")
    done = run("report", "--out", str(site.settings.location.output_folder), "--course", str(config.parent))
    assert done.returncode == 2
    assert "the extension ends before the deadline, which is 2099-06-01 12:00 CEST" in done.stderr
