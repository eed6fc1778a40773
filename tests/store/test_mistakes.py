"""What was said of a student's mistakes holds for as long as nothing that it rests on changes."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest

from autograder.course import Assignment, load_course
from autograder.course.misconceptions import apply_misconceptions, load_misconception_catalogue
from autograder.diagnosis.naming import (
    get_observations_file_path,
    hash_observation_inputs,
)
from autograder.sandbox import SandboxConfig
from tests.one_assignment import copy_one_assignment
from tests.store.conftest import CounterCourse


class Sorting(CounterCourse):
    """The assignment ``topological-sort`` by itself, which knows its mistakes."""

    @property
    def hidden(self) -> Path:
        return self.root / "assignments" / "topological-sort" / "hidden"

    @property
    def assignment(self) -> Assignment:
        return load_course(self.root).assignments[0]

    def observe_as_before(self) -> None:
        """What `autograder check --update` does where the known mistakes look as they did."""
        path = get_observations_file_path(self.assignment)
        kept = msgspec.json.decode(path.read_bytes())
        path.write_bytes(msgspec.json.encode({**kept, "state": hash_observation_inputs(self.assignment)}))


@pytest.fixture(scope="module")
def sorting_class(sandbox: SandboxConfig, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Sorting:
    """A class with two mistakes, graded once; not to be changed."""
    folders = ("assignments", "solutions", "student_template")
    place = copy_one_assignment(root, "topological-sort", tmp_path_factory.mktemp("sorting") / "course", folders)
    sorting_course = Sorting(place, sandbox)
    sorting_course.students.mkdir()
    assignment = sorting_course.assignment
    right = assignment.solution_file.read_text(encoding="utf-8")
    found = load_misconception_catalogue(assignment).misconceptions
    sorting_course.hand_in(
        right=right, first=apply_misconceptions(right, found[0]), second=apply_misconceptions(right, found[1])
    )
    sorting_course.batch()
    return sorting_course


@pytest.fixture
def sorting(sorting_class: Sorting, tmp_path: Path) -> Sorting:
    """The class, to be changed."""
    shutil.copytree(sorting_class.root, tmp_path / "course", ignore=shutil.ignore_patterns("__pycache__"))
    return Sorting(tmp_path / "course", sorting_class.sandbox)


def verdicts(counter_course: CounterCourse) -> dict[str, str]:
    return {name: report.diagnosis.verdict for name, report in counter_course.reports().items()}


NAMED = {"right": "none", "first": "named", "second": "named"}


@pytest.mark.thorough
def test_changed_points_leave_what_was_said_of_mistakes(sorting: Sorting) -> None:
    assert verdicts(sorting) == NAMED
    sorting.change(sorting.root / "grading.yml", "order: 40", "order: 60")
    assert sorting.regrade().rescored_count == 3
    sorting.batch("afresh")
    assert sorting.reports() == sorting.reports("afresh")


def change_what_names_rest_on(sorting: Sorting) -> None:
    """The same solution in other words."""
    path = sorting.assignment.solution_file
    path.write_text(path.read_text(encoding="utf-8") + "# nothing is different\n", encoding="utf-8")


@pytest.mark.thorough
def test_after_another_solution_a_small_assignment_observes_its_mistakes_by_itself(sorting: Sorting) -> None:
    change_what_names_rest_on(sorting)
    sorting.regrade()
    assert verdicts(sorting) == NAMED
    sorting.batch("afresh")
    assert sorting.reports() == sorting.reports("afresh")


@pytest.mark.thorough
def test_where_known_mistakes_look_as_before_the_names_stay(sorting: Sorting) -> None:
    change_what_names_rest_on(sorting)
    sorting.observe_as_before()
    sorting.regrade()
    assert verdicts(sorting) == NAMED
    sorting.batch("afresh")
    assert sorting.reports() == sorting.reports("afresh")
