"""Every page with every role: who may do what, and that nobody may do anything else."""

from __future__ import annotations

import pytest
from flask import Flask
from werkzeug.routing import AnyConverter, Rule

from autograder.web.request import may_role_call_view
from tests.web.conftest import PEOPLE, TOKEN, Site

EVERYBODY = "nobody student assistant instructor administrator"
SIGNED_IN = "student assistant instructor administrator"
STAFF = "assistant instructor administrator"
INSTRUCTORS = "instructor administrator"
TOKEN_ALONE = ""
"""No browser, whoever is signed in: a shell's token opens it."""
STUDENT = "/class/<assignment_name>/students/<login_or_pseudonym>"
EXPECTED = {
    "GET /sign-in": EVERYBODY,
    "GET /link/<token>": EVERYBODY,
    "POST /link/<token>": EVERYBODY,
    "POST /demo": EVERYBODY,
    "POST /sign-out": EVERYBODY,
    "GET /static/<path:filename>": EVERYBODY,
    "GET /": SIGNED_IN,
    "GET /assignments/<assignment_name>/handout": SIGNED_IN,
    "GET /assignments/<assignment_name>/files/<file_name>": SIGNED_IN,
    "GET /assignments/<assignment_name>/work": "student",
    "GET /browser/<path:filename>": SIGNED_IN,
    "GET /assignments/<assignment_name>": "student",
    "POST /assignments/<assignment_name>": "student",
    "GET /hand-ins/<hand_in_key>": SIGNED_IN,
    "GET /result.css": SIGNED_IN,
    "GET /hand-ins/<hand_in_key>/report.json": SIGNED_IN,
    "GET /hand-ins/<hand_in_key>/file": SIGNED_IN,
    "GET /hand-ins/<hand_in_key>/changes": SIGNED_IN,
    "POST /hand-ins/<hand_in_key>/regrade": STAFF,
    "GET /hand-ins/<hand_in_key>/ask": "student",
    "POST /hand-ins/<hand_in_key>/ask": "student",
    "GET /inquiries": SIGNED_IN,
    "GET /inquiries/<inquiry_key>": SIGNED_IN,
    "POST /inquiries/<inquiry_key>/ask": "student",
    "POST /inquiries/<inquiry_key>/answer": STAFF,
    "POST /inquiries/<inquiry_key>/close": SIGNED_IN,
    "POST /hand-ins/<hand_in_key>/try-regrade": STAFF,
    "POST /class/<assignment_name>/try-regrade": STAFF,
    "GET /regrades/<trial_key>": STAFF,
    "POST /regrades/<trial_key>/carry-out": STAFF,
    "GET /class/<assignment_name>": STAFF,
    f"GET {STUDENT}": STAFF,
    f"POST {STUDENT}/<any(override, comment, exempt, points):kind>": STAFF,
    f"POST {STUDENT}/<any(reopen, extend):kind>": INSTRUCTORS,
    f"POST {STUDENT}/undo": STAFF,
    "POST /class/<assignment_name>/exempt": INSTRUCTORS,
    "POST /class/<assignment_name>/undo": INSTRUCTORS,
    "POST /class/<assignment_name>/<any(publish, unpublish):action>": INSTRUCTORS,
    "POST /class/<assignment_name>/show-names": INSTRUCTORS,
    "GET /class/<assignment_name>/log": INSTRUCTORS,
    "GET /class/<assignment_name>/overview": STAFF,
    "GET /class/<assignment_name>/similar": STAFF,
    "GET /class-reports.css": STAFF,
    "GET /account": SIGNED_IN,
    "POST /account/mail": "student",
    "POST /account/token": "student",
    "POST /account/sign-out-everywhere": SIGNED_IN,
    "POST /sign-in": EVERYBODY,
    "POST /api/assignments/<assignment_name>/hand-ins": TOKEN_ALONE,
    "GET /api/hand-ins/<hand_in_key>": TOKEN_ALONE,
    "GET /class/<assignment_name>/import": INSTRUCTORS,
    "POST /class/<assignment_name>/import": INSTRUCTORS,
    "GET /class/<assignment_name>/export": INSTRUCTORS,
    "POST /class/<assignment_name>/export": INSTRUCTORS,
    "GET /class/<assignment_name>/lms-marks": INSTRUCTORS,
    "GET /class/<assignment_name>/lms-marks/<int:mark_id>": INSTRUCTORS,
    "GET /class/<assignment_name>/lms-marks.csv": INSTRUCTORS,
    "POST /class/<assignment_name>/lms-marks/compare": INSTRUCTORS,
    "POST /class/<assignment_name>/lms-marks/retry": INSTRUCTORS,
    "POST /class/<assignment_name>/lms-marks/<int:mark_id>/retry": INSTRUCTORS,
    "POST /class/<assignment_name>/lms-marks/when": INSTRUCTORS,
    "POST /class/<assignment_name>/lms-marks/forget": INSTRUCTORS,
    "POST /class/<assignment_name>/lms-deadline": INSTRUCTORS,
    "POST /class/<assignment_name>/chosen/<any(extend, exempt):kind>": INSTRUCTORS,
    "POST /class/<assignment_name>/chosen/<any(publish, unpublish):action>": INSTRUCTORS,
    "GET /class/<assignment_name>/gradebook.csv": INSTRUCTORS,
    "GET /gradebook.csv": INSTRUCTORS,
    "GET /settings": INSTRUCTORS,
    "GET /class/<assignment_name>/settings": INSTRUCTORS,
    "POST /class/<assignment_name>/settings": INSTRUCTORS,
    "POST /class/<assignment_name>/settings/reset": INSTRUCTORS,
    "GET /class/<assignment_name>/extensions": INSTRUCTORS,
    "POST /class/<assignment_name>/extensions": INSTRUCTORS,
    "GET /people": INSTRUCTORS,
    "POST /people": INSTRUCTORS,
    "POST /people/chosen": INSTRUCTORS,
    "GET /people/at/<login>": INSTRUCTORS,
    "POST /people/at/<login>": INSTRUCTORS,
    "POST /people/at/<login>/<any(link, mail, end, restore):action>": INSTRUCTORS,
    "GET /people/import": INSTRUCTORS,
    "POST /people/import": INSTRUCTORS,
    "GET /people/log": INSTRUCTORS,
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
    "POST /lms/platforms/<int:platform_id>/test": "administrator",
    "POST /lms/contexts/<int:context_id>/connect": "administrator",
    "GET /lms/log": INSTRUCTORS,
    "GET /lms/people": INSTRUCTORS,
    "POST /lms/people/<int:person_id>/link": INSTRUCTORS,
    "POST /lms/contexts/<int:context_id>/members": INSTRUCTORS,
}
ROLES = {"nobody": "", "student": "ada", "assistant": "tess", "instructor": "ines", "administrator": "root"}
VALUES = {
    **{
        "assignment_name": "toy",
        "login_or_pseudonym": "ada",
        "login": "ada",
        "token": "x" * 43,
        "file_name": "value.py",
        "filename": "site.css",
    },
    **dict.fromkeys(("mark_id", "person_id", "platform_id", "context_id"), 0),
}


