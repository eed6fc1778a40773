"""Students hand in from a shell: with a token of their own, to a real server, and see what their page shows."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from tests.cli.commands import Run, run
from tests.toy import HALF, RIGHT
from tests.web.conftest import Browser, Site, change_grading, grade_all, make_site
from tests.web.real_server import served

HAND_INS = "/api/assignments/toy/hand-ins"


def make_token(site: Site, login: str) -> str:
    page = site.browser(login).post("/account/token", page="/account").text
    found = re.search(r"AUTOGRADER_TOKEN=([\w-]{43})", page)
    assert found, page
    return found[1]


def shell(site: Site, login: str) -> Browser:
    return site.browser(Authorization=f"Bearer {make_token(site, login)}")


def send(shell: Browser, source: str, query: str = "?file=value.py", where: str = HAND_INS) -> TestResponse:
    return shell.client.post(where + query, data=source.encode(), headers=shell.headers)


def test_what_a_shell_hands_in_is_an_attempt_as_from_the_page(site: Site) -> None:
    ada = shell(site, "ada")
    answer = send(ada, HALF + "# third")
    assert answer.status_code == 201
    receipt = answer.get_json()
    assert (receipt["attempt"], receipt["state"], receipt["file"]) == (3, "queued", "value.py")
    assert receipt["sha256"] == hashlib.sha256((HALF + "# third").encode()).hexdigest()
    assert "Attempt 3" in site.browser("ada").get("/assignments/toy").text
    grade_all(site)
    result = ada.get(f"/api/hand-ins/{receipt['key']}").get_json()
    assert result["state"] == "graded"
    assert result["report"] == site.browser("ada").get(f"/hand-ins/{receipt['key']}/report.json").get_json()


def test_a_pair_hands_in_together_from_a_shell_too(site: Site) -> None:
    key = send(shell(site, "di"), HALF).get_json()["key"]
    assert site.browser("cy").get(f"/hand-ins/{key}").status_code == 200


def test_equal_bytes_that_still_wait_are_one_attempt(site: Site) -> None:
    ada = shell(site, "ada")
    assert send(ada, HALF + "# a").get_json()["key"] == send(ada, HALF + "# a").get_json()["key"]


def test_a_shell_is_told_that_the_very_file_was_handed_in_before(site: Site) -> None:
    ada = shell(site, "ada")
    answer = send(ada, RIGHT)
    assert (answer.status_code, answer.get_json()["attempt"], answer.get_json()["is_new"]) == (200, 2, False)
    new = send(ada, RIGHT + "# new")
    assert (new.status_code, new.get_json()["is_new"]) == (201, True)


@pytest.mark.parametrize(
    ("query", "source", "sentence"),
    [
        ("?file=value.txt", HALF, "hand in .py, .ipynb or .zip"),
        ("?file=value.py", "", "is empty"),
        ("?file=../../etc/value.ipynb", "no notebook", "value.ipynb"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_sentence_of_the_page(
    site: Site, query: str, source: str, sentence: str
) -> None:
    answer = send(shell(site, "ada"), source, query)
    assert answer.status_code == 422
    assert sentence in answer.get_json()["error"]


def test_curl_sends_a_program_of_any_size_that_is_allowed(site: Site) -> None:
    ada = shell(site, "ada")
    as_curl = {**ada.headers, "Content-Type": "application/x-www-form-urlencoded"}
    source = HALF + "#" * 700_000
    answer = ada.client.post(f"{HAND_INS}?file=value.py", data=source.encode(), headers=as_curl)
    assert answer.status_code == 201, answer.text


def test_a_token_opens_nothing_but_what_it_is_for(site: Site) -> None:
    token = make_token(site, "ada")
    ada, eve = site.browser(Authorization=f"Bearer {token}"), site.browser(Authorization="Bearer " + "x" * 43)
    assert ada.get("/").status_code == 303
    assert ada.get("/class/toy").status_code == 303
    assert ada.get(f"/api/hand-ins/{site.key('bob-1')}").status_code == 404
    assert send(ada, HALF, where="/api/assignments/none/hand-ins").status_code == 404
    for nobody in (eve, site.browser(), site.browser("ada")):
        answer = nobody.get(f"/api/hand-ins/{site.key('ada-1')}")
        assert (answer.status_code, answer.is_json) == (401, True)
    signed_in_browser = site.browser("ada")
    signed_in_browser.client.set_cookie("autograder", token)
    assert signed_in_browser.get("/").status_code == 303


def test_the_store_holds_no_token(site: Site) -> None:
    token = make_token(site, "ada")
    assert token.encode() not in (site.settings.location.output_folder / "results.sqlite").read_bytes()


def test_the_page_of_the_account_shows_the_line_for_each_assignment(root: Path) -> None:
    for folder in ("assignments", "solutions"):
        (root / "course" / folder / "other").symlink_to(root / "course" / folder / "toy")
    more = "  other:\n    defines: [double]\n    concepts: {doubling: 10}\n"
    page = change_grading(root, more).browser("ada").post("/account/token", page="/account").text
    assert re.findall(r"autograder submit (\w+) value.py", page) == ["toy", "other"]


def submit(site: Site, token: str, file: Path, *more: str) -> Run:
    environment = {"AUTOGRADER_URL": site.settings.course_url, "AUTOGRADER_TOKEN": token}
    return run("submit", "toy", file, *more, environment=environment)


def test_the_command_hands_in_waits_and_shows_the_result(root: Path, free_port: int, tmp_path: Path) -> None:
    site, file = make_site(root, port=free_port), tmp_path / "my engine.py"
    file.write_text(RIGHT + "# by hand")
    token = make_token(site, "bob")
    with served(site):
        done = submit(site, token, file)
        again = submit(site, token, file, "--no-wait")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("handed in as attempt 2, ")
    assert hashlib.sha256(file.read_bytes()).hexdigest() in lines[0]
    assert "10 / 10" in done.stdout
    key = next(one.key for one in site.hand_ins() if one.submission == "bob-2")
    assert again.stdout.startswith("the very file was handed in before and costs no attempt: attempt 2, ")
    assert lines[-1] == f"on the web: {site.settings.course_url}/hand-ins/{key}"


@pytest.mark.parametrize(
    ("environment", "file", "sentence"),
    [
        ({"AUTOGRADER_URL": "", "AUTOGRADER_TOKEN": "x"}, "value.py", "no course is named"),
        ({"AUTOGRADER_URL": "ftp://uni.example", "AUTOGRADER_TOKEN": "x"}, "value.py", "is not the address"),
        ({"AUTOGRADER_URL": "http://127.0.0.1:1", "AUTOGRADER_TOKEN": ""}, "value.py", "there is no token"),
        ({"AUTOGRADER_URL": "http://127.0.0.1:1", "AUTOGRADER_TOKEN": "x"}, "none.py", "none.py"),
    ],
)
def test_a_mistake_of_the_callers_is_one_line_and_status_2(
    tmp_path: Path, environment: dict[str, str], file: str, sentence: str
) -> None:
    (tmp_path / "value.py").write_text(HALF)
    done = run("submit", "toy", tmp_path / file, environment=environment)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_server_that_is_away_is_nobodys_mistake(tmp_path: Path) -> None:
    (tmp_path / "value.py").write_text(HALF)
    environment = {"AUTOGRADER_URL": "http://127.0.0.1:1", "AUTOGRADER_TOKEN": "x"}
    done = run("submit", "toy", tmp_path / "value.py", environment=environment)
    assert done.returncode == 1
    assert "there is no answer" in done.stderr
