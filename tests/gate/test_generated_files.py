"""Generated files are compared where they were written, and a quick check finds observations out of date."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.author_checks.report_card import (
    check_generated_page_section,
    check_observations_are_current,
)
from autograder.course import Assignment, load_course
from tests.cli.commands import run
from tests.course_modules import ROOT
from tests.one_assignment import copy_one_assignment
from tests.toy import write_toy

OTHER = "# Page\n\n<!-- assignment: other -->\n## Other\n"


@pytest.fixture
def small(root: Path, tmp_path: Path) -> Assignment:
    """A copy of an assignment with few misconceptions, to be changed."""
    folders = ("assignments", "solutions", "student_template")
    return load_course(copy_one_assignment(root, "topological-sort", tmp_path / "course", folders)).assignments[0]


def make_stale(assignment: Assignment) -> None:
    """Change something that observations depend on, and nothing else."""
    with assignment.solution_file.with_name("styles.yml").open("a", encoding="utf-8") as file:
        file.write("# a remark\n")


def test_the_observations_of_every_assignment_of_the_course_are_of_its_present_files() -> None:
    results = {one.name: check_observations_are_current(one) for one in load_course(ROOT).assignments}
    assert {name: result.problems for name, result in results.items()} == dict.fromkeys(results, ())
    assert results


@pytest.mark.thorough
def test_a_quick_check_says_that_observations_are_out_of_date_and_how_to_write_them(small: Assignment) -> None:
    make_stale(small)
    done = run("check", "--quick", cwd=small.course_folder)
    assert done.returncode == 1
    assert done.stdout.count("✗") == 1
    assert "observations.json is out of date: run `autograder check topological-sort --update`" in done.stdout


def page_result(
    assignment: Assignment, path: Path, text: str, *, update: bool = False
) -> tuple[str, tuple[str, ...]]:
    """The claim about an assignment's section of a page, and the problems."""
    result = check_generated_page_section("the page", path, "# Page\n", assignment, text, update=update)
    return result.claim, result.problems


@pytest.mark.parametrize("page", [None, OTHER], ids=["no page", "a page about another assignment"])
def test_a_section_that_was_never_written_is_told_and_no_problem(tmp_path: Path, page: str | None) -> None:
    toy = load_course(write_toy(tmp_path)).assignments[0]
    path = tmp_path / "page.md"
    if page is not None:
        path.write_text(page, encoding="utf-8")
    claim = "the page is not written yet (`autograder check toy --update` writes docs/page.md)"
    assert page_result(toy, path, "## Toy\n") == (claim, ())
    assert (path.read_text(encoding="utf-8") if path.exists() else None) == page


def test_a_section_that_was_written_is_compared(tmp_path: Path) -> None:
    toy = load_course(write_toy(tmp_path)).assignments[0]
    path = tmp_path / "page.md"
    assert page_result(toy, path, "## Toy\n", update=True) == ("the page is up to date", ())
    assert page_result(toy, path, "## Toy\n") == ("the page is up to date", ())
    problem = "docs/page.md is out of date: run `autograder check toy --update`, and look at what changes"
    assert page_result(toy, path, "## Another\n") == ("the page is up to date", (problem,))
