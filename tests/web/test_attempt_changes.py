"""From one attempt to the next: what changed in the result, as far as its reader sees it, and in the program."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from autograder.web.students.attempt_comparison import MOST_LINES
from tests.toy import HALF, RIGHT
from tests.web.conftest import DEADLINE, Site, make_site


def text_of(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", page))


def test_a_student_sees_points_tests_and_lines_that_changed(site: Site) -> None:
    ada = site.browser("ada")
    path = f"/hand-ins/{site.key('ada-2')}"
    assert f'href="{path}/changes">What changed since attempt 1' in ada.get(path).text
    page = ada.get(f"{path}/changes").text
    said = text_of(page)
    assert "10 points, 5 before." in said
    assert "Passed now, and not before double(x) is x twice" in said
    assert "1 other test that is shown is as it was." in said
    assert re.findall(r'<li class="(added|removed)">.*?</span>(.*?)</li>', page) == [
        ("removed", "-    return 6"),
        ("added", "+    return x + x"),
    ]


def test_what_got_worse_is_told_too_and_code_is_text(site: Site) -> None:
    ada = site.browser("ada")
    worse = ada.hand_in(f"{HALF}# <script>alert(1)</script>\n").headers["Location"]
    page = ada.get(f"{worse}/changes").text
    assert "when both results are there" in page
    assert "+# &lt;script&gt;alert(1)" in page
    assert "<script" not in page


def test_the_first_attempt_has_no_changes_and_another_students_are_not_found(site: Site) -> None:
    ada, bob = site.browser("ada"), site.browser("bob")
    assert ada.get(f"/hand-ins/{site.key('ada-1')}/changes").status_code == 404
    assert bob.get(f"/hand-ins/{site.key('ada-2')}/changes").status_code == 404
    assert "What changed" not in ada.get(f"/hand-ins/{site.key('ada-1')}").text
    assert site.browser("tess").get(f"/hand-ins/{site.key('ada-2')}/changes").status_code == 200


def make_slow_programs(length: int) -> tuple[str, str]:
    """Two programs of many lines, of which no two neighbours are the same in both: slow for ``difflib``."""
    single, repeats = length // 4, length // 100
    before = [f"u{number}" for number in range(single)]
    after = [line for number in range(single) for line in (f"u{number}", f"p{number}")]
    kinds = -(-(length - len(after)) // repeats)
    before += [f"x{number % kinds}" for number in range(length - len(before))]
    after += [f"x{-number % kinds}" for number in range(length - len(after))]
    return "\n".join(before), "\n".join(after)


@pytest.mark.parametrize("length", [MOST_LINES, 3000])
def test_programs_made_to_be_slow_hold_no_page(site: Site, length: int) -> None:
    ada = site.browser("ada")
    before, after = make_slow_programs(length)
    ada.hand_in(before)
    page = ada.hand_in(after).headers["Location"]
    started = time.thread_time()
    shown = ada.get(f"{page}/changes").text
    assert time.thread_time() - started < 2
    assert ("cannot be compared line by line" in shown) == (length > MOST_LINES)


def test_what_feedback_keeps_back_is_in_no_comparison(root: Path) -> None:
    config = root / "course" / "grading.yml"
    config.write_text(config.read_text(encoding="utf-8") + "feedback: {results: after_published}\n", encoding="utf-8")
    site = make_site(root)
    ada, path = site.browser("ada"), "/hand-ins/{}/changes"
    said = text_of(ada.get(path.format(site.key("ada-2"))).text)
    assert "when both results are there" in said
    assert "double(x)" not in said.replace("def double(x)", "")
    assert "10 points" not in text_of(ada.get("/assignments/toy").text).partition("Your attempts")[2]


def test_the_list_of_attempts_has_their_points(site: Site) -> None:
    said = text_of(site.browser("ada").get("/assignments/toy").text).partition("Your attempts")[2]
    assert re.search(r"Attempt 2 10 graded .*? Attempt 1 5 graded", said)


def test_a_very_long_program_is_not_compared_line_by_line(site: Site) -> None:
    ada = site.browser("ada")
    long = ada.hand_in(RIGHT + "x = 1\n" * 4000).headers["Location"]
    assert "cannot be compared" in ada.get(f"{long}/changes").text


def test_where_a_hand_in_is_late_the_points_that_count_are_shown(root: Path) -> None:
    config = root / "course" / "grading.yml"
    late = "    deadline: 2020-01-01 12:00\n    late: {percent_per_day: 10, cap_percent: 50}\n"
    config.write_text(config.read_text(encoding="utf-8").replace(DEADLINE, late), encoding="utf-8")
    site = make_site(root)
    ada = site.browser("ada")
    attempts = re.findall(r'<td class="number">(.*?)</td>', ada.get("/assignments/toy").text)
    assert attempts == ["5", "2.5"]
    said = text_of(ada.get(f"/hand-ins/{site.key('ada-2')}/changes").text)
    assert "10 points, 5 before. After lateness and decisions, 5 and 2.5 count." in said
