"""A catalogue of misconceptions is one file or several; what stands in it fits the solution."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autograder.course import Assignment, load_course
from autograder.course.misconceptions import apply_misconceptions, load_misconception_catalogue
from autograder.faults import CourseFault
from tests.catalogues import load_catalogue_once
from tests.course.written import COURSE, Write, engine_of

ONE = """\
misconceptions:
  - id: {id}
    title: The number is one too large
    concepts: [forward]
    edits:
      - old: data
        new: data + 1
    explanation: After `Value(2.0)` the number is 3.0.
    hints: ["What is the number?", "Where is it set?", "Store it as it is."]
"""


@pytest.fixture
def solution(write: Write) -> Path:
    """The folder of a solution, with nothing in it."""
    folder = engine_of(write(COURSE)).solution_file.parent
    folder.mkdir(parents=True)
    return folder


def engine_beside(solution: Path) -> Assignment:
    return engine_of(solution.parent.parent / "grading.yml")


def put(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


def ids(solution: Path) -> list[str]:
    return [one.id for one in load_misconception_catalogue(engine_beside(solution)).misconceptions]


def test_without_a_file_the_catalogue_is_empty(solution: Path) -> None:
    assert ids(solution) == []


def test_the_single_file_comes_first_then_those_of_the_folder_by_name(solution: Path) -> None:
    put(solution / "misconceptions" / "b.yml", ONE.format(id="third"))
    put(solution / "misconceptions" / "a.yml", ONE.format(id="second"))
    put(solution / "misconceptions.yml", ONE.format(id="first"))
    assert ids(solution) == ["first", "second", "third"]


def test_an_id_in_two_files_is_refused(solution: Path) -> None:
    put(solution / "misconceptions.yml", ONE.format(id="one"))
    put(solution / "misconceptions" / "more.yml", ONE.format(id="one"))
    with pytest.raises(CourseFault, match="two misconceptions have the id"):
        ids(solution)


def test_a_pair_may_name_misconceptions_of_two_files(solution: Path) -> None:
    put(solution / "misconceptions" / "a.yml", ONE.format(id="one"))
    put(solution / "misconceptions" / "b.yml", ONE.format(id="other") + "pairs: [[one, other]]\n")
    assert load_misconception_catalogue(engine_beside(solution)).pairs == (("one", "other"),)


def test_a_pair_that_names_nothing_known_is_refused(solution: Path) -> None:
    put(solution / "misconceptions.yml", ONE.format(id="one") + "pairs: [[one, other]]\n")
    with pytest.raises(CourseFault, match="a pair names unknown misconceptions: other"):
        ids(solution)


def shipped(root: Path) -> list[Assignment]:
    return list(load_course(root).assignments)


def test_every_edit_of_this_course_fits_its_solution(root: Path) -> None:
    for assignment in shipped(root):
        solution = assignment.solution_file.read_text(encoding="utf-8")
        for one in load_catalogue_once(assignment).misconceptions:
            assert compile(apply_misconceptions(solution, one), one.id, "exec")


WRITTEN = re.compile(
    r"default argument|class attribute|\bflag\b|\bclosure|\bmutable|\.reverse\(|\.append|=\s*\[\]|`\+?=`"
)


def test_a_title_says_what_happens_and_not_how_it_is_written(root: Path) -> None:
    for assignment in shipped(root):
        titles = {one.id: one.title for one in load_catalogue_once(assignment).misconceptions}
        assert {name: title for name, title in titles.items() if WRITTEN.search(title)} == {}


NOTHING_ARRIVES = (
    "a second contribution",
    "replaces what",
    "pass nothing on",
    "passes nothing on",
    "subtract",
    "numbers",
)


def test_only_who_lacks_it_is_told_to_add(root: Path) -> None:
    """Where contributions are added already, `+=` is no help: the hint stands where they are lost."""
    for assignment in shipped(root):
        told = [
            one for one in load_catalogue_once(assignment).misconceptions if any("+=" in hint for hint in one.hints)
        ]
        told = [one for one in told if "`a += b`" not in one.title]
        assert [one.id for one in told if not any(words in one.title for words in NOTHING_ARRIVES)] == []
