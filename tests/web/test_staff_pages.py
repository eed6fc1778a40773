"""The staff sees the class, decides with a reason, and everything that changed a mark is in the audit log."""

from __future__ import annotations

import json
import re

import pytest

from tests.toy import HALF
from tests.web.conftest import Site, grade_all

PAGE = "/class/toy/students/ada"


def order(page: str) -> list[str]:
    """The students of a table in its order."""
    return re.findall(r'students/(\w+)[?"]', page)


def test_the_class_is_a_table_with_who_handed_in_nothing_in_it(site: Site) -> None:
    site.in_store(lambda store: store.accounts.upsert_enrolment("", "zoe", "student", "Zoë"))
    page = site.browser("tess").get("/class/toy").text
    assert order(page) == ["ada", "bob", "cy", "zoe"]
    assert "Cy + Di" in page
    assert re.search(r'ada">.*?"number">10<.*?"number">2<', page, re.S)


@pytest.mark.first_cases(3)
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("sort=final&order=down", ["ada", "cy", "bob"]),
        ("sort=final&order=up", ["bob", "ada", "cy"]),
        ("sort=attempts&order=down", ["ada", "cy", "bob"]),
        ("words=B", ["ada", "bob"]),
        ("words=di+cy", ["cy"]),
        ("shown=none", []),
        ("shown=waiting", []),
        ("sort=__class__&order=%00&shown=../", ["ada", "bob", "cy"]),
    ],
)
def test_the_table_is_filtered_and_sorted(site: Site, query: str, expected: list[str]) -> None:
    found = order(site.browser("tess").get(f"/class/toy?{query}").text)
    if "attempts" in query or "final" in query:
        assert sorted(found) == sorted(expected)
        assert (found[0] in ("ada", "cy")) == ("down" in query)
    else:
        assert found == expected


def test_an_override_counts_and_students_read_its_points_and_not_its_reason(site: Site) -> None:
    tess = site.browser("tess")
    fields = {"attempt": "ada-2", "concept": "", "points": "7,5", "reason": "looked at it with Bob"}
    assert tess.post(f"{PAGE}/override", page=PAGE, **fields).status_code == 303
    assert "score 7.5" in tess.get(PAGE).text
    seen = [site.browser("ada").get(f"/hand-ins/{site.key('ada-2')}{path}").text for path in ("", "/report.json")]
    assert all("7.5" in text for text in seen)
    assert not any("looked at it" in text or "Tess" in text for text in seen)


def test_a_comment_is_read_by_its_student_as_text(site: Site) -> None:
    tess = site.browser("tess")
    tess.post(f"{PAGE}/comment", page=PAGE, attempt="ada-1", text="Look at <script>alert(1)</script>")
    seen = site.browser("ada").get(f"/hand-ins/{site.key('ada-1')}").text
    assert "Look at &lt;script&gt;" in seen
    assert "<script>alert" not in seen


@pytest.mark.first_cases(4)
@pytest.mark.parametrize(
    ("what", "fields", "sentence"),
    [
        ("override", {"attempt": "ada-1", "points": "11", "reason": "r"}, "the 10 points"),
        ("override", {"attempt": "ada-1", "points": "many", "reason": "r"}, "is not a number of points"),
        ("override", {"attempt": "ada-1", "points": "1", "reason": ""}, "has no reason"),
        ("comment", {"attempt": "ada-1", "text": " "}, "the comment is empty"),
        ("extend", {"until": "soon", "reason": "r"}, "2 days"),
        ("undo", {"decision": "99", "reason": "r"}, "No decision here matches"),
        ("exempt", {"attempt": "ada-1", "test": "doubling.nothing", "reason": "r"}, "unknown test"),
        ("points", {"attempt": "ada-1", "for": "", "points": "1"}, "does not say what the points are for"),
        ("points", {"attempt": "ada-1", "for": "style", "points": "nan"}, "is not a number of points"),
        ("reopen", {"until": "2020-01-01 12:00", "reason": "r"}, "would end in the past"),
        ("reopen", {"until": "", "reason": ""}, "has no reason"),
    ],
)
def test_what_cannot_be_decided_is_refused_with_a_sentence(
    site: Site, what: str, fields: dict[str, str], sentence: str
) -> None:
    answer = site.browser("ines").post(f"{PAGE}/{what}", page=PAGE, **fields)
    assert answer.status_code == 422
    assert sentence in answer.text
    assert "Nothing was decided.</p>" in answer.text.replace("\n", "")


