"""Students hand in: what is kept, who hands in together, and what the receipt says."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from autograder.platforms.common.export_files import make_zip
from autograder.web.store.hand_ins import NewHandIn
from autograder.web.store.server_store import ServerStore
from tests.toy import HALF
from tests.toy import RIGHT as HANDED_IN
from tests.web.conftest import Site, grade_all, make_site

RIGHT = f"{HANDED_IN}# another\n"
"""Other bytes than what Ada handed in last."""
ATTACK = "def double(x):\n    return '<script>alert(1)</script>'\n"
NOTEBOOK = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {},
    "cells": [
        {"cell_type": "code", "id": "a", "metadata": {}, "source": RIGHT, "outputs": [], "execution_count": None}
    ],
}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("value.py", RIGHT.encode()),
        ("My Work.IPYNB", json.dumps(NOTEBOOK).encode()),
        ("all.zip", make_zip({"value.py": RIGHT.encode()})),
    ],
)
def test_a_receipt_says_when_and_what_before_anything_is_graded(site: Site, name: str, content: bytes) -> None:
    ada = site.browser("ada")
    answer = ada.hand_in(content, name)
    assert answer.status_code == 303
    receipt = ada.get(answer.headers["Location"]).text
    assert hashlib.sha256(content).hexdigest() in receipt
    assert "ada-3" in receipt
    assert "Next to be graded" in receipt
    assert "Look again</a>" in receipt  # for those without scripts
    assert ada.get(f"{answer.headers['Location']}/file").data == content


def test_a_result_names_the_file_as_its_student_does_and_to_the_staff_as_it_was_graded(site: Site) -> None:
    ada, tess = site.browser("ada"), site.browser("tess")
    texts = ("def double(:\n", "x = 1 / 0\n" + RIGHT, RIGHT.replace("return", "return 1 / 0 #"), ATTACK)
    receipts = [ada.hand_in(text, "my work.py").headers["Location"] for text in texts]
    grade_all(site)
    for number, receipt in enumerate(receipts[:-1], 3):
        student, staff = (browser.get(f"{receipt}/report.json").text for browser in (ada, tess))
        assert "my work.py, line" in student
        assert f"ada-{number}.py" not in student
        assert f"ada-{number}.py, line" in staff
        assert "my work" not in staff
        assert "my work.py, line" in ada.get(receipt).text
    for browser in (ada, tess):
        page = browser.get(receipts[-1]).text
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
        assert page.count("<script") == page.count('<script src="/static/')


def test_pasted_code_is_kept_as_a_file(site: Site) -> None:
    ada = site.browser("ada")
    answer = ada.post("/assignments/toy", code=RIGHT.replace("\n", "\r\n"))
    assert ada.get(f"{answer.headers['Location']}/file").data == RIGHT.encode()


@pytest.mark.thorough
def test_whoever_has_many_before_them_asks_seldom(site: Site) -> None:
    def queue(store: ServerStore) -> None:
        for number in range(40):
            student = store.accounts.upsert_enrolment("", f"s{number}", "student")
            content = f"{RIGHT}#{before}".encode()
            store.hand_ins.add_hand_in_unless_duplicate(NewHandIn("", "toy", [student], "value.py", content))

    for before, seconds in ((0, 3), (40, 10), (80, 20), (120, 20)):
        if before:
            site.in_store(queue)
        ada = site.browser("ada")
        receipt = ada.get(ada.hand_in(f"{RIGHT}# {before}\n").headers["Location"]).text
        assert f'data-seconds="{seconds}"' in receipt


def test_a_student_reads_how_many_are_graded_before(site: Site) -> None:
    site.browser("bob").hand_in(RIGHT)
    site.browser("cy").hand_in(HALF)
    ada = site.browser("ada")
    receipt = ada.hand_in(RIGHT).headers["Location"]
    assert "Waiting to be graded, 2 before you." in ada.get(receipt).text  # nothing is being graded
    claimed = site.in_store(lambda store: store.grading_queue.try_claim_next_hand_in("", "w"))
    assert claimed.owner == "bob"
    assert re.search(r"Waiting to be graded, 2 before you: about \d+ minutes?\.", ada.get(receipt).text)


@pytest.mark.parametrize(("content", "attempt"), [(HANDED_IN, "ada-2"), (HALF, "ada-1")])
def test_the_very_file_of_any_attempt_costs_no_attempt(site: Site, content: str, attempt: str) -> None:
    ada = site.browser("ada")
    answer = ada.hand_in(content)
    assert answer.headers["Location"] == f"/hand-ins/{site.key(attempt)}?same=yes"
    assert "You handed in this very file already" in ada.get(answer.headers["Location"]).text
    assert [one.attempt for one in site.hand_ins() if one.owner == "ada"] == [1, 2]


def test_the_very_file_counts_anew_after_the_staff_gave_another_attempt(site: Site) -> None:
    given = site.browser("ines").post(
        "/class/toy/students/ada/reopen", page="/class/toy/students/ada", reason="why not"
    )
    assert given.status_code == 303
    assert "same" not in site.browser("ada").hand_in(HANDED_IN).headers["Location"]


def test_the_same_file_sent_twice_while_it_waits_is_one_attempt(site: Site) -> None:
    ada = site.browser("ada")
    first, second = ada.hand_in(RIGHT), ada.hand_in(RIGHT)
    assert f"{first.headers['Location']}?same=yes" == second.headers["Location"]
    assert [one.attempt for one in site.hand_ins() if one.owner == "ada"] == [1, 2, 3]


def test_a_pair_hands_in_together(site: Site) -> None:
    di = site.browser("di")
    assert "You hand in together: Di, Cy" in di.get("/assignments/toy").text.replace("Cy, Di", "Di, Cy")
    receipt = di.hand_in(HALF).headers["Location"]
    assert "cy + di-2" in site.browser("cy").get(receipt).text


def test_a_student_has_room_for_so_many_bytes_and_small_files_still_fit(root: Path) -> None:
    site = make_site(root, student_mb=1)
    ada, bob = site.browser("ada"), site.browser("bob")
    large = RIGHT.encode() + b"#" * 400_000
    for number in range(2):
        assert ada.hand_in(large + b"%d" % number).status_code == 303
    before = site.hand_ins()
    refused = ada.hand_in(large)
    assert (refused.status_code, site.hand_ins()) == (422, before)
    assert "The server keeps 1 MB of your hand-ins, and has 1 MB of them. Hand in your own code alone" in refused.text
    assert ada.hand_in(RIGHT + "# small").status_code == 303
    assert bob.hand_in(large).status_code == 303
