"""Whatever a student makes of given code, the original is graded, and a note says so."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.course import Assignment, load_course
from autograder.course.assignment_code import load_solution_given_code
from autograder.edits import make_mutants
from autograder.faults import CourseFault
from autograder.grading import GradedSubmission, Grader
from autograder.sandbox import SandboxConfig
from autograder.template import render_student_template_files
from tests.graded_sources import grade_source
from tests.grading.conftest import MakeCourse

GRADING = """\
course: small
assignments:
  counter:
    defines: [Pair]
    concepts: {counting: 10}
"""
GIVEN = """\
class Counter:
    def __init__(self, start=0):
        self.value = start

    def up(self):
        self.value += 1
        return self.value
"""
SOLUTION = f"""\
\"\"\"Two counters.\"\"\"

# BEGIN GIVEN
{GIVEN}

# END GIVEN
class Pair:
    def __init__(self):
        # BEGIN SOLUTION
        self.left, self.right = Counter(), Counter(10)
        # END SOLUTION

    def up(self):
        # BEGIN SOLUTION
        return self.left.up() + self.right.up()
        # END SOLUTION
"""
OWN = """\
class Pair:
    def __init__(self):
        self.left, self.right = Counter(), Counter(10)

    def up(self):
        return self.left.up() + self.right.up()
"""
HEAD = """\
import pytest

pytestmark = [pytest.mark.concept("counting"), pytest.mark.subject("Pair.up"), pytest.mark.hint("Count both.")]

"""
TESTS = '''
def test_both_count(student):
    """Both counters go up."""
    pair = student.get("Pair")()
    got = pair.up()
    assert got == 12, f"it gives {got}"


def test_each_is_a_counter(student):
    """Each is one of the given counters."""
    left = student.get("Pair")().left
    assert isinstance(left, student.get("Counter")), "it is another class"
    assert left.up() == 1, "it does not count"
'''
BY_TWO = GIVEN.replace("+= 1", "+= 2")


@pytest.fixture
def counters(make_course: MakeCourse) -> Assignment:
    return make_course(TESTS, solution=SOLUTION, grading=GRADING, head=HEAD)


@pytest.fixture
def counter_grader(counters: Assignment, sandbox: SandboxConfig) -> Iterator[Grader]:
    with Grader(counters, sandbox) as opened:
        yield opened


def outcomes(result: GradedSubmission) -> list[str]:
    return [one.outcome for one in result.test_results]


@pytest.mark.parametrize(
    "source",
    [GIVEN + OWN, OWN, OWN + GIVEN, f"from value import Counter\n{OWN}"],
    ids=["handed out", "left out", "below", "imported"],
)
def test_given_code_is_there_without_a_note(counter_grader: Grader, source: str) -> None:
    result = grade_source(counter_grader, source)
    assert outcomes(result) == ["passed", "passed"]
    assert result.notes == ()


@pytest.mark.parametrize(
    "changed",
    [
        BY_TWO,
        f"if True:\n    {BY_TWO.strip().replace(chr(10), chr(10) + '    ')}\n",
        "Counter = None\n",
        f"{GIVEN}{BY_TWO}",
    ],
    ids=["another class", "under if", "a variable", "a second class"],
)
def test_the_original_is_graded_where_a_student_changed_it(counter_grader: Grader, changed: str) -> None:
    result = grade_source(counter_grader, changed + OWN)
    assert outcomes(result) == ["passed", "passed"]
    assert [note for note in result.notes if "`Counter` is given, and value.py, line " in note] == list(result.notes)
    assert len(result.notes) == 1


def test_a_notebook_gets_the_original_too(counter_grader: Grader, tmp_path: Path) -> None:
    cells: list[dict[str, object]] = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": text}
        for text in ("print(1)", BY_TWO, OWN)
    ]
    path = tmp_path / "ada.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}))
    result = counter_grader.grade(path)
    assert outcomes(result) == ["passed", "passed"]
    assert "code cell 2, line 1," in result.notes[0]


def test_a_zip_with_several_files_gets_the_original_too(counter_grader: Grader, tmp_path: Path) -> None:
    path = tmp_path / "ada.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("value.py", f"from counters import Counter\n{OWN}")
        archive.writestr("counters.py", BY_TWO)
    result = counter_grader.grade(path)
    assert outcomes(result) == ["passed", "passed"]
    assert "`Counter` is given, and counters.py, line 1, has another version" in result.notes[0]


def test_a_mistake_in_other_code_is_told_with_the_line_in_the_students_file(counter_grader: Grader) -> None:
    result = grade_source(counter_grader, BY_TWO + OWN.replace("self.left.up() +", "undefined +"))
    assert any(f"line {(BY_TWO + OWN).count(chr(10))}" in one.message for one in result.test_results)


def test_the_template_holds_it_and_says_what_it_is(counters: Assignment) -> None:
    (counters.folder / "public").mkdir()
    (counters.folder / "public" / "test_1.py").write_text("def test_x(): ...\n")
    (counters.folder / "handout.md").write_text("# Counters\n")
    (counters.folder / "template").mkdir()
    (counters.folder / "template" / "README.md").write_text("# Counters\n")
    (counters.folder / "notebook.py").write_text("# %%\n# <value.py>\n")
    stub = render_student_template_files(counters)["value.py"]
    assert GIVEN in stub
    assert "changes here have no effect" in stub
    assert "Counter(10)" not in stub


def test_no_mutant_is_made_of_it(counters: Assignment) -> None:
    source, given = counters.solution_file.read_text(), load_solution_given_code(counters).line_numbers
    kept, all_of_them = make_mutants(source, given), make_mutants(source)
    assert 0 < len(kept) < len(all_of_them)
    assert all("self.value += 1" in mutant.source for mutant in kept)


def test_given_code_under_defines_is_told_with_its_line(make_course: MakeCourse) -> None:
    course = make_course(TESTS, solution=SOLUTION, grading=GRADING.replace("[Pair]", "[Pair, Counter]"), head=HEAD)
    with pytest.raises(CourseFault, match="`Counter` is given code, and grading") as caught:
        load_solution_given_code(load_course(course.course_folder).assignments[0])
    assert caught.value.where.endswith("value.py:4")
