"""``autograder check`` on an assignment with mistakes in its files: all of them at once, with place and cure."""

from __future__ import annotations

import pytest

from autograder.author_checks.hidden_test_checks import SolutionNames
from autograder.course import Assignment
from autograder.faults import CourseFault
from autograder.template.student_files import make_stub_from_solution
from tests.cli.commands import run
from tests.gate.file_problems import change, find_line, problems


def test_a_whole_assignment_has_no_mistakes(vectors: Assignment) -> None:
    assert problems(vectors) == ()


def test_a_misspelt_name_in_a_marker_is_told_with_the_nearest_one_and_its_line(vectors: Assignment) -> None:
    test = vectors.hidden_suite_folder / "test_1_vector.py"
    change(test, 'subject("dot")', 'subject("dott")')
    (said,) = problems(vectors)
    number = next(i for i, line in enumerate(test.read_text().splitlines(), 1) if '"dott"' in line)
    assert said.startswith(f"{test}:")
    assert abs(int(said.removeprefix(f"{test}:").partition(":")[0]) - number) <= 2
    assert "names 'dott', which the solution does not have; did you mean 'dot'?" in said


def test_all_mistakes_are_told_at_once(vectors: Assignment) -> None:
    hidden = vectors.hidden_suite_folder
    solutions = vectors.solution_file.parent
    change(hidden / "test_1_vector.py", 'subject("dot")', 'subject("dott")')
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
        "broken.py:1: this line is not valid Python",
    ):
        assert part in said


def test_tests_without_concept_docstring_or_sense_are_told_together(vectors: Assignment) -> None:
    (vectors.hidden_suite_folder / "test_2_more.py").write_text(
        "import pytest\n\n\ndef test_one(student):\n    '''One.'''\n\n\n"
        "@pytest.mark.concept('addition')\ndef test_two(student):\n    pass\n\n\n"
        "@pytest.mark.weight(-1)\n@pytest.mark.concept('addition')\ndef test_three(student):\n    '''Three.'''\n"
    )
    said = "\n".join(problems(vectors))
    assert "test_2_more.py:4: test_one: the test test_one names no concept" in said
    assert "test_two: the test test_two has no docstring" in said
    assert "test_three: a weight must be a number above 0, not -1" in said


@pytest.mark.thorough
def test_misspelt_names_in_markers_are_told_whatever_else_is_wrong_with_the_suite(vectors: Assignment) -> None:
    hidden = vectors.hidden_suite_folder
    change(hidden / "test_1_vector.py", 'subject("dot")', 'subject("dott")')
    (hidden / "test_2_more.py").write_text("import no_such_module\n")
    (hidden / "test_3_more.py").write_text("def test_it(student)\n    pass\n")
    (hidden / "test_4_more.py").write_text("def test_it(student):\n    '''One.'''\n")
    said = problems(vectors)
    assert any("did you mean 'dot'?" in one for one in said)
    assert any("No module named 'no_such_module'" in one for one in said)
    assert f"{hidden / 'test_3_more.py'}:1: this line is not valid Python: expected ':' (fix the line)" in said
    assert not any("_pytest" in one for one in said)


def test_a_solution_that_is_no_python_is_told_once_with_its_line(vectors: Assignment) -> None:
    change(vectors.solution_file, "def dot(self, other):", "def dot(self, other)")
    number = find_line(vectors.solution_file, "def dot")
    said = f"{vectors.solution_file}:{number}: this line is not valid Python: expected ':' (fix the line)"
    assert [one for one in problems(vectors) if one.startswith(str(vectors.solution_file))] == [said]
    assert said in run("template", "vectors", cwd=vectors.course_folder).stderr


def test_markers_that_cut_a_statement_are_told_at_their_line_of_the_solution() -> None:
    source = "if True:\n    # BEGIN SOLUTION ONLY\n    x = 1\n    # END SOLUTION ONLY\ny = 2  # BEGIN\n"
    with pytest.raises(CourseFault, match=r"^value.py:5: the students' version is not Python: expected an"):
        make_stub_from_solution(source, "value.py")


def test_a_hidden_test_without_a_hint_is_told_with_its_line(vectors: Assignment) -> None:
    test = vectors.hidden_suite_folder / "test_2_more.py"
    test.write_text(
        "import pytest\n\n\n@pytest.mark.concept('addition')\n@pytest.mark.subject('__add__')\n"
        "def test_more(student):\n    '''More.'''\n    student.get('Vector')([1.0]) + student.get('Vector')([1.0])\n"
    )
    said = run("check", "vectors", "--quick", "--allow-unsafe", cwd=vectors.course_folder).stdout
    assert "test_2_more.py:4: addition.more has no hint" in " ".join(said.split())


