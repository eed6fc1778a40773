"""The export page: what a platform's gradebook would change, shown before it is downloaded."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from werkzeug.datastructures import FileStorage
from werkzeug.test import TestResponse

from tests.toy import RIGHT
from tests.web.conftest import Browser, Site, grade_all, make_site

PATH = "/class/toy/export"
BOOK = b"""\
Student,ID,SIS Login ID,Section,Toy (7)
    Points Possible,,,,10.00
Ada,11,ada,A,
Bob,12,bob,A,10.00
Cy,13,cy,A,
Di,14,di,A,
<b>Eve</b>,15,eve,A,
"""
OTHER_BOOK = b"Student,ID,SIS Login ID,Section,Toy (7)\n    Points Possible,,,,10.00\nZoe,91,zoe,A,\nYan,92,yan,A,\n"
KEPT = ("kept_gradebook", "gradebook_name", "sent_at", "platform", "max_score")


def preview(browser: Browser, book: bytes | None = BOOK, **fields: Any) -> TestResponse:
    form: dict[str, Any] = {"platform": "canvas", "do": "preview", **fields}
    if book is not None:
        form["gradebook"] = FileStorage(io.BytesIO(book), "C:\\grades\\book.csv")
    return browser.post(PATH, **form)


def download(browser: Browser, seen: TestResponse, **more: str) -> TestResponse:
    """Press the button of the preview, which sends what stands in its form."""
    first = seen.text.partition('value="download"')[0].rpartition("<form")[2]
    fields = {name: re.search(rf'name="{name}" value="([^"]*)"', first)[1] for name in KEPT}  # type: ignore[index]
    return browser.post(PATH, do="download", **fields, **more)


def rows(answer: TestResponse) -> list[list[str]]:
    found = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', answer.text)
    return [[name, *re.findall(r"<td[^>]*>(.*?)</td>", cells)] for name, cells in found]


def test_a_preview_shows_what_each_student_gets_and_writes_nothing(site: Site) -> None:
    seen = preview(site.browser("ines"))
    assert {row[0]: row[2] for row in rows(seen)} == dict.fromkeys(
        ("Ada (11)", "Bob (12)", "Cy (13)", "Di (14)"), "10.00"
    )
    assert "left out: " in seen.text
    assert site.in_store(lambda store: store.audit.load_audit_rows("", "toy")) == []


def test_who_is_not_in_the_platforms_table_is_called_by_name(site: Site) -> None:
    page = preview(site.browser("ines"), OTHER_BOOK).text
    assert re.search(r"<li>Bob \(bob\), attempt 1: ", page)
    assert re.search(r"<li>Cy \+ Di \(cy \+ di\), attempt 1: ", page)


def test_the_files_are_those_of_the_preview_and_the_audit_log_has_them(site: Site) -> None:
    ines = site.browser("ines")
    done = download(ines, preview(ines))
    assert "canvas" in done.headers["Content-Disposition"]
    assert b"Ada,11,ada,A,10.00" in done.data
    assert b"Cy,13,cy,A,10.00" in done.data
    assert b"Bob" not in done.data  # a person set it, and it stays
    events = site.in_store(lambda store: store.audit.load_audit_rows("", "toy"))
    assert [(one.event.student, one.event.before, one.event.after) for one in events] == [
        ("11", "", "10.00"), ("13", "", "10.00"), ("14", "", "10.00")
    ]  # fmt: skip
    assert {one.action.account for one in events} == {"web:ines"}


def test_a_mark_that_a_person_set_stays_and_is_told(site: Site) -> None:
    seen = preview(site.browser("ines"))
    (bob,) = [row for row in rows(seen) if row[0] == "Bob (12)"]
    assert bob[1] == "10.00"
    assert "set by a person" in bob[3]
    assert "Bob (12): 10.00 stays; the results say 5.00" in seen.text


def test_a_mark_of_a_persons_is_replaced_after_it_was_ticked_seen_and_confirmed(site: Site) -> None:
    ines = site.browser("ines")
    seen = preview(ines, overwrite="12")
    (bob,) = [row for row in rows(seen) if row[0] == "Bob (12)"]
    assert bob[2] == "5.00"
    assert "goes down" in bob[3]
    assert "replaces what a person set" in bob[3]
    unconfirmed = download(ines, seen, overwrite="12")
    assert unconfirmed.status_code == 422
    assert "Tick the box to confirm this" in unconfirmed.text
    assert site.in_store(lambda store: store.audit.load_audit_rows("", "toy")) == []
    done = download(ines, seen, overwrite="12", confirmed="yes")
    assert b"Bob,12,bob,A,5.00" in done.data
    events = site.in_store(lambda store: store.audit.load_audit_rows("", "toy"))
    assert {one.event.student: one.event.overwrote for one in events} == {
        "11": False, "12": True, "13": False, "14": False
    }  # fmt: skip


def test_a_platform_is_chosen_first_and_each_of_its_settings_is_a_field_with_a_hint(site: Site) -> None:
    ines = site.browser("ines")
    links = re.findall(r'href="(/class/toy/export\?platform=\w+)"', ines.get(PATH).text)
    assert f"{PATH}?platform=moodle" in links
    page = ines.get(f"{PATH}?platform=moodle").text
    assert re.search(
        r'<label>Grade column\s*<input name="set.grade_column"[^>]* aria-describedby="about-grade_column">', page
    )
    assert "for --upload" not in ines.get(f"{PATH}?platform=canvas").text


def test_a_setting_of_the_preview_counts_for_the_download_too(site: Site) -> None:
    seen = preview(site.browser("ines"), BOOK, **{"set.column": "Toy (7)", "set.bonus": "none"})
    assert seen.status_code == 200
    assert '<input type="hidden" name="set.column" value="Toy (7)">' in seen.text


def test_students_are_found_by_the_address_that_the_course_knows(site: Site) -> None:
    ines, book = site.browser("ines"), BOOK.replace(b"bob", b"b.larsen@uni.example").replace(b"Bob,", b"Robert,")
    assert "Robert (12)" not in {row[0] for row in rows(preview(ines, book))}
    fields = {"name": "Bob", "role": "student", "address": "b.larsen@uni.example", "section": "", "team": ""}
    assert ines.post("/people/at/bob", **fields).status_code == 303
    assert "Robert (12)" in {row[0] for row in rows(preview(ines, book))}


def test_all_at_once_is_never_replaced(site: Site) -> None:
    seen = preview(site.browser("ines"), overwrite="all")
    (bob,) = [row for row in rows(seen) if row[0] == "Bob (12)"]
    assert bob[2] == "10.00"


def test_the_page_names_no_command(site: Site) -> None:
    config = site.settings.course / "grading.yml"
    config.write_text(
        config.read_text(encoding="utf-8").replace("toy:", "toy:\n    feedback: {hidden_tests: hidden}")
    )
    changed = make_site(site.settings.course.parent)
    assert changed.browser("bob").hand_in(RIGHT).status_code == 303
    grade_all(changed)  # the worker takes the class to the new rules; only the last result is by them
    seen = preview(changed.browser("ines"))
    assert "graded with other tests or settings: " in seen.text
    assert "autograder " not in seen.text.partition("<main")[2]


@pytest.mark.first_cases(3)
@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"book": None}, "gradebook"),
        ({"book": b"not,a,gradebook\n"}, "book.csv"),
        ({"set.colour": "red"}, "unknown setting &#39;colour=red&#39; of Canvas"),
        ({"set.column": "Midterm"}, "no column of book.csv is"),
        ({"book": OTHER_BOOK}, "Is this the worksheet of another course? Choose that of this class"),
        ({"max_score": "much"}, "are not a positive number"),
        ({"max_score": "nan"}, "are not a positive number"),
        ({"platform": "<script>"}, "Unknown platform"),
    ],
)
def test_what_cannot_be_used_is_told_in_a_sentence(site: Site, fields: dict[str, str], sentence: str) -> None:
    refused = preview(site.browser("ines"), **fields)  # type: ignore[arg-type]
    assert refused.status_code == 422
    assert sentence in refused.text
    assert "<script>" not in refused.text


def test_a_gradebook_is_text_wherever_it_is_shown(site: Site) -> None:
    seen = preview(site.browser("ines"))
    assert "&lt;b&gt;Eve" in seen.text
    assert "<b>Eve" not in seen.text


def test_what_nobody_exported_from_a_form_is_no_gradebook(site: Site) -> None:
    forged = site.browser("ines").post(PATH, platform="canvas", do="download", kept_gradebook="not base64!")
    assert forged.status_code == 422
