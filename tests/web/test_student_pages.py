"""Students see their result, their deadline and their template, and nothing else of the course."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from autograder.store.results.graded_class_table import GradedClassTables, StoredGradedClass
from tests.toy import HALF
from tests.web.conftest import Site, change_grading, make_site, regrade


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("path", ["/", "/assignments/toy", "/hand-ins/{}"])
def test_a_students_page_reads_no_other_entry_of_the_class(
    site: Site, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, tess = site.browser("ada"), site.browser("tess")

    def refuse(table: GradedClassTables, stored_class: StoredGradedClass) -> None:
        raise AssertionError("the whole class was read, which takes the longer the larger it is")

    for method in ("iterate_entries", "list_entries_without_origin"):
        monkeypatch.setattr(GradedClassTables, method, refuse)
    assert ada.get(path.format(site.key("ada-1"))).status_code == 200
    assert tess.get("/class/toy").status_code == 500  # the staff's table needs all of them


def test_who_leaves_a_pair_does_not_see_what_it_hands_in_then(site: Site) -> None:
    di, old = site.browser("di"), f"/hand-ins/{site.key('cy + di-1')}"
    site.in_store(lambda store: store.accounts.upsert_enrolment("", "di", "student"))
    new = site.browser("cy").hand_in(HALF).headers["Location"]
    assert (di.get(old).status_code, di.get(new).status_code) == (200, 404)


def test_the_result_is_a_part_of_its_page(site: Site) -> None:
    ada = site.browser("ada")
    page = ada.get(f"/hand-ins/{site.key('ada-1')}")
    assert "double gave 6" in page.text
    assert "<iframe" not in page.text


def test_hidden_tests_are_in_nothing_that_a_student_gets(root: Path) -> None:
    site = change_grading(root, "feedback: {hidden_tests: hidden, diagnosis: hidden}\n")
    regrade(site)
    for login, is_told in (("ada", False), ("tess", True)):
        browser = site.browser(login)
        for path in ("", "/report.json"):
            text = browser.get(f"/hand-ins/{site.key('ada-1')}{path}").text
            assert ("test-double" in text or "double(x) is x twice" in text) == is_told


def test_what_comes_with_the_due_date_waits_for_the_last_extension(root: Path) -> None:
    config = root / "course" / "grading.yml"
    text = config.read_text(encoding="utf-8").replace("2099-01-01 12:00", "2025-01-01 12:00")
    config.write_text(text + "feedback: {hidden_tests: after_due_date}\n", encoding="utf-8")
    site = make_site(root)
    regrade(site)
    path = f"/hand-ins/{site.key('ada-1')}"
    assert "double(x) is x twice" in site.browser("ada").get(path).text
    ines, page = site.browser("ines"), "/class/toy/students/bob"
    assert ines.post(f"{page}/extend", page=page, until="2099-01-01 12:00", reason="ill").status_code == 303
    assert "double(x) is x twice" not in site.browser("ada").get(path).text


def test_a_students_own_deadline_is_shown(site: Site) -> None:
    ines, page = site.browser("ines"), "/class/toy/students/cy"
    ines.post(f"{page}/extend", page=page, until="2 days", reason="ill")
    for login, day in (("ada", "2099-01-01"), ("cy", "2099-01-03"), ("di", "2099-01-03")):
        for path in ("/", "/assignments/toy"):
            assert f"Due {day} 12:00" in site.browser(login).get(path).text


@pytest.mark.parametrize(
    ("login", "path"), [("ada", "/"), ("tess", "/class/toy"), ("tess", "/class/toy/students/ada")]
)
def test_a_name_is_text_wherever_it_is_shown(site: Site, login: str, path: str) -> None:
    text = site.browser(login).get(path).text
    assert "Ada &lt;b&gt;Okafor&lt;/b&gt;" in text
    assert "<b>Okafor" not in text


@pytest.mark.parametrize(
    "path",
    [
        "/assignments/toy/files/..%2f..%2fgrading.yml",
        "/assignments/toy/files/value.pyc",
        "/assignments/../grading.yml",
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/assignments/toy%2f..%2fhidden",
    ],
)
def test_no_path_leads_out_of_what_students_get(site: Site, path: str) -> None:
    assert site.browser("ada").get(path).status_code == 404


def test_a_student_reads_the_handout_as_a_page(root: Path) -> None:
    template = root / "course" / "student_template" / "toy"
    template.mkdir(parents=True, exist_ok=True)
    (template / "handout.md").write_text(
        "# Double\n\n| x | 2x |\n| - | - |\n| 1 | 2 |\n\n<script>alert(1)</script>\n"
    )
    page = make_site(root).browser("ada").get("/assignments/toy/handout").text
    assert "<h1>Double</h1>" in page
    assert "<td>2</td>" in page
    assert "&lt;script&gt;" in page
    assert "<script" not in page


def test_the_template_comes_as_one_zip_that_runs(root: Path, tmp_path: Path) -> None:
    template = root / "course" / "student_template" / "toy"
    (template / "tests" / "__pycache__").mkdir(parents=True)
    (template / "value.py").write_text("def double(x):\n    return x + x\n")
    (template / "tests" / "test_it.py").write_text("from value import double\ndef test(): assert double(2) == 4\n")
    (template / "tests" / "__pycache__" / "old.pyc").write_bytes(b"x")
    (template / ".git").mkdir()
    (template / ".git" / "HEAD").write_text("the template may once have been the solution")
    (template / ".gitlab-ci.yml").write_text("{}")  # hands in after a push
    (template / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
    ada = make_site(root).browser("ada")
    assert "/assignments/toy/files/toy.zip" in ada.get("/assignments/toy").text
    sent = ada.get("/assignments/toy/files/toy.zip")
    with zipfile.ZipFile(io.BytesIO(sent.data)) as archive:
        assert archive.namelist() == ["toy/.gitlab-ci.yml", "toy/pytest.ini", "toy/tests/test_it.py", "toy/value.py"]
        archive.extractall(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q"], cwd=tmp_path / "toy", capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert sent.data == ada.get("/assignments/toy/files/toy.zip").data


def test_the_first_page_says_which_points_count_and_what_is_next(site: Site) -> None:
    ada, bob, tess = (re.sub(r"<[^>]+>", "", site.browser(one).get("/").text) for one in ("ada", "bob", "tess"))
    assert "10 of 10 points count, of attempt 2" in ada
    assert "Next:" not in ada
    assert "5 of 10 points count, of attempt 1" in bob
    assert "Next: toy, due 2099-01-01 12:00" in bob
    assert "count, of" not in tess
