"""From one attempt to the next: what changed in the result, as far as its reader sees it, and in the program."""

from __future__ import annotations

import re
from pathlib import Path

from autograder.web.hand_ins import MOST_LINES
from tests.toy import HALF, RIGHT
from tests.web.conftest import DEADLINE, Site, change_grading, grade_all, make_site


def text_of(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", page))


def test_a_student_sees_points_tests_and_lines_that_changed(site: Site) -> None:
    ada = site.browser("ada")
    path = f"/hand-ins/{site.key('ada-2')}"
    assert f'href="{path}/changes">What changed since the best attempt before' in ada.get(path).text
    page = ada.get(f"{path}/changes").text
    said = text_of(page)
    assert "10 points, 5 before." in said
    assert "doubling: 10 points, 5 before" in said
    assert "Passed now, and not before double(x) is x twice" in said
    assert "1 other test that is shown is as it was." in said
    assert re.findall(r'<li class="(added|removed)">.*?</span>(.*?)</li>', page) == [
        ("removed", "-    return 6"),
        ("added", "+    return x + x"),
    ]


def test_an_attempt_is_compared_with_the_best_one_before(site: Site) -> None:
    ada = site.browser("ada")
    ada.hand_in("x = 1\n")
    last = ada.hand_in(f"{RIGHT}# tidied\n").headers["Location"]
    grade_all(site)
    said = text_of(ada.get(f"{last}/changes").text)
    assert "What changed since attempt 2 Of the attempts before this one, it had the most points." in said
    assert "10 points, 10 before." in said


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


def test_two_programs_that_share_nothing_are_shown_whole_and_far_places_are_left_out(root: Path) -> None:
    ada = change_grading(root, "feedback: {results: after_published}\n").browser("ada")  # no attempt is known as best
    ada.hand_in("\n".join(f"a{number} = 1" for number in range(MOST_LINES)))
    page = ada.hand_in("\n".join(f"b{number} = 1" for number in range(MOST_LINES))).headers["Location"]
    assert ada.get(f"{page}/changes").text.count('<li class="removed">') == MOST_LINES
    page = ada.hand_in("\n".join(f"b{number} = {number // 500}" for number in range(MOST_LINES))).headers["Location"]
    lines = re.findall(r"<li[^>]*>(?:<span.*?</span>)?(.*?)</li>", ada.get(f"{page}/changes").text)
    assert lines[:3] == ["… 1", "-b0 = 1", "-b1 = 1"]
    assert lines[-1] == " b502 = 1"
    page = ada.hand_in("\n" * MOST_LINES + RIGHT).headers["Location"]
    assert "cannot be compared line by line" in ada.get(f"{page}/changes").text


def test_the_page_of_changes_is_limited_as_what_it_costs(site: Site) -> None:
    ada, path = site.browser("ada"), f"/hand-ins/{site.key('ada-2')}/changes"
    assert [ada.get(path).status_code for _ in range(21)] == [200] * 20 + [429]


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
