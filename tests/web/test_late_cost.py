"""After the deadline, the page of an assignment says what handing in costs now."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.web.conftest import Site, make_site

PAGE = "/assignments/toy"
RULES = "    deadline: {}\n    late: {{percent_per_day: 10, cap_percent: 40}}\n"
OVER = "is taken off what is handed in now"


def serve_with_deadline(root: Path, hours_ago: float, more: str = "") -> Site:
    """The class, with a deadline so many hours ago."""
    config, moment = root / "course" / "grading.yml", datetime.now(UTC) - timedelta(hours=hours_ago)
    rules = RULES.format(moment.isoformat(timespec="seconds"))
    text = re.sub("    deadline: .*\n", rules, config.read_text(encoding="utf-8"))
    config.write_text(text + more, encoding="utf-8")
    return make_site(root)


def test_a_late_student_reads_what_a_hand_in_costs_now(root: Path) -> None:
    page = serve_with_deadline(root, 25).browser("bob").get(PAGE).text
    assert "The deadline is over: 20 % is taken off what is handed in now (2 days begun, 10 % each)." in page


def test_before_the_deadline_and_within_an_extension_nothing_is_said(root: Path) -> None:
    site = serve_with_deadline(root, 25, "    extensions: {bob: 3}\n")
    assert OVER not in site.browser("bob").get(PAGE).text
    assert OVER in site.browser("ada").get(PAGE).text


def test_without_an_attempt_left_nothing_is_said(root: Path) -> None:
    site = serve_with_deadline(root, 25, "    attempts: {at_most: 1}\n")
    assert OVER not in site.browser("bob").get(PAGE).text


def test_a_reopened_attempt_has_its_own_deadline_and_costs_nothing_up_to_it(root: Path) -> None:
    site = serve_with_deadline(root, 25)
    student = "/class/toy/students/bob"
    answer = site.browser("ines").post(f"{student}/reopen", page=student, until="2098-03-04 12:00", reason="was ill")
    assert answer.status_code == 303
    page = site.browser("bob").get(PAGE).text
    assert OVER not in page
    assert "Due 2098-03-04 12:00" in page