def calls(app: Flask) -> dict[str, Rule]:
    return {
        f"{method} {rule.rule}": rule
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }


def build_path(site: Site, rule: Rule) -> str:
    keys = dict.fromkeys(("hand_in_key", "inquiry_key", "trial_key"), site.key("ada-1"))
    token = site.invite("bob").rpartition("/")[2] if "token" in rule.arguments else ""
    choices = {name: min(one.items) for name, one in rule._converters.items() if isinstance(one, AnyConverter)}
    built = rule.build({**VALUES, **keys, **choices, "token": token}, append_unknown=False)
    assert built is not None, f"{rule.rule} has a part that this table gives no value"
    return built[1]


def test_every_page_is_in_this_table(site: Site) -> None:
    assert {*calls(site.app)} == {*EXPECTED}


@pytest.mark.thorough_where(role="instructor")
@pytest.mark.thorough_where(role="assistant")
@pytest.mark.parametrize("role", ROLES)
def test_a_role_may_call_what_the_table_says_and_nothing_else(site: Site, role: str) -> None:
    reader = site.browser(ROLES[role])
    lead_to_sign_in = ["/sign-out", *(["/account/sign-out-everywhere"] if ROLES[role] else [])]
    for call, rule in sorted(calls(site.app).items(), key=lambda one: "everywhere" in one[0]):  # this ends the reader
        with site.app.test_request_context():
            path = build_path(site, rule)
        if call.startswith("GET"):
            answer = reader.get(path)
        else:
            answer = site.browser(ROLES[role]).post(path, page="/" if ROLES[role] else site.invite("di"))
        answer.close()
        asked_to_sign_in = answer.status_code == 303 and answer.headers["Location"] == "/sign-in"
        refused = answer.status_code in (401, 403) or (asked_to_sign_in and path not in lead_to_sign_in)
        assert refused == (role not in EXPECTED[call].split()), f"{call}: {answer.status_code}"


def test_every_form_is_refused_without_the_token_of_its_own_browser(site: Site) -> None:
    """But for what an LMS, its frames and shells send, which a signature, a state, a ticket or a token proves."""
    anothers, forms = site.browser("bob").token("/"), 0
    for call, rule in calls(site.app).items():
        if not call.startswith("POST") or call.startswith(("POST /lti/", "POST /api/")):
            continue
        forms += 1
        browser = site.browser(next(filter(None, (ROLES[role] for role in EXPECTED[call].split()))))
        with site.app.test_request_context():
            path = build_path(site, rule)
        for token in ("", anothers):
            answer = browser.client.post(path, data={"csrf_token": token, "code": "x = 1", "login": "root"})
            assert answer.status_code == 400, f"{call}: {answer.status_code}"
    assert forms > 20


def test_a_page_that_says_not_who_may_see_it_is_refused_to_everybody(site: Site) -> None:
    site.app._got_first_request = False
    site.app.add_url_rule("/forgotten", "forgotten", lambda: "secret")
    for login in ("", *PEOPLE):
        assert site.browser(login).get("/forgotten").status_code in (303, 403)
    assert not may_role_call_view("administrator", lambda: None)


@pytest.mark.parametrize("path", ["", "/report.json", "/file"])
def test_a_student_does_not_see_that_anothers_hand_in_exists(site: Site, path: str) -> None:
    ada, nothing = site.browser("ada"), "A" * 24
    assert ada.get(f"/hand-ins/{site.key('ada-1')}{path}").status_code == 200
    others = ada.get(f"/hand-ins/{site.key('bob-1')}{path}")
    none = ada.get(f"/hand-ins/{nothing}{path}")
    assert (others.status_code, TOKEN.sub("", others.text)) == (404, TOKEN.sub("", none.text))


def test_a_pair_sees_what_either_of_the_two_handed_in_and_nobody_else_does(site: Site) -> None:
    path = f"/hand-ins/{site.key('cy + di-1')}"
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


def test_a_page_that_does_not_exist_keeps_the_navigation_of_who_is_signed_in(site: Site) -> None:
    answer = site.browser("root").get("/no/such/page")
    assert answer.status_code == 404
    assert all(text in answer.text for text in ("Inquiries", "Health", "Alex, administrator", "Sign out"))
    stranger = site.browser().get("/no/such/page")
    assert (stranger.status_code, "Sign out" in stranger.text) == (404, False)
