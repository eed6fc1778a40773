"""Attempts that the course limits: what is left, what is refused with a sentence, and what people give beyond it."""

from __future__ import annotations

import re
from pathlib import Path

from autograder.course import load_course
from autograder.decisions import DecisionProvenance
from autograder.web.results import EffectiveClassResults
from autograder.web.store.server_store import ServerStore
from tests.toy import HALF, RIGHT
from tests.web.conftest import Site, grade_all, make_site

PAGE = "/assignments/toy"


def limit(root: Path, rules: str) -> Site:
    """The site with a limit; ada has handed in twice, bob and the pair once."""
    config = root / "course" / "grading.yml"
    config.write_text(f"{config.read_text(encoding='utf-8')}    attempts: {rules}\n", encoding="utf-8")
    return make_site(root)


def reopen(site: Site, login: str) -> None:
    """Give another attempt, as ``autograder decide reopen`` does."""

    def decide(store: ServerStore) -> None:
        toy = load_course(site.settings.course).assignments[0]
        opened = EffectiveClassResults(store, "", toy).graded_class_if_any
        assert opened
        opened.save_and_number_decisions(
            [DecisionProvenance("Ines", "ines").make_decision("reopen", login, reason="was ill")]
        )

    site.in_store(decide)


def attempts(site: Site, owner: str) -> list[int]:
    return [one.attempt for one in site.hand_ins() if one.owner == owner]


def test_a_student_reads_how_many_attempts_are_left(root: Path) -> None:
    site = limit(root, "{at_most: 3}")
    ada = site.browser("ada")
    assert "At most 3 attempts." in ada.get(PAGE).text
    assert "One attempt left." in ada.get(PAGE).text
    assert ada.hand_in(f"{HALF}# a third\n").status_code == 303
    page = ada.get(PAGE).text
    assert "You have used 3 attempts, and there is no other." in page
    assert "<button>Hand in</button>" not in page
    assert "2 attempts left." in site.browser("bob").get(PAGE).text


def test_an_attempt_too_many_is_refused_with_a_sentence_and_nothing_of_it_is_lost(root: Path) -> None:
    site = limit(root, "{at_most: 2}")
    ada, before = site.browser("ada"), site.hand_ins()
    bob = site.browser("bob")
    token = ada.token("/")
    answer = ada.client.post(PAGE, data={"csrf_token": token, "code": "def double(x):\n    return '</textarea><b>'"})
    assert answer.status_code == 422
    assert "Nothing was handed in.</strong> You have used 2 attempts" in answer.text
    assert "return &#39;&lt;/textarea&gt;&lt;b&gt;&#39;" in answer.text
    assert site.hand_ins() == before
    assert bob.hand_in(RIGHT).status_code == 303


def test_an_attempt_too_soon_is_refused_and_says_when_the_next_may_come(root: Path) -> None:
    site = limit(root, "{minutes_between: 600}")
    ada = site.browser("ada")
    assert re.search(r"You can hand in again at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d", ada.get(PAGE).text)
    answer = ada.post(PAGE, code=RIGHT + "# typed for hours\n")
    assert answer.status_code == 422
    assert "Your last attempt is too fresh: hand in again at" in answer.text
    assert "# typed for hours" in answer.text
    assert attempts(site, "ada") == [1, 2]


def test_the_same_file_sent_twice_while_it_waits_is_no_attempt_too_many(root: Path) -> None:
    site = limit(root, "{at_most: 3, minutes_between: 0}")
    ada = site.browser("ada")
    token = ada.token(PAGE)
    first, second = (ada.client.post(PAGE, data={"csrf_token": token, "code": f"{HALF}#\n"}) for _ in range(2))
    assert (first.status_code, second.headers["Location"]) == (303, f"{first.headers['Location']}?same=yes")


def test_a_file_handed_in_before_is_the_last_attempt_again_and_costs_none(root: Path) -> None:
    """Where the last attempt counts, a student goes back to an earlier program, also without an attempt left."""
    site = limit(root, "{at_most: 2, count: last, minutes_between: 600}")
    ada = site.browser("ada")
    assert "A file that you handed in before costs no attempt" in ada.get(PAGE).text
    assert ada.hand_in(f"{HALF}# a third\n").status_code == 422
    for content, attempt in ((HALF, 3), (RIGHT, 4), (HALF, 5)):
        assert ada.hand_in(content).headers["Location"] == f"/hand-ins/{site.key(f'ada-{attempt}')}"
        assert "You have used 2 attempts" in ada.get(PAGE).text
    assert ada.hand_in(HALF).headers["Location"].endswith(f"{site.key('ada-5')}?same=yes")
    grade_all(site)
    assert "Attempt 5 counts: it is the last one that was graded." in ada.get(PAGE).text


def test_where_the_best_attempt_counts_a_file_handed_in_before_is_that_attempt(root: Path) -> None:
    site = limit(root, "{at_most: 2, minutes_between: 600}")
    ada = site.browser("ada")
    assert "<button>Hand in</button>" not in ada.get(PAGE).text
    answer = ada.post(PAGE, page="/account", code=HALF)
    assert answer.headers["Location"] == f"/hand-ins/{site.key('ada-1')}?same=yes"
    assert attempts(site, "ada") == [1, 2]


def test_a_file_from_before_the_staff_gave_another_attempt_takes_it(root: Path) -> None:
    site = limit(root, "{at_most: 2, count: last}")
    ada = site.browser("ada")
    reopen(site, "ada")
    assert "One attempt left." in ada.get(PAGE).text
    assert ada.hand_in(HALF).status_code == 303
    assert "You have used 2 attempts, and there is no other." in ada.get(PAGE).text
    assert "A file that you handed in before" not in ada.get(PAGE).text
    assert ada.hand_in(f"{RIGHT}# another\n").status_code == 422


def test_a_fault_of_the_grader_costs_no_attempt(root: Path) -> None:
    site = limit(root, "{at_most: 2, minutes_between: 600}")
    ada = site.browser("ada")
    assert "You have used 2 attempts" in ada.get(PAGE).text

    def fail(store: ServerStore) -> None:
        for one in store.hand_ins.list_hand_ins("", "toy"):
            store.grading_queue.record_outcome(one, "the machine failed")

    site.in_store(fail)
    assert "2 attempts left." in ada.get(PAGE).text
    assert ada.hand_in(HALF).status_code == 303


def test_a_reopened_attempt_goes_beyond_the_limit_and_the_wait(root: Path) -> None:
    site = limit(root, "{at_most: 2, minutes_between: 600}")
    ada = site.browser("ada")
    reopen(site, "ada")
    assert "The staff gave you another attempt. One attempt left." in ada.get(PAGE).text
    assert ada.hand_in(HALF).status_code == 303
    assert "You have used 2 attempts" in ada.get(PAGE).text
    assert attempts(site, "ada") == [1, 2, 3]


def test_a_team_has_its_attempts_together_and_an_attempt_that_either_was_given(root: Path) -> None:
    site = limit(root, "{at_most: 2}")
    cy, di = site.browser("cy"), site.browser("di")
    assert di.hand_in(HALF).status_code == 303
    assert "You have used 2 attempts" in cy.get(PAGE).text
    reopen(site, "di")
    assert cy.hand_in(RIGHT).status_code == 303
    assert attempts(site, "cy + di") == [1, 2, 3]


def test_without_a_limit_nothing_is_said_of_one(site: Site) -> None:
    page = site.browser("ada").get(PAGE).text
    assert " left." not in page
    assert "At most" not in page
