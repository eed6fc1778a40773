"""A platform's download is brought in: first a page with who gets which file, then hand-ins at its times."""

from __future__ import annotations

import io
import os
import random
import re
import time
import zipfile
from datetime import UTC, datetime

import pytest
from werkzeug.datastructures import FileStorage
from werkzeug.test import TestResponse, encode_multipart

from tests.toy import HALF, RIGHT
from tests.web.conftest import Browser, Site, grade_all

PATH = "/class/toy/import"
WHEN = "2026-01-31 12:00"
NAMED = ("key", "platform", "digest", "handed_in")
TYPED = "Sat, 31 January 2026, 12 pm"


def moodle(**files: str) -> bytes:
    """A zip as Moodle packs it."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number, (name, content) in enumerate(files.items(), 20):
            archive.writestr(f"{name.replace('_', ' ')}_{number}_assignsubmission_file/value.py", content)
    return packed.getvalue()


def look(browser: Browser, download: bytes | None, **fields: str) -> TestResponse:
    """Choose a download in the form, and look at what it brings in."""
    form: dict[str, object] = {"csrf_token": browser.token(PATH), "do": "preview", "platform": "", **fields}
    if download is not None:
        form["download"] = FileStorage(io.BytesIO(download), "toy.zip")
    boundary, body = encode_multipart(form)
    return browser.client.post(PATH, data=body, content_type=f"multipart/form-data; boundary={boundary}")


def queue(browser: Browser, seen: TestResponse, **fields: str) -> TestResponse:
    """Press the button of the preview, which sends what stands in its form."""
    first = seen.text.partition('value="queue"')[0].rpartition("<form")[2]
    said = {name: found[1] for name in NAMED if (found := re.search(rf'name="{name}" value="([^"]*)"', first))}
    return browser.post(PATH, **{"do": "queue", **said, **fields})


def test_a_preview_shows_who_gets_which_file_and_keeps_nothing(site: Site) -> None:
    seen = look(site.browser("ines"), moodle(Bob=RIGHT, Eve=RIGHT), handed_in=WHEN)
    assert seen.status_code == 200
    assert "1 of 2 submissions are new" in seen.text
    assert '<th scope="row">Bob</th><td>value.py' in seen.text
    assert re.search(r"<td class=\"when\">2026-01-31 12:00", seen.text)
    assert re.search(r"<li>Eve[^<]*: no student of this course matches</li>", seen.text)
    assert len(site.hand_ins()) == 4


def test_what_was_seen_is_queued_at_the_downloads_time_and_graded(site: Site) -> None:
    ines = site.browser("ines")
    done = queue(ines, look(ines, moodle(Bob=RIGHT), handed_in=WHEN))
    assert (done.status_code, done.headers["Location"]) == (303, "/class/toy")
    (new,) = [one for one in site.hand_ins() if one.submission == "bob-2"]
    assert new.handed_in == datetime(2026, 1, 31, 11, tzinfo=UTC)
    grade_all(site)
    assert site.browser("bob").get(f"/hand-ins/{new.key}/report.json").get_json()["score"] == 10
    events = site.in_store(lambda store: store.audit.load_audit_rows("", "toy"))
    assert [(one.action.kind, one.event.student_label, one.event.after) for one in events] == [
        ("import", "bob-2", "from Moodle")
    ]
    assert [*(site.settings.location.output_folder / "imports").iterdir()] == []


def test_the_same_download_once_more_brings_in_nothing(site: Site) -> None:
    ines, download = site.browser("ines"), moodle(Bob=RIGHT, Cy=HALF)
    assert queue(ines, look(ines, download, handed_in=WHEN)).status_code == 303
    again = look(ines, download, handed_in=WHEN)
    assert "0 of 2 submissions are new" in again.text
    assert "Already handed in, without any difference" in again.text
    assert 'value="queue"' not in again.text


def test_a_team_hands_in_together_whoever_of_it_the_platform_names(site: Site) -> None:
    ines = site.browser("ines")
    assert queue(ines, look(ines, moodle(Di=HALF), handed_in=WHEN)).status_code == 303
    assert "cy + di-2" in {one.submission for one in site.hand_ins()}


def test_without_a_time_the_page_asks_and_queues_nothing(site: Site) -> None:
    ines = site.browser("ines")
    seen = look(ines, moodle(Bob=RIGHT))
    question = seen.text.index("When were those without a time handed in?")
    assert question < seen.text.index('<th scope="row">Bob</th>')  # above everything else
    assert 'value="queue"' not in seen.text
    forged = ines.post(PATH, do="queue", key=re.search(r'name="key" value="([^"]+)"', seen.text)[1])  # type: ignore[index]
    assert forged.status_code == 200
    assert len(site.hand_ins()) == 4


def test_the_answer_is_read_as_people_type_it(site: Site) -> None:
    ines = site.browser("ines")
    seen = look(ines, moodle(Bob=RIGHT))
    answered = look(ines, None, key=re.search(r'name="key" value="([^"]+)"', seen.text)[1], handed_in_typed=TYPED)  # type: ignore[index]
    assert queue(ines, answered).status_code == 303
    (new,) = [one for one in site.hand_ins() if one.submission == "bob-2"]
    assert new.handed_in == datetime(2026, 1, 31, 11, tzinfo=UTC)


def test_a_class_that_changed_meanwhile_is_looked_at_again(site: Site) -> None:
    ines = site.browser("ines")
    seen = look(ines, moodle(Bob=RIGHT, Cy=HALF), handed_in=WHEN)
    assert site.browser("bob").hand_in(RIGHT).status_code == 303
    late = queue(ines, seen)
    assert late.status_code == 409
    assert "The class changed since you looked" in late.text
    assert queue(ines, late).status_code == 303
    assert [one.submission for one in site.hand_ins()][4:] == ["bob-2", "cy + di-2"]


@pytest.mark.thorough
def test_a_folder_of_several_files_comes_as_a_zip_that_is_the_same_each_time(site: Site) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("bob/value.py", RIGHT)
        archive.writestr("bob/notes.txt", "read me")
    ines = site.browser("ines")
    assert queue(ines, look(ines, packed.getvalue(), handed_in=WHEN, platform="folder")).status_code == 303
    assert site.hand_ins()[-1].file_name == "submission.zip"
    assert "0 of 1 submission is new" in look(ines, packed.getvalue(), handed_in=WHEN, platform="folder").text
    grade_all(site)
    assert site.browser("bob").get(f"/hand-ins/{site.key('bob-2')}/report.json").get_json()["score"] == 10


def test_names_of_a_download_are_text(site: Site) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("<script>alert(1)<&script>_21_assignsubmission_file/value.py", RIGHT)
    seen = look(site.browser("ines"), packed.getvalue(), handed_in=WHEN)
    assert "<script>" not in seen.text
    assert "&lt;script&gt;" in seen.text


@pytest.mark.parametrize(
    ("download", "fields", "sentence"),
    [
        (None, {}, "The download is missing"),
        (None, {"key": "../../web-secret"}, "The download is missing"),
        (None, {"key": "x" * 43}, "The download is missing"),
        (b"not a zip", {}, "The download is not a zip"),
        (b"PK\x03\x04 broken", {}, "Nothing was brought in"),
        (moodle(), {}, "Nothing was brought in"),
        (moodle(Eve=RIGHT, Zoe=RIGHT), {}, "is this the download of another course?"),
        (moodle(Bob=RIGHT), {"handed_in": "soon"}, "Nothing was brought in"),
        (moodle(Bob=RIGHT), {"platform": "nowhere"}, "Nothing was brought in"),
    ],
)
def test_what_cannot_be_brought_in_is_told_in_a_sentence(
    site: Site, download: bytes | None, fields: dict[str, str], sentence: str
) -> None:
    refused = look(site.browser("ines"), download, **fields)
    assert refused.status_code == 422
    assert sentence in refused.text


def test_the_form_says_how_large_a_download_may_be(site: Site) -> None:
    assert "at most 100 MB" in site.browser("ines").get(PATH).text


def test_a_student_cannot_send_more_than_a_hand_in_and_an_instructor_can(site: Site) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("Bob_20_assignsubmission_file/value.py", RIGHT)
        archive.writestr("Cy_21_assignsubmission_file/value.py", random.Random(1).randbytes(21 * 2**20))
    ines, ada = site.browser("ines"), site.browser("ada")
    seen = look(ines, packed.getvalue(), handed_in=WHEN)
    assert seen.status_code == 200, seen.text
    assert "is larger than 20 MB" in seen.text
    form = {"csrf_token": ada.token("/assignments/toy"), "download": FileStorage(packed, "toy.zip")}
    boundary, body = encode_multipart(form)
    sent = ada.client.post(PATH, data=body, content_type=f"multipart/form-data; boundary={boundary}")
    assert sent.status_code == 403


def test_a_download_that_nobody_came_back_to_goes(site: Site) -> None:
    ines = site.browser("ines")
    look(ines, moodle(Bob=RIGHT))
    (kept,) = (site.settings.location.output_folder / "imports").iterdir()
    assert kept.stat().st_mode & 0o077 == 0
    long_ago = time.time() - 25 * 3600
    os.utime(kept, (long_ago, long_ago))
    look(ines, moodle(Bob=RIGHT))
    assert not kept.exists()
