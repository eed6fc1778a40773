"""Results wait until an instructor publishes them, where the course says so; the staff reads what students see."""

from __future__ import annotations

import re
from pathlib import Path

from tests.web.conftest import Browser, Site, change_grading, make_site, regrade

RESULTS = "feedback: {results: after_published}\n"
PARTS = "feedback: {hidden_tests: after_published, diagnosis: after_published}\n"
SENTENCE = "double(x) is x twice"


def publish(site: Site, how: str = "publish") -> None:
    assert site.browser("ines").post(f"/class/toy/{how}", page="/class/toy").status_code == 303


def publish_chosen(site: Site, *chosen: str, how: str = "publish", login: str = "ines") -> int:
    """Press a button under the table with some students ticked."""
    answer = site.browser(login).post(f"/class/toy/chosen/{how}", page="/class/toy", which="chosen", chosen=[*chosen])
    return answer.status_code


def answers(site: Site, browser: Browser, submission: str = "ada-1") -> list[int]:
    """The codes of everything there is of a result."""
    return [
        browser.get(f"/hand-ins/{site.key(submission)}{path}").status_code for path in ("", "/report.json", "/ask")
    ]


def words(browser: Browser, path: str) -> str:
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", browser.get(path).text))


def test_a_result_is_not_there_until_it_is_published_and_not_after_it_was_taken_back(root: Path) -> None:
    site = change_grading(root, RESULTS)
    ada, path = site.browser("ada"), f"/hand-ins/{site.key('ada-1')}"
    before = "Graded. The result is not published yet: it waits until the staff publishes it."
    for how in ("unpublish", "publish", "unpublish"):
        publish(site, how)
        is_there = how == "publish"
        assert answers(site, ada) == [200, *([200 if is_there else 404] * 2)]
        assert (before in words(ada, path)) == (not is_there)
        home = (
            "handed in : attempt 2 of toy ; the result is not published yet: it waits until the staff publishes it."
        )
        assert (home in words(ada, "/")) == (not is_there)


def test_the_staff_reads_a_result_before_it_is_published(root: Path) -> None:
    site = change_grading(root, RESULTS)
    assert answers(site, site.browser("tess"))[:2] == [200, 200]


def test_what_each_test_says_waits_while_points_are_there(root: Path) -> None:
    site = change_grading(root, PARTS)
    regrade(site)
    ada, path = site.browser("ada"), f"/hand-ins/{site.key('ada-1')}"
    assert "What each test says is not published yet" in words(ada, path)
    assert SENTENCE not in ada.get(path).text
    publish(site)
    assert "not published yet" not in words(ada, path)
    assert SENTENCE in ada.get(path).text


def test_the_staff_reads_what_students_see_now_and_then(root: Path) -> None:
    site = change_grading(root, RESULTS)
    tess = site.browser("tess")
    assert "Students see now: nothing but the receipt. The result waits until the staff publishes it." in words(
        tess, "/class/toy"
    )
    assert "Publish the results" not in words(tess, "/class/toy")
    then = words(site.browser("ines"), "/class/toy")
    assert "Students then see: points and comments, what each test says, the mistake behind failed tests." in then
    assert "3 results so far." in then
    assert "Publish now" in then
    publish(site)
    now = words(site.browser("ines"), "/class/toy")
    assert "Students see now: points and comments, what each test says, the mistake behind failed tests." in now
    assert re.search(r"Published \d{4}-\d\d-\d\d .* Take the results back", now)


def test_there_is_nothing_to_publish_where_all_is_shown_at_once(site: Site) -> None:
    assert "Publish" not in words(site.browser("ines"), "/class/toy")


