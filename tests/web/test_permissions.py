"""Every page with every role: who may do what, and that nobody may do anything else."""

from __future__ import annotations

import pytest
from flask import Flask
from werkzeug.routing import Rule

from autograder.web.permissions import is_allowed, needs
from tests.web.conftest import PEOPLE, TOKEN, Site

EVERYBODY = "nobody student assistant instructor administrator"
SIGNED_IN = "student assistant instructor administrator"
STAFF = "assistant instructor administrator"
TEACHERS = "instructor administrator"
EXPECTED = {
    "GET /sign-in": EVERYBODY,
    "GET /link/<token>": EVERYBODY,
    "POST /link/<token>": EVERYBODY,
    "POST /demo": EVERYBODY,
    "POST /sign-out": EVERYBODY,
    "GET /static/<path:filename>": EVERYBODY,
    "GET /": SIGNED_IN,
    "GET /assignments/<name>/files/<file>": SIGNED_IN,
    "GET /assignments/<name>": "student",
    "POST /assignments/<name>": "student",
    "GET /hand-ins/<key>": SIGNED_IN,
    "GET /hand-ins/<key>/report": SIGNED_IN,
    "GET /hand-ins/<key>/report.json": SIGNED_IN,
    "GET /hand-ins/<key>/file": SIGNED_IN,
    "GET /hand-ins/<key>/changes": SIGNED_IN,
    "POST /hand-ins/<key>/regrade": STAFF,
    "GET /hand-ins/<key>/ask": "student",
    "POST /hand-ins/<key>/ask": "student",
    "GET /inquiries": SIGNED_IN,
    "GET /inquiries/<key>": SIGNED_IN,
    "POST /inquiries/<key>/ask": "student",
    "POST /inquiries/<key>/answer": STAFF,
    "POST /inquiries/<key>/close": SIGNED_IN,
    "POST /hand-ins/<key>/try-regrade": STAFF,
    "POST /class/<name>/try-regrade": STAFF,
    "GET /regrades/<key>": STAFF,
    "POST /regrades/<key>/carry-out": STAFF,
    "GET /class/<name>": STAFF,
    "GET /class/<name>/students/<login>": STAFF,
    "POST /class/<name>/students/<login>/override": STAFF,
    "POST /class/<name>/students/<login>/comment": STAFF,
    "POST /class/<name>/students/<login>/exempt": STAFF,
    "POST /class/<name>/students/<login>/points": STAFF,
    "POST /class/<name>/students/<login>/reopen": TEACHERS,
    "POST /class/<name>/students/<login>/extend": TEACHERS,
    "POST /class/<name>/students/<login>/undo": TEACHERS,
    "POST /class/<name>/exempt": TEACHERS,
    "POST /class/<name>/undo": TEACHERS,
    "POST /class/<name>/publish": TEACHERS,
    "POST /class/<name>/unpublish": TEACHERS,
    "POST /class/<name>/show-names": TEACHERS,
    "GET /class/<name>/log": TEACHERS,
    "GET /class/<name>/overview": STAFF,
    "GET /class/<name>/similar": STAFF,
    "GET /class-reports.css": STAFF,
    "GET /mail": "student",
    "POST /mail": "student",
    "GET /class/<name>/import": TEACHERS,
    "POST /class/<name>/import": TEACHERS,
    "GET /class/<name>/export": TEACHERS,
    "POST /class/<name>/export": TEACHERS,
    "GET /class/<name>/lms-marks": TEACHERS,
    "GET /class/<name>/lms-marks/<int:number>": TEACHERS,
    "GET /class/<name>/lms-marks.csv": TEACHERS,
    "POST /class/<name>/lms-marks/compare": TEACHERS,
    "POST /class/<name>/lms-marks/retry": TEACHERS,
    "POST /class/<name>/lms-marks/<int:number>/retry": TEACHERS,
    "POST /class/<name>/lms-marks/when": TEACHERS,
    "POST /class/<name>/lms-deadline": TEACHERS,
    "GET /health": "administrator",
    "GET /lti/login": EVERYBODY,
    "POST /lti/login": EVERYBODY,
    "GET /lti/launch": EVERYBODY,
    "POST /lti/launch": EVERYBODY,
    "POST /lti/enter": EVERYBODY,
    "POST /lti/content": EVERYBODY,
    "GET /lti/keys": EVERYBODY,
    "GET /lti/canvas.json": EVERYBODY,
    "GET /lti/register/<token>": EVERYBODY,
    "POST /lti/register/<token>": EVERYBODY,
    "GET /lms": "administrator",
    "POST /lms/registration-link": "administrator",
    "POST /lms/platforms/<int:number>/test": "administrator",
    "POST /lms/contexts/<int:number>/connect": "administrator",
    "GET /lms/log": TEACHERS,
    "GET /lms/people": TEACHERS,
    "POST /lms/people/<int:number>/link": TEACHERS,
    "POST /lms/contexts/<int:number>/members": TEACHERS,
}
ROLES = {"nobody": "", "student": "ada", "assistant": "tess", "instructor": "ines", "administrator": "root"}
VALUES = {"name": "toy", "login": "ada", "token": "x" * 43, "file": "value.py", "filename": "site.css", "number": 0}