def test_the_traceback_of_a_test_file_that_raises_is_shown(vectors: Assignment) -> None:
    (vectors.hidden_suite_folder / "test_2_more.py").write_text("EXAMPLES = {}\n\nFIRST = EXAMPLES['first']\n")
    (vectors.hidden_suite_folder / "test_3_more.py").write_text("import no_such_module\n")
    said = run("check", "vectors", "--quick", "--allow-unsafe", cwd=vectors.course_folder).stdout
    assert "✗ the files of the assignment can be used" in said
    assert "FIRST = EXAMPLES['first']" in said
    assert "KeyError: 'first'" in said
    assert "No module named 'no_such_module'" in said


def test_a_solution_that_fails_is_told_test_by_test_with_the_line(vectors: Assignment) -> None:
    change(vectors.hidden_suite_folder / "test_1_vector.py", "got == 49.0", "got == 48.0")
    said = run("check", "vectors", "--quick", "--allow-unsafe", cwd=vectors.course_folder).stdout
    assert "✗ the solution gets full marks, bonus included" in said
    assert "dot-product." in said
    assert "test_1_vector.py:" in said


@pytest.mark.thorough
def test_what_is_wrong_with_one_assignment_keeps_no_other_from_being_checked(vectors: Assignment) -> None:
    change(vectors.hidden_suite_folder / "test_1_vector.py", 'subject("dot")', 'subject("dott")')
    said = run("check", "--quick", "--allow-unsafe", cwd=vectors.course_folder)
    assert said.returncode == 1
    assert said.stdout.index("toy") < said.stdout.index("vectors")
    assert "'dott'" in said.stdout


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
    assert SolutionNames(source).may_define(name) is known


def test_a_test_that_fails_on_the_solution_is_told_with_its_error_and_its_line(vectors: Assignment) -> None:
    test = vectors.hidden_suite_folder / "test_1_vector.py"
    change(test, "Vector([3.0, 1.0, 2.0]).numbers", "Vector(type('Own', (), {})()).numbers")
    said = run("check", "vectors", "--quick", "--allow-unsafe", cwd=vectors.course_folder).stdout
    line = find_line(test, "'Own'")
    assert "keeps-its-numbers: failed: TypeError: a Own cannot be sent to a student's process; send numbers" in said
    assert f"({test}:{line})" in said
    assert "Your code" not in said


def test_a_readme_that_promises_a_notebook_that_was_deleted_is_told(vectors: Assignment) -> None:
    (vectors.folder / "notebook.py").unlink()
    readme = vectors.folder / "template" / "README.md"
    (said,) = problems(vectors)
    assert said.startswith(f"{readme}:{find_line(readme, 'value.ipynb')}: this page speaks of value.ipynb")


def test_members_of_classes_can_be_named_and_misspelt(vectors: Assignment) -> None:
    test = vectors.hidden_suite_folder / "test_1_vector.py"
    change(test, 'subject("dot")', 'subject("Vector.dot")')
    assert problems(vectors) == ()
    change(test, 'subject("Vector.dot")', 'subject("Vektor.dot")')
    (said,) = problems(vectors)
    assert "did you mean 'Vector.dot'?" in said


def test_a_misspelt_marker_is_told_once_with_its_line_and_the_nearest_one(vectors: Assignment) -> None:
    test = vectors.hidden_suite_folder / "test_1_vector.py"
    change(test, "@pytest.mark.hint(", "@pytest.mark.hnit(")
    (said,) = (one for one in problems(vectors) if "hnit" in one)
    assert said.startswith(f"{test}:{find_line(test, 'hnit')}: unknown marker 'hnit'; did you mean 'hint'?")


def test_a_name_in_defines_that_the_solution_lacks_is_told_at_its_line(vectors: Assignment) -> None:
    config = vectors.course_folder / "grading.yml"
    change(vectors.solution_file, "class Vector:", "class Vector2:")
    (said,) = (one for one in problems(vectors) if one.startswith(f"{config}:"))
    assert said.startswith(f"{config}:{find_line(config, 'defines: [Vector]')}: `defines` lists 'Vector', ")
    assert "which value.py does not have; did you mean 'Vector2'?" in said