def test_what_waits_for_the_due_date_comes_with_it_alone(root: Path) -> None:
    site = change_grading(root, "feedback: {results: after_due_date}\n")
    ada, path = site.browser("ada"), f"/hand-ins/{site.key('ada-1')}"
    assert "The result is not shown yet: it waits until the last deadline of the class" in words(ada, path)
    config = root / "course" / "grading.yml"
    config.write_text(config.read_text(encoding="utf-8").replace("2099", "2025"), encoding="utf-8")
    assert answers(make_site(root), make_site(root).browser("ada")) == [200] * 3


def test_publishing_is_in_the_audit_log_once(root: Path) -> None:
    site = change_grading(root, RESULTS)
    for how in ("publish", "publish", "unpublish"):
        publish(site, how)
    log = words(site.browser("ines"), "/class/toy/log")
    assert re.search(
        r"Ines web:ines unpublish results everyone published not published .* Ines web:ines publish results everyone "
        r"not published published",
        log,
    )
    assert log.count("web:ines") == 2


def shown_to(site: Site) -> set[str]:
    """Who sees their result."""
    submissions = {"ada": "ada-1", "bob": "bob-1", "cy": "cy + di-1", "di": "cy + di-1"}
    return {one for one, key in submissions.items() if answers(site, site.browser(one), key)[1] == 200}


def test_results_of_chosen_students_are_published_and_the_others_wait(root: Path) -> None:
    site = change_grading(root, RESULTS)
    assert publish_chosen(site, "ada", "cy") == 303
    assert shown_to(site) == {"ada", "cy", "di"}
    assert "5 of 10" in words(site.browser("ada"), f"/hand-ins/{site.key('ada-1')}")
    assert "waits until the staff publishes it" in words(site.browser("bob"), "/")
    assert "waits until the staff publishes it" not in words(site.browser("ada"), "/")
    publish_chosen(site, "ada", how="unpublish")
    assert shown_to(site) == {"cy", "di"}


def test_what_is_decided_for_the_class_afterwards_counts_for_the_chosen_ones_too(root: Path) -> None:
    site = change_grading(root, RESULTS)
    publish(site)
    publish_chosen(site, "bob", how="unpublish")
    assert shown_to(site) == {"ada", "cy", "di"}
    publish(site, "unpublish")
    assert shown_to(site) == set()
    publish(site)
    assert shown_to(site) == {"ada", "bob", "cy", "di"}


def test_the_staff_is_asked_with_what_the_chosen_ones_will_see_and_finds_who_they_were(root: Path) -> None:
    site = change_grading(root, RESULTS)
    asked = "Once published, they see: points and comments, what each test says, the mistake behind failed tests"
    assert asked in words(site.browser("ines"), "/class/toy")
    assert asked not in words(site.browser("tess"), "/class/toy")
    assert publish_chosen(site, "ada", login="tess") == 403
    publish_chosen(site, "ada")
    page = words(site.browser("tess"), "/class/toy")
    assert "nothing but the receipt" in page
    assert "For 1 student it was decided otherwise" in page
    assert page.count("graded, published") == 1
    assert re.search(
        r"web:ines publish results Ada .*\(ada\) not published published",
        words(site.browser("ines"), "/class/toy/log"),
    )


def test_nobody_chosen_is_no_choice_of_everybody(root: Path) -> None:
    site = change_grading(root, RESULTS)
    assert publish_chosen(site) == 422
    assert shown_to(site) == set()


def test_an_anonymous_student_is_published_by_pseudonym_and_not_named_in_the_log(root: Path) -> None:
    site = change_grading(root, RESULTS + "anonymous_grading: true\n")
    row = re.search(r'value="(\w+)" form="chosen"', site.browser("ines").get("/class/toy").text)
    assert row
    pseudonym = row[1]
    assert publish_chosen(site, "ada") == 422
    assert publish_chosen(site, pseudonym) == 303
    assert shown_to(site) in ({"ada"}, {"bob"}, {"cy", "di"})
    log = words(site.browser("ines"), "/class/toy/log")
    assert pseudonym in log
    assert not re.search(r"\b(ada|bob|cy|di|Ada|Bob)\b", log)