def calls(app: Flask) -> dict[str, Rule]:
    return {
        f"{method} {rule.rule}": rule
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }


def test_every_page_is_in_this_table(site: Site) -> None:
    assert {*calls(site.app)} == {*EXPECTED}


@pytest.mark.parametrize("role", ROLES)
def test_a_role_may_call_what_the_table_says_and_nothing_else(site: Site, role: str) -> None:
    for call, rule in calls(site.app).items():
        browser = site.browser(ROLES[role])
        with site.app.test_request_context():
            values = {**VALUES, "key": site.key("ada-1"), "token": site.invite("bob").rpartition("/")[2]}
            _, path = rule.build(values, append_unknown=False) or ("", "")
        if call.startswith("GET"):
            answer = browser.get(path)
        else:
            answer = browser.post(path, page="/" if ROLES[role] else site.invite("di"))
        answer.close()
        asked_to_sign_in = answer.status_code == 303 and answer.headers["Location"] == "/sign-in"
        refused = answer.status_code == 403 or (asked_to_sign_in and path != "/sign-out")
        assert refused == (role not in EXPECTED[call].split()), f"{call}: {answer.status_code}"


def test_every_form_is_refused_without_the_token_of_its_own_browser(site: Site) -> None:
    """But for what an LMS and its frames send, which a signature, a state or a ticket proves."""
    anothers, forms = site.browser("bob").token("/"), 0
    for call, rule in calls(site.app).items():
        if not call.startswith("POST") or call.startswith("POST /lti/"):
            continue
        forms += 1
        browser = site.browser(next(filter(None, (ROLES[role] for role in EXPECTED[call].split()))))
        with site.app.test_request_context():
            values = {**VALUES, "key": site.key("ada-1"), "token": site.invite("bob").rpartition("/")[2]}
            _, path = rule.build(values, append_unknown=False) or ("", "")
        for token in ("", anothers):
            answer = browser.client.post(path, data={"csrf_token": token, "code": "x = 1", "login": "root"})
            assert answer.status_code == 400, f"{call}: {answer.status_code}"
    assert forms > 20


def test_a_page_that_says_not_who_may_see_it_is_refused_to_everybody(site: Site) -> None:
    site.app._got_first_request = False
    site.app.add_url_rule("/forgotten", "forgotten", lambda: "secret")
    for login in ("", *PEOPLE):
        assert site.browser(login).get("/forgotten").status_code in (303, 403)
    assert not is_allowed("administrator", lambda: None)
    assert needs.__doc__


@pytest.mark.parametrize("path", ["", "/report", "/report.json", "/file"])
def test_a_student_does_not_see_that_anothers_hand_in_exists(site: Site, path: str) -> None:
    ada, nothing = site.browser("ada"), "A" * 24
    assert ada.get(f"/hand-ins/{site.key('ada-1')}{path}").status_code == 200
    others = ada.get(f"/hand-ins/{site.key('bob-1')}{path}")
    none = ada.get(f"/hand-ins/{nothing}{path}")
    assert (others.status_code, TOKEN.sub("", others.text)) == (404, TOKEN.sub("", none.text))


def test_a_pair_sees_what_either_of_the_two_handed_in_and_nobody_else_does(site: Site) -> None:
    path = f"/hand-ins/{site.key('cy+di-1')}"
    assert {login: site.browser(login).get(path).status_code for login in ("cy", "di", "ada")} == {
        "cy": 200,
        "di": 200,
        "ada": 404,
    }


def test_keys_of_hand_ins_cannot_be_guessed(site: Site) -> None:
    keys = [one.key for one in site.hand_ins()]
    assert all(len(key) == 24 for key in keys)  # 18 random bytes
    assert len({*keys}) == len(keys)
    ada = site.browser("ada")
    for guess in ("1", "2", "ada-1", "%2e%2e", keys[0][:-1], keys[0].swapcase(), f"{keys[0]}%00"):
        assert ada.get(f"/hand-ins/{guess}").status_code == 404