def test_what_was_typed_stays_in_the_refused_form_and_in_no_other(site: Site) -> None:
    fields = {"attempt": "ada-1", "points": "many", "reason": 'half of "it" was right'}
    page = site.browser("ines").post(f"{PAGE}/override", page=PAGE, **fields).text
    assert page.count('value="half of &#34;it&#34; was right"') == page.count('value="many"') == 1
    assert page.count('<option value="ada-1" selected>') == 4  # the attempt that is shown, with all forms


def test_a_comment_that_is_too_long_is_refused_whole_with_its_length(site: Site) -> None:
    text = "x" * 12_000
    ines = site.browser("ines")
    assert 'name="text" rows="4" required maxlength' not in ines.get(PAGE).text
    page = ines.post(f"{PAGE}/comment", page=PAGE, attempt="ada-1", text=text).text
    assert "the text has 12,000 characters, and may have 5,000 (shorten it)" in page
    assert f">{text}</textarea>" in page


@pytest.mark.parametrize("page", [PAGE, "/class/toy"])
def test_a_reason_to_undo_that_is_too_long_is_refused_whole_with_its_length(site: Site, page: str) -> None:
    ines, reason = site.browser("ines"), "x" * 5001
    ines.post(f"{page}/exempt", page=page, attempt="ada-1", test=failed_test(site), reason="typo")
    shown = ines.get(page).text
    number = re.search(r'name="decision" value="(\d+)"', shown)
    assert number
    assert "maxlength" not in shown.partition("Undo, because")[2].partition("</label>")[0]
    refused = ines.post(f"{page}/undo", page=page, decision=number[1], reason=reason)
    assert refused.status_code == 422
    assert "reason has 5,001 characters, and may have 5,000 (shorten it)" in refused.text
    assert f'name="reason" value="{reason}"' in refused.text
    assert ines.post(f"{page}/undo", page=page, decision=number[1], reason=reason[1:]).status_code == 303


def final(site: Site, submission: str) -> str:
    """The points that count, as the staff reads them on the page of the student."""
    page = re.sub(r"\s+", " ", site.browser("tess").get(f"/class/toy/students/{submission.split('-')[0]}").text)
    found = re.search(rf'{site.key(submission)}">.*?"number">([\d.]+)<', page)
    assert found
    return found[1]


def failed_test(site: Site) -> str:
    report = json.loads(site.browser("tess").get(f"/hand-ins/{site.key('ada-1')}/report.json").text)
    return next(str(test["id"]) for test in report["tests"] if test["outcome"] == "failed")


def test_points_by_hand_count_beside_those_of_the_tests(site: Site) -> None:
    tess = site.browser("tess")
    fields = {"attempt": "ada-1", "for": "style", "points": "1,5", "reason": "neat"}
    assert tess.post(f"{PAGE}/points", page=PAGE, **fields).status_code == 303
    assert "1.5 points for style" in tess.get(PAGE).text
    assert final(site, "ada-1") == "6.5"
    report = site.browser("ada").get(f"/hand-ins/{site.key('ada-1')}").text
    assert ("style" in report, "neat" in report) == (True, False)


def test_an_exempted_test_gives_its_points_to_one_student(site: Site) -> None:
    tess, test = site.browser("tess"), failed_test(site)
    assert tess.post(f"{PAGE}/exempt", page=PAGE, attempt="ada-1", test=test, reason="typo").status_code == 303
    assert (final(site, "ada-1"), final(site, "bob-1")) == ("10", "5")


def test_an_exempted_test_gives_its_points_to_the_whole_class_until_that_is_undone(site: Site) -> None:
    ines, page = site.browser("ines"), "/class/toy"
    assert ines.post(f"{page}/exempt", page=page, test=failed_test(site), reason="typo").status_code == 303
    assert (final(site, "ada-1"), final(site, "bob-1")) == ("10", "10")
    number = re.search(r'name="decision" value="(\d+)"', ines.get(page).text)
    assert number
    assert 'name="decision"' not in ines.get(PAGE).text  # it is not about this student alone
    undo = {"decision": number[1], "reason": "was right"}
    assert ines.post(f"{PAGE}/undo", page=PAGE, **undo).status_code == 422
    assert ines.post(f"{page}/undo", page=page, **undo).status_code == 303
    assert (final(site, "ada-1"), final(site, "bob-1")) == ("5", "5")
    refused = ines.post(f"{page}/exempt", page=page, test="no.such", reason="r")
    assert (refused.status_code, "unknown test" in refused.text) == (422, True)


