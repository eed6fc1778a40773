"""``autograder check`` on an assignment with mistakes in its files: all of them at once, with place and cure."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.author_checks.file_checks import SolutionNames, check_files
from autograder.course import Assignment, load_course
from autograder.starter import write_assignment
from autograder.template import build_template
from tests.cli.commands import run
from tests.toy import write_toy


@pytest.fixture
def vectors(tmp_path: Path) -> Assignment:
    """A whole assignment in a course of its own, with another beside it."""
    return write_assignment(load_course(write_toy(tmp_path)), "vectors")


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def problems(assignment: Assignment) -> tuple[str, ...]:
    return check_files(load_course(assignment.root).assignments[1]).problems


def test_a_whole_assignment_has_no_mistakes(vectors: Assignment) -> None:
    assert problems(vectors) == ()


def test_a_misspelt_name_in_a_marker_is_told_with_the_nearest_one_and_its_line(vectors: Assignment) -> None:
    test = vectors.hidden_suite_folder / "test_1_vector.py"
    change(test, 'about("dot")', 'about("dott")')
    (said,) = problems(vectors)
    number = next(i for i, line in enumerate(test.read_text().splitlines(), 1) if '"dott"' in line)
    assert said.startswith(f"{test}:")
    assert abs(int(said.removeprefix(f"{test}:").partition(":")[0]) - number) <= 2
    assert "names 'dott', which the solution does not have; did you mean 'dot'?" in said


def test_members_of_classes_can_be_named_and_misspelt(vectors: Assignment) -> None:
    test = vectors.hidden_suite_folder / "test_1_vector.py"
    change(test, 'about("dot")', 'about("Vector.dot")')
    assert problems(vectors) == ()
    change(test, 'about("Vector.dot")', 'about("Vektor.dot")')
    (said,) = problems(vectors)
    assert "did you mean 'Vector.dot'?" in said


def test_all_mistakes_are_told_at_once(vectors: Assignment) -> None:
    hidden = vectors.hidden_suite_folder
    solutions = vectors.solution_file.parent
    change(hidden / "test_1_vector.py", 'about("dot")', 'about("dott")')
    change(vectors.folder / "notebook.py", "# <value.py>", "def (:\n\n\n# %%\n# <value.py>")
    change(solutions / "misconceptions.yml", "    edits:\n", "    edits:\n      - {old: nowhere, new: here}\n")
    (solutions / "equivalents.yml").write_text("equivalents: 3\n")
    (solutions / "wheats" / "broken.py").write_text("class Vector(:\n")
    said = "\n".join(problems(vectors))
    for part in (
        "'dott'",
        "notebook.py:",
        "a code cell is not Python",
        "stands 0 times in the solution: 'nowhere'",
        "equivalents.yml",
        "broken.py:1: is not Python",
    ):
        assert part in said


def test_tests_without_concept_docstring_or_sense_are_told_together(vectors: Assignment) -> None:
    (vectors.hidden_suite_folder / "test_2_more.py").write_text(
        "import pytest\n\n\ndef test_one(student):\n    '''One.'''\n\n\n"
        "@pytest.mark.concept('addition')\ndef test_two(student):\n    pass\n\n\n"
        "@pytest.mark.weight(-1)\n@pytest.mark.concept('addition')\ndef test_three(student):\n    '''Three.'''\n"
    )
    first = problems(vectors)
    assert any("test_2_more.py:4: test_one: names no concept" in one for one in first)
    change(
        vectors.hidden_suite_folder / "test_2_more.py",
        "def test_one",
        "@pytest.mark.concept('addition')\ndef test_one",
    )
    said = "\n".join(problems(vectors))
    assert "test_two: has no docstring" in said
    assert "test_three: a weight is a number above 0, not -1" in said


def test_the_traceback_of_a_test_file_that_raises_is_shown(vectors: Assignment) -> None:
    (vectors.hidden_suite_folder / "test_2_more.py").write_text("EXAMPLES = {}\n\nFIRST = EXAMPLES['first']\n")
    (vectors.hidden_suite_folder / "test_3_more.py").write_text("import no_such_module\n")
    said = run("check", "vectors", "--quick", "--allow-unsafe", cwd=vectors.root).stdout
    assert "✗ the files of the assignment can be used" in said
    assert "FIRST = EXAMPLES['first']" in said
    assert "KeyError: 'first'" in said
    assert "No module named 'no_such_module'" in said


def test_a_solution_that_fails_is_told_test_by_test_with_the_line(vectors: Assignment) -> None:
    change(vectors.hidden_suite_folder / "test_1_vector.py", "got == 49.0", "got == 48.0")
    said = run("check", "vectors", "--quick", "--allow-unsafe", cwd=vectors.root).stdout
    assert "✗ the solution gets full marks, bonus included" in said
    assert "dot-product." in said
    assert "test_1_vector.py:" in said


def test_a_solution_that_fails_everything_is_told_test_by_test_too(vectors: Assignment) -> None:
    change(vectors.hidden_suite_folder / "test_1_vector.py", 'student.get("Vector")', 'student.get("Vektor")')
    said = run("check", "vectors", "--quick", "--allow-unsafe", cwd=vectors.root).stdout
    assert "✗ the solution gets full marks, bonus included" in said
    assert "autograder check" not in said


def test_what_is_wrong_with_one_assignment_keeps_no_other_from_being_checked(vectors: Assignment) -> None:
    change(vectors.hidden_suite_folder / "test_1_vector.py", 'about("dot")', 'about("dott")')
    said = run("check", "--quick", "--allow-unsafe", cwd=vectors.root)
    assert said.returncode == 1
    assert said.stdout.index("toy") < said.stdout.index("vectors")
    assert "'dott'" in said.stdout


def test_an_assignment_needs_no_notebook_and_no_readme(vectors: Assignment) -> None:
    assert {"value.ipynb", "notebook_check.py"} <= build_template(vectors).keys()
    (vectors.folder / "notebook.py").unlink()
    (vectors.folder / "template" / "README.md").unlink(missing_ok=True)
    assert not {"value.ipynb", "notebook_check.py", "README.md"} & build_template(vectors).keys()
    assert problems(vectors) == ()


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("parameters", True),
        ("Net.parameters", True),
        ("Net.layers", True),
        ("Net.size", True),
        ("Other.parameters", True),
        ("train", True),
        ("later", True),
        ("Net.later", False),
        ("Net.paramters", False),
        ("Nett.parameters", False),
        ("trian", False),
    ],
)
def test_what_a_marker_may_name(name: str, known: bool) -> None:
    source = (
        "class Net:\n    size = 1\n    def parameters(self):\n        self.layers = []\n"
        "class Other(Net): ...\ndef train(): ...\nlater = 1\n"
    )
    assert SolutionNames(source).can_mean(name) is known
