"""``autograder init``: a course that is whole and green, or nothing at all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autograder.course import Course, load_course
from autograder.faults import CallerFault
from autograder.starter import write_and_load_starter_course
from autograder.starter.writer import GUIDE_PAGES
from tests.cli.commands import run, succeeded, told


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_new_course_is_that_of_the_kit_and_says_who_may_read_it(tmp_path: Path, course: Course) -> None:
    said = succeeded(run("init", "course", cwd=tmp_path))
    assert said.startswith("course: a course with autograd-engine, topological-sort, neural-network and tokenizer\n")
    assert "for the staff alone" in said
    made = load_course(tmp_path / "course")
    assert [one.version for one in made.assignments] == [one.version for one in course.assignments]
    assert (tmp_path / "course" / "grading.yml").read_bytes() == (course.folder / "grading.yml").read_bytes()


@pytest.mark.thorough
def test_a_minimal_course_has_one_small_assignment_and_is_green(tmp_path: Path) -> None:
    succeeded(run("init", "--minimal", "course", cwd=tmp_path))
    (made,) = load_course(tmp_path / "course").assignments
    assert made.name == "topological-sort"
    assert not [name for name in files(tmp_path / "course") if "autograd-engine" in name]
    assert "✗" not in succeeded(run("check", "--quick", cwd=tmp_path / "course"))


def test_the_pages_that_messages_refer_to_are_in_the_course_and_link_to_nothing_that_is_not(tmp_path: Path) -> None:
    write_and_load_starter_course(tmp_path / "course", minimal=True)
    for name in GUIDE_PAGES:
        page = tmp_path / "course" / name
        text = page.read_text(encoding="utf-8")
        links = [link for link in re.findall(r"\]\(([^)#]+)", text) if "://" not in link]
        assert [link for link in links if not (page.parent / link).exists()] == []
        assert len(text) > 1000


def test_every_page_that_a_new_courses_files_refer_to_is_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "course"
    write_and_load_starter_course(folder)
    texts = [(folder / name).read_text(encoding="utf-8") for name in ("grading.yml", "README.md")]
    named = {name for text in texts for name in re.findall(r"docs/[\w/-]+\.md", text)}
    assert named
    assert [name for name in sorted(named) if not (folder / name).is_file()] == []


def test_results_of_a_course_are_ignored_by_git_and_its_tests_are_not(tmp_path: Path) -> None:
    write_and_load_starter_course(tmp_path / "course", minimal=True)
    lines = (tmp_path / "course" / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert {"/results/", "/*gradescope.zip", "*.sqlite", ".writing-*"} <= {*lines}
    assert not [line for line in lines if line.startswith(("/assignments", "/solutions", "/student"))]


def test_an_empty_folder_becomes_a_course_even_the_one_that_the_caller_is_in(tmp_path: Path) -> None:
    succeeded(run("init", "--minimal", ".", cwd=tmp_path))
    assert load_course(tmp_path).assignments


@pytest.mark.parametrize("name", ["notes.txt", ".git"])
def test_a_folder_that_is_not_empty_is_refused_and_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / "course").mkdir()
    (tmp_path / "course" / name).write_text("mine", encoding="utf-8")
    assert "course: the folder is not empty (name a folder" in told(run("init", "course", cwd=tmp_path))
    assert files(tmp_path / "course") == {name: b"mine"}


@pytest.mark.parametrize("there", [True, False])
def test_when_writing_fails_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool) -> None:
    if there:
        (tmp_path / "new").mkdir()
    before = sorted(tmp_path.rglob("*"))

    def full(self: Path, content: bytes) -> int:
        if self.name == "grading.yml":
            raise OSError(28, "No space left on device")
        return write(self, content)

    write = Path.write_bytes
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(CallerFault, match=r"write to this folder: No space left on device \(name another folder\)"):
        write_and_load_starter_course(tmp_path / "new" if there else tmp_path / "new" / "course")
    assert sorted(tmp_path.rglob("*")) == before