def test_the_end_of_more_time_is_picked_or_typed(site: Site) -> None:
    ines = site.browser("ines")
    assert ines.get(PAGE).text.count('type="datetime-local"') == 2
    for form, page, which in (("extend", PAGE, ""), ("reopen", PAGE, ""), ("chosen/extend", "/class/toy", "all")):
        for picked, typed, expected in (("2099-02-03T12:00", "", "2099-02-03"), ("", "4 Feb 2099", "2099-02-04")):
            fields = {"until": picked, "until_typed": typed, "reason": "ill", "which": which}
            assert ines.post(f"{page}/{form}", page=page, **fields).status_code == 303
            assert expected in ines.get(PAGE).text.partition("Decisions")[2]
    refused = ines.post(f"{PAGE}/extend", page=PAGE, until="", until_typed="soonish", reason="ill")
    assert (refused.status_code, 'value="soonish"' in refused.text) == (422, True)


@pytest.mark.thorough
def test_a_reopened_attempt_counts_whatever_counted_before(site: Site) -> None:
    ines = site.browser("ines")
    assert ines.post(f"{PAGE}/reopen", page=PAGE, until="", reason="was ill").status_code == 303
    assert "attempt reopened" in ines.get(PAGE).text
    assert site.browser("ada").hand_in(HALF).status_code == 303
    grade_all(site)
    row = re.search(r'ada">.*?</tr>', ines.get("/class/toy").text, re.S)
    assert row
    assert re.findall(r'"number">([\d.]+)<', row[0]) == ["5", "5", "3"]  # points, points before lateness, attempts
    assert "attempt 3: reopened" in row[0]


def test_a_students_page_decides_about_nobody_elses_attempts(site: Site) -> None:
    tess = site.browser("tess")
    for attempt in ("bob-1", "", "ada-99"):
        answer = tess.post(f"{PAGE}/override", page=PAGE, attempt=attempt, points="1", reason="r")
        assert answer.status_code == 404


def test_what_was_decided_about_a_student_is_undone_from_that_students_page_alone(site: Site) -> None:
    ines = site.browser("ines")
    ines.post(f"{PAGE}/override", page=PAGE, attempt="ada-2", points="1", reason="r")
    number = re.search(r'name="decision" value="(\d+)"', ines.get(PAGE).text)
    assert number
    elsewhere = "/class/toy/students/bob"
    undo = {"decision": number[1], "reason": "a mistake"}
    assert ines.post(f"{elsewhere}/undo", page=elsewhere, **undo).status_code == 422
    assert ines.post(f"{PAGE}/undo", page=PAGE, **undo).status_code == 303
    assert "score 1" not in ines.get(PAGE).text


def test_a_hand_in_is_graded_again(site: Site) -> None:
    hidden = site.settings.course / "assignments" / "toy" / "hidden" / "test_double.py"
    hidden.write_text(hidden.read_text(encoding="utf-8").replace("[3, 5]", "[4, 5]"), encoding="utf-8")
    tess, path = site.browser("tess"), f"/hand-ins/{site.key('ada-1')}"
    assert ">5</td>" in tess.get(PAGE).text.replace(" ", "")
    assert tess.post(f"{path}/regrade", page=path).headers["Location"] == path
    assert "Next to be graded" in tess.get(path).text
    grade_all(site)
    assert ">0</td>" in tess.get(PAGE).text.replace(" ", "")


def test_the_audit_log_says_who_did_what_to_whom_and_why(site: Site) -> None:
    tess, ines = site.browser("tess"), site.browser("ines")
    tess.post(f"{PAGE}/override", page=PAGE, attempt="ada-2", points="3", reason="an appeal")
    path = f"/hand-ins/{site.key('ada-1')}"
    tess.post(f"{path}/regrade", page=path)
    text = re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", ines.get("/class/toy/log").text))
    ada = re.escape("Ada &lt;b&gt;Okafor&lt;/b&gt; (ada), attempt")
    regraded, decided = rf"regrade mark {ada} 1 graded again", rf"decide override {ada} 2 10 3 an appeal"
    assert re.search(rf"Tess web:tess {regraded} .* Tess web:tess {decided}", text)


@pytest.mark.parametrize("login", ["tess", "nobody", "ines", "..%2fada"])
def test_only_students_have_a_page(site: Site, login: str) -> None:
    tess = site.browser("tess")
    assert tess.get(f"/class/toy/students/{login}").status_code == 404
    assert tess.get("/class/other").status_code == 404
